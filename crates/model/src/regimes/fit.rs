//! Fit of the regimes to every measured algorithm; the model is [`crate::model::regimes`].
//!
//! # Method
//! 1. V(w) comes from the ping-pong: its sizes below the eager limit, and β.
//! 2. The eager limit comes from pairs; if they leave several measured sizes, or give none, it is
//!    the size with the least loss over all algorithms (`limit`).
//! 3. Repetitions that stalled are separated from the others ([`observation`]),
//!    also in means that other programs computed ([`tell_apart`]). Their rate and onset are
//!    maximum-likelihood estimates (`stalls`), pooled over all algorithms that exchange
//!    everything at once, because the overflowing port belongs to the network.
//! 4. a, b, r, γ, κ and u come from robust regression of the others (`regression`), with the usual
//!    values of exchanges as priors, ρ(n, m) of the measured counts from its residuals (`correction`).
//! 5. Whole counts are left out in turn, for the errors of predictions ([`held_out`]).
//!
//! An algorithm that behaves differently at powers of two is fitted separately there, and the
//! library's own choice by the traffic that its rules take; single counts share the eager messages
//! of the others.
//!
//! # Source
//! netsig; the modules of the parts name their sources.

mod averages;
mod basis;
mod correction;
mod estimate;
pub mod held_out;
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

pub use self::averages::tell_apart;
pub(crate) use self::basis::gradient;
pub use self::basis::{Basis, Column};
pub use self::held_out::{HeldOut, Kind};
pub use self::limit::{Limited, Limits};
pub use self::observation::{Observation, Who, observations};
use self::regression::Solution;
use crate::fitted::error::{FitError, refuse_few};
use crate::model::regimes::{Class, Onset, Order, Pattern, Protocol, ProtocolParameters, Regimes, Stalls, Usual};

/// Network and pooled stalls, fitted before any single algorithm.
#[derive(Debug, Clone)]
pub struct Ground<'a> {
    /// V(w), the eager limit and the links.
    pub network: Limited<'a>,
    /// Stalls of eager messages, pooled over the at-once algorithms, without one process count (for
    /// cross-validation) or with all.
    together: BTreeMap<Option<Procs>, Option<Stalls>>,
}

/// The fit of one algorithm at the process counts of one class.
#[derive(Debug, Clone)]
pub struct RegimesFit {
    /// Process counts of the fit.
    pub class: Class,
    /// The model.
    pub model: Regimes,
    /// The estimated parameters, in the order of `covariance`.
    pub columns: Vec<Column>,
    /// Their covariance; a and b are in seconds, the others are pure numbers.
    pub covariance: DMatrix<f64>,
    /// The fitted cells.
    pub cells: Vec<Observation>,
    /// Medians over the cells of |ln(T/T̂)|, and of the standard deviation of ln T.
    pub misfit: [f64; 2],
}

/// The fit of one algorithm.
#[derive(Debug, Clone, Default)]
pub struct AlgorithmRegimes {
    /// One fit per pattern and measured class of process counts.
    pub fits: Vec<RegimesFit>,
    /// Errors of the model at process counts left out of the fit.
    pub held_out: Vec<HeldOut>,
}

impl AlgorithmRegimes {
    /// Both together.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.fits.extend(other.fits);
        self.held_out.extend(other.held_out);
        self
    }
}

impl<'a> Ground<'a> {
    /// Pools the stalls of all algorithms, on the wire and with the limit that [`Limits`] found;
    /// their onset is `counted` where the counters of losses show it.
    pub fn new(network: Limited<'a>, all: &BTreeMap<Who, Vec<Observation>>, counted: Option<Onset>) -> Self {
        let mut ground = Self {
            network,
            together: BTreeMap::new(),
        };
        let exchange = Pattern::Exchange(Order::AtOnce);
        let (mut cells, mut counts) = (Vec::new(), BTreeSet::new());
        for (who, own) in all {
            if who.pattern.is_some_and(Pattern::is_exchange) {
                let own = own.iter().filter(|cell| cell.procs.get() > 2);
                counts.extend(own.clone().map(|cell| cell.procs));
                cells.extend(own.filter(|_| who.pattern == Some(exchange)));
            }
        }
        for without in held_out::folds(&counts).into_iter().map(Some).chain([None]) {
            let eager = ground.eager(exchange, cells.iter().copied(), without);
            let overflowing = match counted {
                Some(onset) => Some(stalls::from(onset, &eager)),
                None => stalls::overflowing(&eager).or_else(|| stalls::unseen(&eager)),
            };
            ground.together.insert(without, overflowing);
        }
        ground
    }

