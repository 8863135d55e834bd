//! The regimes of all algorithms of a dataset, and the model that suffices for each.

use std::collections::BTreeMap;

use itertools::Itertools as _;
use netsig_base::algorithm::{Collective, Sizes};
use netsig_base::data::Dataset;
use netsig_base::units::{Bytes, Seconds};

use super::{NetworkFit, Options};
use crate::fit::fitted::FittedModel;
use crate::fit::ladder::{Ladder, LeftOut, Verdict};
use crate::fit::losses::{self, Load, Losses, NoLaw, Subject};
use crate::fit::regimes::{self, AlgorithmRegimes, Ground, Limited, Limits, Observation, Who};
use crate::fit::{FailedFit, FitError, Point};
use crate::model::REGIMES;
use crate::model::regimes::{Onset, Order, Pattern, Protocol};

/// Cells of an algorithm by pattern.
type ByPattern<'a> = Vec<(Pattern, &'a [Observation])>;

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

/// Onset of losses of eager messages by the counters of all algorithms that exchange everything at
/// once; where these show none, by the buffers of the described network, by the losses of rendezvous
/// messages, or later than all that was measured.
fn counted(
    data: &Dataset,
    limited: &Limited,
    all: &BTreeMap<Who, Vec<Observation>>,
    confidence: f64,
) -> Option<Onset> {
    let law = |protocol| law(data, (protocol, limited.eager_limit), all, confidence);
    let beyond = match law(Protocol::Eager) {
        Ok(law) => return Some(Onset::of(law.onset)).filter(Onset::is_known),
        Err(NoLaw::Unseen { beyond }) => beyond,
        Err(_) => return None,
    };
    let of_buffers = limited
        .network
        .and_then(|network| Onset::of_buffers(beyond, network));
    of_buffers.or_else(|| match law(Protocol::Rendezvous) {
        Ok(law) => Some(Onset::of_rendezvous(beyond, law.onset)),
        Err(NoLaw::Unseen { beyond: later }) => Some(Onset::unseen(beyond.max(later))),
        Err(_) => Some(Onset::unseen(beyond)),
    })
}

/// The law of losses of one protocol of the MPI library, over all algorithms that exchange
/// everything at once.
fn law(
    data: &Dataset,
    (protocol, eager_limit): (Protocol, Option<Bytes>),
    all: &BTreeMap<Who, Vec<Observation>>,
    confidence: f64,
) -> Result<Losses, NoLaw> {
    let at_once = Some(Pattern::Exchange(Order::AtOnce));
    let at_once = all
        .keys()
        .filter(|who| who.pattern == at_once && who.collective.sizes() == Sizes::Equal);
    let cells = at_once.flat_map(|who| {
        let subject = Subject {
            collective: who.collective,
            algorithm: &who.algorithm,
            protocol,
            eager_limit,
        };
        losses::cells(data, subject, |procs, size| {
            Some(Load::of_ports(procs, size))
        })
    });
    losses::fit(&cells.collect::<Vec<_>>(), confidence)
}

/// Leaves out the cells of more processes than the sums over pairs allow.
fn leave_out_large(all: &mut BTreeMap<Who, Vec<Observation>>) -> Vec<FailedFit> {
    let mut failures = Vec::new();
    for (who, cells) in all.iter_mut() {
        let problem = |cell: &Observation| cell.point(None).check().err();
        if let Some(error) = cells.iter().find_map(problem) {
            let subject = format!("{} {} {REGIMES}", who.collective, who.algorithm);
            failures.push(FailedFit::of(subject)(error.into()));
        }
        cells.retain(|cell| problem(cell).is_none());
    }
    all.retain(|_, cells| !cells.is_empty());
    failures
}

/// Fits the regimes of every algorithm that they describe; `left_out` are the times of all-to-alls by the
/// model of a shared link.
pub(super) fn fit(
    data: &Dataset,
    ping_pong: &[Point],
    (options, left_out): (&Options, &BTreeMap<String, LeftOut>),
    fitted: &mut NetworkFit,
) {
    let mut all = regimes::observations(data);
    fitted.failures.extend(leave_out_large(&mut all));
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
    let counted = counted(data, &network, &all, confidence);
    let ground = Ground::new(network, &all, counted);
    let ladder = Ladder {
        hockney: fitted.hockney.model(),
        plogp: fitted.plogp.as_ref(),
    };
    let mut by_algorithm: BTreeMap<(Collective, &str), ByPattern> = BTreeMap::new();
    for (who, cells) in &all {
        if let Some(pattern) = who.pattern {
            let own = by_algorithm.entry((who.collective, &who.algorithm));
            own.or_default().push((pattern, cells));
        }
    }
    let mut done = Vec::new();
    let mut failures = Vec::new();
    for ((collective, algorithm), by_pattern) in by_algorithm {
        match of_algorithm(&ground, &by_pattern) {
            Ok(fit) => done.push(FittedRegimes {
                collective,
                algorithm: algorithm.to_owned(),
                verdict: ladder.climb(collective, &by_pattern, (&fit, left_out.get(algorithm))),
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

/// Fits the cells of every pattern of an algorithm, with the eager messages of all; fails if none
/// can be fitted.
fn of_algorithm(ground: &Ground, by_pattern: &ByPattern) -> Result<AlgorithmRegimes, FitError> {
    let eager = |(pattern, cells): &(Pattern, &[Observation])| {
        let is_eager =
            |cell: &&Observation| ground.network.protocol(*pattern, cell) == Protocol::Eager;
        cells.iter().filter(is_eager).cloned().collect_vec()
    };
    let fit = |(pattern, own): &(Pattern, &[Observation])| {
        let others = by_pattern.iter().filter(|(other, _)| other != pattern);
        let others = others.flat_map(eager);
        let cells: Vec<Observation> = own.iter().cloned().chain(others).collect();
        ground.fit(*pattern, &cells)
    };
    let (fits, errors): (Vec<_>, Vec<_>) = by_pattern.iter().map(fit).partition_result();
    match errors.into_iter().next() {
        Some(error) if fits.is_empty() => Err(error),
        _ => Ok(fits
            .into_iter()
            .reduce(AlgorithmRegimes::and)
            .unwrap_or_default()),
    }
}
