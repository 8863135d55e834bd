//! Least times that a profile allows for simulations by its ports alone.
//!
//! # Rule
//! Ports alone contend with nothing, so that a simulated time may fall below times that fewer ranks took. A simulated
//! time among n ranks is doubted if it lies below the interval of what the profile predicts for n* < n ranks. n* is
//! the largest measured process count of the same algorithm. For an algorithm that was not measured the fastest
//! measured one takes its place, and n* is below n/4. A doubtful time is refused if n* is below n/4.
//!
//! # Domain
//! Sizes within the measured ones. The network is that of the profile, and its parameters are not set otherwise.

use netsig_base::units::{Procs, Seconds};
use netsig_model::fitted::ContentionModel;
use netsig_model::fitted::outside_domain::FAR;
use netsig_model::profile::Profile;

use crate::setup::SimCase;

/// A profile with its name.
#[derive(Debug, Clone)]
pub struct ProfileFloor {
    /// Name in messages.
    pub name: String,
    /// The profile.
    pub profile: Profile,
}

/// A simulated time that is too short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeDoubt {
    /// The time, and that of fewer ranks.
    pub what: String,
    /// True if far fewer ranks take longer.
    pub is_far: bool,
}

/// What fewer ranks take.
#[derive(Debug, Clone, PartialEq)]
struct FewerRanks {
    algorithm: String,
    procs: Procs,
    time: Seconds,
    /// Lower end of the interval of the time.
    lower: Seconds,
}

impl ProfileFloor {
    /// Doubt: fewer ranks take longer than the simulated `time` of a case.
    pub fn doubt(&self, case: SimCase, time: Seconds) -> Option<TimeDoubt> {
        let fewer = self.fewer_ranks(case).filter(|fewer| time < fewer.lower)?;
        let SimCase { algorithm, procs, size } = case;
        let what = format!(
            "{} {algorithm} among {procs} with {size}: {time} by ports alone is less than {} of {} among {} by {}, so that ports alone do not explain its times",
            algorithm.collective(),
            fewer.time,
            fewer.algorithm,
            fewer.procs,
            self.name
        );
        let is_far = are_far_fewer(fewer.procs, case);
        Some(TimeDoubt { what, is_far })
    }

    /// What fewer ranks take, by the algorithm itself if it was measured, else by the fastest measured one.
    fn fewer_ranks(&self, case: SimCase) -> Option<FewerRanks> {
        let name = case.algorithm.to_string();
        let known = self.profile.algorithms(case.algorithm.collective());
        if known.contains(&name.as_str()) {
            let is_fewer = |procs: Procs| procs < case.procs;
            return self.time_of_fewer(case, &name, is_fewer);
        }
        let is_far = |procs: Procs| are_far_fewer(procs, case);
        let times = known
            .into_iter()
            .filter_map(|other| self.time_of_fewer(case, other, is_far));
        times.min_by(|one, other| one.lower.0.total_cmp(&other.lower.0))
    }

    /// Time of a measured algorithm among the largest measured process count that `is_wanted`.
    fn time_of_fewer(&self, case: SimCase, name: &str, is_wanted: impl Fn(Procs) -> bool) -> Option<FewerRanks> {
        let collective = case.algorithm.collective();
        let models = self.profile.contention_models_of(collective);
        let of_algorithm = models
            .filter(|model| model.algorithm() == name)
            .map(ContentionModel::domain);
        let with_size = of_algorithm.filter(|domain| (domain.smallest..=domain.largest).contains(&case.size));
        let counts = with_size.flat_map(|domain| domain.procs.iter().copied());
        let procs = counts.filter(|procs| is_wanted(*procs)).max()?;
        let predictor = self.profile.predict(collective).algorithm(name).predictor().ok()?;
        let prediction = predictor.predict(procs, case.size).ok()?;
        Some(FewerRanks {
            algorithm: name.to_owned(),
            procs,
            time: prediction.time,
            lower: prediction.interval.map_or(prediction.time, |interval| interval.lower),
        })
    }
}

