//! Choice of the model that predicts an algorithm; no other module decides this.
//!
//! # Rule
//! 1. A model that the user names predicts every measured algorithm, or the algorithm that the user
//!    names.
//! 2. Else the model that the fit chose for the algorithm, if it has all given parameters.
//! 3. Else, for an all-to-all, its signature; without signatures in the profile, the first fitted
//!    model, or the regimes. For another collective, the regimes.
//! 4. For an unmeasured algorithm, the regimes of its traffic pattern with the parameters of a measured exchange
//!    (`regimes::transferred`). Between clusters no parameters are borrowed, since one algorithm tells little of
//!    another there. Without such regimes its pLogP model, which excludes contention, unless parameters are given.
//!    Beside measured algorithms the time of such a model is a lower bound, and ranked as one.

use itertools::Itertools as _;
use netsig_base::algorithm::{
    Algorithm, AlgorithmEntry, Collective, CollectiveMethod, LIBRARY, SizePattern, algorithm_entries,
};
use netsig_base::text::refusal::Refusal;

use super::modelled_algorithm::{ModelReason, ModelledAlgorithm};
use crate::model::{self, Model, SIGNATURE};
use crate::profile::Profile;

/// Request for predictions: models and algorithms.
#[derive(Debug, Clone, Copy)]
pub struct ModelQuestion<'a> {
    /// The fitted models.
    pub profile: &'a Profile,
    /// Name of the profile, for messages.
    pub name: &'a str,
    /// The collective.
    pub collective: Collective,
    /// The algorithm; `None` for all algorithms of the profile.
    pub algorithm: Option<&'a str>,
    /// The models.
    pub models: RequestedModels<'a>,
    /// Parameters by name, which take precedence over fitted ones.
    pub given: &'a [(String, f64)],
}

/// Requested models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestedModels<'a> {
    /// For each algorithm the model chosen by the rule.
    ByRule,
    /// All applicable models.
    All,
    /// The model with this name.
    Named(&'a str),
}

