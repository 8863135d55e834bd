//! The regimes of all algorithms of a dataset, and the model that suffices for each.

use std::collections::BTreeMap;

use itertools::Itertools as _;
use netsig_base::algorithm::{Collective, SizePattern};
use netsig_base::data::cells::MeasuredCells;
use netsig_base::network::Network;
use netsig_base::units::{Bytes, Seconds};

use super::models::LeftOutTimes;
use super::pairs::PairFits;
use super::{ChosenModel, NetworkFitOptions};
use crate::fit::losses::{self, LinkLoad, LossLaw, LossSubject, NoLossLaw};
use crate::fit::model_hierarchy::{CompetingModels, ModelHierarchy};
use crate::fit::{FailedFit, FitError};
use crate::model::REGIMES;
use crate::model::regimes::{ExchangeOrder, Protocol, StallOnset, TrafficPattern};
use crate::regimes::fit::observation::{show_stalls, thinned};
use crate::regimes::fit::{
    AlgorithmRegimes, CellObservation, LimitEvidence, LimitedWire, MeasuredAlgorithm, RegimesFitter, observations,
    separate_stalls,
};

/// Cells of an algorithm by pattern.
type CellsByPattern<'a> = Vec<(TrafficPattern, &'a [CellObservation])>;

/// The regimes of all algorithms, before the choice of their models.
#[derive(Default)]
pub(super) struct RegimesFits {
    /// The cells of every algorithm, by pattern.
    cells: BTreeMap<MeasuredAlgorithm, Vec<CellObservation>>,
    fits: BTreeMap<(Collective, String), AlgorithmRegimes>,
    failures: Vec<FailedFit>,
    /// True if there is evidence of losses ([`has_losses`]).
    pub(super) has_losses: bool,
}

/// Cells of an algorithm and a pattern that are fitted at most.
const MOST_CELLS: usize = 400;

/// True if repetitions stalled among more than two processes, counters of losses follow their law, or the
/// network is described with the buffers of its ports.
fn has_losses(
    all: &BTreeMap<MeasuredAlgorithm, Vec<CellObservation>>,
    counted: Option<&StallOnset>,
    network: Option<&Network>,
) -> bool {
    let has_buffers = network.is_some_and(|described| described.host_buffer().0 > 0);
    has_buffers || counted.is_some_and(StallOnset::is_known) || show_stalls(all.values().flatten())
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

/// Onset of losses of eager messages by the counters of all at-once algorithms. Where these show no losses, the onset
/// comes from the buffers of the described network, else from the losses of rendezvous messages. Without any evidence
/// it lies beyond everything that was measured.
fn counted_onset(
    cells: &MeasuredCells,
    limited: &LimitedWire,
    all: &BTreeMap<MeasuredAlgorithm, Vec<CellObservation>>,
    confidence: f64,
) -> Option<StallOnset> {
    let law = |protocol| loss_law(cells, limited, protocol, all, confidence);
    let beyond = match law(Protocol::Eager) {
        Ok(law) => return Some(StallOnset::of(law.onset)).filter(StallOnset::is_known),
        Err(NoLossLaw::Unseen { beyond }) => beyond,
        Err(_) => return None,
    };
    let of_buffers = limited
        .network
        .and_then(|network| StallOnset::of_buffers(beyond, network));
    of_buffers.or_else(|| match law(Protocol::Rendezvous) {
        Ok(law) => Some(StallOnset::of_rendezvous(beyond, law.onset)),
        Err(NoLossLaw::Unseen { beyond: later }) => Some(StallOnset::without_losses(beyond.max(later))),
        Err(_) => Some(StallOnset::without_losses(beyond)),
    })
}

/// The law of losses of one protocol of the MPI library, over all at-once algorithms.
fn loss_law(
    cells: &MeasuredCells,
    limited: &LimitedWire,
    protocol: Protocol,
    all: &BTreeMap<MeasuredAlgorithm, Vec<CellObservation>>,
    confidence: f64,
) -> Result<LossLaw, NoLossLaw> {
    let at_once = Some(TrafficPattern::Exchange(ExchangeOrder::AtOnce));
    let exchanges = all
        .keys()
        .filter(|who| who.pattern == at_once && who.collective.size_pattern() == SizePattern::Equal);
    let counters = exchanges.flat_map(|who| {
        let subject = LossSubject {
            collective: who.collective,
            algorithm: &who.algorithm,
            protocol,
            eager_limit: limited.eager_limit,
        };
        losses::cells(cells, subject, |procs, size| Some(LinkLoad::of_ports(procs, size)))
    });
    losses::fit(&counters.collect::<Vec<_>>(), confidence)
}

/// Leaves out the cells of more processes than the sums over pairs allow.
fn leave_out_large(all: &mut BTreeMap<MeasuredAlgorithm, Vec<CellObservation>>) -> Vec<FailedFit> {
    let mut failures = Vec::new();
    for (who, cells) in all.iter_mut() {
        let problem = |cell: &CellObservation| cell.point(None).check().err();
        if let Some(error) = cells.iter().find_map(problem) {
            let subject = format!("{} {} {REGIMES}", who.collective, who.algorithm);
            failures.push(FailedFit::of(subject)(error.into()));
        }
        cells.retain(|cell| problem(cell).is_none());
    }
    all.retain(|_, cells| !cells.is_empty());
    failures
}

/// Inputs of the fits of all algorithms: the cells, the wire and the eager limit.
pub(super) struct RegimesInputs<'a> {
    /// The cells of every algorithm, by pattern.
    cells: BTreeMap<MeasuredAlgorithm, Vec<CellObservation>>,
    /// V(w), the eager limit and the links.
    pub(super) network: Result<LimitedWire<'a>, FitError>,
    failures: Vec<FailedFit>,
}

