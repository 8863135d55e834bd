//! The cells of `select`: algorithms as themselves, and in the place of the library's own call.
//!
//! # Method
//! Rounds of short measurements, so that a ratio contains little of the machine's drift: without the
//! preloaded library the library's own choice, the choice of the profile and one algorithm of the MPI
//! library's; with it the library's call passed on, the call under the profile, the same under the
//! preloaded library of an earlier build if there is one, and the call with netsig's schedule of that one
//! algorithm. Every second round goes through them backwards, so that none is always the later one. Times
//! are medians over all rounds; `row` judges them. A cell is busy if the processors were in one of the
//! measurements.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use itertools::Itertools as _;
use netsig_base::algorithm::{Collective, LIBRARY, Method, MpiFlavour};
use netsig_base::data::cells::{CellKey, Summary, summarise};
use netsig_base::data::{Dataset, processors};

use super::reported::{self, ReportedCalls};
use crate::harness::campaign::NetworkSite;
use crate::harness::cell::{BenchCell, CellChoices};
use crate::harness::learn::PROFILE;
use crate::harness::plan::{self, PlannedCell};
use crate::harness::root;

/// An algorithm of both MPI libraries for each collective, by its name as the library's.
const SAME: [(Collective, &str); 2] = [
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
    /// What the profile chooses, in the place of the library's call.
    Chosen,
    /// The same with the preloaded library of an earlier build.
    Before,
    /// The algorithms [`SAME`] as schedules, in the place of the library's call.
    Same,
}

const WAYS: [(CallWay, &str); 5] = [
    (CallWay::Plain, "plain"),
    (CallWay::Passed, "passed"),
    (CallWay::Chosen, "chosen"),
    (CallWay::Before, "before"),
    (CallWay::Same, "same"),
];

/// What the rounds of a network need.
pub(super) struct InterposeBench<'a> {
    pub(super) site: &'a NetworkSite,
    /// The preloaded library of an earlier build.
    pub(super) before: Option<PathBuf>,
}

/// Times by way and cell.
type WayTimes = BTreeMap<CallWay, BTreeMap<CellKey, Summary>>;

/// What was measured on a network.
pub(super) struct MeasuredRounds {
    /// Over all rounds.
    pub(super) times: WayTimes,
    /// Of each round.
    pub(super) rounds: Vec<WayTimes>,
    /// What ran under the profile, with the present and with the earlier build.
    pub(super) ran: BTreeMap<CallWay, BTreeMap<BenchCell, String>>,
    pub(super) busy: BTreeSet<CellKey>,
}

