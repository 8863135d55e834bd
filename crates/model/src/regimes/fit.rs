//! Fit of the regimes to every measured algorithm; the model is [`crate::model::regimes`].
//!
//! # Method
//! 1. V(w) comes from the ping-pong: its sizes below the eager limit, and β.
//! 2. The eager limit comes from pairs; if they leave several measured sizes, or give none, it is
//!    the size with the least loss over all algorithms (`limit`).
//! 3. Repetitions that stalled are separated from the others ([`observation`]), also in means that other programs
//!    computed ([`separate_stalls`]). Their rate and onset are maximum-likelihood estimates (`stalls`). They are pooled
//!    over all at-once algorithms, because the overflowing port belongs to the network.
//! 4. a, b, r, γ, κ and u come from robust regression of the other repetitions (`regression`), with the usual values of
//!    exchanges as priors. ρ(n, m) of the measured counts comes from the residuals (`correction`).
//! 5. Whole counts are left out in turn, for the errors of predictions ([`left_out`]).
//!
//! An algorithm that behaves differently at powers of two is fitted separately there. The library's own choice is
//! fitted separately for each traffic pattern of its rules. A class with a single count shares the eager messages of
//! the others.
//!
//! # Source
//! netsig; the modules of the parts name their sources.

mod averages;
mod basis;
mod correction;
mod estimate;
pub mod left_out;
mod limit;
pub mod observation;
mod regression;
mod stalls;

use std::collections::{BTreeMap, BTreeSet};

use itertools::Itertools as _;
use nalgebra::DMatrix;
use netsig_base::stats::sample::median;
use netsig_base::units::{Procs, Seconds};
use strum::VariantArray as _;

pub use self::averages::separate_stalls;
pub(crate) use self::basis::gradient;
pub use self::basis::{RegimesBasis, RegimesParameter};
pub use self::left_out::{CellKind, LeftOutCell};
pub use self::limit::{LimitEvidence, LimitedWire};
pub use self::observation::{CellObservation, MeasuredAlgorithm, observations};
use self::regression::RegimesSolution;
use crate::fitted::error::{FitError, refuse_too_few};
use crate::model::regimes::{
    CountClass, ExchangeOrder, Protocol, ProtocolParameters, Regimes, StallOnset, StallParameters, TrafficPattern,
    UsualParameters,
};

/// Network and pooled stalls, fitted before any single algorithm.
#[derive(Debug, Clone)]
pub struct RegimesFitter<'a> {
    /// V(w), the eager limit and the links.
    pub limited: LimitedWire<'a>,
    /// Stalls of eager messages, pooled over the at-once algorithms, without one process count (for
    /// cross-validation) or with all.
    pooled_stalls: BTreeMap<Option<Procs>, Option<StallParameters>>,
}

/// The fit of one algorithm at the process counts of one class.
#[derive(Debug, Clone)]
pub struct RegimesFit {
    /// Process counts of the fit.
    pub class: CountClass,
    /// The model.
    pub model: Regimes,
    /// The estimated parameters, in the order of `covariance`.
    pub columns: Vec<RegimesParameter>,
    /// Their covariance; a and b are in seconds, the others are pure numbers.
    pub covariance: DMatrix<f64>,
    /// The fitted cells.
    pub cells: Vec<CellObservation>,
    /// Medians over the cells of |ln(T/T̂)|, and of the standard deviation of ln T.
    pub misfit: [f64; 2],
}

/// The fit of one algorithm.
#[derive(Debug, Clone, Default)]
pub struct AlgorithmRegimes {
    /// One fit per pattern and measured class of process counts.
    pub fits: Vec<RegimesFit>,
    /// Errors of the model at process counts left out of the fit.
    pub left_out_cells: Vec<LeftOutCell>,
}

impl AlgorithmRegimes {
    /// The fits of both.
    pub(crate) fn merged_with(mut self, other: Self) -> Self {
        self.fits.extend(other.fits);
        self.left_out_cells.extend(other.left_out_cells);
        self
    }
}

