//! An algorithm before its measurement for a prediction: prior knowledge, and cells that can be
//! measured.

use nalgebra::DVector;

use super::allocation::{Candidate, Need, Problem};
use super::counts::{classes, ladder, nearest};
use super::sizes::Range;
use super::{DesignError, Wish};
use crate::algorithm::{Collective, Method};
use crate::fit::regimes::held_out::{Kind, kind};
use crate::fit::regimes::{Column, UNKNOWN_SPREAD, gradient};
use crate::model::hockney::Hockney;
use crate::model::regimes::{Class, Pattern, Point, Protocol, ProtocolParameters, Regimes, Wire};
use crate::profile::{Profile, RegimesEntry};
use crate::units::{Bytes, Procs, Seconds};

/// γ without any measurement.
pub const ASSUMED_GAMMA: f64 = 1.5;

/// Eager limit without any measurement: that of Open MPI over TCP.
pub const ASSUMED_LIMIT: Bytes = Bytes(64 << 10);

/// Lower limit of T₀.
const SHORTEST: Seconds = Seconds(1e-8);

/// Source of the times that a design assumes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Grounds {
    /// Regimes of the profile.
    Regimes,
    /// γ of the profile's signature, on its α and β.
    Signature(f64),
    /// α and β, with [`ASSUMED_GAMMA`].
    Hockney,
}

/// One algorithm at the process counts of one class.
#[derive(Debug, Clone, derive_more::Display)]
#[display("{collective} {method} among {target}")]
pub struct Subject<'a> {
    /// The collective.
    pub collective: Collective,
    /// Method that runs the collective.
    pub method: Method,
    /// The wanted process count, or the nearest count of the class below it.
    pub target: Procs,
    /// Source of the assumed times.
    pub grounds: Grounds,
    /// Cells that can be measured, in the order of a design's repetitions.
    pub cells: Vec<(Procs, Bytes)>,
    /// Earlier regimes of this class.
    pub(super) entry: Option<&'a RegimesEntry>,
    pub(super) model: Regimes,
    needs: Vec<Need>,
    columns: Vec<Column>,
    units: Vec<f64>,
}

impl<'a> Subject<'a> {
    /// One subject for each class of process counts that is fitted separately.
    ///
    /// # Errors
    /// If the model does not describe the algorithm, or there are too few process counts.
    pub fn all(wish: &Wish<'a>, method: Method) -> Result<Vec<Self>, DesignError> {
        let what = format!("{} {method}", wish.collective);
        let pattern =
            Pattern::of_method(&method).ok_or(DesignError::NotDescribed { what: what.clone() })?;
        let of_class = |&class: &Class| {
            let counts = ladder(class, wish.most);
            if counts.len() < 2 {
                let least = if class == Class::Every { 3 } else { 5 };
                return Err(DesignError::FewCounts {
                    what: what.clone(),
                    most: wish.most,
                    least,
                });
            }
            Ok(Self::of_class(wish, method, (pattern, class), &counts))
        };
        classes(pattern).iter().map(of_class).collect()
    }

    fn of_class(
        wish: &Wish<'a>,
        method: Method,
        (pattern, class): (Pattern, Class),
        counts: &[Procs],
    ) -> Self {
        let target = nearest(class, wish.target);
        let (name, collective) = (method.to_string(), wish.collective);
        let entry = wish
            .profile
            .and_then(|it| it.regimes_of(collective, &name, target));
        let signature = wish
            .profile
            .and_then(|it| it.signature(collective, &name, wish.hockney));
        let protocol = wish.profile.and_then(|profile| profile.protocol);
        let (grounds, mut model) = match (entry, signature) {
            (Some(entry), _) => (Grounds::Regimes, completed(&entry.model)),
            (None, Some(known)) => {
                let gamma = known.gamma;
                (
                    Grounds::Signature(gamma),
                    assumed(pattern, &wish.hockney, gamma),
                )
            }
            (None, None) => (
                Grounds::Hockney,
                assumed(pattern, &wish.hockney, ASSUMED_GAMMA),
            ),
        };
        let seen = model.eager_limit.or(protocol.map(|seen| seen.eager_up_to));
        model.eager_limit = seen.or(Some(ASSUMED_LIMIT));
        let below = |limit: Bytes| protocol.map_or(Bytes(limit.0 / 4 * 3), |seen| seen.eager_above);
        let range = Range {
            wanted: wish.sizes,
            model: &model,
            limit: seen.map(|limit| [below(limit), limit]),
        };
        let (cells, needs) = cells(&range, counts);
        let columns = columns(pattern);
        let unit = |column: &Column| unit(*column, &model, &wish.hockney);
        Self {
            collective,
            method,
            target,
            grounds,
            cells,
            needs,
            units: columns.iter().map(unit).collect(),
            columns,
            entry: entry.filter(|entry| entry.class == class),
            model,
        }
    }

    /// The allocation problem: gradients at the wanted sizes, and the cells that can be measured.
    pub(super) fn problem(&self, wish: &Wish, overhead: impl Fn(Procs) -> Seconds) -> Problem {
        let candidate = |(&(procs, size), need): (&(Procs, Bytes), &Need)| {
            let times = self.model.times(point(procs, size));
            let parameters = self.model.parameters(self.model.protocol(size));
            Candidate {
                gradient: self.gradient(procs, size),
                spread: parameters.map_or(UNKNOWN_SPREAD, |parameters| parameters.spread),
                repetition: times.map_or(SHORTEST, |times| times.mean()) + overhead(procs),
                need: *need,
            }
        };
        let wanted = wish
            .sizes
            .iter()
            .map(|size| self.gradient(self.target, *size));
        Problem {
            wanted: wanted.collect(),
            candidates: self.cells.iter().zip(&self.needs).map(candidate).collect(),
        }
    }