impl ModelQuestion<'_> {
    /// Algorithms and models to predict, in the order of the profile and of the models.
    ///
    /// # Errors
    /// If a name is unknown, nothing fitted or given answers the question, or no model has a given
    /// parameter.
    pub fn modelled_algorithms(&self) -> Result<Vec<ModelledAlgorithm>, Refusal> {
        let known = self.profile.algorithms(self.collective);
        let other = self.algorithm.filter(|name| !known.contains(name));
        let canonical = other.map(|name| CollectiveMethod::canonical(self.collective, name));
        let question = ModelQuestion {
            algorithm: canonical.as_deref().or(self.algorithm),
            ..*self
        };
        question.answer()
    }

    /// [`ModelQuestion::modelled_algorithms`] for an algorithm in the form that measuring writes.
    fn answer(&self) -> Result<Vec<ModelledAlgorithm>, Refusal> {
        if let Some(modelled) = self.of_unmeasured() {
            return Ok(vec![modelled]);
        }
        let modelled_algorithms = match self.collective {
            Collective::Alltoall => self.of_alltoall()?,
            _ => self.of_other_collective()?,
        };
        let models: Vec<&Model> = modelled_algorithms.iter().map(|modelled| modelled.model).collect();
        self.refuse_unknown_parameters(&models)?;
        Ok(modelled_algorithms)
    }

    /// The model for a measured algorithm, and the reason of the choice.
    pub fn chosen_model(&self, algorithm: &str) -> Option<(&'static Model, ModelReason)> {
        let method = CollectiveMethod::parse(self.collective, algorithm).ok();
        if method.is_some_and(|method| method.follows_clusters()) {
            return Some((model::of_clusters(self.collective)?, ModelReason::Fitted));
        }
        let has = |model: &Model, name: &str| model.parameters.iter().any(|parameter| parameter.name == name);
        if let Some((model, reason)) = self.fitted_choice(algorithm)
            && self.given.iter().all(|(name, _)| has(model, name))
        {
            return Some((model, reason));
        }
        let general = self.general_model();
        let fitted = || self.profile.fitted.iter().map(|entry| entry.model);
        let model = match self.collective {
            Collective::Alltoall => {
                let signature = model::find(self.collective, SIGNATURE).ok()?;
                let first = fitted().next();
                match first {
                    Some(_) if fitted().any(|fitted_model| fitted_model == signature) => signature,
                    Some(first) => first,
                    None if self.profile.contention_models().next().is_none() => signature,
                    None => general,
                }
            }
            _ => general,
        };
        Some((model, ModelReason::Fitted))
    }

    /// The model that the fit chose, if the profile has its parameters.
    fn fitted_choice(&self, algorithm: &str) -> Option<(&'static Model, ModelReason)> {
        let mut choices = self.profile.choices.iter();
        let choice = choices.find(|choice| choice.collective == self.collective && choice.algorithm == algorithm)?;
        let model = model::find(self.collective, &choice.model).ok()?;
        let has_parameters = !model.is_fitted_to_cells() || self.profile.model(model, algorithm).is_some();
        has_parameters.then(|| (model, ModelReason::Chosen(choice.reason.clone())))
    }

    /// The contention model that describes any algorithm of the collective.
    fn general_model(&self) -> &'static Model {
        model::general_model(self.collective)
    }

    /// The model with this name, if it has a section of its own in profiles: it describes any measured
    /// algorithm.
    fn stored_model(&self, name: &str) -> Option<&'static Model> {
        let found = model::find(self.collective, name).ok();
        found.filter(|model| model.is_stored())
    }

    /// All algorithms of an all-to-all with the requested models.
    fn of_alltoall(&self) -> Result<Vec<ModelledAlgorithm>, Refusal> {
        let named_models = match self.models {
            RequestedModels::ByRule => Vec::new(),
            RequestedModels::All => model::of_collective(self.collective).collect(),
            RequestedModels::Named(name) => vec![model::find(self.collective, name)?],
        };
        let of_algorithm = |algorithm: &str| -> Vec<ModelledAlgorithm> {
            let chosen = self.chosen_model(algorithm).filter(|_| named_models.is_empty());
            let method = CollectiveMethod::parse(self.collective, algorithm).ok();
            let is_clustered = method.is_some_and(|method| method.follows_clusters());
            let is_meant =
                |model: &&&Model| self.models != RequestedModels::All || model.is_of_clusters() == is_clustered;
            let meant_models = named_models.iter().filter(is_meant);
            let requested = meant_models.map(|model| (*model, ModelReason::NamedByUser));
            let all = chosen.into_iter().chain(requested);
            all.map(|(model, reason)| ModelledAlgorithm::new(algorithm, model, reason))
                .collect()
        };
        let algorithms = self.algorithms(&named_models)?;
        Ok(algorithms
            .iter()
            .flat_map(|algorithm| of_algorithm(algorithm))
            .collect())
    }

    /// Algorithms of an all-to-all: the measured ones, or without these `any`, which suffices for
    /// models that need no measurement.
    fn algorithms(&self, named_models: &[&Model]) -> Result<Vec<String>, Refusal> {
        let collective = self.collective;
        let known = self.profile.algorithms(collective);
        let names_general_model = named_models.iter().any(|model| !model.is_signature());
        let is_general = names_general_model || !self.given.is_empty();
        let chosen = self.chosen_model("").filter(|_| named_models.is_empty());
        let can_predict_any = chosen.is_some_and(|(model, _)| !model.is_signature());
        match self.algorithm {
            None if !known.is_empty() => Ok(known.into_iter().map(str::to_owned).collect()),
            None if is_general || can_predict_any => Ok(vec!["any".to_owned()]),
            None => Err(self.data_refusal(&format!(
                "has no signature of {collective}; fit one, give gamma with --set, or choose another --model"
            ))),
            Some(wanted) if known.contains(&wanted) => Ok(vec![wanted.to_owned()]),
            Some(wanted) => {
                CollectiveMethod::parse(collective, wanted)?;
                if is_general {
                    return Ok(vec![wanted.to_owned()]);
                }
                Err(self.data_refusal(&format!(
                    "has no signature of {collective} {wanted}{}; measure and fit it",
                    known_names_remedy(&known)
                )))
            }
        }
    }

    /// All algorithms of another collective with the requested models.
    fn of_other_collective(&self) -> Result<Vec<ModelledAlgorithm>, Refusal> {
        let collective = self.collective;
        let modelled_algorithms = match (self.algorithm, self.models) {
            (None, RequestedModels::ByRule) => self.candidates(),
            (None, RequestedModels::All) => {
                let all = model::strategies(collective).map(ModelledAlgorithm::of_strategy);
                all.chain(self.measured()).collect()
            }
            (None, RequestedModels::Named(name)) => match self.stored_model(name) {
                Some(model) => match self.measured() {
                    measured if measured.is_empty() => self.stored_algorithms("any", model)?,
                    measured => measured
                        .into_iter()
                        .map(|modelled| modelled.with_model(model))
                        .collect(),
                },
                None => vec![ModelledAlgorithm::of_strategy(model::find(collective, name)?)],
            },
            (Some(algorithm), RequestedModels::ByRule | RequestedModels::All) => self.of_named(algorithm)?,
            (Some(algorithm), RequestedModels::Named(name)) => match self.stored_model(name) {
                Some(model) => self.stored_algorithms(algorithm, model)?,
                None => vec![self.strategy_algorithm(algorithm, name)?],
            },
        };
        if modelled_algorithms.is_empty() {
            return Err(self.data_refusal(&format!("has no regimes of {collective}; measure some and fit them")));
        }
        Ok(modelled_algorithms)
    }

    /// Candidates of a choice: the measured algorithms, and the library's own choice and other algorithms with
    /// borrowed parameters or a pLogP model.
    pub fn candidates(&self) -> Vec<ModelledAlgorithm> {
        let is_measured = self.profile.algorithms(self.collective).contains(&LIBRARY);
        let library = self.with_transferred_parameters(LIBRARY).filter(|_| !is_measured);
        let others = algorithm_entries(self.collective).flat_map(|entry| self.of_entry(entry));
        let borrowed = library.into_iter().chain(others);
        self.measured().into_iter().chain(borrowed).collect()
    }

    /// Unmeasured candidates of an algorithm: every combination of settings that can borrow parameters, else its
    /// pLogP model.
    fn of_entry(&self, entry: &'static AlgorithmEntry) -> Vec<ModelledAlgorithm> {
        let known = self.profile.algorithms(self.collective);
        let names = entry.candidates().map(|algorithm| algorithm.to_string());
        let unmeasured = names.filter(|name| !known.contains(&name.as_str()));
        let modelled_settings: Vec<ModelledAlgorithm> = unmeasured
            .filter_map(|name| self.with_transferred_parameters(&name))
            .collect();
        let is_measured = known.iter().any(|name| entry.is_named_by(name));
        if modelled_settings.is_empty() && !is_measured {
            let modelled = ModelledAlgorithm::of_entry(entry).filter(|_| self.is_of_equal_pieces());
            return modelled.into_iter().collect();
        }
        modelled_settings
    }

    /// True if the messages of the collective have one size, as pLogP models assume.
    fn is_of_equal_pieces(&self) -> bool {
        self.collective.size_pattern() == SizePattern::Equal
    }

    /// Every measured algorithm with its model.
    fn measured(&self) -> Vec<ModelledAlgorithm> {
        let known = self.profile.algorithms(self.collective).into_iter();
        let modelled = |algorithm| {
            let (model, reason) = self.chosen_model(algorithm)?;
            Some(ModelledAlgorithm::new(algorithm, model, reason))
        };
        known.filter_map(modelled).collect()
    }

    /// A measured algorithm with its model; if all models are requested, also with its pLogP model.
    fn of_named(&self, name: &str) -> Result<Vec<ModelledAlgorithm>, Refusal> {
        let mut found = self.measured();
        found.retain(|modelled| modelled.algorithm == name);
        if self.models == RequestedModels::All {
            found.extend(self.plogp_algorithm(name).filter(|_| self.given.is_empty()));
        }
        if found.is_empty() {
            CollectiveMethod::parse(self.collective, name)?;
            return self.stored_algorithms(name, self.general_model());
        }
        Ok(found)
    }

    /// The requested algorithm, if it was not measured, with borrowed parameters or its pLogP model. `None` if
    /// parameters are given: they belong to other models.
    fn of_unmeasured(&self) -> Option<ModelledAlgorithm> {
        let known = self.profile.algorithms(self.collective);
        let is_free = self.models == RequestedModels::ByRule && self.given.is_empty();
        let name = self.algorithm.filter(|name| is_free && !known.contains(name));
        self.with_transferred_parameters(name?)
            .or_else(|| self.between_clusters(name?))
            .or_else(|| self.plogp_algorithm(name?))
    }

    /// An algorithm that follows clusters, with the model of its start-ups and bytes alone.
    fn between_clusters(&self, name: &str) -> Option<ModelledAlgorithm> {
        let method = CollectiveMethod::parse(self.collective, name).ok()?;
        let model = model::of_clusters(self.collective).filter(|_| method.follows_clusters())?;
        Some(ModelledAlgorithm::new(
            &method.to_string(),
            model,
            ModelReason::Unmeasured,
        ))
    }

    /// An unmeasured algorithm with the parameters of a measured exchange, if it can borrow them.
    fn with_transferred_parameters(&self, name: &str) -> Option<ModelledAlgorithm> {
        let can_transfer = self.profile.can_transfer_parameters(self.collective, name);
        can_transfer.then(|| ModelledAlgorithm::new(name, self.general_model(), ModelReason::Unmeasured))
    }

    /// An algorithm with its pLogP model, and the best segment size if its name sets none.
    fn plogp_algorithm(&self, name: &str) -> Option<ModelledAlgorithm> {
        let modelled = match algorithm_entries(self.collective).find(|entry| entry.name == name) {
            Some(entry) => ModelledAlgorithm::of_entry(entry),
            None => ModelledAlgorithm::of_algorithm(&Algorithm::parse(self.collective, name).ok()?),
        };
        modelled.filter(|_| self.is_of_equal_pieces())
    }

    /// An algorithm with the pLogP model `model`, if that is its own model or corrects it.
    fn strategy_algorithm(&self, algorithm: &str, model: &str) -> Result<ModelledAlgorithm, Refusal> {
        let model = model::find(self.collective, model)?;
        let is_read =
            |algorithm_model: &Model| algorithm_model == model || model.corrects == Some(algorithm_model.name);
        match self.plogp_algorithm(algorithm) {
            Some(modelled) if is_read(modelled.model) => Ok(modelled.with_model(model)),
            _ => Err(Refusal::request(format!(
                "{} is no model of {} {algorithm}; leave out --model or --algorithm",
                model.name, self.collective
            ))),
        }
    }

    /// An algorithm with a contention model that profiles store, fitted or with given parameters.
    fn stored_algorithms(&self, algorithm: &str, model: &'static Model) -> Result<Vec<ModelledAlgorithm>, Refusal> {
        let collective = self.collective;
        let known = self.profile.algorithms(collective);
        if self.given.is_empty() && !known.contains(&algorithm) {
            return Err(self.data_refusal(&format!(
                "has no {} of {collective} {algorithm}{}; measure and fit it",
                model.name,
                known_names_remedy(&known)
            )));
        }
        Ok(vec![ModelledAlgorithm::new(algorithm, model, ModelReason::NamedByUser)])
    }

    /// The refusal of a profile that lacks the answer.
    fn data_refusal(&self, problem: &str) -> Refusal {
        Refusal::data(problem).about(self.name)
    }

    /// Refuses a parameter that none of the models has, or that is given twice.
    fn refuse_unknown_parameters(&self, models: &[&Model]) -> Result<(), Refusal> {
        let parameters = models.iter().flat_map(|model| model.parameters);
        let known: Vec<&str> = parameters.map(|parameter| parameter.name).unique().collect();
        for (index, (name, _)) in self.given.iter().enumerate() {
            if self.given[..index].iter().any(|(earlier, _)| earlier == name) {
                let problem = format!("{name} is set twice; set it once");
                return Err(Refusal::request(problem));
            }
            if !known.contains(&name.as_str()) {
                return Err(unknown_parameter(models, name, &known));
            }
        }
        Ok(())
    }
}

/// The end of a refusal: the algorithms that the profile does have.
fn known_names_remedy(known: &[&str]) -> String {
    match known {
        [] => String::new(),
        known => format!(", only of {}", known.join(", ")),
    }
}

fn unknown_parameter(models: &[&Model], name: &str, known: &[&str]) -> Refusal {
    let whose = match models {
        [model] => format!("{} has no parameter", model.name),
        _ => "no model here has a parameter".to_owned(),
    };
    let remedy = match known {
        [] => "leave out --set".to_owned(),
        known => format!("set one of: {}", known.join(", ")),
    };
    Refusal::request(format!("{whose} {name:?}; {remedy}"))
}
