//! The cells of `select`: algorithms as themselves, and in the place of the library's own call.
//!
//! # Method
//! Rounds of four short measurements, so that a ratio contains little of the machine's drift: without
//! the preloaded library the library's own choice, the choice of the profile and one algorithm of the
//! MPI library's; with it the library's call passed on, the call under the profile, and the call with
//! netsig's schedule of that one algorithm. Times are medians over all rounds. A cell is busy if the
//! processors were in one of the measurements.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use itertools::Itertools as _;
use netsig_core::algorithm::{Collective, LIBRARY, Method, MpiFlavour};
use netsig_core::data::cells::{CellKey, Summary, summarise};
use netsig_core::data::{Dataset, processors};
use netsig_core::units::{Bytes, Procs, Seconds};
use serde::Serialize;

use super::reported;
use crate::cell::{Cell, Choices};
use crate::draw::{Drawn, flavour};
use crate::effort::Effort;
use crate::goal::OfNetwork;
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
enum Way {
    /// Without the preloaded library.
    Plain,
    /// The library's call, passed on.
    Passed,
    /// What the profile chooses, in the place of the library's call.
    Chosen,
    /// The algorithms [`SAME`] as schedules, in the place of the library's call.
    Same,
}

const WAYS: [(Way, &str); 4] = [
    (Way::Plain, "plain"),
    (Way::Passed, "passed"),
    (Way::Chosen, "chosen"),
    (Way::Same, "same"),
];

/// A cell: a row of cells.csv.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Row {
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
    /// The library's call with the preloaded library, passed on and under the profile.
    pub(super) passed_s: Seconds,
    pub(super) interposed_s: Seconds,
    /// An algorithm of the library's, by the library and by the preloaded library.
    pub(super) same_library_s: Seconds,
    pub(super) same_interposed_s: Seconds,
    /// True if the processors were busy, so that the cell is not judged.
    pub(super) busy: bool,
}

impl OfNetwork for Row {
    fn network(&self) -> &str {
        &self.network
    }
}

impl Row {
    /// True if the profile chooses the library's own choice.
    pub(super) fn is_library(&self) -> bool {
        self.choice == LIBRARY
    }

    /// True if the preloaded library ran the choice.
    pub(super) fn is_as_chosen(&self) -> bool {
        schedule(self.collective, &self.choice, flavour(self.mpi)).as_deref() == Some(&self.ran)
    }
}

/// The name of what runs a method of a profile in the place of the library's call.
fn schedule(collective: Collective, name: &str, flavour: MpiFlavour) -> Option<String> {
    if name == LIBRARY {
        return Some(LIBRARY.to_owned());
    }
    let method = Method::parse(collective, name).ok()?;
    let schedule = method.schedule(flavour)?;
    Some(schedule.to_string())
}

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

/// Measures what is missing; a row for each cell.
pub(super) fn rows(
    drawn: &Drawn,
    site: &Site,
    choices: &Choices,
    effort: Effort,
) -> Result<Vec<Row>> {
    let mut found: BTreeMap<Way, Dataset> = BTreeMap::new();
    let mut ran = BTreeMap::new();
    for round in 1..=effort.rounds() {
        for (way, name) in WAYS {
            let name = format!("{name}-{round}");
            let cells = choices
                .iter()
                .map(|(cell, choice)| (*cell, choice.as_str()));
            let data = way.measured(drawn, site, &name, (cells, effort))?;
            if way == Way::Chosen {
                ran.extend(reported(site, &name)?);
            }
            match found.get_mut(&way) {
                Some(all) => all.join(data, round as usize)?,
                None => drop(found.insert(way, data)),
            }
        }
    }
    let busy: BTreeSet<CellKey> = found.values().flat_map(processors::busy).collect();
    let times = found.iter().map(|(way, data)| (*way, summarise(data)));
    let judge = Judge {
        drawn,
        times: times.collect(),
        ran,
        busy,
    };
    let rows = choices
        .iter()
        .map(|(cell, choice)| judge.row(*cell, choice));
    rows.collect()
}