/// True for less than a quarter of the ranks of a case.
fn are_far_fewer(procs: Procs, case: SimCase) -> bool {
    procs.get().saturating_mul(FAR) < case.procs.get()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use netsig_base::algorithm::{Algorithm, Collective};
    use netsig_base::data::Dataset;
    use netsig_base::units::Bytes;
    use netsig_model::fit::network::NetworkFitOptions;
    use netsig_model::predict::outside_domain::ExtrapolationRule;

    use super::*;
    use crate::setup::SimMethod;
    use crate::simulate::sim_model::SimModelRequest;
    use crate::simulate::{SimModel, SimModelKind, SimPoint};
    use crate::testing::procs;

    /// Messages take 65 µs and 1 ns a byte, binomial broadcasts 600 µs for each round: 2.4 ms among twelve.
    fn profile() -> Profile {
        let mut text = "experiment,collective,algorithm,procs,size_bytes,repetition,launch,time_s\n".to_owned();
        for size in (0..12).map(|power| 1 << power) {
            for error in [0.99, 1.0, 1.01] {
                let message = error * (65e-6 + 1e-9 * f64::from(size));
                writeln!(text, "pingpong,,,2,{size},0,0,{message}").unwrap();
                for count in [3, 6, 12] {
                    let time = error * (6e-4 * f64::from(procs(count).ceil_log2()) + 1e-9 * f64::from(size));
                    writeln!(text, "collective,bcast,binomial,{count},{size},0,0,{time}").unwrap();
                }
            }
        }
        let data = Dataset::read("data.csv", text.as_bytes()).unwrap();
        Profile::fit(&data, "data.csv", &NetworkFitOptions::default(), &[])
            .unwrap()
            .1
    }

    /// Time in seconds of a broadcast of one byte by `LogGP`.
    fn simulated(
        algorithm: &str,
        count: u32,
        too_far: ExtrapolationRule,
        settings: &[(String, f64)],
    ) -> Result<f64, String> {
        let sim_model = SimModel::new(SimModelRequest {
            model: Some(SimModelKind::Loggp),
            profile: Some(("p.toml".to_owned(), profile())),
            settings,
            hosts: None,
            rto_mode: None,
            sharing: None,
            negligible: None,
            seed: None,
            too_far,
        });
        let point = SimPoint {
            sim_model: &sim_model.unwrap(),
            case: SimCase {
                algorithm: Algorithm::parse(Collective::Bcast, algorithm).unwrap(),
                procs: procs(count),
                size: Bytes(1),
            },
            method: SimMethod::Auto,
        };
        let report = point.report().map_err(|refusal| refusal.to_string())?;
        Ok(report.totals.time.seconds().0)
    }

    /// By ports alone a tree among a million takes 20 messages, 1.3 ms.
    #[test]
    fn a_million_ranks_are_not_faster_than_twelve() {
        use ExtrapolationRule::{Extrapolated, Refused};
        const MILLION: u32 = 1 << 20;
        for algorithm in ["binomial", "knomial:4"] {
            let refusal = simulated(algorithm, MILLION, Refused, &[]).unwrap_err();
            assert!(refusal.contains("is less than 2.4"), "{refusal}");
            assert!(refusal.contains("among 12 by p.toml"), "{refusal}");
        }
        let overridden = simulated("binomial", MILLION, Extrapolated, &[]).unwrap();
        assert!((overridden / 1.3e-3 - 1.0).abs() < 0.02, "{overridden}");
        let set = [("L".to_owned(), 1e-6)];
        assert!(simulated("binomial", MILLION, Refused, &set).is_ok(), "another network");
        assert!(simulated("binomial", 13, Refused, &[]).is_ok(), "a warning is enough");
        assert!(
            simulated("binomial", 3, Refused, &[]).is_ok(),
            "no fewer ranks were measured"
        );
        assert!(
            simulated("knomial:4", 12, Refused, &[]).is_ok(),
            "may be a faster algorithm"
        );
        assert!(simulated("chain", MILLION, Refused, &[]).is_ok(), "takes longer");
    }

    /// Start-ups of a port do not overlap without tables, so that a root needs (n − 1)·α at least.
    #[test]
    fn ports_without_tables_send_one_message_at_a_time() {
        let found = simulated("flat", 1 << 20, ExtrapolationRule::Refused, &[]).unwrap();
        assert!(
            (found / (f64::from((1 << 20) - 1) * 65e-6) - 1.0).abs() < 0.02,
            "{found}"
        );
    }
}
