//! The regimes of all algorithms of a dataset, and the model that suffices for each.

use std::collections::BTreeMap;

use itertools::Itertools as _;
use netsig_base::algorithm::{Collective, Sizes};
use netsig_base::data::cells::MeasuredCells;
use netsig_base::network::{LINUX_RTO, Network};
use netsig_base::units::{Bytes, Seconds};

use super::models::LeftOutTimes;
use super::pairs::PairFits;
use super::{Options, SpeakingModel};
use crate::fit::ladder::{Competitors, Ladder};
use crate::fit::losses::{self, Load, Losses, NoLaw, Subject};
use crate::fit::{FailedFit, FitError};
use crate::model::REGIMES;
use crate::model::regimes::{Onset, Order, Pattern, Protocol, noticeable};
use crate::regimes::fit::observation::thinned;
use crate::regimes::fit::{AlgorithmRegimes, Ground, Limited, Limits, Observation, Who, observations, tell_apart};

/// Cells of an algorithm by pattern.
type ByPattern<'a> = Vec<(Pattern, &'a [Observation])>;

/// The regimes of all algorithms, before the choice of their models.
#[derive(Default)]
pub(super) struct RegimesFits {
    /// The cells of every algorithm, by pattern.
    cells: BTreeMap<Who, Vec<Observation>>,
    fits: BTreeMap<(Collective, String), AlgorithmRegimes>,
    failures: Vec<FailedFit>,
    /// True if there is evidence of losses ([`has_losses`]).
    pub(super) has_losses: bool,
}

/// Cells of an algorithm and a pattern that are fitted at most.
const MOST_CELLS: usize = 400;

/// Least number of stalled repetitions that show losses: one may have had any cause.
const LEAST_STALLED: usize = 2;

/// True if repetitions stalled among more than two processes, counters of losses follow their law, or the
/// network is described with the buffers of its ports.
fn has_losses(all: &BTreeMap<Who, Vec<Observation>>, counted: Option<&Onset>, network: Option<&Network>) -> bool {
    // Of a longer repetition the least time-out of Linux is less than 30 %.
    let is_told = |cell: &&Observation| cell.procs.get() > 2 && noticeable(cell.typical).0 < LINUX_RTO.0;
    let told = all.values().flatten().filter(is_told);
    let stalled: usize = told.map(|cell| cell.excesses.len()).sum();
    let has_buffers = network.is_some_and(|own| own.host_buffer().0 > 0);
    has_buffers || counted.is_some_and(Onset::is_known) || stalled >= LEAST_STALLED
}

/// The regimes of one algorithm.
#[derive(Debug, Clone)]
pub struct FittedRegimes {
    /// The collective.
    pub collective: Collective,
    /// Name of the algorithm.
    pub algorithm: String,
    /// The fit.
    pub fit: AlgorithmRegimes,
}

/// Onset of losses of eager messages by the counters of all algorithms that exchange everything at
/// once; where these show none, by the buffers of the described network, by the losses of rendezvous
/// messages, or later than all that was measured.
fn counted(
    cells: &MeasuredCells,
    limited: &Limited,
    all: &BTreeMap<Who, Vec<Observation>>,
    confidence: f64,
) -> Option<Onset> {
    let law = |protocol| law(cells, (protocol, limited.eager_limit), all, confidence);
    let beyond = match law(Protocol::Eager) {
        Ok(law) => return Some(Onset::of(law.onset)).filter(Onset::is_known),
        Err(NoLaw::Unseen { beyond }) => beyond,
        Err(_) => return None,
    };
    let of_buffers = limited.network.and_then(|network| Onset::of_buffers(beyond, network));
    of_buffers.or_else(|| match law(Protocol::Rendezvous) {
        Ok(law) => Some(Onset::of_rendezvous(beyond, law.onset)),
        Err(NoLaw::Unseen { beyond: later }) => Some(Onset::unseen(beyond.max(later))),
        Err(_) => Some(Onset::unseen(beyond)),
    })
}

/// The law of losses of one protocol of the MPI library, over all algorithms that exchange
/// everything at once.
fn law(
    cells: &MeasuredCells,
    (protocol, eager_limit): (Protocol, Option<Bytes>),
    all: &BTreeMap<Who, Vec<Observation>>,
    confidence: f64,
) -> Result<Losses, NoLaw> {
    let at_once = Some(Pattern::Exchange(Order::AtOnce));
    let at_once = all
        .keys()
        .filter(|who| who.pattern == at_once && who.collective.sizes() == Sizes::Equal);
    let counters = at_once.flat_map(|who| {
        let subject = Subject {
            collective: who.collective,
            algorithm: &who.algorithm,
            protocol,
            eager_limit,
        };
        losses::cells(cells, subject, |procs, size| Some(Load::of_ports(procs, size)))
    });
    losses::fit(&counters.collect::<Vec<_>>(), confidence)
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

/// What is known before any algorithm is fitted: the cells, the wire and the eager limit.
pub(super) struct RegimesGround<'a> {
    /// The cells of every algorithm, by pattern.
    all: BTreeMap<Who, Vec<Observation>>,
    /// V(w), the eager limit and the links.
    pub(super) network: Result<Limited<'a>, FitError>,
    failures: Vec<FailedFit>,
}

