//! Choice of the model that predicts an algorithm; no other module decides this.
//!
//! # Rule
//! 1. A model that the user names predicts every measured algorithm, or the algorithm that the user
//!    names.
//! 2. Else the model that the fit chose for the algorithm, if it has all given parameters.
//! 3. Else, for an all-to-all, its signature; without signatures in the profile, the first fitted
//!    model, or the regimes. For another collective, the regimes.
//! 4. For an algorithm that was not measured, the regimes of its traffic pattern with the parameters
//!    of a measured exchange (`regimes::borrowed`), unless that was measured between clusters, where one algorithm
//!    tells little of another; without these its pLogP model, which excludes contention,
//!    unless parameters are given. Beside measured algorithms this is a lower bound, and ranked as one.

use itertools::Itertools as _;
use netsig_base::algorithm::{Algorithm, Collective, Entry, LIBRARY, Method, Sizes, entries};
use netsig_base::text::refusal::Refusal;

use super::line::{Line, Reason};
use crate::model::{self, Model, SIGNATURE};
use crate::profile::Profile;

/// Request for predictions: models and algorithms.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The fitted models.
    pub profile: &'a Profile,
    /// Name of the profile, for messages.
    pub name: &'a str,
    /// The collective.
    pub collective: Collective,
    /// The algorithm; `None` for all algorithms of the profile.
    pub algorithm: Option<&'a str>,
    /// The models.
    pub models: Models<'a>,
    /// Parameters by name, which take precedence over fitted ones.
    pub given: &'a [(String, f64)],
}

/// Requested models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Models<'a> {
    /// For each algorithm the model chosen by the rule.
    Speaking,
    /// All applicable models.
    All,
    /// The model with this name.
    Named(&'a str),
}

