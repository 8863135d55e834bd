//! Choice of the simplest model that suffices, by errors at process counts left out of the fit.
//!
//! # Method
//! The rungs are Hockney's bound and pLogP's, if pairs were measured and unless the data show contention; models that compete
//! ([`Model::competes`]): between clusters a link that all pieces share; the regimes, if pairs were measured,
//! whose times they take for those of bytes; and the field. Where losses were seen the regimes are the last
//! rung, since their formula of losses follows them beyond the data. The contention signature is
//! none, since it is a special case of the field: as a rung it leaves cells of real machines without a time
//! and makes errors larger (docs/results/real.md). Each rung is fitted with every process count left
//! out in turn and judged on the cells of that count by |ln(T/T̂)|, at most 0.4, weighted by the
//! certainty of their medians. The choice is the simplest rung whose mean exceeds the least mean by
//! at most one standard error of the difference over the cells, the one-standard-error rule of
//! Breiman et al. 1984.
//!
//! # Domain
//! At least two process counts; with one, none can be left out, and the last rung is taken. Of one size alone the
//! field is taken, whose interval alone knows that other sizes were not measured.
//!
//! # Source
//! Breiman, Friedman, Olshen, Stone 1984, section 3.4.3.

use std::collections::BTreeMap;
use std::fmt::Write;

use itertools::Itertools;
use netsig_base::algorithm::Collective;
use netsig_base::stats::sample::weighted_mean;
use netsig_base::units::{Bytes, Procs, Seconds};

use crate::model::regimes::Pattern;
use crate::model::{self, Case, FIELD, Known, Model, ModelError, Need};
use crate::regimes::fit::{AlgorithmRegimes, HeldOut, Observation};

/// Least ratio of a contended cell's time to its contention-free bound, and least share of such
/// cells in data that show contention.
const CONTENDED: f64 = 1.2;
const CONTENDED_SHARE: f64 = 0.1;

/// The model that suffices, and the reason.
#[derive(Debug, Clone, PartialEq)]
pub struct SufficientModel {
    /// The model.
    pub model: &'static Model,
    /// Mean relative error at process counts left out of the fit; `None` if it was not judged.
    pub error: Option<f64>,
    /// Reason for the choice, in a sentence.
    pub reason: String,
}

/// Inputs of the rungs.
pub struct Ladder {
    /// α, β and pLogP.
    pub known: Known,
    /// True if pLogP was measured or given, and does not follow from α and β.
    pub has_tables: bool,
    /// True if α and β are those of messages between two processes.
    pub has_pairs: bool,
    /// True if repetitions stalled, counters counted losses, or a network with buffers was described.
    pub has_losses: bool,
}

/// Bounds of an all-to-all without contention, simplest first.
const BOUNDS: [&str; 2] = ["hockney", "free"];

/// Times of cells by a model that was fitted without their process count.
pub type LeftOut = BTreeMap<(Procs, Bytes), Seconds>;

