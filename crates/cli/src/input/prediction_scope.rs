//! Parses the prediction that a plan or a campaign is for, from `--prediction`.

use std::fmt;

use itertools::Itertools;
use netsig_base::algorithm::{Collective, CollectiveMethod, LIBRARY, UnknownAlgorithm, split_algorithms};
use netsig_base::units::list::QuantityList;
use netsig_base::units::{Bytes, Procs};
use netsig_measure::plan::Synchronisation;
use netsig_measure::steer::SteerTarget;

use super::failure::Failure;

/// A prediction such as `alltoall direct,pairwise up to 64`.
#[derive(Debug, Clone, PartialEq)]
pub struct PredictionScope {
    /// The collective.
    pub collective: Collective,
    /// The algorithms, each once.
    pub methods: Vec<CollectiveMethod>,
    /// Number of processes.
    pub procs: Procs,
}

/// Allowed process counts: two would be a ping-pong; the upper limit bounds the time for trees,
/// where every rank is examined.
const ALLOWED_PROCS: std::ops::RangeInclusive<u32> = 3..=65536;

/// The fewest processes to measure: fewer do not show growth.
pub const LEAST_PROCS: u32 = 3;

/// The most sizes to plan for.
const MOST_SIZES: usize = 64;

/// Process counts and sizes to measure for a prediction.
#[derive(Debug, clap::Args)]
pub struct MeasurementScopeArgs {
    /// The most processes to measure, at most N of the prediction [default: the hosts of the lab; else half
    /// of N].
    #[arg(long = "max-procs", alias = "most", value_name = "PROCS", allow_hyphen_values = true)]
    pub most: Option<Procs>,
    /// The sizes to predict.
    #[arg(
        long = "size",
        alias = "sizes",
        value_name = "LIST",
        default_value = "256..256KiB",
        allow_hyphen_values = true
    )]
    pub sizes: QuantityList<Bytes>,
}

impl MeasurementScopeArgs {
    /// The cells that may be measured for a prediction; `hosts` holds the option that states the number of hosts, and
    /// the number.
    ///
    /// # Errors
    /// If there are too many sizes or too few processes.
    pub fn target(&self, predicted: &PredictionScope, hosts: Option<(&str, Procs)>) -> Result<SteerTarget, Failure> {
        let sizes = self.sizes.items();
        if sizes.len() > MOST_SIZES {
            return Err(Failure::usage(format!(
                "--size: {} are too many to plan for; write up to {MOST_SIZES}, such as 256..256KiB",
                sizes.len()
            )));
        }
        let predicted_procs = predicted.procs.get();
        let (option, most) = match (self.most, hosts) {
            (Some(most), _) => ("--max-procs", most.get().min(predicted_procs)),
            (None, Some((option, hosts))) => (option, hosts.get().min(predicted_procs)),
            (None, None) => (
                "--prediction",
                (predicted_procs / 2).max(LEAST_PROCS).min(predicted_procs),
            ),
        };
        let enough = Procs::new(most).ok().filter(|most| most.get() >= LEAST_PROCS);
        let most_procs = enough.ok_or_else(|| {
            Failure::usage(format!(
                "{option}: {most} is too few processes to see how the time grows; measure {LEAST_PROCS} or more"
            ))
        })?;
        Ok(SteerTarget {
            collective: predicted.collective,
            methods: predicted.methods.clone(),
            most_procs,
            sizes: sizes.to_vec(),
            synchronisation: Synchronisation::Barrier,
        })
    }
}

/// Reads `COLLECTIVE [ALGORITHM,...] up to N`.
///
/// # Errors
/// If the text has another form, or there is no such collective or algorithm.
pub fn predicted(text: &str) -> Result<PredictionScope, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [collective, algorithms @ .., "up", "to", procs] = &words[..] else {
        return Err(
            "write 'COLLECTIVE [ALGORITHM,...] up to N', such as 'alltoall direct,pairwise up to 64'".to_owned(),
        );
    };
    let unknown = |error: UnknownAlgorithm| error.to_string();
    let collective: Collective = collective.parse().map_err(unknown)?;
    Ok(PredictionScope {
        collective,
        methods: methods(collective, &algorithms.join(",").replace(",,", ",")).map_err(unknown)?,
        procs: count(procs)?,
    })
}

/// The algorithms in `text`; the library's choice if it is empty.
fn methods(collective: Collective, text: &str) -> Result<Vec<CollectiveMethod>, UnknownAlgorithm> {
    let names = if text.is_empty() { LIBRARY } else { text };
    let methods = split_algorithms(names)
        .into_iter()
        .map(|name| CollectiveMethod::parse(collective, name));
    methods.process_results(|methods| methods.unique_by(CollectiveMethod::to_string).collect())
}

fn count(text: &str) -> Result<Procs, String> {
    let count: Option<Procs> = text.parse().ok();
    let possible = count.filter(|count| ALLOWED_PROCS.contains(&count.get()));
    possible.ok_or_else(|| {
        let (least, most) = (ALLOWED_PROCS.start(), ALLOWED_PROCS.end());
        format!("up to {text}: write a number of processes from {least} to {most}")
    })
}

impl fmt::Display for PredictionScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (collective, methods) = (self.collective, self.methods.iter().format(","));
        write!(f, "{collective} {methods} up to {}", self.procs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predictions_read_back_in_their_own_words() {
        for (text, expected) in [
            ("alltoall up to 64", "alltoall library up to 64"),
            (
                "  alltoall direct, pairwise ,direct up  to 8",
                "alltoall direct,pairwise up to 8",
            ),
            ("bcast binomial up to 3", "bcast binomial up to 3"),
            (
                "alltoall throttled:window=2, direct up to 4",
                "alltoall throttled:2,direct up to 4",
            ),
        ] {
            assert_eq!(predicted(text).unwrap().to_string(), expected);
        }
    }
}
