//! netsig's predictions from a profile, by the road of `netsig predict`.

use netsig_base::algorithm::Collective;
use netsig_base::network::Network;
use netsig_base::units::{Bytes, Procs, Seconds};
use netsig_model::model::regimes::Times;
use netsig_model::predict::predictor::CasePredictor;
use netsig_model::predict::{Asked, Interval};
use netsig_model::profile::Profile;

/// A predicted time with its distribution, where the model has one.
pub struct CellForecast {
    pub time: Seconds,
    pub interval: Option<Interval>,
    pub times: Option<Times>,
}

/// The predictions of one algorithm by one model.
pub struct ModelForecaster<'a>(CasePredictor<'a>);

impl<'a> ModelForecaster<'a> {
    /// The model that speaks for an algorithm, or the model that is named; `None` if the profile has
    /// nothing for it.
    pub fn new(
        profile: &'a Profile,
        network: Option<&'a Network>,
        (collective, algorithm): (Collective, &'a str),
        asked: Asked,
        named: Option<&'a str>,
    ) -> Option<Self> {
        let times = profile.predict(collective).network(network).statistic(asked);
        let times = times.algorithm(algorithm).model(named);
        Some(Self(times.predictor().ok()?))
    }

    /// The time alone.
    pub fn time(&self, procs: Procs, size: Bytes) -> Option<Seconds> {
        Some(self.0.predict(procs, size).ok()?.time)
    }

    /// The prediction; `None` where `netsig predict` refuses one.
    pub fn forecast(&self, procs: Procs, size: Bytes) -> Option<CellForecast> {
        if self.0.outside(procs, size).is_some() {
            return None;
        }
        let prediction = self.0.predict(procs, size).ok()?;
        Some(CellForecast {
            time: prediction.time,
            interval: prediction.interval,
            times: self.0.distribution(procs, size),
        })
    }
}
