//! The regimes of every measured algorithm: see [`crate::model::regimes`].
//!
//! # Method
//! 1. V(w) comes from the ping-pong: its sizes below the eager limit, and β.
//! 2. The eager limit is what pairs tell; where they leave several measured sizes, or tell
//!    nothing, the one with the least loss over all algorithms (`limit`).
//! 3. Repetitions that waited for a time-out are told from the others ([`observation`]), also in
//!    means that other programs computed ([`tell_apart`]); their
//!    rate and onset come by maximum likelihood (`stalls`), together for all algorithms that
//!    exchange everything at once, since the port that overflows is the network's; on the onset
//!    the typical times of all exchanges have a say.
//! 4. a, b, γ, κ, λ and u come by robust regression of the others (`regression`), ρ(m) from what
//!    remains (`correction`).
//! 5. ρ and κ of eager messages each have to earn their place: whole process counts are left out
//!    in turn, and a part stays only if it lowers the error of those by more than one standard
//!    error ([`held_out`]).
//!
//! An algorithm that does something else at powers of two is fitted apart there.
//!
//! # Source
//! netsig; the parts name theirs.

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

use nalgebra::DMatrix;

pub use self::averages::tell_apart;
pub(crate) use self::basis::gradient;
pub use self::basis::{Basis, Column};
pub use self::held_out::{HeldOut, Kind};
pub use self::limit::{Limited, Limits};
pub(crate) use self::observation::{FLOOR, UNKNOWN_SPREAD};
pub use self::observation::{Observation, Who, observations};
use self::regression::Solution;
use super::{FitError, refuse_few};
use crate::model::regimes::{
    Class, Onset, Order, Pattern, Protocol, ProtocolParameters, Regimes, Stalls,
};
use crate::units::{Procs, Seconds};

/// What is known before an algorithm is looked at.
#[derive(Debug, Clone)]
pub struct Ground<'a> {
    /// The wire, the eager limit and the links.
    pub network: Limited<'a>,
    /// How eager and other messages stall of all algorithms that exchange everything at once,
    /// without one process count or with all.
    together: BTreeMap<Option<Procs>, [Option<Stalls>; 2]>,
}

/// Which parts the model has.
#[expect(
    clippy::struct_excessive_bools,
    reason = "a set of parts, each there or not"
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Parts {
    /// κ of eager messages.
    pub eager_growth: bool,
    /// κ of the others.
    pub rendezvous_growth: bool,
    /// ρ(m).
    pub corrections: bool,
    /// Repetitions that wait for a time-out.
    pub stalls: bool,
    /// u.
    pub slowdown: bool,
}

impl Parts {
    /// Those that need not earn their place.
    const BASE: Self = Self {
        eager_growth: false,
        rendezvous_growth: true,
        corrections: false,
        stalls: true,
        slowdown: true,
    };
}

/// The fit of one algorithm at the process counts of one class.
#[derive(Debug, Clone)]
pub struct RegimesFit {
    /// The process counts that it is for.
    pub class: Class,
    /// The model.
    pub model: Regimes,
    /// What the regression estimated, in the order of `covariance`.
    pub columns: Vec<Column>,
    /// Their covariance, in seconds for b and pure numbers else.
    pub covariance: DMatrix<f64>,
    /// The parts that earned their place.
    pub parts: Parts,
    /// The cells.
    pub cells: Vec<Observation>,
}

/// The fit of one algorithm.
#[derive(Debug, Clone)]
pub struct AlgorithmRegimes {
    /// One for each class of process counts that was measured.
    pub fits: Vec<RegimesFit>,
    /// What the model misses of process counts that were left out.
    pub held_out: Vec<HeldOut>,
}

impl<'a> Ground<'a> {
    /// What all algorithms together tell, on the wire and with the limit that [`Limits`] found.
    pub fn new(network: Limited<'a>, all: &BTreeMap<Who, Vec<Observation>>) -> Self {
        let mut ground = Self {
            network,
            together: BTreeMap::new(),
        };
        let exchange = Pattern::Exchange(Order::AtOnce);
        let (mut cells, mut counts) = (Vec::new(), BTreeSet::new());
        for (who, own) in all {
            let pattern = Pattern::of(who.0, &who.1);
            if let Some(Pattern::Exchange(_)) = pattern {
                let own = own.iter().filter(|cell| cell.procs.get() > 2);
                counts.extend(own.clone().map(|cell| cell.procs));
                cells.extend(own.filter(|_| pattern == Some(exchange)));
            }
        }
        for without in held_out::folds(&counts).into_iter().map(Some).chain([None]) {
            let [eager, late] = [Protocol::Eager, Protocol::Rendezvous]
                .map(|protocol| ground.under(exchange, cells.iter().copied(), (protocol, without)));
            let misfit = |onset: Onset| ground.misfit(all, without, onset);
            let overflowing = stalls::overflowing(&eager, &misfit);
            let anywhere = stalls::anywhere(&late, overflowing.as_ref());
            ground.together.insert(without, [overflowing, anywhere]);
        }
        ground
    }

