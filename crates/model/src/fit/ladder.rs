//! Choice of the simplest model that suffices, by errors at process counts left out of the fit.
//!
//! # Method
//! The rungs are Hockney's bound and pLogP's, unless the data show contention; between clusters a link that all
//! pieces share; and the regimes. The contention signature is none: among few process counts left out in turn
//! it may look as good as the regimes, and then misses more processes. Each rung is fitted with every process count left out in turn
//! and judged on the cells of that count by |ln(T/T̂)|, at most 0.4, weighted by the certainty of
//! their medians. The choice is the simplest rung whose mean exceeds the least mean by at most
//! one standard error of the difference over the cells, the one-standard-error rule of Breiman et
//! al. 1984.
//!
//! # Domain
//! At least two process counts; with one, none can be left out, and the last rung is taken.
//!
//! # Source
//! Breiman, Friedman, Olshen, Stone 1984, section 3.4.3.

use std::collections::BTreeMap;
use std::fmt::Write;

use itertools::Itertools;
use netsig_base::algorithm::Collective;
use netsig_base::stats::sample::weighted_mean;
use netsig_base::units::{Bytes, Procs, Seconds};

use crate::model::hockney::Hockney;
use crate::model::plogp::PLogP;
use crate::model::regimes::Pattern;
use crate::regimes::fit::held_out::loss;
use crate::regimes::fit::{AlgorithmRegimes, HeldOut, Observation};

/// Least ratio of a contended cell's time to its contention-free bound, and least share of such
/// cells in data that show contention.
const CONTENDED: f64 = 1.2;
const CONTENDED_SHARE: f64 = 0.1;

/// A model on the ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rung {
    /// Hockney's bound (n − 1)(α + βm).
    Hockney,
    /// pLogP's bound (n − 1)·g(m) + L.
    PLogP,
    /// A link between clusters that all pieces share.
    SharedLink,
    /// The regimes.
    Regimes,
}

/// The rung that suffices, and the reason.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The rung.
    pub rung: Rung,
    /// Mean relative error at process counts left out of the fit; `None` if it was not judged.
    pub error: Option<f64>,
    /// Reason for the choice, in a sentence.
    pub reason: String,
}

/// Inputs of the rungs.
pub struct Ladder<'a> {
    /// α and β.
    pub hockney: Hockney,
    /// pLogP tables, if there are any.
    pub plogp: Option<&'a PLogP>,
}

/// Times of cells by a model that was fitted without their process count.
pub type LeftOut = BTreeMap<(Procs, Bytes), Seconds>;

/// ln(T/T̂) and weight, by cell.
type Errors = BTreeMap<(Procs, Bytes), (f64, f64)>;

impl Rung {
    /// Name of the rung's model.
    pub fn model(self) -> &'static str {
        match self {
            Self::Hockney => "hockney",
            Self::PLogP => "free",
            Self::SharedLink => crate::model::SHARED_LINK,
            Self::Regimes => crate::model::REGIMES,
        }
    }
}

impl Ladder<'_> {
    /// Chooses the rung that suffices for an algorithm with these cells; `shared_link` are their times by that
    /// rung, where it applies.
    pub fn climb(
        &self,
        collective: Collective,
        by_pattern: &[(Pattern, &[Observation])],
        (fitted, shared_link): (&AlgorithmRegimes, Option<&LeftOut>),
    ) -> Verdict {
        let cells: Vec<&Observation> = by_pattern.iter().flat_map(|(_, cells)| *cells).collect();
        let own = fitted.held_out.iter();
        let own: Errors = own.map(by_cell).collect();
        let mut rungs: Vec<(Rung, Errors)> = Vec::new();
        let bound = |cell: &Observation| self.hockney.alltoall(cell.procs, cell.size);
        if collective == Collective::Alltoall && !is_contended(&cells, bound) {
            rungs.push((Rung::Hockney, errors(&cells, bound)));
            if let Some(plogp) = self.plogp {
                rungs.push((Rung::PLogP, plogp_errors(plogp, &cells)));
            }
        }
        if let Some(times) = shared_link {
            let time = |cell: &Observation| times.get(&(cell.procs, cell.size)).copied();
            let own = errors(&cells, |cell| time(cell).unwrap_or_default());
            rungs.push((Rung::SharedLink, own));
        }
        rungs.push((Rung::Regimes, own));
        verdict(&rungs)
    }
}

