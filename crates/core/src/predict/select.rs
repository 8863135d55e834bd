//! Which algorithm to use: predictions of all candidates, ranked, and the sizes at which
//! the best changes.
//!
//! # Method
//! The candidates of a broadcast, scatter or gather are the strategies of the literature,
//! predicted from pLogP, segmented ones with the segment size that the search finds best
//! (Barchet-Steffenel and Mounié 2005, RenPar, sections 3 and 4). The candidates of an
//! all-to-all are the algorithms that were measured, each by its contention signature.
//! Equal times rank in the order of the table.
//!
//! A cross-over is found by bisection between two neighbouring sizes of a list whose best
//! candidates differ. At that very byte the best does change, but other changes may stay
//! unseen: where segments are found by hill climbing times jump, and the best may go back and
//! forth several times. Between two sizes with the same best nothing is looked for, so that
//! an excursion from A to B and back to A is not seen either. A denser list sees more.

use crate::algorithm::Collective;
use crate::fit::fitted::FittedModel;
use crate::model::broadcast::Levels;
use crate::model::segment::{Search, Segment};
use crate::predict::regimes::Asked;
use crate::predict::{Basis, Knowledge};
use crate::profile::Profile;
use crate::registry::{self, Case, Model, ModelError, Network, SIGNATURE, Segments, Values};
use crate::units::{Bytes, Procs, Seconds};

/// How candidates are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The binomial broadcast and scatter as printed, or exact for all process counts.
    pub binomial: Levels,
    /// How segment sizes are found.
    pub search: Search,
    /// What segments are multiples of.
    pub datatype: Segment,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            binomial: Levels::default(),
            search: Search::default(),
            datatype: Segment::BYTE,
        }
    }
}

/// A candidate with its predicted time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked<'a> {
    /// Its name.
    pub algorithm: &'a str,
    /// The segments it uses, if it does.
    pub segment: Option<Segment>,
    /// What it takes.
    pub time: Seconds,
}

/// From this size on another candidate is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrossOver<'a> {
    /// Among how many.
    pub procs: Procs,
    /// The first size at which `to` is the best.
    pub size: Bytes,
    /// The best one byte before.
    pub from: &'a str,
    /// The best from here on.
    pub to: &'a str,
}

/// Chooses among the candidates of one collective.
#[derive(Debug)]
pub struct Selector<'a> {
    network: Network,
    candidates: Vec<Candidate<'a>>,
    options: Options,
}

#[derive(Debug)]
enum Candidate<'a> {
    Strategy(&'static Model),
    Measured(&'a str, Basis<'a>),
}

impl<'a> Selector<'a> {
    /// The strategies of `collective` on `network`, which are none for an all-to-all: its
    /// algorithms must be measured.
    pub fn of_strategies(network: Network, collective: Collective, options: Options) -> Self {
        let candidates = strategies(collective, options.binomial).map(Candidate::Strategy);
        Self {
            network,
            candidates: candidates.collect(),
            options,
        }
    }

    /// The candidates that `profile` offers for `collective`.
    pub fn new(profile: &'a Profile, collective: Collective, options: Options) -> Self {
        let mut selector = Self::of_strategies(profile.network(), collective, options);
        let signature = registry::find(collective, SIGNATURE).ok();
        let measured = signature.into_iter().flat_map(|model| {
            let own = move |entry: &&FittedModel| entry.model == model;
            profile.fitted.iter().filter(own)
        });
        let candidate = |entry: &'a FittedModel| {
            let knowledge = Knowledge {
                profile,
                algorithm: &entry.algorithm,
                tree: None,
                given: &[],
                asked: Asked::default(),
            };
            let basis = knowledge.basis(entry.model).ok()?;
            Some(Candidate::Measured(&entry.algorithm, basis))
        };
        selector.candidates.extend(measured.filter_map(candidate));
        selector
    }

    /// How many candidates there are; an all-to-all has none where none was measured.
    pub fn candidates(&self) -> usize {
        self.candidates.len()
    }

    /// All candidates, the fastest first.
    ///
    /// # Errors
    /// If n·m is beyond 2^64, or a candidate has no time there.
    pub fn rank(&self, procs: Procs, size: Bytes) -> Result<Vec<Ranked<'a>>, ModelError> {
        let all = self
            .candidates
            .iter()
            .map(|candidate| self.time(candidate, procs, size));
        let mut all = all.collect::<Result<Vec<_>, _>>()?;
        all.sort_by(|a, b| a.time.0.total_cmp(&b.time.0));
        Ok(all)
    }

    /// The fastest candidate; `None` if there is none.
    ///
    /// # Errors
    /// As [`Selector::rank`].
    pub fn best(&self, procs: Procs, size: Bytes) -> Result<Option<Ranked<'a>>, ModelError> {
        let mut best: Option<Ranked> = None;
        for candidate in &self.candidates {
            let next = self.time(candidate, procs, size)?;
            if best.is_none_or(|best| next.time < best.time) {
                best = Some(next);
            }
        }
        Ok(best)
    }

    /// Sizes at which the best candidate changes, between ascending `sizes`: a chain of
    /// changes from the best of one to that of the next where they differ, and none where
    /// they do not. Excursions to another candidate and back are not seen.
    ///
    /// # Errors
    /// As [`Selector::rank`].
    pub fn cross_overs(
        &self,
        procs: Procs,
        sizes: &[Bytes],
    ) -> Result<Vec<CrossOver<'a>>, ModelError> {
        let mut found = Vec::new();
        for pair in sizes.windows(2) {
            let (mut low, high) = (pair[0], pair[1]);
            while let Some(next) = self.next_cross_over(procs, low, high)? {
                found.push(next);
                low = next.size;
            }
        }
        Ok(found)
    }

    /// A change of the best candidate after `low` and up to `high`, found by bisection.
    fn next_cross_over(
        &self,
        procs: Procs,
        mut low: Bytes,
        mut high: Bytes,
    ) -> Result<Option<CrossOver<'a>>, ModelError> {
        let name = |size| Ok::<_, ModelError>(self.best(procs, size)?.map(|best| best.algorithm));
        let Some(from) = name(low)?.filter(|_| low < high) else {
            return Ok(None);
        };
        let mut to = name(high)?;
        if to == Some(from) {
            return Ok(None);
        }
        while high.0 - low.0 > 1 {
            let middle = Bytes(low.0.midpoint(high.0));
            let best = name(middle)?;
            if best == Some(from) {
                low = middle;
            } else {
                (high, to) = (middle, best);
            }
        }
        Ok(to.map(|to| CrossOver {
            procs,
            size: high,
            from,
            to,
        }))
    }

    fn time(
        &self,
        candidate: &Candidate<'a>,
        procs: Procs,
        size: Bytes,
    ) -> Result<Ranked<'a>, ModelError> {
        match candidate {
            Candidate::Measured(algorithm, basis) => Ok(Ranked {
                algorithm,
                segment: None,
                time: basis.predict(Case::new(procs, size))?.time,
            }),
            Candidate::Strategy(model) => {
                let case = Case {
                    procs,
                    size,
                    segments: Segments::Best(self.options.search, self.options.datatype),
                };
                let timed = model.time(&self.network, &Values::default(), case)?;
                Ok(Ranked {
                    algorithm: model.name,
                    segment: timed.segment,
                    time: timed.time,
                })
            }
        }
    }
}