impl InterposeBench<'_> {
    /// Measures what is missing.
    pub(super) fn measured(&self, choices: &CellChoices) -> Result<MeasuredRounds> {
        self.check()?;
        let mut found: BTreeMap<CallWay, Dataset> = BTreeMap::new();
        let mut rounds = Vec::new();
        let mut reported: BTreeMap<CallWay, Vec<ReportedCalls>> = BTreeMap::new();
        for round in 1..=self.site.effort.of(4, 1) {
            let mut times = WayTimes::new();
            for (way, name) in self.ways(round) {
                let name = format!("{name}-{round}");
                let data = self.data(way, &name, choices)?;
                if matches!(way, CallWay::Chosen | CallWay::Before) {
                    let rows = reported::read(&self.report(&name))?;
                    reported.entry(way).or_default().extend(rows);
                }
                times.insert(way, summarise(&data));
                match found.get_mut(&way) {
                    Some(all) => all.join(data, round as usize)?,
                    None => drop(found.insert(way, data)),
                }
            }
            rounds.push(times);
        }
        let times = found.iter().map(|(way, data)| (*way, summarise(data)));
        Ok(MeasuredRounds {
            times: times.collect(),
            rounds,
            ran: reported.into_iter().map(|(way, rows)| (way, ran(rows))).collect(),
            busy: found.values().flat_map(processors::busy).collect(),
        })
    }

    /// The ways in the order of a round.
    fn ways(&self, round: u32) -> Vec<(CallWay, &'static str)> {
        let is_there = |(way, _): &(CallWay, &str)| *way != CallWay::Before || self.before.is_some();
        let mut ways: Vec<_> = WAYS.into_iter().filter(is_there).collect();
        if round.is_multiple_of(2) {
            ways.reverse();
        }
        ways
    }

    /// Refuses to measure an earlier build alone, after rounds without it.
    fn check(&self) -> Result<()> {
        let is_complete = |name: &str| self.site.folder.has(&format!("{name}.complete"));
        let is_late = is_complete("plain-2") && !is_complete("before-1");
        ensure!(
            self.before.is_none() || !is_late,
            "{}: was measured without the earlier build; remove its folder in bench/results/interpose",
            self.site.drawn.name
        );
        Ok(())
    }

    /// The data of one way in one round, measured unless they are there.
    fn data(&self, way: CallWay, name: &str, choices: &CellChoices) -> Result<Dataset> {
        let mut planned = Vec::new();
        for (cell, choice) in choices {
            let names = way.algorithms(*cell, choice).into_iter();
            planned.extend(names.map(|name| PlannedCell::new(*cell, &self.site.drawn, name)));
        }
        let share = if way == CallWay::Plain { 3.0 } else { 1.0 };
        // Seconds of the operations of one algorithm in all cells in a round.
        let round = self.site.effort.of(18.0, 3.0);
        let plan = plan::text(&planned, 1, share * round);
        let variables = self.variables(way, name)?;
        let variables = variables.iter().map(|(name, value)| (*name, value.as_str()));
        self.site.plan(name, &plan, &variables.collect_vec())
    }

    /// The variables that preload the library and tell it what to do.
    fn variables(&self, way: CallWay, name: &str) -> Result<Vec<(&'static str, String)>> {
        let path = |file: String| self.site.folder.path(&file).display().to_string();
        let what = match way {
            CallWay::Plain => return Ok(Vec::new()),
            CallWay::Passed | CallWay::Chosen | CallWay::Before => ("NETSIG_PROFILE", path(format!("{PROFILE}.toml"))),
            CallWay::Same => ("NETSIG_ALGORITHMS", self.same_schedules()?),
        };
        let network = self.site.drawn.description().map(|network| {
            let file = path(format!("{}.toml", network.name));
            ("NETSIG_NETWORK", file)
        });
        let library = match (way, &self.before) {
            (CallWay::Before, Some(before)) => before.clone(),
            _ => super::library(self.site.drawn.mpi),
        };
        // MPICH gives its ranks the variable as mpirun has it, without what the lab preloads.
        let shim = root().join("target/release/libnetsig_yield_shim.so");
        let preload = [library, shim].map(|path| path.display().to_string());
        let mode = if way == CallWay::Passed { "report" } else { "on" };
        let own = [
            what,
            ("NETSIG_INTERPOSE", mode.to_owned()),
            ("LD_PRELOAD", preload.join(":")),
            ("NETSIG_REPORT", self.report(name).display().to_string()),
        ];
        Ok(own.into_iter().chain(network).collect())
    }

    /// The algorithms [`SAME`] as schedules.
    fn same_schedules(&self) -> Result<String> {
        let schedules = SAME.map(|(collective, name)| {
            let schedule = schedule(collective, name, self.site.drawn.flavour());
            let schedule = schedule.with_context(|| format!("{name} has no schedule"))?;
            Ok(format!("{collective} {schedule}"))
        });
        let schedules: Result<Vec<String>> = schedules.into_iter().collect();
        Ok(schedules?.join("; "))
    }

    /// The report of the preloaded library on a measurement.
    fn report(&self, name: &str) -> PathBuf {
        self.site.folder.path(&format!("{name}.report.csv"))
    }
}

impl CallWay {
    /// The algorithms that it measures in a cell.
    fn algorithms(self, cell: BenchCell, choice: &str) -> BTreeSet<&str> {
        match self {
            Self::Plain => [LIBRARY, choice, same(cell.collective)].into(),
            Self::Passed | Self::Chosen | Self::Before | Self::Same => [LIBRARY].into(),
        }
    }
}

/// The algorithm of the library's for a collective.
pub(super) fn same(collective: Collective) -> &'static str {
    let own = SAME.iter().find(|(other, _)| *other == collective);
    own.map_or(LIBRARY, |(_, name)| name)
}

/// The name of what runs a method of a profile in the place of the library's call.
pub(super) fn schedule(collective: Collective, name: &str, flavour: MpiFlavour) -> Option<String> {
    if name == LIBRARY {
        return Some(LIBRARY.to_owned());
    }
    let method = Method::parse(collective, name).ok()?;
    let schedule = method.schedule(flavour)?;
    Some(schedule.to_string())
}

/// What a report names for most calls of each cell.
fn ran(reported: Vec<ReportedCalls>) -> BTreeMap<BenchCell, String> {
    let mut calls: BTreeMap<BenchCell, BTreeMap<String, u64>> = BTreeMap::new();
    for row in reported {
        if let Some(cell) = row.cell() {
            let algorithm = row.algorithm.unwrap_or_else(|| LIBRARY.to_owned());
            *calls.entry(cell).or_default().entry(algorithm).or_default() += row.calls;
        }
    }
    let most = calls.into_iter().filter_map(|(cell, names)| {
        let (name, _) = names.into_iter().max_by_key(|(_, calls)| *calls)?;
        Some((cell, name))
    });
    most.collect()
}