impl<'a> RegimesFitter<'a> {
    /// Pools the stalls of all algorithms, on the wire and with the limit that [`LimitEvidence`] found. Their onset is
    /// `counted` where the counters of losses show it.
    pub fn new(
        limited: LimitedWire<'a>,
        all: &BTreeMap<MeasuredAlgorithm, Vec<CellObservation>>,
        counted: Option<StallOnset>,
    ) -> Self {
        let mut fitter = Self {
            limited,
            pooled_stalls: BTreeMap::new(),
        };
        let exchange = TrafficPattern::Exchange(ExchangeOrder::AtOnce);
        let (mut cells, mut counts) = (Vec::new(), BTreeSet::new());
        for (who, algorithm_cells) in all {
            if who.pattern.is_some_and(TrafficPattern::is_exchange) {
                let larger_cells = algorithm_cells.iter().filter(|cell| cell.procs.get() > 2);
                counts.extend(larger_cells.clone().map(|cell| cell.procs));
                cells.extend(larger_cells.filter(|_| who.pattern == Some(exchange)));
            }
        }
        for left_out in left_out::folds(&counts).into_iter().map(Some).chain([None]) {
            let eager = fitter.eager_cells(exchange, cells.iter().copied(), left_out);
            let overflowing = match counted {
                Some(onset) => Some(stalls::stalls_from_onset(onset, &eager)),
                None => stalls::stalls_of_overflow(&eager).or_else(|| stalls::unseen_stalls(&eager)),
            };
            fitter.pooled_stalls.insert(left_out, overflowing);
        }
        fitter
    }

    /// The wire of data that show no losses: no repetition stalls.
    pub fn without_losses(limited: LimitedWire<'a>) -> Self {
        Self {
            limited,
            pooled_stalls: BTreeMap::new(),
        }
    }

    /// The cells of eager messages, except of the count `left_out`, each with the bytes x that pass a port.
    fn eager_cells<'c>(
        &self,
        pattern: TrafficPattern,
        cells: impl Iterator<Item = &'c CellObservation>,
        left_out: Option<Procs>,
    ) -> Vec<(&'c CellObservation, f64)> {
        let wanted = |cell: &&CellObservation| {
            Some(cell.procs) != left_out && self.limited.protocol(pattern, cell) == Protocol::Eager
        };
        let with_bytes = |cell: &'c CellObservation| {
            let point = cell.point(self.limited.network);
            Some((cell, pattern.port_bytes(point)?))
        };
        cells.filter(wanted).filter_map(with_bytes).collect()
    }

    /// Stalls of eager messages, from all cells except of the count `left_out`. The overflowing port belongs to the
    /// network, so its onset is pooled over all at-once algorithms; each other exchange has its own rate of stalls.
    fn stalls_of_pattern(
        &self,
        pattern: TrafficPattern,
        cells: &[CellObservation],
        left_out: Option<Procs>,
    ) -> Option<StallParameters> {
        let whole = *self.pooled_stalls.get(&None)?;
        let shared = self.pooled_stalls.get(&left_out).copied().unwrap_or(whole);
        if pattern == TrafficPattern::Exchange(ExchangeOrder::AtOnce) || !pattern.is_exchange() {
            return shared.filter(|_| pattern.is_exchange());
        }
        let eager = self.eager_cells(pattern, cells.iter(), left_out);
        match shared {
            Some(shared) => {
                let usual = UsualParameters::of(pattern, CountClass::Every).map_or(0.0, |usual| usual.stall_rate);
                Some(stalls::with_own_rate(&shared, &eager, usual))
            }
            None => stalls::stalls_of_overflow(&eager),
        }
    }

    /// Fits one algorithm.
    ///
    /// # Errors
    /// If the cells do not determine even γ.
    pub fn fit(&self, pattern: TrafficPattern, cells: &[CellObservation]) -> Result<AlgorithmRegimes, FitError> {
        let by_class = cells_by_class(&self.limited, pattern, cells);
        let mut failed = None;
        let mut all = AlgorithmRegimes {
            fits: Vec::new(),
            left_out_cells: Vec::new(),
        };
        for (class, cells) in by_class {
            match self.fit_class(pattern, class, &cells, None) {
                Ok(fit) => all.fits.push(fit),
                Err(error) => failed = failed.or(Some(error)),
            }
            all.left_out_cells.extend(left_out::leave_out(self, pattern, &cells));
        }
        if all.fits.is_empty() {
            failed.map_or(Ok(()), Err)?;
            refuse_too_few("the regimes", 0, 4)?;
        }
        Ok(all)
    }

    /// Medians over cells of |ln(T/T̂)| and of the standard deviation of ln T.
    fn misfit_of(&self, model: &Regimes, placed: &[(&CellObservation, Protocol)]) -> [f64; 2] {
        let error = |cell: &CellObservation| {
            let times = model.times(cell.point(self.limited.network))?;
            Some((cell.typical / times.typical).ln().abs())
        };
        let errors = placed.iter().filter_map(|(cell, _)| error(cell));
        let scatter = placed.iter().map(|(cell, _)| cell.variance().sqrt());
        [median(errors), median(scatter)]
    }

    /// Fits the cells of one class, except of the count `left_out`.
    ///
    /// # Errors
    /// If the cells do not determine even γ.
    pub fn fit_class(
        &self,
        pattern: TrafficPattern,
        class: CountClass,
        cells: &[CellObservation],
        left_out: Option<Procs>,
    ) -> Result<RegimesFit, FitError> {
        let kept: Vec<CellObservation> = cells
            .iter()
            .filter(|cell| Some(cell.procs) != left_out)
            .cloned()
            .collect();
        let overflowing = self.stalls_of_pattern(pattern, &kept, left_out);
        let basis = RegimesBasis {
            class,
            onset: overflowing.map(|stalls| stalls.onset),
            ..self.limited.basis(pattern)
        };
        let mut placed = self.limited.with_protocols(pattern, &kept);
        placed.retain(|(cell, _)| cell.unstalled > 0);
        let solution = regression::solve(&basis, &placed, &measured_columns(&basis, &placed))?;
        let parameters = |protocol: Protocol, stalls: Option<StallParameters>| {
            protocol_parameters(&placed, &solution, protocol, stalls)
        };
        let model = Regimes {
            pattern,
            wire: self.limited.wire.clone(),
            latency: Seconds(solution.value(RegimesParameter::Latency)),
            startup: Seconds(solution.value(RegimesParameter::Startup)),
            request: Seconds(solution.value(RegimesParameter::Request)),
            eager: parameters(Protocol::Eager, overflowing),
            rendezvous: parameters(Protocol::Rendezvous, None),
            eager_limit: self.limited.eager_limit,
        };
        Ok(RegimesFit {
            class,
            misfit: self.misfit_of(&model, &placed),
            model,
            columns: solution.columns,
            covariance: solution.covariance,
            cells: kept,
        })
    }
}