impl<'a> RegimesGround<'a> {
    pub(super) fn of(cells: &MeasuredCells, pairs: &PairFits, options: &'a Options) -> Self {
        let mut all = observations(cells);
        for own in all.values_mut() {
            *own = thinned(own, MOST_CELLS);
        }
        let failures = leave_out_large(&mut all);
        Self {
            network: limited(cells, pairs, options, &all),
            all,
            failures,
        }
    }
}

/// Fits the regimes of every algorithm that they describe, if they are wanted.
pub(super) fn fit(cells: &MeasuredCells, ground: RegimesGround, options: &Options) -> RegimesFits {
    let mut found = RegimesFits::default();
    if !options.wanted.wants_regimes() {
        return found;
    }
    let RegimesGround {
        mut all,
        network,
        failures,
    } = ground;
    found.failures = failures;
    let network = match network {
        Ok(network) => network,
        Err(error) => {
            found.failures.push(FailedFit::of(REGIMES)(error));
            return found;
        }
    };
    tell_apart(&mut all, &network);
    let confidence = options.model.confidence;
    let counted = counted(cells, &network, &all, confidence);
    found.has_losses = has_losses(&all, counted.as_ref(), network.network);
    let ground = if found.has_losses {
        Ground::new(network, &all, counted)
    } else {
        Ground::without_losses(network)
    };
    for ((collective, algorithm), by_pattern) in by_algorithm(&all) {
        match of_algorithm(&ground, &by_pattern) {
            Ok(fit) => {
                let who = (collective, algorithm.to_owned());
                found.fits.insert(who, fit);
            }
            Err(error) => {
                let subject = format!("{collective} {algorithm} {REGIMES}");
                found.failures.push(FailedFit::of(subject)(error));
            }
        }
    }
    found.cells = all;
    found
}

/// The eager limit, and V(w) below it.
fn limited<'a>(
    cells: &MeasuredCells,
    pairs: &PairFits,
    options: &'a Options,
    all: &BTreeMap<Who, Vec<Observation>>,
) -> Result<Limited<'a>, FitError> {
    let ping_pong = pairs.ping_pong.iter().map(|p| (p.size, p.time));
    let ping_pong: Vec<(Bytes, Seconds)> = ping_pong.sorted_by_key(|(size, _)| *size).collect();
    let network = options.network.as_ref();
    let stated = network.and_then(|network| network.eager_limit);
    let seen = pairs.point_to_point.eager_limit.as_ref();
    let limits = Limits {
        ping_pong: &ping_pong,
        beta: pairs.hockney.model().beta(),
        seen: seen.map(|own| [own.above, own.up_to]),
        configured: cells.provenance.eager_limit().or(stated),
        network,
    };
    limits.find(all)
}

/// Cells of every algorithm that the regimes describe, by pattern.
fn by_algorithm(all: &BTreeMap<Who, Vec<Observation>>) -> BTreeMap<(Collective, &str), ByPattern<'_>> {
    let mut by_algorithm: BTreeMap<_, ByPattern> = BTreeMap::new();
    for (who, cells) in all {
        if let Some(pattern) = who.pattern {
            let own = by_algorithm.entry((who.collective, who.algorithm.as_str()));
            own.or_default().push((pattern, cells));
        }
    }
    by_algorithm
}

impl RegimesFits {
    /// The model that suffices for each algorithm with regimes or a field; `left_out` are the times by other
    /// models that compete.
    pub(super) fn chosen(&self, ladder: &Ladder, left_out: &LeftOutTimes) -> Vec<SpeakingModel> {
        let by_algorithm = by_algorithm(&self.cells);
        let (no_cells, no_others, no_regimes) = (ByPattern::new(), Competitors::new(), AlgorithmRegimes::default());
        let all = self.fits.keys().chain(left_out.keys()).sorted_unstable().dedup();
        let speaking = all.map(|who| {
            let cells = by_algorithm.get(&(who.0, who.1.as_str())).unwrap_or(&no_cells);
            let others = left_out.get(who).unwrap_or(&no_others);
            let regimes = self.fits.get(who).unwrap_or(&no_regimes);
            SpeakingModel {
                collective: who.0,
                algorithm: who.1.clone(),
                sufficient: ladder.climb(who.0, cells, (regimes, others)),
            }
        });
        speaking.collect()
    }

    /// The regimes and the failed fits.
    pub(super) fn fitted(self) -> (Vec<FittedRegimes>, Vec<FailedFit>) {
        let fitted = self
            .fits
            .into_iter()
            .map(|((collective, algorithm), fit)| FittedRegimes {
                collective,
                algorithm,
                fit,
            });
        (fitted.collect(), self.failures)
    }
}

/// Fits the cells of every pattern of an algorithm, with the eager messages of all; fails if none
/// can be fitted.
fn of_algorithm(ground: &Ground, by_pattern: &ByPattern) -> Result<AlgorithmRegimes, FitError> {
    let eager = |(pattern, cells): &(Pattern, &[Observation])| {
        let is_eager = |cell: &&Observation| ground.network.protocol(*pattern, cell) == Protocol::Eager;
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
        _ => Ok(fits.into_iter().reduce(AlgorithmRegimes::and).unwrap_or_default()),
    }
}
