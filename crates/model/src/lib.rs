//! netsig-model: models of collectives under contention, their fits and profiles, and predictions, rankings and
//! tuning files from profiles. The crate uses no clock, process, file or network.
//!
//! # Example
//!
//! One-way messages in the data file `text` take 100 µs plus 0.01 µs a byte. Two all-to-alls among 4, 6 and 8
//! processes take 1.8 and 1.3 times as long as without contention. The example fits the file, predicts one all-to-all
//! among 16 processes (7.12 ms by the formula of the data), and ranks the algorithms:
//!
//! ```
//! # use netsig_base::algorithm::Collective;
//! # use netsig_base::data::Dataset;
//! # use netsig_base::units::{Bytes, Procs};
//! # use netsig_model::fit::network::NetworkFitOptions;
//! # use netsig_model::predict::PredictionStanding;
//! # use netsig_model::profile::Profile;
//! # let mut text = "experiment,collective,algorithm,procs,size_bytes,repetition,launch,time_s\n".to_owned();
//! # for size in (8..18).map(|power| 1 << power) {
//! #     let message = 1e-4 + 1e-8 * f64::from(size);
//! #     let mut cell = |what: &str, procs: u32, time: f64| {
//! #         for (rep, error) in [0.99, 1.0, 1.01].into_iter().enumerate() {
//! #             text += &format!("{what},{procs},{size},{rep},0,{}\n", time * error);
//! #         }
//! #     };
//! #     cell("pingpong,,", 2, message);
//! #     for procs in [4, 6, 8] {
//! #         let rounds = f64::from(procs - 1);
//! #         cell("collective,alltoall,library", procs, 1.8 * rounds * message);
//! #         cell("collective,alltoall,pairwise", procs, 1.3 * rounds * message);
//! #     }
//! # }
//! let data = Dataset::read("data.csv", text.as_bytes())?;
//! let (_, profile) = Profile::fit(&data, "data.csv", &NetworkFitOptions::default(), &[])?;
//! let case = (Procs::new(16)?, Bytes(16 << 10));
//!
//! let answer = profile.predict(Collective::Alltoall).algorithm("library").answer([case])?;
//! let (algorithm, time) = answer.times().next().expect("no time is missing");
//! assert_eq!(algorithm.model().name, "regimes");
//! assert_eq!(time.prediction.standing, PredictionStanding::Extrapolated);
//! let within = time.prediction.interval.expect("a fit has intervals");
//! let text = format!("{} ({} to {})", time.prediction.time, within.lower, within.upper);
//! assert_eq!(text, "7.32 ms (6.76 ms to 7.92 ms)");
//!
//! let ranker = profile.rank(Collective::Alltoall).ranker()?;
//! let ranking = &ranker.answer([case]).found[0];
//! let best = &ranking.ranked[0];
//! let gain = ranking.gain(best).expect("the library's own choice was measured");
//! assert_eq!(format!("{}, {gain:.2} times as fast", best.algorithm()), "pairwise, 1.42 times as fast");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Layers, each using only those before it: model, fitted, regimes, field, fit, profile, predict, tune, verdict.
//! `cargo xtask tidy` checks it.

#![forbid(unsafe_code)]

#[cfg(test)]
extern crate self as netsig_model;

pub mod field;
pub mod fit;
pub mod fitted;
pub mod model;
pub mod predict;
pub mod profile;
pub mod regimes;
#[cfg(test)]
mod testing;
pub mod tune;
pub mod verdict;