impl<'a> RegimesInputs<'a> {
    pub(super) fn of(cells: &MeasuredCells, pairs: &PairFits, options: &'a NetworkFitOptions) -> Self {
        let mut all = observations(cells);
        for algorithm_cells in all.values_mut() {
            *algorithm_cells = thinned(algorithm_cells, MOST_CELLS);
        }
        let failures = leave_out_large(&mut all);
        Self {
            network: limited(cells, pairs, options, &all),
            cells: all,
            failures,
        }
    }
}

/// Fits the regimes of every algorithm that they describe, if they are wanted.
pub(super) fn fit(cells: &MeasuredCells, inputs: RegimesInputs, options: &NetworkFitOptions) -> RegimesFits {
    let mut found = RegimesFits::default();
    if !options.models_to_fit.includes_regimes() {
        return found;
    }
    let RegimesInputs {
        cells: mut all,
        network,
        failures,
    } = inputs;
    found.failures = failures;
    let network = match network {
        Ok(network) => network,
        Err(error) => {
            found.failures.push(FailedFit::of(REGIMES)(error));
            return found;
        }
    };
    separate_stalls(&mut all, &network);
    let confidence = options.model.confidence;
    let counted = counted_onset(cells, &network, &all, confidence);
    found.has_losses = has_losses(&all, counted.as_ref(), network.network);
    let fitter = if found.has_losses {
        RegimesFitter::new(network, &all, counted)
    } else {
        RegimesFitter::without_losses(network)
    };
    for ((collective, algorithm), by_pattern) in cells_by_pattern(&all) {
        match fit_algorithm(&fitter, &by_pattern) {
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
    options: &'a NetworkFitOptions,
    all: &BTreeMap<MeasuredAlgorithm, Vec<CellObservation>>,
) -> Result<LimitedWire<'a>, FitError> {
    let sizes_and_times = pairs.ping_pong.iter().map(|p| (p.size, p.time));
    let ping_pong: Vec<(Bytes, Seconds)> = sizes_and_times.sorted_by_key(|(size, _)| *size).collect();
    let network = options.network.as_ref();
    let stated = network.and_then(|network| network.eager_limit);
    let seen_limit = pairs.point_to_point.eager_limit.as_ref();
    let limits = LimitEvidence {
        ping_pong: &ping_pong,
        beta: pairs.hockney.model().beta(),
        pair_interval: seen_limit.map(|limit| [limit.above, limit.up_to]),
        configured: cells.provenance.eager_limit().or(stated),
        network,
    };
    limits.find(all)
}

/// Cells of every algorithm that the regimes describe, by pattern.
fn cells_by_pattern(
    all: &BTreeMap<MeasuredAlgorithm, Vec<CellObservation>>,
) -> BTreeMap<(Collective, &str), CellsByPattern<'_>> {
    let mut patterns: BTreeMap<_, CellsByPattern> = BTreeMap::new();
    for (who, cells) in all {
        if let Some(pattern) = who.pattern {
            let entry = patterns.entry((who.collective, who.algorithm.as_str()));
            entry.or_default().push((pattern, cells));
        }
    }
    patterns
}

impl RegimesFits {
    /// The model that suffices for each algorithm with regimes or a field; `left_out` has the times of the models that
    /// compete.
    pub(super) fn chosen_models(&self, hierarchy: &ModelHierarchy, left_out: &LeftOutTimes) -> Vec<ChosenModel> {
        let by_algorithm = cells_by_pattern(&self.cells);
        let (no_cells, no_others, no_regimes) = (
            CellsByPattern::new(),
            CompetingModels::new(),
            AlgorithmRegimes::default(),
        );
        let all = self.fits.keys().chain(left_out.keys()).sorted_unstable().dedup();
        let chosen = all.map(|who| {
            let cells = by_algorithm.get(&(who.0, who.1.as_str())).unwrap_or(&no_cells);
            let others = left_out.get(who).unwrap_or(&no_others);
            let regimes = self.fits.get(who).unwrap_or(&no_regimes);
            ChosenModel {
                collective: who.0,
                algorithm: who.1.clone(),
                sufficient: hierarchy.sufficient_model(who.0, cells, regimes, others),
            }
        });
        chosen.collect()
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

/// Fits the cells of every pattern of an algorithm, each with the eager messages of all patterns. Fails if no pattern
/// can be fitted.
fn fit_algorithm(fitter: &RegimesFitter, by_pattern: &CellsByPattern) -> Result<AlgorithmRegimes, FitError> {
    let eager_cells = |(pattern, cells): &(TrafficPattern, &[CellObservation])| {
        let is_eager = |cell: &&CellObservation| fitter.limited.protocol(*pattern, cell) == Protocol::Eager;
        cells.iter().filter(is_eager).cloned().collect_vec()
    };
    let fit = |(pattern, pattern_cells): &(TrafficPattern, &[CellObservation])| {
        let other_patterns = by_pattern.iter().filter(|(other, _)| other != pattern);
        let others = other_patterns.flat_map(eager_cells);
        let cells: Vec<CellObservation> = pattern_cells.iter().cloned().chain(others).collect();
        fitter.fit(*pattern, &cells)
    };
    let (fits, errors): (Vec<_>, Vec<_>) = by_pattern.iter().map(fit).partition_result();
    match errors.into_iter().next() {
        Some(error) if fits.is_empty() => Err(error),
        _ => Ok(fits
            .into_iter()
            .reduce(AlgorithmRegimes::merged_with)
            .unwrap_or_default()),
    }
}