    /// The loss of typical times of all exchanges, but for one count, if ports overflow from an
    /// onset on.
    fn misfit(
        &self,
        all: &BTreeMap<Who, Vec<Observation>>,
        without: Option<Procs>,
        onset: Onset,
    ) -> f64 {
        let mut sum = 0.0;
        for (who, cells) in all {
            let Some(pattern @ Pattern::Exchange(_)) = Pattern::of(who.0, &who.1) else {
                continue;
            };
            let basis = Basis {
                onset: Some(onset),
                ..self.network.basis(pattern)
            };
            for cells in by_class(pattern, cells).into_values() {
                let mut placed = self.network.placed(&cells);
                placed.retain(|(cell, _)| cell.plain > 0 && Some(cell.procs) != without);
                let columns = columns(&basis, &placed, Parts::BASE);
                let solution = regression::solve(&basis, &placed, &columns);
                sum += solution.map_or(0.0, |solution| solution.loss);
            }
        }
        sum
    }

    /// The cells under a protocol, but for those of one count, each with its surge x.
    fn under<'c>(
        &self,
        pattern: Pattern,
        cells: impl Iterator<Item = &'c Observation>,
        (protocol, without): (Protocol, Option<Procs>),
    ) -> Vec<(&'c Observation, f64)> {
        let wanted = |cell: &&Observation| {
            Some(cell.procs) != without && self.network.protocol(cell.size) == protocol
        };
        let with_surge = |cell: &'c Observation| {
            let point = cell.point(self.network.network);
            Some((cell, pattern.surge(&self.network.wire, point)?))
        };
        cells.filter(wanted).filter_map(with_surge).collect()
    }

    /// The stalls under either protocol, from all cells but those of `without`. The port that
    /// overflows is the network's, so that its onset comes from all algorithms that exchange
    /// everything at once; how often another one stalls is its own.
    fn stalls(
        &self,
        pattern: Pattern,
        cells: &[Observation],
        without: Option<Procs>,
    ) -> [Option<Stalls>; 2] {
        let whole = self.together.get(&None).copied().unwrap_or_default();
        let shared = self.together.get(&without).copied().unwrap_or(whole);
        if pattern == Pattern::Exchange(Order::AtOnce) {
            return shared;
        }
        let [eager, late] = [Protocol::Eager, Protocol::Rendezvous]
            .map(|protocol| self.under(pattern, cells.iter(), (protocol, without)));
        let overflowing = match (pattern, shared[0]) {
            (Pattern::Exchange(_), Some(shared)) => Some(stalls::with_own_rate(&shared, &eager)),
            (Pattern::Exchange(_), None) => stalls::overflowing(&eager, &|_| 0.0),
            _ => None,
        };
        let anywhere = stalls::anywhere(&late, overflowing.as_ref());
        [overflowing, anywhere]
    }

    /// Fits one algorithm, with the parts that are given, else with those that earn their place.
    ///
    /// # Errors
    /// If the cells do not determine even γ.
    pub fn fit(
        &self,
        pattern: Pattern,
        cells: &[Observation],
        parts: Option<Parts>,
    ) -> Result<AlgorithmRegimes, FitError> {
        let by_class = by_class(pattern, cells);
        let mut failed = None;
        let mut all = AlgorithmRegimes {
            fits: Vec::new(),
            held_out: Vec::new(),
        };
        for (class, cells) in by_class {
            let (parts, held_out) = match parts {
                Some(parts) => (parts, held_out::leave_out(self, pattern, &cells, parts)),
                None => held_out::choose(self, pattern, &cells),
            };
            match self.fit_parts(pattern, class, &cells, parts, None) {
                Ok(fit) => all.fits.push(fit),
                Err(error) => failed = failed.or(Some(error)),
            }
            all.held_out.extend(held_out);
        }
        if all.fits.is_empty() {
            failed.map_or(Ok(()), Err)?;
            refuse_few("the regimes", 0, 4)?;
        }
        Ok(all)
    }

    /// Fits the given parts to the cells of one class, but for those of the count `without`.
    ///
    /// # Errors
    /// If the cells do not determine even γ.
    pub fn fit_parts(
        &self,
        pattern: Pattern,
        class: Class,
        cells: &[Observation],
        parts: Parts,
        without: Option<Procs>,
    ) -> Result<RegimesFit, FitError> {
        let kept: Vec<Observation> = cells
            .iter()
            .filter(|cell| Some(cell.procs) != without)
            .cloned()
            .collect();
        let [overflowing, anywhere] = if parts.stalls {
            self.stalls(pattern, &kept, without)
        } else {
            [None, None]
        };
        let basis = Basis {
            onset: overflowing.and_then(|stalls| stalls.onset),
            ..self.network.basis(pattern)
        };
        let mut placed = self.network.placed(&kept);
        placed.retain(|(cell, _)| cell.plain > 0);
        let solution = regression::solve(&basis, &placed, &columns(&basis, &placed, parts))?;
        let parameters = |protocol: Protocol, stalls: Option<Stalls>| {
            parameters(&placed, &solution, protocol, parts, stalls)
        };
        Ok(RegimesFit {
            class,
            model: Regimes {
                pattern,
                wire: self.network.wire.clone(),
                latency: Seconds(solution.value(Column::Latency)),
                startup: Seconds(solution.value(Column::Startup)),
                eager: parameters(Protocol::Eager, overflowing),
                rendezvous: parameters(Protocol::Rendezvous, anywhere),
                eager_limit: self.network.eager_limit,
            },
            columns: solution.columns,
            covariance: solution.covariance,
            parts,
            cells: kept,
        })
    }
}