/// True if more than a tenth of the cells take clearly longer than the contention-free `bound`.
fn is_contended(cells: &[&Observation], bound: impl Fn(&Observation) -> Seconds) -> bool {
    let is_late = |cell: &&&Observation| cell.median / bound(cell) >= CONTENDED;
    let late = cells.iter().filter(is_late).count();
    late as f64 > CONTENDED_SHARE * cells.len() as f64
}

fn by_cell(held: &HeldOut) -> ((Procs, Bytes), (f64, f64)) {
    ((held.procs, held.size), (held.error, held.weight))
}

fn plogp_errors(plogp: &PLogP, cells: &[&Observation]) -> Errors {
    errors(cells, |cell| {
        let others = f64::from(cell.procs.get() - 1);
        Seconds(plogp.latency().0 + others * plogp.g(cell.size).0)
    })
}

fn errors(cells: &[&Observation], time: impl Fn(&Observation) -> Seconds) -> Errors {
    let error = |cell: &&Observation| {
        let error = (cell.median / time(cell)).ln();
        let is_time = time(cell).0 > 0.0;
        is_time.then_some(((cell.procs, cell.size), (error, cell.weight())))
    };
    cells.iter().filter_map(error).collect()
}

/// Chooses the simplest rung within one standard error of the best, over the cells that all rungs
/// could judge.
fn verdict(rungs: &[(Rung, Errors)]) -> Verdict {
    let judged: Vec<&(Rung, Errors)> = rungs
        .iter()
        .filter(|(_, errors)| !errors.is_empty())
        .collect();
    let last = rungs.last().map_or(Rung::Regimes, |(rung, _)| *rung);
    let Some((_, first)) = judged.last().filter(|(rung, _)| *rung == last) else {
        return Verdict {
            rung: last,
            error: None,
            reason: format!(
                "{}, unjudged: it takes two process counts alike to leave one out",
                last.model()
            ),
        };
    };
    let common: Vec<(Procs, Bytes)> = first
        .keys()
        .filter(|cell| judged.iter().all(|(_, errors)| errors.contains_key(cell)))
        .copied()
        .collect();
    let sizes = |(rung, errors): &&(Rung, Errors)| {
        let size = |cell| (loss(errors[cell].0), errors[cell].1);
        (*rung, common.iter().map(size).collect())
    };
    let all: Vec<(Rung, Vec<(f64, f64)>)> = judged.iter().map(sizes).collect();
    let mean = |own: &[(f64, f64)]| weighted_mean(own).0;
    let best = all.iter().map(|(_, own)| own);
    let best = best.min_by(|a, b| mean(a).total_cmp(&mean(b)));
    let best: &[(f64, f64)] = best.map_or(&[], |best| best);
    let suffices = |(_, own): &&(Rung, Vec<(f64, f64)>)| {
        let pairs = own.iter().zip(best);
        let worse: Vec<(f64, f64)> = pairs
            .map(|((own, weight), (best, _))| (own - best, *weight))
            .collect();
        let (difference, error) = weighted_mean(&worse);
        difference <= error
    };
    let (rung, own) = all.iter().find(suffices).unwrap_or(&all[all.len() - 1]);
    let errors: Vec<(Rung, f64)> = all.iter().map(|(rung, own)| (*rung, mean(own))).collect();
    Verdict {
        rung: *rung,
        error: Some(mean(own).exp_m1()),
        reason: reason(*rung, mean(own), &errors),
    }
}

/// Reason for the choice of a rung.
fn reason(rung: Rung, own: f64, errors: &[(Rung, f64)]) -> String {
    let percent = |error: f64| format!("{:.1} %", error.exp_m1() * 100.0);
    let mut text = format!(
        "{}, off by {} on average where a process count is left out",
        rung.model(),
        percent(own)
    );
    let said = |rungs: Vec<&(Rung, f64)>| {
        let said = |(rung, error): &(Rung, f64)| format!("{} {}", rung.model(), percent(*error));
        rungs.into_iter().map(said).join(", ")
    };
    let (below, above): (Vec<_>, Vec<_>) = errors
        .iter()
        .filter(|(other, _)| *other != rung)
        .partition(|(other, _)| *other < rung);
    if !below.is_empty() {
        let _ = write!(
            text,
            "; simpler models miss by more than one standard error more ({})",
            said(below)
        );
    }
    if !above.is_empty() {
        let _ = write!(
            text,
            "; richer models are not better by more than one ({})",
            said(above)
        );
    }
    text
}
