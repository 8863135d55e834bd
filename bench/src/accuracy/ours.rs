//! netsig's predictions from a profile, by the road of `netsig predict`.

use netsig_base::algorithm::Collective;
use netsig_base::network::Network;
use netsig_base::units::{Bytes, Procs, Seconds};
use netsig_model::model::regimes::Times;
use netsig_model::model::{self, Case};
use netsig_model::predict::regimes::Asked;
use netsig_model::predict::speaker::{Models, Question};
use netsig_model::predict::{Basis, Interval, Knowledge};
use netsig_model::profile::Profile;

/// A predicted time with its distribution, where the model has one.
pub(super) struct Forecast {
    pub(super) time: Seconds,
    pub(super) interval: Option<Interval>,
    pub(super) times: Option<Times>,
}

/// The predictions of one algorithm by one model.
pub(super) struct Ours<'a>(Basis<'a>);

impl<'a> Ours<'a> {
    /// The model that speaks for an algorithm, or the model that is named; `None` if the profile has
    /// nothing for it.
    pub(super) fn new(
        profile: &'a Profile,
        network: Option<&'a Network>,
        (collective, algorithm): (Collective, &str),
        asked: Asked,
        named: Option<&str>,
    ) -> Option<Self> {
        let question = Question {
            profile,
            collective,
            algorithm: Some(algorithm),
            models: Models::Speaking,
            given: &[],
        };
        let model = match named {
            Some(name) => model::find(collective, name).ok()?,
            None => question.lines().ok()?.first()?.model,
        };
        let knowledge = Knowledge {
            profile,
            algorithm,
            network,
            given: &[],
            asked,
        };
        Some(Self(knowledge.basis(model).ok()?))
    }

    /// The time alone.
    pub(super) fn time(&self, procs: Procs, size: Bytes) -> Option<Seconds> {
        Some(self.0.predict(Case::new(procs, size)).ok()?.time)
    }

    /// The prediction; `None` where `netsig predict` refuses one.
    pub(super) fn forecast(&self, procs: Procs, size: Bytes) -> Option<Forecast> {
        let case = Case::new(procs, size);
        if self.0.outside(case).is_some() {
            return None;
        }
        let prediction = self.0.predict(case).ok()?;
        Some(Forecast {
            time: prediction.time,
            interval: prediction.interval,
            times: self.0.distribution(case),
        })
    }
}
