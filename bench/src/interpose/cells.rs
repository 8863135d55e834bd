//! The cells of `select`: algorithms that run directly, and in place of the library's own call.
//!
//! # Method
//! Rounds of short measurements, so that a ratio contains little of the machine's drift. Without the preloaded library
//! a round measures the library's own choice, the choice of the profile and one algorithm of the MPI library. With it a
//! round measures the library's call passed on, the call under the profile, and the call with netsig's schedule of that
//! one algorithm. An earlier build, if given, also runs under the profile. Reductions combine operands in any order,
//! and once more in the library's order. Every second round has the reverse order, so that no way is always later. Times
//! are medians over all rounds; `row` judges them. A cell is busy if the processors were busy in one of the measurements.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use itertools::Itertools as _;
use netsig_base::algorithm::{Collective, CollectiveMethod, LIBRARY, MpiFlavour};
use netsig_base::data::cells::{CellKey, CellSummary, summarise};
use netsig_base::data::{Dataset, processors};

use super::reported::{self, ReportedCalls};
use crate::harness::campaign::BenchNetwork;
use crate::harness::cell::{BenchCell, CellChoices};
use crate::harness::learn::PROFILE;
use crate::harness::plan::{self, PlannedCell};
use crate::harness::root;

/// An algorithm of both MPI libraries for each collective but reductions, by its name as a library algorithm.
const SHARED_ALGORITHMS: [(Collective, &str); 2] = [
    (Collective::Alltoall, "library:pairwise"),
    (Collective::Bcast, "library:binomial"),
];

/// A way to run the algorithms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CallWay {
    /// Without the preloaded library.
    Plain,
    /// The library's call, passed on.
    Passed,
    /// The choice of the profile, in place of the library's call.
    Chosen,
    /// Like `Chosen`, of reductions whose results keep their bits.
    SameOrder,
    /// Like `Chosen`, with the preloaded library of an earlier build.
    Before,
    /// The algorithms [`SHARED_ALGORITHMS`] as schedules, in place of the library's call.
    Same,
}

const WAYS: [(CallWay, &str); 6] = [
    (CallWay::Plain, "plain"),
    (CallWay::Passed, "passed"),
    (CallWay::Chosen, "chosen"),
    (CallWay::SameOrder, "same-order"),
    (CallWay::Before, "before"),
    (CallWay::Same, "same"),
];

/// A network to measure in rounds.
pub(super) struct InterposeBench<'a> {
    pub(super) bench_network: &'a BenchNetwork,
    /// The preloaded library of an earlier build.
    pub(super) earlier_library: Option<PathBuf>,
}

/// Times by way and cell.
type WayTimes = BTreeMap<CallWay, BTreeMap<CellKey, CellSummary>>;

/// The measurements on a network.
pub(super) struct MeasuredRounds {
    /// Times over all rounds.
    pub(super) times: WayTimes,
    /// Times of each round.
    pub(super) rounds: Vec<WayTimes>,
    /// The calls under the profile, with the present and with the earlier build.
    pub(super) calls_run: BTreeMap<CallWay, BTreeMap<BenchCell, RunCalls>>,
    pub(super) busy: BTreeSet<CellKey>,
}

/// What the report says of the calls of a cell.
#[derive(Debug, Default)]
pub(super) struct RunCalls {
    /// The algorithm of most calls.
    pub(super) algorithm: String,
    /// Reason for it.
    pub(super) reason: String,
    /// Seconds of a call that a schedule would save which could change the results.
    pub(super) left_s: Option<f64>,
}