    /// The part that takes most of the time of a cell.
    pub(super) fn kind(&self, procs: Procs, size: Bytes) -> Kind {
        kind(&self.model, point(procs, size))
    }

    /// ∂ln T₀/∂θ, each parameter in its unit.
    fn gradient(&self, procs: Procs, size: Bytes) -> DVector<f64> {
        let typical = self
            .model
            .times(point(procs, size))
            .map_or(SHORTEST, |times| times.typical);
        let typical = Seconds(typical.0.max(SHORTEST.0));
        let slopes = gradient(&self.model, &self.columns, point(procs, size));
        let relative = |(slope, unit): (&f64, &f64)| slope * unit / typical.0;
        let slopes = slopes.iter().zip(&self.units).map(relative);
        DVector::from_iterator(self.columns.len(), slopes)
    }
}

pub(super) fn point(procs: Procs, size: Bytes) -> Point<'static> {
    Point {
        procs,
        size,
        network: None,
    }
}

/// γ·(n − 1)·(α + βm) for traffic through a port: Hockney's model with one ratio for all sizes.
fn assumed(pattern: Pattern, hockney: &Hockney, gamma: f64) -> Regimes {
    let parameters = ProtocolParameters {
        gamma,
        growth: 0.0,
        overlap: 0.0,
        slowdown: 0.0,
        corrections: Vec::new(),
        spread: UNKNOWN_SPREAD,
        stalls: None,
    };
    Regimes {
        pattern,
        wire: Wire::straight(hockney.beta()),
        latency: Seconds(0.0),
        startup: hockney.alpha() * gamma,
        eager: Some(parameters.clone()),
        rendezvous: Some(parameters),
        eager_limit: None,
    }
}

/// A model with both protocols; a protocol without measurements copies the other.
fn completed(model: &Regimes) -> Regimes {
    let like = |other: &ProtocolParameters| ProtocolParameters {
        corrections: Vec::new(),
        stalls: None,
        ..other.clone()
    };
    let eager = model
        .eager
        .clone()
        .or_else(|| model.rendezvous.as_ref().map(like));
    Regimes {
        rendezvous: model
            .rendezvous
            .clone()
            .or_else(|| eager.as_ref().map(like)),
        eager,
        ..model.clone()
    }
}

/// Cells that can be measured, with their necessity. Required are the ends of each protocol at the
/// least, the middle and the largest process count, and the marks at the largest.
fn cells(range: &Range, counts: &[Procs]) -> (Vec<(Procs, Bytes)>, Vec<Need>) {
    let last = counts.len() - 1;
    let certain = if counts.len() > 2 {
        vec![0, last / 2, last]
    } else {
        vec![0, last]
    };
    let mut cells = Vec::new();
    let mut needs = Vec::new();
    for (place, &procs) in counts.iter().enumerate() {
        let sizes = range.of(procs);
        for size in sizes.all {
            let is_end = certain.contains(&place) && sizes.ends.contains(&size);
            let is_mark = place == last && sizes.marks.contains(&size);
            cells.push((procs, size));
            needs.push(if is_end || is_mark {
                Need::Certain
            } else {
                Need::Offered
            });
        }
    }
    (cells, needs)
}

/// Parameters that a fit estimates.
fn columns(pattern: Pattern) -> Vec<Column> {
    let of_protocol = |protocol: Protocol| {
        let overlap = matches!(pattern, Pattern::Tree { .. }).then_some(Column::Overlap(protocol));
        [Column::Gamma(protocol), Column::Growth(protocol)]
            .into_iter()
            .chain(overlap)
    };
    let regimes = [Protocol::Eager, Protocol::Rendezvous]
        .into_iter()
        .flat_map(of_protocol);
    [Column::Latency, Column::Startup]
        .into_iter()
        .chain(regimes)
        .collect()
}

/// Prior standard deviation of a parameter: α for a, the larger of b and α for b, the larger of γ
/// and 1 for γ, κ and λ.
fn unit(column: Column, model: &Regimes, hockney: &Hockney) -> f64 {
    match column {
        Column::Latency => hockney.alpha().0,
        Column::Startup => model.startup.0.max(hockney.alpha().0),
        Column::Slowdown => 1.0,
        Column::Gamma(protocol) | Column::Growth(protocol) | Column::Overlap(protocol) => model
            .parameters(protocol)
            .map_or(1.0, |parameters| parameters.gamma.max(1.0)),
    }
}

impl Grounds {
    /// Source of the times in words, with the profile if there is one.
    pub fn words(self, profile: Option<&Profile>) -> String {
        match (self, profile) {
            (Self::Regimes, _) => "the regimes of the profile".to_owned(),
            (Self::Signature(gamma), _) => format!("the profile's signature, gamma = {gamma:.2}"),
            (Self::Hockney, Some(_)) => {
                format!("the profile's alpha and beta, and gamma = {ASSUMED_GAMMA}")
            }
            (Self::Hockney, None) => format!("assumptions, gamma = {ASSUMED_GAMMA}"),
        }
    }
}
