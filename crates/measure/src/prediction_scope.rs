//! The prediction that a plan or a campaign is for, and the cells to measure for it.

use std::fmt;

use itertools::Itertools;
use netsig_base::algorithm::{
    Collective, CollectiveMethod, LIBRARY, ReductionOperands, UnknownAlgorithm, split_algorithms,
};
use netsig_base::text::refusal::Refusal;
use netsig_base::units::{Bytes, Procs};

use crate::plan::Synchronisation;
use crate::steer::SteerTarget;

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

/// The most processes to measure for a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MeasuredProcs {
    /// Half of the processes of the prediction.
    #[default]
    Half,
    /// At most so many.
    AtMost(Procs),
    /// The number of hosts, which the option of this name states.
    Hosts(&'static str, Procs),
}

impl PredictionScope {
    /// Reads `COLLECTIVE [ALGORITHM,...] up to N`.
    ///
    /// # Errors
    /// If the text has another form, or there is no such collective or algorithm.
    pub fn parse(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let [collective, algorithms @ .., "up", "to", procs] = &words[..] else {
            return Err(
                "write 'COLLECTIVE [ALGORITHM,...] up to N', such as 'alltoall direct,pairwise up to 64'".to_owned(),
            );
        };
        let unknown = |error: UnknownAlgorithm| error.to_string();
        let collective: Collective = collective.parse().map_err(unknown)?;
        Ok(Self {
            collective,
            methods: methods(collective, &algorithms.join(",").replace(",,", ",")).map_err(unknown)?,
            procs: count(procs)?,
        })
    }

    /// The cells that may be measured for the prediction of these sizes; a barrier has size 0 alone. Reductions are of
    /// `operands`.
    ///
    /// # Errors
    /// If there are too many sizes or too few processes, or a size has no whole number of elements.
    pub fn target(
        &self,
        sizes: &[Bytes],
        limit: MeasuredProcs,
        operands: ReductionOperands,
    ) -> Result<SteerTarget, Refusal> {
        operands.refuse_cut_elements(self.collective, sizes)?;
        if sizes.len() > MOST_SIZES {
            return Err(Refusal::request(format!(
                "--size: {} are too many to plan for; write up to {MOST_SIZES}, such as 256..256KiB",
                sizes.len()
            )));
        }
        let (option, most) = match limit {
            MeasuredProcs::AtMost(most) => ("--max-procs", most.get()),
            MeasuredProcs::Hosts(option, hosts) => (option, hosts.get()),
            MeasuredProcs::Half => ("--prediction", (self.procs.get() / 2).max(LEAST_PROCS)),
        };
        let reached = most.min(self.procs.get());
        let enough = Procs::new(reached).ok().filter(|most| most.get() >= LEAST_PROCS);
        let most_procs = enough.ok_or_else(|| {
            Refusal::request(format!(
                "{option}: {reached} is too few processes to see how the time grows; measure {LEAST_PROCS} or more"
            ))
        })?;
        Ok(SteerTarget {
            collective: self.collective,
            methods: self.methods.clone(),
            most_procs,
            sizes: match self.collective {
                Collective::Barrier => vec![Bytes(0)],
                _ => sizes.to_vec(),
            },
            synchronisation: Synchronisation::Barrier,
            operands,
        })
    }
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
            assert_eq!(PredictionScope::parse(text).unwrap().to_string(), expected);
        }
    }
}