impl InterposeBench<'_> {
    /// Measures missing rounds.
    pub(super) fn measure_rounds(&self, choices: &CellChoices) -> Result<MeasuredRounds> {
        self.check_earlier_build()?;
        let mut data_by_way: BTreeMap<CallWay, Dataset> = BTreeMap::new();
        let mut rounds = Vec::new();
        let mut reported: BTreeMap<CallWay, Vec<ReportedCalls>> = BTreeMap::new();
        for round in 1..=self.bench_network.effort.choose(4, 1) {
            let mut times = WayTimes::new();
            for (way, name) in self.ways(round, choices) {
                let name = format!("{name}-{round}");
                let data = self.data(way, &name, choices)?;
                if matches!(way, CallWay::Chosen | CallWay::SameOrder | CallWay::Before) {
                    let rows = reported::read(&self.report(&name))?;
                    reported.entry(way).or_default().extend(rows);
                }
                times.insert(way, summarise(&data));
                match data_by_way.get_mut(&way) {
                    Some(all) => all.join(data, round as usize)?,
                    None => drop(data_by_way.insert(way, data)),
                }
            }
            rounds.push(times);
        }
        let times = data_by_way.iter().map(|(way, data)| (*way, summarise(data)));
        Ok(MeasuredRounds {
            times: times.collect(),
            rounds,
            calls_run: reported
                .into_iter()
                .map(|(way, rows)| (way, calls_by_cell(&rows)))
                .collect(),
            busy: data_by_way.values().flat_map(processors::busy_cells).collect(),
        })
    }

    /// The ways in the order of a round.
    fn ways(&self, round: u32, choices: &CellChoices) -> Vec<(CallWay, &'static str)> {
        let has_cells = |way: CallWay| {
            choices
                .iter()
                .any(|(cell, choice)| !way.algorithms(*cell, choice).is_empty())
        };
        let is_measured = |(way, _): &(CallWay, &str)| match way {
            CallWay::Before => self.earlier_library.is_some(),
            way => has_cells(*way),
        };
        let mut ways: Vec<_> = WAYS.into_iter().filter(is_measured).collect();
        if round.is_multiple_of(2) {
            ways.reverse();
        }
        ways
    }

    /// Refuses to measure an earlier build alone, after rounds without it.
    fn check_earlier_build(&self) -> Result<()> {
        let is_complete = |name: &str| self.bench_network.folder.has(&format!("{name}.complete"));
        let is_late = is_complete("plain-2") && !is_complete("before-1");
        ensure!(
            self.earlier_library.is_none() || !is_late,
            "{}: was measured without the earlier build; remove its folder in bench/results/interpose",
            self.bench_network.drawn.name
        );
        Ok(())
    }

    /// The data of one way in one round, measured unless they exist.
    fn data(&self, way: CallWay, name: &str, choices: &CellChoices) -> Result<Dataset> {
        let mut planned = Vec::new();
        for (cell, choice) in choices {
            let names = way.algorithms(*cell, choice).into_iter();
            planned.extend(names.map(|name| PlannedCell::new(*cell, &self.bench_network.drawn, name)));
        }
        // Seconds of the operations of one algorithm in a cell in a round.
        let share = self.bench_network.effort.choose(0.75, 0.125);
        let plan = plan::text(&planned, 1, share * planned.len() as f64);
        let way_variables = self.variables(way, name)?;
        let variables = way_variables.iter().map(|(name, value)| (*name, value.as_str()));
        self.bench_network.run_plan(name, &plan, &variables.collect_vec())
    }

    /// The variables that preload the library and set its mode.
    fn variables(&self, way: CallWay, name: &str) -> Result<Vec<(&'static str, String)>> {
        let path = |file: String| self.bench_network.folder.path(&file).display().to_string();
        let choice_variable = match way {
            CallWay::Plain => return Ok(Vec::new()),
            CallWay::Passed | CallWay::Chosen | CallWay::SameOrder | CallWay::Before => {
                ("NETSIG_PROFILE", path(format!("{PROFILE}.toml")))
            }
            CallWay::Same => ("NETSIG_ALGORITHMS", self.same_schedules()?),
        };
        let network = self.bench_network.drawn.description().map(|network| {
            let file = path(format!("{}.toml", network.name));
            ("NETSIG_NETWORK", file)
        });
        let library = match (way, &self.earlier_library) {
            (CallWay::Before, Some(before)) => before.clone(),
            _ => super::library_path(self.bench_network.drawn.mpi),
        };
        // MPICH passes mpirun's own value to its ranks, without the lab's library.
        let shim = root().join("target/release/libnetsig_yield_shim.so");
        let preload = [library, shim].map(|path| path.display().to_string());
        let mode = if way == CallWay::Passed { "report" } else { "on" };
        let reductions = if way == CallWay::SameOrder { "same-order" } else { "on" };
        let library_variables = [
            choice_variable,
            ("NETSIG_INTERPOSE", mode.to_owned()),
            ("NETSIG_REDUCTIONS", reductions.to_owned()),
            ("LD_PRELOAD", preload.join(":")),
            ("NETSIG_REPORT", self.report(name).display().to_string()),
        ];
        Ok(library_variables.into_iter().chain(network).collect())
    }

    /// The algorithms [`SHARED_ALGORITHMS`] as schedules.
    fn same_schedules(&self) -> Result<String> {
        let schedule_results = SHARED_ALGORITHMS.map(|(collective, name)| {
            let found_schedule = schedule_name(collective, name, self.bench_network.drawn.flavour());
            let schedule = found_schedule.with_context(|| format!("{name} has no schedule"))?;
            Ok(format!("{collective} {schedule}"))
        });
        let schedules: Result<Vec<String>> = schedule_results.into_iter().collect();
        Ok(schedules?.join("; "))
    }

    /// The report of the preloaded library on a measurement.
    fn report(&self, name: &str) -> PathBuf {
        self.bench_network.folder.path(&format!("{name}.report.csv"))
    }
}

