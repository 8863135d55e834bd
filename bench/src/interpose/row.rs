//! The results of the rounds for each cell.

use anyhow::{Context, Result};
use netsig_base::algorithm::{Collective, LIBRARY};
use netsig_base::units::{Bytes, Procs, Seconds};
use serde::Serialize;

use super::cells::{CallWay, InterposeBench, MeasuredRounds, schedule_name, shared_algorithm};
use super::speed_verdict::{self, SpeedVerdict};
use crate::harness::cell::{BenchCell, CellChoices};
use crate::harness::draw::{DrawnNetwork, flavour};
use crate::harness::row_goal::ResultRow;

/// A cell: a row of cells.csv.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct InterposeRow {
    pub(super) network: String,
    pub(super) mpi: &'static str,
    pub(super) collective: Collective,
    pub(super) procs: Procs,
    pub(super) size_bytes: Bytes,
    pub(super) choice: String,
    /// The schedule in the report of the preloaded library; `library` for the library's own choice.
    pub(super) ran: String,
    /// The library's own choice and the choice of the profile, without the preloaded library.
    pub(super) library_s: Seconds,
    pub(super) choice_s: Seconds,
    /// Reason in the report for what ran, and seconds of a call that a schedule would save which could change the results.
    pub(super) reason: String,
    pub(super) left_s: Option<f64>,
    /// The library's call with the preloaded library: passed on, and under the profile.
    pub(super) passed_s: Seconds,
    pub(super) interposed_s: Seconds,
    /// The interval of `interposed_s` over `library_s`, if there were several rounds.
    pub(super) lower: Option<f64>,
    pub(super) upper: Option<f64>,
    /// The library's call under the profile with the preloaded library of an earlier build.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) before_s: Option<Seconds>,
    /// The schedule in the report of the earlier build.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) before_ran: Option<String>,
    /// An algorithm of the library, run by the library and by the preloaded library; not of reductions.
    pub(super) same_library_s: Option<Seconds>,
    pub(super) same_interposed_s: Option<Seconds>,
    /// True if the processors were busy, so that the cell is not judged.
    pub(super) busy: bool,
}

impl ResultRow for InterposeRow {
    fn network(&self) -> &str {
        &self.network
    }

    fn is_judged(&self) -> bool {
        !self.busy
    }
}

/// The rows of a network.
#[derive(Default)]
pub(super) struct InterposeRows {
    /// A row for each cell; reductions combine operands in any order.
    pub(super) cells: Vec<InterposeRow>,
    /// A row for each cell of a reduction whose results keep their bits.
    pub(super) same_order: Vec<InterposeRow>,
}

impl InterposeRows {
    /// Measures missing rounds.
    pub(super) fn measure(bench: &InterposeBench, choices: &CellChoices) -> Result<Self> {
        let measured = bench.measure_rounds(choices)?;
        let row = |(cell, choice): (&BenchCell, &String), way| {
            InterposeRow::new(&bench.bench_network.drawn, *cell, choice, &measured, way)
        };
        let cells = choices.iter().map(|chosen| row(chosen, CallWay::Chosen));
        let reductions = choices.iter().filter(|(cell, _)| cell.collective.is_reduction());
        let same_order = reductions.map(|chosen| row(chosen, CallWay::SameOrder));
        Ok(Self {
            cells: cells.collect::<Result<_>>()?,
            same_order: same_order.collect::<Result<_>>()?,
        })
    }

    /// Adds the rows of another network.
    pub(super) fn extend(&mut self, rows: Self) {
        self.cells.extend(rows.cells);
        self.same_order.extend(rows.same_order);
    }
}