impl Question<'_> {
    /// Algorithms and models to predict, in the order of the profile and of the models.
    ///
    /// # Errors
    /// If a name is unknown, nothing fitted or given answers the question, or no model has a given
    /// parameter.
    pub fn lines(&self) -> Result<Vec<Line>, Refusal> {
        let known = self.profile.algorithms(self.collective);
        let other = self.algorithm.filter(|name| !known.contains(name));
        let canonical = other.map(|name| Method::canonical(self.collective, name));
        let question = Question {
            algorithm: canonical.as_deref().or(self.algorithm),
            ..*self
        };
        question.answer()
    }

    /// [`Question::lines`] for an algorithm in the form that measuring writes.
    fn answer(&self) -> Result<Vec<Line>, Refusal> {
        if let Some(line) = self.unmeasured() {
            return Ok(vec![line]);
        }
        let lines = match self.collective {
            Collective::Alltoall => self.alltoalls()?,
            _ => self.others()?,
        };
        let models: Vec<&Model> = lines.iter().map(|line| line.model).collect();
        self.refuse_settings(&models)?;
        Ok(lines)
    }

    /// The model for a measured algorithm, and the reason of the choice.
    pub fn speaker(&self, algorithm: &str) -> Option<(&'static Model, Reason)> {
        let method = Method::parse(self.collective, algorithm).ok();
        if method.is_some_and(|method| method.follows_clusters()) {
            return Some((model::of_clusters(self.collective)?, Reason::Fitted));
        }
        let has = |model: &Model, name: &str| model.parameters.iter().any(|own| own.name == name);
        if let Some((model, reason)) = self.chosen(algorithm)
            && self.given.iter().all(|(name, _)| has(model, name))
        {
            return Some((model, reason));
        }
        let general = self.general();
        let fitted = || self.profile.fitted.iter().map(|own| own.model);
        let model = match self.collective {
            Collective::Alltoall => {
                let signature = model::find(self.collective, SIGNATURE).ok()?;
                let first = fitted().next();
                match first {
                    Some(_) if fitted().any(|own| own == signature) => signature,
                    Some(first) => first,
                    None if self.profile.contention().next().is_none() => signature,
                    None => general,
                }
            }
            _ => general,
        };
        Some((model, Reason::Fitted))
    }

    /// The model that the fit chose, if the profile has its parameters.
    fn chosen(&self, algorithm: &str) -> Option<(&'static Model, Reason)> {
        let mut choices = self.profile.choices.iter();
        let choice = choices.find(|own| own.collective == self.collective && own.algorithm == algorithm)?;
        let model = model::find(self.collective, &choice.model).ok()?;
        let can_speak = !model.is_fitted_to_cells() || self.profile.model(model, algorithm).is_some();
        can_speak.then(|| (model, Reason::Chosen(choice.reason.clone())))
    }

    /// The contention model that describes any algorithm of the collective.
    fn general(&self) -> &'static Model {
        model::general(self.collective)
    }

    /// The model with this name, if it has a section of its own in profiles: it describes any measured
    /// algorithm.
    fn stored(&self, name: &str) -> Option<&'static Model> {
        let found = model::find(self.collective, name).ok();
        found.filter(|own| own.is_stored())
    }

    /// All algorithms of an all-to-all with the requested models.
    fn alltoalls(&self) -> Result<Vec<Line>, Refusal> {
        let named = match self.models {
            Models::Speaking => Vec::new(),
            Models::All => model::of(self.collective).collect(),
            Models::Named(name) => vec![model::find(self.collective, name)?],
        };
        let of = |algorithm: &str| -> Vec<Line> {
            let speaker = self.speaker(algorithm).filter(|_| named.is_empty());
            let method = Method::parse(self.collective, algorithm).ok();
            let is_clustered = method.is_some_and(|method| method.follows_clusters());
            let is_meant = |model: &&&Model| self.models != Models::All || model.is_of_clusters() == is_clustered;
            let asked = named.iter().filter(is_meant);
            let asked = asked.map(|model| (*model, Reason::Asked));
            let all = speaker.into_iter().chain(asked);
            all.map(|(model, reason)| Line::new(algorithm, model, reason)).collect()
        };
        let algorithms = self.algorithms(&named)?;
        Ok(algorithms.iter().flat_map(|own| of(own)).collect())
    }

    /// Algorithms of an all-to-all: the measured ones, or without these `any`, which suffices for
    /// models that need no measurement.
    fn algorithms(&self, named: &[&Model]) -> Result<Vec<String>, Refusal> {
        let collective = self.collective;
        let known = self.profile.algorithms(collective);
        let is_asked = named.iter().any(|model| !model.is_signature());
        let is_general = is_asked || !self.given.is_empty();
        let speaker = self.speaker("").filter(|_| named.is_empty());
        let speaks = speaker.is_some_and(|(model, _)| !model.is_signature());
        match self.algorithm {
            None if !known.is_empty() => Ok(known.into_iter().map(str::to_owned).collect()),
            None if is_general || speaks => Ok(vec!["any".to_owned()]),
            None => Err(self.lacks(&format!(
                "has no signature of {collective}; fit one, give gamma with --set, or choose another --model"
            ))),
            Some(wanted) if known.contains(&wanted) => Ok(vec![wanted.to_owned()]),
            Some(wanted) => {
                Method::parse(collective, wanted)?;
                if is_general {
                    return Ok(vec![wanted.to_owned()]);
                }
                Err(self.lacks(&format!(
                    "has no signature of {collective} {wanted}{}; measure and fit it",
                    others(&known)
                )))
            }
        }
    }

    /// All algorithms of another collective with the requested models.
    fn others(&self) -> Result<Vec<Line>, Refusal> {
        let collective = self.collective;
        let lines = match (self.algorithm, self.models) {
            (None, Models::Speaking) => self.candidates(),
            (None, Models::All) => {
                let all = model::strategies(collective).map(Line::of_strategy);
                all.chain(self.measured()).collect()
            }
            (None, Models::Named(name)) => match self.stored(name) {
                Some(model) => match self.measured() {
                    measured if measured.is_empty() => self.stored_of("any", model)?,
                    measured => measured.into_iter().map(|line| line.by(model)).collect(),
                },
                None => vec![Line::of_strategy(model::find(collective, name)?)],
            },
            (Some(own), Models::Speaking | Models::All) => self.named(own)?,
            (Some(own), Models::Named(name)) => match self.stored(name) {
                Some(model) => self.stored_of(own, model)?,
                None => vec![self.strategy(own, name)?],
            },
        };
        if lines.is_empty() {
            return Err(self.lacks(&format!("has no regimes of {collective}; measure some and fit them")));
        }
        Ok(lines)
    }

    /// Candidates of a choice: the measured algorithms, the library's own choice and the others that a
    /// measured exchange tells of, and those that have a pLogP model.
    pub fn candidates(&self) -> Vec<Line> {
        let is_measured = self.profile.algorithms(self.collective).contains(&LIBRARY);
        let library = self.borrowed(LIBRARY).filter(|_| !is_measured);
        let others = entries(self.collective).flat_map(|entry| self.of_entry(entry));
        let borrowed = library.into_iter().chain(others);
        self.measured().into_iter().chain(borrowed).collect()
    }

    /// Candidates of an algorithm beside those that were measured: with every combination of settings
    /// that a measured exchange tells of, or else its pLogP model.
    fn of_entry(&self, entry: &'static Entry) -> Vec<Line> {
        let known = self.profile.algorithms(self.collective);
        let names = entry.tried().map(|algorithm| algorithm.to_string());
        let unmeasured = names.filter(|name| !known.contains(&name.as_str()));
        let lines: Vec<Line> = unmeasured.filter_map(|name| self.borrowed(&name)).collect();
        let is_measured = known.iter().any(|name| entry.is_named_by(name));
        if lines.is_empty() && !is_measured {
            let line = Line::of_entry(entry).filter(|_| self.is_of_equal_pieces());
            return line.into_iter().collect();
        }
        lines
    }

    /// True if the models on pLogP, whose messages have one size, speak of the collective.
    fn is_of_equal_pieces(&self) -> bool {
        self.collective.sizes() == Sizes::Equal
    }

    /// Every measured algorithm with its model.
    fn measured(&self) -> Vec<Line> {
        let known = self.profile.algorithms(self.collective).into_iter();
        let line = |algorithm| {
            let (model, reason) = self.speaker(algorithm)?;
            Some(Line::new(algorithm, model, reason))
        };
        known.filter_map(line).collect()
    }

    /// A measured algorithm with its model; if all models are requested, also with its pLogP model.
    fn named(&self, name: &str) -> Result<Vec<Line>, Refusal> {
        let mut found = self.measured();
        found.retain(|line| line.algorithm == name);
        if self.models == Models::All {
            found.extend(self.on_plogp(name).filter(|_| self.given.is_empty()));
        }
        if found.is_empty() {
            Method::parse(self.collective, name)?;
            return self.stored_of(name, self.general());
        }
        Ok(found)
    }

    /// The requested algorithm with borrowed parameters or its pLogP model, if it was not measured and
    /// no parameters are given, which belong to other models.
    fn unmeasured(&self) -> Option<Line> {
        let known = self.profile.algorithms(self.collective);
        let is_free = self.models == Models::Speaking && self.given.is_empty();
        let name = self.algorithm.filter(|name| is_free && !known.contains(name));
        self.borrowed(name?)
            .or_else(|| self.between_clusters(name?))
            .or_else(|| self.on_plogp(name?))
    }

    /// An algorithm that follows clusters, with the model of its start-ups and bytes alone.
    fn between_clusters(&self, name: &str) -> Option<Line> {
        let method = Method::parse(self.collective, name).ok()?;
        let model = model::of_clusters(self.collective).filter(|_| method.follows_clusters())?;
        Some(Line::new(&method.to_string(), model, Reason::Unmeasured))
    }

    /// An algorithm that was not measured, with the parameters of a measured exchange.
    fn borrowed(&self, name: &str) -> Option<Line> {
        let is_known = self.profile.tells_of(self.collective, name);
        is_known.then(|| Line::new(name, self.general(), Reason::Unmeasured))
    }

    /// An algorithm with its pLogP model, and the best segment size if its name sets none.
    fn on_plogp(&self, name: &str) -> Option<Line> {
        let line = match entries(self.collective).find(|own| own.name == name) {
            Some(entry) => Line::of_entry(entry),
            None => Line::of_algorithm(&Algorithm::parse(self.collective, name).ok()?),
        };
        line.filter(|_| self.is_of_equal_pieces())
    }

    /// An algorithm with its pLogP model, if that is `model` or `model` corrects it.
    fn strategy(&self, algorithm: &str, model: &str) -> Result<Line, Refusal> {
        let model = model::find(self.collective, model)?;
        let is_read = |own: &Model| own == model || model.mends == Some(own.name);
        match self.on_plogp(algorithm) {
            Some(line) if is_read(line.model) => Ok(line.by(model)),
            _ => Err(Refusal::request(format!(
                "{} is no model of {} {algorithm}; leave out --model or --algorithm",
                model.name, self.collective
            ))),
        }
    }

    /// An algorithm with a contention model that profiles store, measured or given.
    fn stored_of(&self, algorithm: &str, model: &'static Model) -> Result<Vec<Line>, Refusal> {
        let collective = self.collective;
        let known = self.profile.algorithms(collective);
        if self.given.is_empty() && !known.contains(&algorithm) {
            return Err(self.lacks(&format!(
                "has no {} of {collective} {algorithm}{}; measure and fit it",
                model.name,
                others(&known)
            )));
        }
        Ok(vec![Line::new(algorithm, model, Reason::Asked)])
    }

    /// The refusal of a profile that lacks the answer.
    fn lacks(&self, problem: &str) -> Refusal {
        Refusal::data(problem).about(self.name)
    }

    /// Refuses a parameter that none of the models has, or that is given twice.
    fn refuse_settings(&self, models: &[&Model]) -> Result<(), Refusal> {
        let parameters = models.iter().flat_map(|model| model.parameters);
        let known: Vec<&str> = parameters.map(|own| own.name).unique().collect();
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
fn others(known: &[&str]) -> String {
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