    /// The wire of data that show no losses: no repetition stalls.
    pub fn without_losses(network: Limited<'a>) -> Self {
        Self {
            network,
            together: BTreeMap::new(),
        }
    }

    /// The cells of eager messages, except of the count `without`, each with the bytes x that pass a port.
    fn eager<'c>(
        &self,
        pattern: Pattern,
        cells: impl Iterator<Item = &'c Observation>,
        without: Option<Procs>,
    ) -> Vec<(&'c Observation, f64)> {
        let wanted = |cell: &&Observation| {
            Some(cell.procs) != without && self.network.protocol(pattern, cell) == Protocol::Eager
        };
        let with_bytes = |cell: &'c Observation| {
            let point = cell.point(self.network.network);
            Some((cell, pattern.port_bytes(point)?))
        };
        cells.filter(wanted).filter_map(with_bytes).collect()
    }

    /// Stalls of eager messages, from all cells except of the count `without`. The overflowing port
    /// belongs to the network, so its onset is pooled over all algorithms that exchange everything at
    /// once; each other exchange has its own rate of stalls.
    fn stalls(&self, pattern: Pattern, cells: &[Observation], without: Option<Procs>) -> Option<Stalls> {
        let whole = *self.together.get(&None)?;
        let shared = self.together.get(&without).copied().unwrap_or(whole);
        if pattern == Pattern::Exchange(Order::AtOnce) || !pattern.is_exchange() {
            return shared.filter(|_| pattern.is_exchange());
        }
        let eager = self.eager(pattern, cells.iter(), without);
        match shared {
            Some(shared) => {
                let usual = Usual::of(pattern, Class::Every).map_or(0.0, |usual| usual.stall_rate);
                Some(stalls::with_own_rate(&shared, &eager, usual))
            }
            None => stalls::overflowing(&eager),
        }
    }

    /// Fits one algorithm.
    ///
    /// # Errors
    /// If the cells do not determine even γ.
    pub fn fit(&self, pattern: Pattern, cells: &[Observation]) -> Result<AlgorithmRegimes, FitError> {
        let by_class = by_class(&self.network, pattern, cells);
        let mut failed = None;
        let mut all = AlgorithmRegimes {
            fits: Vec::new(),
            held_out: Vec::new(),
        };
        for (class, cells) in by_class {
            match self.fit_class((pattern, class), &cells, None) {
                Ok(fit) => all.fits.push(fit),
                Err(error) => failed = failed.or(Some(error)),
            }
            all.held_out.extend(held_out::leave_out(self, pattern, &cells));
        }
        if all.fits.is_empty() {
            failed.map_or(Ok(()), Err)?;
            refuse_few("the regimes", 0, 4)?;
        }
        Ok(all)
    }

    /// Medians over cells of |ln(T/T̂)| and of the standard deviation of ln T.
    fn misfit_of(&self, model: &Regimes, placed: &[(&Observation, Protocol)]) -> [f64; 2] {
        let error = |cell: &Observation| {
            let times = model.times(cell.point(self.network.network))?;
            Some((cell.typical / times.typical).ln().abs())
        };
        let errors = placed.iter().filter_map(|(cell, _)| error(cell));
        let scatter = placed.iter().map(|(cell, _)| cell.variance().sqrt());
        [median(errors), median(scatter)]
    }

    /// Fits the cells of one class, except of the count `without`.
    ///
    /// # Errors
    /// If the cells do not determine even γ.
    pub fn fit_class(
        &self,
        (pattern, class): (Pattern, Class),
        cells: &[Observation],
        without: Option<Procs>,
    ) -> Result<RegimesFit, FitError> {
        let kept: Vec<Observation> = cells
            .iter()
            .filter(|cell| Some(cell.procs) != without)
            .cloned()
            .collect();
        let overflowing = self.stalls(pattern, &kept, without);
        let basis = Basis {
            class,
            onset: overflowing.map(|stalls| stalls.onset),
            ..self.network.basis(pattern)
        };
        let mut placed = self.network.placed(pattern, &kept);
        placed.retain(|(cell, _)| cell.plain > 0);
        let solution = regression::solve(&basis, &placed, &columns(&basis, &placed))?;
        let parameters = |protocol: Protocol, stalls: Option<Stalls>| parameters(&placed, &solution, protocol, stalls);
        let model = Regimes {
            pattern,
            wire: self.network.wire.clone(),
            latency: Seconds(solution.value(Column::Latency)),
            startup: Seconds(solution.value(Column::Startup)),
            request: Seconds(solution.value(Column::Request)),
            eager: parameters(Protocol::Eager, overflowing),
            rendezvous: parameters(Protocol::Rendezvous, None),
            eager_limit: self.network.eager_limit,
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

/// The cells by class. The classes differ in their rendezvous messages: where one has a single count, it
/// takes the eager messages of all.
pub(super) fn by_class(
    network: &Limited,
    pattern: Pattern,
    cells: &[Observation],
) -> BTreeMap<Class, Vec<Observation>> {
    let class = |cell: &Observation| pattern.class(cell.procs);
    let of_class = |own: Class| {
        let counts = cells.iter().filter(|cell| class(cell) == own);
        let is_single = counts.map(|cell| cell.procs).all_equal();
        let takes =
            |cell: &&Observation| class(cell) == own || is_single && network.protocol(pattern, cell) == Protocol::Eager;
        (own, cells.iter().filter(takes).cloned().collect())
    };
    let classes: BTreeSet<Class> = cells.iter().map(class).collect();
    classes.into_iter().map(of_class).collect()
}

/// Columns of the regression for the measured cells.
fn columns(basis: &Basis, placed: &[(&Observation, Protocol)]) -> Vec<Column> {
    let mut columns = vec![Column::Latency, Column::Startup];
    let eager = placed.iter().any(|(_, of)| *of == Protocol::Eager);
    if eager && basis.onset.is_some() {
        columns.push(Column::Slowdown);
    }
    for &protocol in Protocol::VARIANTS {
        let counts = placed
            .iter()
            .filter(|(_, of)| *of == protocol)
            .map(|(cell, _)| cell.procs);
        let counts: BTreeSet<Procs> = counts.collect();
        if counts.is_empty() {
            continue;
        }
        columns.push(Column::Gamma(protocol));
        if counts.len() > 1 || basis.pattern.grows_as_usual() {
            columns.push(Column::Growth(protocol));
        }
        if protocol == Protocol::Rendezvous {
            columns.push(Column::Request);
        }
    }
    columns
}

/// Parameters of a protocol from the solution; `None` if the protocol was not measured.
fn parameters(
    placed: &[(&Observation, Protocol)],
    solution: &Solution,
    protocol: Protocol,
    stalls: Option<Stalls>,
) -> Option<ProtocolParameters> {
    let own = placed
        .iter()
        .zip(&solution.errors)
        .filter(|((_, of), _)| *of == protocol);
    let own: Vec<(&Observation, f64)> = own.map(|((cell, _), error)| (*cell, *error)).collect();
    if own.is_empty() {
        return None;
    }
    let squares: f64 = own.iter().map(|(cell, _)| cell.spread.powi(2)).sum();
    Some(ProtocolParameters {
        gamma: solution.value(Column::Gamma(protocol)),
        growth: solution.value(Column::Growth(protocol)),
        slowdown: match protocol {
            Protocol::Eager => solution.value(Column::Slowdown),
            Protocol::Rendezvous => 0.0,
        },
        correction: correction::of(&own),
        spread: (squares / own.len() as f64).sqrt(),
        stalls,
    })
}