impl CallWay {
    /// The algorithms that this way measures in a cell.
    fn algorithms(self, cell: BenchCell, choice: &str) -> BTreeSet<&str> {
        match self {
            Self::Plain => [LIBRARY, choice]
                .into_iter()
                .chain(shared_algorithm(cell.collective))
                .collect(),
            Self::SameOrder if !cell.collective.is_reduction() => BTreeSet::new(),
            Self::Same if shared_algorithm(cell.collective).is_none() => BTreeSet::new(),
            Self::Passed | Self::Chosen | Self::SameOrder | Self::Before | Self::Same => [LIBRARY].into(),
        }
    }
}

/// The algorithm of [`SHARED_ALGORITHMS`] for a collective.
pub(super) fn shared_algorithm(collective: Collective) -> Option<&'static str> {
    let shared = SHARED_ALGORITHMS.iter().find(|(other, _)| *other == collective);
    shared.map(|(_, name)| *name)
}

/// The name of the algorithm that runs a method of a profile in place of the library's call.
pub(super) fn schedule_name(collective: Collective, name: &str, flavour: MpiFlavour) -> Option<String> {
    if name == LIBRARY {
        return Some(LIBRARY.to_owned());
    }
    let method = CollectiveMethod::parse(collective, name).ok()?;
    let schedule = method.schedule_algorithm(flavour)?;
    Some(schedule.to_string())
}

/// What reports say of the calls of each cell.
fn calls_by_cell(reported: &[ReportedCalls]) -> BTreeMap<BenchCell, RunCalls> {
    let mut by_cell: BTreeMap<BenchCell, Vec<&ReportedCalls>> = BTreeMap::new();
    for row in reported {
        if let Some(cell) = row.cell() {
            by_cell.entry(cell).or_default().push(row);
        }
    }
    let calls = by_cell.into_iter().map(|(cell, rows)| (cell, RunCalls::of(&rows)));
    calls.collect()
}

impl RunCalls {
    /// The calls of these rows.
    fn of(rows: &[&ReportedCalls]) -> Self {
        let mut calls: BTreeMap<(&str, &str), u64> = BTreeMap::new();
        for row in rows {
            let algorithm = row.algorithm.as_deref().unwrap_or(LIBRARY);
            *calls.entry((algorithm, &row.reason)).or_default() += row.calls;
        }
        let most = calls.iter().max_by_key(|(_, calls)| **calls);
        let (algorithm, reason) = most.map(|(names, _)| *names).unwrap_or_default();
        let left: Vec<f64> = rows.iter().filter_map(|row| row.left_gain_s).collect();
        let all_calls: u64 = calls.values().sum();
        Self {
            algorithm: algorithm.to_owned(),
            reason: reason.to_owned(),
            left_s: (!left.is_empty()).then(|| left.iter().sum::<f64>() / all_calls as f64),
        }
    }
}
