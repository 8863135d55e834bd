//! netsig's predictions from a profile, by the code of `netsig predict`.

use netsig_base::algorithm::Collective;
use netsig_base::data::cells::Statistic;
use netsig_base::network::Network;
use netsig_base::units::{Bytes, Procs, Seconds};
use netsig_model::model::regimes::TimeDistribution;
use netsig_model::predict::Interval;
use netsig_model::predict::predictor::CasePredictor;
use netsig_model::profile::Profile;

/// A predicted time with its distribution, where the model has one.
pub struct CellForecast {
    pub time: Seconds,
    pub interval: Option<Interval>,
    pub times: Option<TimeDistribution>,
}

/// The predictions of one algorithm by one model.
pub struct ModelForecaster<'a>(CasePredictor<'a>);

impl<'a> ModelForecaster<'a> {
    /// A forecaster by the model of the given name, or by the one that netsig takes for the algorithm; `None` if the
    /// profile has no model for it.
    pub fn new(
        profile: &'a Profile,
        network: Option<&'a Network>,
        collective: Collective,
        algorithm: &'a str,
        statistic: Statistic,
        model_name: Option<&'a str>,
    ) -> Option<Self> {
        let request = profile.predict(collective).network(network).statistic(statistic);
        let algorithm_request = request.algorithm(algorithm).model(model_name);
        Some(Self(algorithm_request.predictor().ok()?))
    }

    /// The time, also where `netsig predict` refuses a prediction.
    pub fn time(&self, procs: Procs, size: Bytes) -> Option<Seconds> {
        Some(self.0.predict(procs, size).ok()?.time)
    }

    /// The prediction; `None` where `netsig predict` refuses one.
    pub fn forecast(&self, procs: Procs, size: Bytes) -> Option<CellForecast> {
        if self.0.reason_outside(procs, size).is_some() {
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