/// The cells by class. Of an exchange two processes are left out if there are more: they share
/// no port, so that they tell nothing of contention, and n = 2 is no point of its growth.
pub(super) fn by_class(
    pattern: Pattern,
    cells: &[Observation],
) -> BTreeMap<Class, Vec<Observation>> {
    let is_alone = |cell: &Observation| cell.procs.get() == 2;
    let shares = cells.iter().any(|cell| !is_alone(cell));
    let mut classes: BTreeMap<Class, Vec<Observation>> = BTreeMap::new();
    for cell in cells {
        if shares && is_alone(cell) && matches!(pattern, Pattern::Exchange(_)) {
            continue;
        }
        classes
            .entry(pattern.class(cell.procs))
            .or_default()
            .push(cell.clone());
    }
    classes
}

/// The columns of the regression for what was measured.
fn columns(basis: &Basis, placed: &[(&Observation, Protocol)], parts: Parts) -> Vec<Column> {
    let mut columns = vec![Column::Latency, Column::Startup];
    let eager = placed.iter().any(|(_, of)| *of == Protocol::Eager);
    if parts.slowdown && eager && basis.onset.is_some() {
        columns.push(Column::Slowdown);
    }
    for (protocol, grows) in [
        (Protocol::Eager, parts.eager_growth),
        (Protocol::Rendezvous, parts.rendezvous_growth),
    ] {
        let counts = placed
            .iter()
            .filter(|(_, of)| *of == protocol)
            .map(|(cell, _)| cell.procs);
        let counts: BTreeSet<Procs> = counts.collect();
        if counts.is_empty() {
            continue;
        }
        columns.push(Column::Gamma(protocol));
        if grows && counts.len() > 1 {
            columns.push(Column::Growth(protocol));
        }
        if matches!(basis.pattern, Pattern::Tree { .. }) {
            columns.push(Column::Overlap(protocol));
        }
    }
    columns
}

/// A protocol as the solution has it; `None` if it was not measured.
fn parameters(
    placed: &[(&Observation, Protocol)],
    solution: &Solution,
    protocol: Protocol,
    parts: Parts,
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
        overlap: solution.value(Column::Overlap(protocol)),
        slowdown: match protocol {
            Protocol::Eager => solution.value(Column::Slowdown),
            Protocol::Rendezvous => 0.0,
        },
        corrections: if parts.corrections {
            correction::of(&own)
        } else {
            Vec::new()
        },
        spread: (squares / own.len() as f64).sqrt(),
        stalls,
    })
}
