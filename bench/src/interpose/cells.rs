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

use super::reported::{self, Reported};
use crate::cell::{Cell, Choices};
use crate::draw::Drawn;
use crate::effort::Effort;
use crate::learn::PROFILE;
use crate::plan::{self, Planned};
use crate::site::Site;

/// An algorithm of both MPI libraries for each collective, by its name as the library's.
const SAME: [(Collective, &str); 2] = [
    (Collective::Alltoall, "library:pairwise"),
    (Collective::Bcast, "library:binomial"),
];

/// A way to run the algorithms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Way {
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

const WAYS: [(Way, &str); 5] = [
    (Way::Plain, "plain"),
    (Way::Passed, "passed"),
    (Way::Chosen, "chosen"),
    (Way::Before, "before"),
    (Way::Same, "same"),
];

impl Effort {
    /// Number of rounds.
    fn rounds(self) -> u32 {
        match self {
            Self::Full => 4,
            Self::Trial => 1,
        }
    }

    /// Seconds of the operations of one algorithm in all cells in a round.
    fn round(self) -> f64 {
        match self {
            Self::Full => 18.0,
            Self::Trial => 3.0,
        }
    }
}

/// What the rounds of a network need.
pub(super) struct Bench<'a> {
    pub(super) drawn: &'a Drawn,
    pub(super) site: &'a Site,
    pub(super) effort: Effort,
    /// The preloaded library of an earlier build.
    pub(super) before: Option<PathBuf>,
}

/// Times by way and cell.
type Times = BTreeMap<Way, BTreeMap<CellKey, Summary>>;

/// What was measured on a network.
pub(super) struct Measured {
    /// Over all rounds.
    pub(super) times: Times,
    /// Of each round.
    pub(super) rounds: Vec<Times>,
    /// What ran under the profile, with the present and with the earlier build.
    pub(super) ran: BTreeMap<Way, BTreeMap<Cell, String>>,
    pub(super) busy: BTreeSet<CellKey>,
}

impl Bench<'_> {
    /// Measures what is missing.
    pub(super) fn measured(&self, choices: &Choices) -> Result<Measured> {
        self.check()?;
        let mut found: BTreeMap<Way, Dataset> = BTreeMap::new();
        let mut rounds = Vec::new();
        let mut reported: BTreeMap<Way, Vec<Reported>> = BTreeMap::new();
        for round in 1..=self.effort.rounds() {
            let mut times = Times::new();
            for (way, name) in self.ways(round) {
                let name = format!("{name}-{round}");
                let data = self.data(way, &name, choices)?;
                if matches!(way, Way::Chosen | Way::Before) {
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
        Ok(Measured {
            times: times.collect(),
            rounds,
            ran: reported
                .into_iter()
                .map(|(way, rows)| (way, ran(rows)))
                .collect(),
            busy: found.values().flat_map(processors::busy).collect(),
        })
    }

    /// The ways in the order of a round.
    fn ways(&self, round: u32) -> Vec<(Way, &'static str)> {
        let is_there = |(way, _): &(Way, &str)| *way != Way::Before || self.before.is_some();
        let mut ways: Vec<_> = WAYS.into_iter().filter(is_there).collect();
        if round.is_multiple_of(2) {
            ways.reverse();
        }
        ways
    }

    /// Refuses to measure an earlier build alone, after rounds without it.
    fn check(&self) -> Result<()> {
        let is_complete = |name: &str| self.site.path(&format!("{name}.complete")).is_file();
        let is_late = is_complete("plain-2") && !is_complete("before-1");
        ensure!(
            self.before.is_none() || !is_late,
            "{}: was measured without the earlier build; remove its folder in bench/results/interpose",
            self.drawn.name
        );
        Ok(())
    }

    /// The data of one way in one round, measured unless they are there.
    fn data(&self, way: Way, name: &str, choices: &Choices) -> Result<Dataset> {
        let planned = choices.iter().flat_map(|(cell, choice)| {
            let names = way.algorithms(*cell, choice).into_iter();
            names
                .map(|name| cell.planned(self.drawn, name))
                .collect_vec()
        });
        let planned: Vec<Planned> = planned.collect();
        let share = if way == Way::Plain { 3.0 } else { 1.0 };
        let plan = plan::text(&planned, 1, share * self.effort.round());
        let variables = self.variables(way, name)?;
        let variables = variables
            .iter()
            .map(|(name, value)| (*name, value.as_str()));
        self.site
            .plan(self.drawn, name, &plan, &variables.collect_vec())
    }

    /// The variables that preload the library and tell it what to do.
    fn variables(&self, way: Way, name: &str) -> Result<Vec<(&'static str, String)>> {
        let path = |file: String| self.site.path(&file).display().to_string();
        let what = match way {
            Way::Plain => return Ok(Vec::new()),
            Way::Passed | Way::Chosen | Way::Before => {
                ("NETSIG_PROFILE", path(format!("{PROFILE}.toml")))
            }
            Way::Same => ("NETSIG_ALGORITHMS", self.same_schedules()?),
        };
        let network = self.drawn.description().map(|network| {
            let file = path(format!("{}.toml", network.name));
            ("NETSIG_NETWORK", file)
        });
        let library = match (way, &self.before) {
            (Way::Before, Some(before)) => before.clone(),
            _ => super::library(self.drawn.mpi),
        };
        // MPICH gives its ranks the variable as mpirun has it, without what the lab preloads.
        let shim = crate::root().join("target/release/libnetsig_yield_shim.so");
        let preload = [library, shim].map(|path| path.display().to_string());
        let mode = if way == Way::Passed { "report" } else { "on" };
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
            let schedule = schedule(collective, name, self.drawn.flavour());
            let schedule = schedule.with_context(|| format!("{name} has no schedule"))?;
            Ok(format!("{collective} {schedule}"))
        });
        let schedules: Result<Vec<String>> = schedules.into_iter().collect();
        Ok(schedules?.join("; "))
    }

    /// The report of the preloaded library on a measurement.
    fn report(&self, name: &str) -> PathBuf {
        self.site.path(&format!("{name}.report.csv"))
    }
}

impl Way {
    /// The algorithms that it measures in a cell.
    fn algorithms(self, cell: Cell, choice: &str) -> BTreeSet<&str> {
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
fn ran(reported: Vec<Reported>) -> BTreeMap<Cell, String> {
    let mut calls: BTreeMap<Cell, BTreeMap<String, u64>> = BTreeMap::new();
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
