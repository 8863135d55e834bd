//! Which algorithms are predicted by which models.

use netsig_core::algorithm::{Collective, Method};
use netsig_core::fit::fitted::FittedModel;
use netsig_core::registry::{self, Estimator, Model, REGIMES, SIGNATURE};

use super::{ALL, Source};
use crate::failure::Failure;

/// What is predicted: one algorithm by one model.
pub(super) struct Line {
    pub(super) algorithm: String,
    pub(super) model: &'static Model,
}

impl Source<'_> {
    /// What to predict, in the order of the profile and the registry.
    pub(super) fn lines(&self) -> Result<Vec<Line>, Failure> {
        let lines = match self.args.collective {
            Collective::Alltoall => self.alltoalls()?,
            _ => self.others()?,
        };
        self.refuse_quantile(&lines)?;
        Ok(lines)
    }

    /// By the model that is wanted, else the one that the fit chose for the algorithm.
    fn alltoalls(&self) -> Result<Vec<Line>, Failure> {
        let models = self.models()?;
        self.refuse_settings(&models)?;
        let algorithms = self.algorithms(&models)?;
        let of = |algorithm: &String| {
            let chosen = self.chosen(algorithm).map(|model| vec![model]);
            let models = chosen.unwrap_or_else(|| models.clone());
            lines_of(algorithm, models)
        };
        Ok(algorithms.iter().flat_map(of).collect())
    }

    /// Strategies, each its own model, and what was measured, by its regimes.
    fn others(&self) -> Result<Vec<Line>, Failure> {
        let collective = self.args.collective;
        let model = self.args.model.as_deref();
        let lines: Vec<Line> = match (self.args.algorithm.as_deref(), model) {
            (None, None | Some(ALL)) => {
                let all = registry::strategies(collective).map(Line::of_strategy);
                all.chain(self.by_regimes()?).collect()
            }
            (None, Some(REGIMES)) => match self.by_regimes()? {
                measured if measured.is_empty() => self.regimes_of("any")?,
                measured => measured,
            },
            (None, Some(name)) => vec![Line::of_strategy(registry::find(collective, name)?)],
            (Some(own), None | Some(ALL)) => self.named(own)?,
            (Some(own), Some(REGIMES)) => self.regimes_of(own)?,
            (Some(own), Some(name)) if own == name => {
                vec![Line::of_strategy(registry::find(collective, name)?)]
            }
            (Some(_), Some(_)) => {
                let problem = format!("a strategy of {collective} is its own model");
                return Err(Failure::usage(format!("{problem}; leave out --model")));
            }
        };
        if lines.is_empty() {
            return Err(self.unmeasured(&format!(
                "has no regimes of {collective}; measure some and fit them"
            )));
        }
        let models: Vec<&Model> = lines.iter().map(|line| line.model).collect();
        self.refuse_settings(&models)?;
        Ok(lines)
    }

    /// Every measured algorithm by its regimes.
    fn by_regimes(&self) -> Result<Vec<Line>, Failure> {
        let model = registry::find(self.args.collective, REGIMES)?;
        let measured = self.measured().into_iter();
        let line = |algorithm| Line { algorithm, model };
        Ok(measured.map(line).collect())
    }

    /// What is called `name`: a measured algorithm, else a strategy; of all models both.
    fn named(&self, name: &str) -> Result<Vec<Line>, Failure> {
        let collective = self.args.collective;
        let mut found = self.by_regimes()?;
        found.retain(|line| line.algorithm == name);
        let mut strategies = registry::strategies(collective);
        match strategies.find(|model| model.name == name) {
            Some(strategy) if found.is_empty() || self.wants_all() => {
                found.insert(0, Line::of_strategy(strategy));
            }
            None if found.is_empty() && Method::parse(collective, name).is_ok() => {
                return self.regimes_of(name);
            }
            None if found.is_empty() => {
                registry::find(collective, name)?;
            }
            _ => {}
        }
        Ok(found)
    }

    /// An algorithm by its regimes, measured or given.
    fn regimes_of(&self, algorithm: &str) -> Result<Vec<Line>, Failure> {
        let collective = self.args.collective;
        let known = self.measured();
        if self.args.settings.is_empty() && !known.iter().any(|own| own == algorithm) {
            let known = listed(&known);
            return Err(self.unmeasured(&format!(
                "has no regimes of {collective} {algorithm}; it has: {known}; measure and fit what is missing"
            )));
        }
        let model = registry::find(collective, REGIMES)?;
        Ok(lines_of(algorithm, vec![model]))
    }

    /// The models of an alltoall that are wanted.
    fn models(&self) -> Result<Vec<&'static Model>, Failure> {
        let is_signature = |own: &&FittedModel| own.model.name == SIGNATURE;
        let mut fitted = self.profile.fitted.iter();
        let own = fitted.find(is_signature).or(self.profile.fitted.first());
        let of_profile = match (own, self.profile.regimes.first()) {
            (Some(entry), _) => entry.model.name,
            (None, Some(_)) => REGIMES,
            (None, None) => SIGNATURE,
        };
        let collective = self.args.collective;
        match self.args.model.as_deref().unwrap_or(of_profile) {
            ALL => Ok(registry::of(collective).collect()),
            name => Ok(vec![registry::find(collective, name)?]),
        }
    }

    /// The model that a fit chose for an algorithm, unless another is wanted or set.
    fn chosen(&self, algorithm: &str) -> Option<&'static Model> {
        if self.args.model.is_some() || !self.args.settings.is_empty() {
            return None;
        }
        let collective = self.args.collective;
        let mut choices = self.profile.choices.iter();
        let choice = choices
            .find(|choice| choice.collective == collective && choice.algorithm == algorithm)?;
        let model = registry::find(collective, &choice.model).ok()?;
        let is_there =
            model.estimator == Estimator::None || self.profile.model(model, algorithm).is_some();
        is_there.then_some(model)
    }

    /// Refuses a parameter that none of the models has, or that is set twice.
    fn refuse_settings(&self, models: &[&Model]) -> Result<(), Failure> {
        let mut known: Vec<&str> = Vec::new();
        for parameter in models.iter().flat_map(|model| model.parameters) {
            if !known.contains(&parameter.name) {
                known.push(parameter.name);
            }
        }
        let settings = &self.args.settings;
        for (index, (name, _)) in settings.iter().enumerate() {
            if settings[..index].iter().any(|(earlier, _)| earlier == name) {
                return Err(Failure::usage(format!("{name} is set twice; set it once")));
            }
            if !known.contains(&name.as_str()) {
                return Err(unknown_parameter(models, name, &known));
            }
        }
        Ok(())
    }

    /// Refuses a quantile of a model that has one time alone.
    fn refuse_quantile(&self, lines: &[Line]) -> Result<(), Failure> {
        let mut others = lines.iter().filter(|line| line.model.name != REGIMES);
        match others.next() {
            Some(line) if self.args.quantile.is_some() => Err(Failure::usage(format!(
                "{} has no quantiles; give --model {REGIMES} or leave out --quantile",
                line.model.name
            ))),
            _ => Ok(()),
        }
    }

    /// The algorithms of an all-to-all: those that were measured, or if there are none, any,
    /// which will do for models that need no measurement.
    fn algorithms(&self, models: &[&Model]) -> Result<Vec<String>, Failure> {
        let (collective, known) = (self.args.collective, self.measured());
        match &self.args.algorithm {
            None if !known.is_empty() => Ok(known),
            None if self.is_general(models) => Ok(vec!["any".to_owned()]),
            None => Err(self.unmeasured(&format!(
                "has no signature of {collective}; fit one, give gamma with --set, or choose another --model"
            ))),
            Some(wanted) if known.contains(wanted) => Ok(vec![wanted.clone()]),
            Some(wanted) => {
                Method::parse(collective, wanted)?;
                if self.is_general(models) {
                    return Ok(vec![wanted.clone()]);
                }
                Err(self.unmeasured(&format!(
                    "has no signature of {collective} {wanted}; it has: {}; measure and fit what is missing",
                    listed(&known)
                )))
            }
        }
    }

    /// The algorithms to which something was fitted.
    fn measured(&self) -> Vec<String> {
        let known = self.profile.algorithms(self.args.collective);
        known.into_iter().map(str::to_owned).collect()
    }

    /// Whether one of the models can do without a measured signature.
    fn is_general(&self, models: &[&Model]) -> bool {
        !self.args.settings.is_empty() || models.iter().any(|model| model.name != SIGNATURE)
    }

    fn unmeasured(&self, problem: &str) -> Failure {
        Failure::data(format!("{}: {problem}", self.args.profile.display()))
    }
}

impl Line {
    /// A strategy of a collective is its own model.
    fn of_strategy(model: &'static Model) -> Self {
        Self {
            algorithm: model.name.to_owned(),
            model,
        }
    }
}

fn lines_of(algorithm: &str, models: Vec<&'static Model>) -> Vec<Line> {
    let line = |model| Line {
        algorithm: algorithm.to_owned(),
        model,
    };
    models.into_iter().map(line).collect()
}

fn listed(known: &[String]) -> String {
    match known {
        [] => "none".to_owned(),
        known => known.join(", "),
    }
}

fn unknown_parameter(models: &[&Model], name: &str, known: &[&str]) -> Failure {
    let whose = match models {
        [model] => format!("{} has no parameter", model.name),
        _ => "no model here has a parameter".to_owned(),
    };
    let remedy = match known {
        [] => "leave out --set".to_owned(),
        known => format!("set one of: {}", known.join(", ")),
    };
    Failure::usage(format!("{whose} {name:?}; {remedy}"))
}