/// Models that compete for an algorithm beside bounds and regimes, simplest first, with their times of cells.
pub type Competitors = Vec<(&'static Model, LeftOut)>;

/// ln(T/T̂) and weight, by cell.
type Errors = BTreeMap<(Procs, Bytes), (f64, f64)>;

/// A model on the ladder, with its errors at process counts left out of its fit.
type Rung = (&'static Model, Errors);

impl Ladder {
    /// Chooses the rung that suffices for an algorithm with these cells and regimes.
    pub fn climb(
        &self,
        collective: Collective,
        by_pattern: &[(Pattern, &[Observation])],
        (fitted, others): (&AlgorithmRegimes, &Competitors),
    ) -> SufficientModel {
        let cells: Vec<&Observation> = by_pattern.iter().flat_map(|(_, cells)| *cells).collect();
        let mut rungs: Vec<Rung> = Vec::new();
        let bound = |cell: &Observation| self.known.hockney.alltoall(cell.procs, cell.size);
        if self.has_pairs && collective == Collective::Alltoall && !is_contended(&cells, bound) {
            let bounds = BOUNDS.iter().filter_map(|name| model::find(collective, name).ok());
            let bounds = bounds.filter(|own| self.has_tables || !own.needs.contains(&Need::PLogP));
            rungs.extend(bounds.map(|own| (own, self.bound(own, &cells))));
        }
        let competitor = |(model, times): &(&'static Model, LeftOut)| {
            let time = |cell: &Observation| times.get(&(cell.procs, cell.size)).copied();
            let own = errors(&cells, |cell| time(cell).unwrap_or_default());
            (*model, own)
        };
        let (fields, others): (Vec<_>, Vec<_>) = others.iter().partition(|(model, _)| model.name == FIELD);
        if let [field] = fields[..]
            && cells.iter().map(|cell| cell.size).all_equal()
        {
            return sufficient(&[], &competitor(field));
        }
        rungs.extend(others.into_iter().map(competitor));
        let regimes = || {
            let errors = fitted.held_out.iter().map(by_cell);
            (model::general(collective), errors.collect())
        };
        let last = match fields[..] {
            [field] if !self.has_losses || fitted.fits.is_empty() => {
                rungs.extend(self.has_pairs.then(regimes));
                competitor(field)
            }
            _ => regimes(),
        };
        sufficient(&rungs, &last)
    }

    /// Errors of a model without parameters.
    fn bound(&self, model: &'static Model, cells: &[&Observation]) -> Errors {
        let time = |cell: &Observation| {
            let values = model.values(|_| None)?;
            let timed = model.time(&self.known, &values, Case::new(cell.procs, cell.size))?;
            Ok::<_, ModelError>(timed.time)
        };
        errors(cells, |cell| time(cell).unwrap_or_default())
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
fn sufficient(rungs: &[Rung], last: &Rung) -> SufficientModel {
    let (model, cells) = last;
    if cells.is_empty() {
        return SufficientModel {
            model,
            error: None,
            reason: format!(
                "{}, unjudged: it takes two process counts alike to leave one out",
                model.name
            ),
        };
    }
    let judged = rungs.iter().filter(|(_, errors)| !errors.is_empty());
    let judged: Vec<&Rung> = judged.chain([last]).collect();
    let common: Vec<(Procs, Bytes)> = cells
        .keys()
        .filter(|cell| judged.iter().all(|(_, errors)| errors.contains_key(cell)))
        .copied()
        .collect();
    let sizes = |(_, errors): &&Rung| {
        let size = |cell| (errors[cell].0.abs(), errors[cell].1);
        common.iter().map(size).collect()
    };
    let all: Vec<Vec<(f64, f64)>> = judged.iter().map(sizes).collect();
    let mean = |own: &[(f64, f64)]| weighted_mean(own).0;
    let best = all.iter().min_by(|a, b| mean(a).total_cmp(&mean(b)));
    let best: &[(f64, f64)] = best.map_or(&[], |best| best);
    let suffices = |own: &Vec<(f64, f64)>| {
        let pairs = own.iter().zip(best);
        let worse: Vec<(f64, f64)> = pairs.map(|((own, weight), (best, _))| (own - best, *weight)).collect();
        let (difference, error) = weighted_mean(&worse);
        difference <= error
    };
    let place = all.iter().position(suffices).unwrap_or(all.len() - 1);
    let errors = judged.iter().zip(&all);
    let errors: Vec<(&str, f64)> = errors.map(|(own, all)| (own.0.name, mean(all))).collect();
    SufficientModel {
        model: judged[place].0,
        error: Some(errors[place].1.exp_m1()),
        reason: reason(&errors, place),
    }
}

/// Reason for the choice of one of the rungs, simplest first, with their mean errors.
fn reason(rungs: &[(&str, f64)], place: usize) -> String {
    let percent = |error: f64| format!("{:.1} %", error.exp_m1() * 100.0);
    let (name, own) = rungs[place];
    let mut text = format!(
        "{name}, off by {} on average where a process count is left out",
        percent(own)
    );
    let said = |rungs: &[(&str, f64)]| {
        let said = |(name, error): &(&str, f64)| format!("{name} {}", percent(*error));
        rungs.iter().map(said).join(", ")
    };
    let (below, above) = (&rungs[..place], &rungs[place + 1..]);
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
