//! The regimes of all algorithms of a dataset, and the model that suffices for each.

use super::{NetworkFit, Options};
use crate::algorithm::Collective;
use crate::data::Dataset;
use crate::fit::fitted::FittedModel;
use crate::fit::ladder::{Ladder, Rung, THRESHOLDS, Verdict};
use crate::fit::losses::{self, Load, Subject};
use crate::fit::regimes::{self, AlgorithmRegimes, Ground, Limits, Who};
use crate::fit::{FailedFit, Point};
use crate::model::REGIMES;
use crate::model::regimes::{Onset, Order, Pattern};
use crate::units::{Bytes, Seconds};

/// The regimes of one algorithm.
#[derive(Debug, Clone)]
pub struct FittedRegimes {
    /// The collective.
    pub collective: Collective,
    /// Name of the algorithm.
    pub algorithm: String,
    /// The fit.
    pub fit: AlgorithmRegimes,
    /// The model that suffices.
    pub verdict: Verdict,
}

impl FittedRegimes {
    /// True if `model` was fitted to the same algorithm.
    pub fn are_of(&self, model: &FittedModel) -> bool {
        model.collective() == Some(self.collective) && model.algorithm == self.algorithm
    }
}

/// Onset of losses by the counters of all algorithms that exchange everything at once.
fn counted<'w>(
    data: &Dataset,
    eager_limit: Option<Bytes>,
    all: impl Iterator<Item = &'w Who>,
    confidence: f64,
) -> Option<Onset> {
    let at_once = Some(Pattern::Exchange(Order::AtOnce));
    let at_once = all.filter(|(collective, name)| Pattern::of(*collective, name) == at_once);
    let cells = at_once.flat_map(|(collective, algorithm)| {
        let subject = Subject {
            collective: *collective,
            algorithm,
            eager_limit,
        };
        losses::cells(data, subject, |procs, size| {
            Some(Load::of_ports(procs, size))
        })
    });
    let law = losses::fit(&cells.collect::<Vec<_>>(), confidence).ok()?;
    Some(Onset {
        bytes: law.onset.value,
        lower: law.onset.lower,
        upper: law.onset.upper,
    })
}

/// Fits the regimes of every algorithm that they describe.
pub(super) fn fit(data: &Dataset, ping_pong: &[Point], options: &Options, fitted: &mut NetworkFit) {
    let mut all = regimes::observations(data);
    let mut times: Vec<(Bytes, Seconds)> = ping_pong.iter().map(|p| (p.size, p.time)).collect();
    times.sort_unstable_by_key(|(size, _)| *size);
    let stated = options
        .network
        .as_ref()
        .and_then(|network| network.eager_limit);
    let limits = Limits {
        ping_pong: &times,
        beta: fitted.hockney.model().beta(),
        seen: fitted.point_to_point.eager_limit.as_ref(),
        configured: data.provenance.eager_limit().or(stated),
        network: options.network.as_ref(),
    };
    let network = match limits.find(&all) {
        Ok(found) => found,
        Err(error) => {
            fitted.failures.push(FailedFit::of(REGIMES)(error));
            return;
        }
    };
    regimes::tell_apart(&mut all, &network);
    let confidence = options.model.confidence;
    let counted = counted(data, network.eager_limit, all.keys(), confidence);
    let ground = Ground::new(network, &all, counted);
    let ladder = Ladder {
        ground: &ground,
        hockney: fitted.hockney.model(),
        plogp: fitted.plogp.as_ref(),
    };
    let mut done = Vec::new();
    let mut failures = Vec::new();
    for ((collective, algorithm), cells) in &all {
        let Some(pattern) = Pattern::of(*collective, algorithm) else {
            continue;
        };
        let fit = ground.fit(pattern, cells, options.parts).and_then(|fit| {
            let verdict = ladder.climb((*collective, pattern), cells, &fit);
            let fit = match (verdict.rung, options.parts) {
                (Rung::Thresholds, None) => ground.fit(pattern, cells, Some(THRESHOLDS))?,
                _ => fit,
            };
            Ok((fit, verdict))
        });
        match fit {
            Ok((fit, verdict)) => done.push(FittedRegimes {
                collective: *collective,
                algorithm: algorithm.clone(),
                verdict,
                fit,
            }),
            Err(error) => {
                let subject = format!("{collective} {algorithm} {REGIMES}");
                failures.push(FailedFit::of(subject)(error));
            }
        }
    }
    fitted.regimes = done;
    fitted.failures.extend(failures);
}