/// The cells by class. The classes differ in their rendezvous messages: a class with a single count takes the eager
/// messages of all.
pub(super) fn cells_by_class(
    network: &LimitedWire,
    pattern: TrafficPattern,
    cells: &[CellObservation],
) -> BTreeMap<CountClass, Vec<CellObservation>> {
    let class = |cell: &CellObservation| pattern.class(cell.procs);
    let of_class = |wanted_class: CountClass| {
        let counts = cells.iter().filter(|cell| class(cell) == wanted_class);
        let is_single = counts.map(|cell| cell.procs).all_equal();
        let takes = |cell: &&CellObservation| {
            class(cell) == wanted_class || is_single && network.protocol(pattern, cell) == Protocol::Eager
        };
        (wanted_class, cells.iter().filter(takes).cloned().collect())
    };
    let classes: BTreeSet<CountClass> = cells.iter().map(class).collect();
    classes.into_iter().map(of_class).collect()
}

/// Columns of the regression for the measured cells.
fn measured_columns(basis: &RegimesBasis, placed: &[(&CellObservation, Protocol)]) -> Vec<RegimesParameter> {
    let mut columns = vec![RegimesParameter::Latency, RegimesParameter::Startup];
    let eager = placed.iter().any(|(_, of)| *of == Protocol::Eager);
    if eager && basis.onset.is_some() {
        columns.push(RegimesParameter::Slowdown);
    }
    for &protocol in Protocol::VARIANTS {
        let counts_of_cells = placed
            .iter()
            .filter(|(_, of)| *of == protocol)
            .map(|(cell, _)| cell.procs);
        let counts: BTreeSet<Procs> = counts_of_cells.collect();
        if counts.is_empty() {
            continue;
        }
        columns.push(RegimesParameter::Gamma(protocol));
        if counts.len() > 1 || basis.pattern.grows_as_usual() {
            columns.push(RegimesParameter::Growth(protocol));
        }
        if protocol == Protocol::Rendezvous {
            columns.push(RegimesParameter::Request);
        }
    }
    columns
}

/// Parameters of a protocol from the solution; `None` if the protocol was not measured.
fn protocol_parameters(
    placed: &[(&CellObservation, Protocol)],
    solution: &RegimesSolution,
    protocol: Protocol,
    stalls: Option<StallParameters>,
) -> Option<ProtocolParameters> {
    let cells_with_errors = placed
        .iter()
        .zip(&solution.errors)
        .filter(|((_, of), _)| *of == protocol);
    let protocol_cells: Vec<(&CellObservation, f64)> =
        cells_with_errors.map(|((cell, _), error)| (*cell, *error)).collect();
    if protocol_cells.is_empty() {
        return None;
    }
    let squares: f64 = protocol_cells.iter().map(|(cell, _)| cell.spread.powi(2)).sum();
    Some(ProtocolParameters {
        gamma: solution.value(RegimesParameter::Gamma(protocol)),
        growth: solution.value(RegimesParameter::Growth(protocol)),
        slowdown: match protocol {
            Protocol::Eager => solution.value(RegimesParameter::Slowdown),
            Protocol::Rendezvous => 0.0,
        },
        correction: correction::correction_of(&protocol_cells),
        spread: (squares / protocol_cells.len() as f64).sqrt(),
        stalls,
    })
}