impl Way {
    /// The data of one round, measured unless they are there.
    fn measured<'a>(
        self,
        drawn: &Drawn,
        site: &Site,
        name: &str,
        (cells, effort): (impl Iterator<Item = (Cell, &'a str)>, Effort),
    ) -> Result<Dataset> {
        let algorithms = |(cell, choice): (Cell, &str)| -> BTreeSet<String> {
            match self {
                Self::Plain => [LIBRARY, choice, same(cell.collective)]
                    .map(str::to_owned)
                    .into(),
                Self::Passed | Self::Chosen | Self::Same => [LIBRARY.to_owned()].into(),
            }
        };
        let planned = cells.flat_map(|own| {
            let names = algorithms(own).into_iter();
            names
                .map(move |name| own.0.planned(drawn, &name))
                .collect_vec()
        });
        let planned: Vec<Planned> = planned.collect();
        let share = if self == Self::Plain { 3.0 } else { 1.0 };
        let plan = plan::text(&planned, 1, share * effort.round());
        let variables = self.variables(drawn, site, name)?;
        let variables = variables
            .iter()
            .map(|(name, value)| (*name, value.as_str()));
        site.plan(drawn, name, &plan, &variables.collect_vec())
    }

    /// The variables that preload the library and tell it what to do.
    fn variables(
        self,
        drawn: &Drawn,
        site: &Site,
        name: &str,
    ) -> Result<Vec<(&'static str, String)>> {
        let path = |file: String| site.path(&file).display().to_string();
        let what = match self {
            Self::Plain => return Ok(Vec::new()),
            Self::Passed | Self::Chosen => ("NETSIG_PROFILE", path(format!("{PROFILE}.toml"))),
            Self::Same => {
                let schedules = SAME.map(|(collective, name)| {
                    let schedule = schedule(collective, name, drawn.flavour());
                    let schedule = schedule.with_context(|| format!("{name} has no schedule"))?;
                    Ok(format!("{collective} {schedule}"))
                });
                let schedules: Result<Vec<String>> = schedules.into_iter().collect();
                ("NETSIG_ALGORITHMS", schedules?.join("; "))
            }
        };
        let network = drawn.description().map(|network| {
            let file = path(format!("{}.toml", network.name));
            ("NETSIG_NETWORK", file)
        });
        // MPICH gives its ranks the variable as mpirun has it, without what the lab preloads.
        let shim = crate::root().join("target/release/libnetsig_yield_shim.so");
        let preload = [super::library(drawn.mpi), shim].map(|path| path.display().to_string());
        let report = path(format!("{name}.report.csv"));
        let mode = if self == Self::Passed { "report" } else { "on" };
        let own = [
            what,
            ("NETSIG_INTERPOSE", mode.to_owned()),
            ("LD_PRELOAD", preload.join(":")),
            ("NETSIG_REPORT", report),
        ];
        Ok(own.into_iter().chain(network).collect())
    }
}

/// The algorithm of the library's for a collective.
fn same(collective: Collective) -> &'static str {
    let own = SAME.iter().find(|(other, _)| *other == collective);
    own.map_or(LIBRARY, |(_, name)| name)
}

/// What ran in each cell, by the report.
fn reported(site: &Site, name: &str) -> Result<BTreeMap<Cell, String>> {
    let rows = reported::read(&site.path(&format!("{name}.report.csv")))?;
    let ran = rows.into_iter().filter_map(|row| {
        let cell = Cell {
            collective: row.collective.parse().ok()?,
            procs: row.procs?,
            size: row.size?,
        };
        let algorithm = row.algorithm.unwrap_or_else(|| LIBRARY.to_owned());
        Some((cell, algorithm))
    });
    Ok(ran.collect())
}

struct Judge<'a> {
    drawn: &'a Drawn,
    times: BTreeMap<Way, BTreeMap<CellKey, Summary>>,
    /// What ran under the profile.
    ran: BTreeMap<Cell, String>,
    busy: BTreeSet<CellKey>,
}

impl Judge<'_> {
    fn row(&self, cell: Cell, choice: &str) -> Result<Row> {
        let time = |way: Way, algorithm: &str| {
            let found = self.times.get(&way);
            let found = found.and_then(|times| times.get(&cell.key(algorithm)));
            found.map(|summary| summary.median).with_context(|| {
                let Cell {
                    collective,
                    procs,
                    size,
                } = cell;
                format!("{collective} {algorithm}, {procs} x {size}: was not measured")
            })
        };
        let same = same(cell.collective);
        let names = [LIBRARY, choice, same];
        Ok(Row {
            network: self.drawn.name.clone(),
            mpi: self.drawn.mpi,
            collective: cell.collective,
            procs: cell.procs,
            size_bytes: cell.size,
            choice: choice.to_owned(),
            ran: self.ran.get(&cell).cloned().unwrap_or_default(),
            library_s: time(Way::Plain, LIBRARY)?,
            choice_s: time(Way::Plain, choice)?,
            passed_s: time(Way::Passed, LIBRARY)?,
            interposed_s: time(Way::Chosen, LIBRARY)?,
            same_library_s: time(Way::Plain, same)?,
            same_interposed_s: time(Way::Same, LIBRARY)?,
            busy: names.iter().any(|name| self.busy.contains(&cell.key(name))),
        })
    }
}