impl InterposeRow {
    /// The row of a cell under the profile, as `profile_way` runs it.
    fn new(
        drawn: &DrawnNetwork,
        cell: BenchCell,
        choice: &str,
        measured: &MeasuredRounds,
        profile_way: CallWay,
    ) -> Result<Self> {
        let time = |way, algorithm: &str| {
            let time = measured.time(way, cell, algorithm);
            time.with_context(|| cell.unmeasured_note(algorithm))
        };
        let is_compared = |_: &&_| profile_way == CallWay::Chosen;
        let earlier_times = measured.times.get(&CallWay::Before).filter(is_compared);
        let calls_run = |way| measured.calls_run.get(&way).and_then(|of_cells| of_cells.get(&cell));
        let ran = |way| calls_run(way).map(|calls| calls.algorithm.clone()).unwrap_or_default();
        let same = shared_algorithm(cell.collective);
        let interval = speed_verdict::interval(&measured.ratios(profile_way, cell));
        let is_busy = |name: &str| measured.busy.contains(&cell.key(name));
        Ok(Self {
            network: drawn.name.clone(),
            mpi: drawn.mpi,
            collective: cell.collective,
            procs: cell.procs,
            size_bytes: cell.size,
            choice: choice.to_owned(),
            ran: ran(profile_way),
            reason: calls_run(profile_way)
                .map(|calls| calls.reason.clone())
                .unwrap_or_default(),
            left_s: calls_run(profile_way).and_then(|calls| calls.left_s),
            library_s: time(CallWay::Plain, LIBRARY)?,
            choice_s: time(CallWay::Plain, choice)?,
            passed_s: time(CallWay::Passed, LIBRARY)?,
            interposed_s: time(profile_way, LIBRARY)?,
            lower: interval.map(|(lower, _)| lower),
            upper: interval.map(|(_, upper)| upper),
            before_s: earlier_times.map(|_| time(CallWay::Before, LIBRARY)).transpose()?,
            before_ran: earlier_times.map(|_| ran(CallWay::Before)),
            same_library_s: same.map(|name| time(CallWay::Plain, name)).transpose()?,
            same_interposed_s: same.map(|_| time(CallWay::Same, LIBRARY)).transpose()?,
            busy: [LIBRARY, choice].into_iter().chain(same).any(is_busy),
        })
    }

    /// True if the profile chooses the library's own choice.
    pub(super) fn is_library(&self) -> bool {
        self.choice == LIBRARY
    }

    /// True if the preloaded library ran the choice.
    pub(super) fn is_as_chosen(&self) -> bool {
        schedule_name(self.collective, &self.choice, flavour(self.mpi)).as_deref() == Some(&self.ran)
    }

    /// The verdict on the call under the profile against the library's call.
    pub(super) fn verdict(&self) -> SpeedVerdict {
        SpeedVerdict::of(self.lower.zip(self.upper))
    }

    /// The library's time over the time under the profile.
    pub(super) fn gain(&self) -> f64 {
        self.library_s / self.interposed_s
    }

    /// The time of an algorithm of the library, run by the preloaded library, over that of the library's own.
    pub(super) fn same_ratio(&self) -> Option<f64> {
        Some(self.same_interposed_s? / self.same_library_s?)
    }

    /// The gain with the earlier build.
    pub(super) fn earlier_gain(&self) -> Option<f64> {
        self.before_s.map(|before| self.library_s / before)
    }

    /// The time with the earlier build over the time with the present build.
    pub(super) fn earlier_over_present(&self) -> Option<f64> {
        self.before_s.map(|before| before / self.interposed_s)
    }
}

impl MeasuredRounds {
    /// The median of all rounds.
    fn time(&self, way: CallWay, cell: BenchCell, algorithm: &str) -> Option<Seconds> {
        let summary = self.times.get(&way)?.get(&cell.key(algorithm))?;
        Some(summary.median)
    }

    /// The time under the profile over the library's, of each round.
    fn ratios(&self, profile_way: CallWay, cell: BenchCell) -> Vec<f64> {
        let key = cell.key(LIBRARY);
        let ratio = self.rounds.iter().filter_map(|round| {
            let [interposed, library] = [profile_way, CallWay::Plain].map(|way| round.get(&way)?.get(&key));
            Some(interposed?.median / library?.median)
        });
        ratio.collect()
    }
}