/// The models of a collective with the wanted reading of the binomial tree.
fn strategies(collective: Collective, binomial: Levels) -> impl Iterator<Item = &'static Model> {
    let mended: Vec<&str> = registry::strategies(collective)
        .filter_map(|model| model.mends)
        .collect();
    registry::strategies(collective).filter(move |model| match binomial {
        Levels::Printed => model.mends.is_none(),
        Levels::Exact => !mended.contains(&model.name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::plogp::{PLogP, Parameters};
    use crate::profile::{HockneyEntry, Version};
    use crate::stats::interval::Estimate;
    use crate::units::table::Table;

    /// g = 10 µs + 10 ns/B·m and L = 50 µs.
    fn profile() -> Profile {
        let line = |a: f64, b: f64| {
            let rows = [0u64, 1 << 24].map(|m| (Bytes(m), Seconds(a + b * m as f64)));
            Table::new("g", rows.to_vec()).unwrap()
        };
        let plogp = PLogP::new(Parameters {
            latency: Seconds(5e-5),
            gap: line(1e-5, 1e-8),
            send_overhead: line(5e-6, 4e-9),
            receive_overhead: line(6e-6, 5e-9),
        });
        let exactly = |value| Estimate {
            value,
            lower: value,
            upper: value,
        };
        Profile {
            version: Version,
            provenance: crate::data::Provenance::default(),
            hockney: HockneyEntry {
                alpha: exactly(6e-5),
                beta: exactly(1e-8),
                residual: 0.0,
            },
            plogp: Some(plogp.unwrap()),
            protocol: None,
            flows: None,
            fitted: Vec::new(),
            regimes: Vec::new(),
            choices: Vec::new(),
        }
    }

    fn procs(count: u32) -> Procs {
        Procs::new(count).unwrap()
    }

    /// Worked values: a broadcast of 1 MiB pipelines, and just below a power of two a
    /// binomial scatter beats the flat one.
    #[test]
    fn the_choices_of_the_literature_come_out() {
        let profile = profile();
        let options = Options {
            search: Search::PowersOfTwo,
            ..Options::default()
        };
        let broadcast = Selector::new(&profile, Collective::Bcast, options);
        let best = broadcast.rank(procs(24), Bytes(1 << 20)).unwrap()[0];
        assert_eq!(best.algorithm, "chain_seg");
        assert_eq!(best.segment.map(Segment::bytes), Some(Bytes(8192)));
        assert!((best.time.0 / 0.014_938 - 1.0).abs() < 1e-12);
        assert_eq!(
            broadcast
                .best(procs(24), Bytes(1))
                .unwrap()
                .unwrap()
                .algorithm,
            "flat"
        );
        let scatter = Selector::new(&profile, Collective::Scatter, options);
        let best = |n| {
            scatter
                .best(procs(n), Bytes(64))
                .unwrap()
                .unwrap()
                .algorithm
        };
        assert_eq!([best(24), best(31)], ["flat", "binomial"]);
    }

    /// At every cross-over the best candidate changes. That it changes nowhere else is not
    /// promised.
    #[test]
    fn the_best_changes_at_every_cross_over() {
        let profile = profile();
        let selector = Selector::new(&profile, Collective::Bcast, Options::default());
        let sizes: Vec<Bytes> = (0..=20).map(|i| Bytes(1 << i)).collect();
        let all = selector.cross_overs(procs(24), &sizes).unwrap();
        assert!(!all.is_empty());
        for change in all {
            let name = |size| {
                selector
                    .best(procs(24), Bytes(size))
                    .unwrap()
                    .unwrap()
                    .algorithm
            };
            assert_eq!(name(change.size.0 - 1), change.from);
            assert_eq!(name(change.size.0), change.to);
        }
    }
}
