//! What a user does: two campaigns of a minute each on half of the hosts, a fit, and a selection for
//! process counts that were not measured.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use itertools::Itertools as _;
use netsig_core::algorithm::{Collective, LIBRARY, Method, split};
use netsig_core::units::{Bytes, Procs};
use serde::Deserialize;

use super::Effort;
use crate::draw::Drawn;
use crate::site::{Campaign, Site};

/// The campaigns: collective and algorithms.
const WANTED: [(&str, &str); 2] = [
    (
        "alltoall",
        "alltoall library,library:pairwise,windowed:segment=4096,window=4",
    ),
    (
        "bcast",
        "bcast library,binomial,pipeline:1024,pipeline:4096,scatter-allgather,scatter-allgather-ring",
    ),
];

/// The sizes of the selection.
const SIZES: [u64; 6] = [256, 1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18];

/// Name of the profile.
pub(super) const PROFILE: &str = "profile";

/// A cell of the selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cell {
    pub(super) collective: Collective,
    pub(super) procs: Procs,
    pub(super) size: Bytes,
}

/// The chosen algorithm of every cell.
pub(super) type Choices = BTreeMap<Cell, String>;

/// What a user knows after measuring.
pub(super) struct Learned {
    pub(super) choices: Choices,
    /// Measured algorithms of each collective, by the names in data.
    pub(super) candidates: BTreeMap<Collective, Vec<String>>,
    /// Duration of the measuring commands.
    pub(super) seconds: f64,
    pub(super) notes: Vec<String>,
}

/// A row of `netsig select --format csv`, as far as a choice needs it.
#[derive(Deserialize)]
struct Selected {
    procs: Procs,
    size_bytes: Bytes,
    rank: u32,
    algorithm: String,
    standing: String,
}

/// Standing of a candidate that `netsig select` does not recommend.
const OUTSIDE: &str = "outside";

impl Effort {
    /// Seconds of a campaign.
    fn budget(self) -> u32 {
        match self {
            Self::Full => 60,
            Self::Trial => 40,
        }
    }
}

/// Measures missing data and selects. Where netsig fails, its user is left with the library's own
/// choice.
pub(super) fn learned(drawn: &Drawn, site: &Site, effort: Effort) -> Result<Learned> {
    for network in [&drawn.whole, &drawn.half] {
        site.describe(network)?;
    }
    let mut learned = Learned {
        choices: Choices::new(),
        candidates: BTreeMap::new(),
        seconds: 0.0,
        notes: Vec::new(),
    };
    for (name, wanted) in WANTED {
        let (collective, algorithms) = parsed(wanted)?;
        learned.candidates.insert(collective, algorithms);
        for cell in cells(collective, drawn) {
            learned.choices.insert(cell, LIBRARY.to_owned());
        }
        let campaign = Campaign {
            name,
            wanted,
            budget: effort.budget(),
            options: "",
        };
        match site.campaign(drawn, campaign, &drawn.half) {
            Ok(seconds) => learned.seconds += seconds,
            Err(error) => learned.notes.push(format!("{name}: {error:#}")),
        }
    }
    let files = WANTED.iter().map(|(name, _)| format!("{name}.csv"));
    let files = files.filter(|file| site.path(file).is_file()).join(" ");
    if let Err(error) = site.fit(&files, PROFILE, Some(drawn)) {
        learned.notes.push(format!("no profile: {error:#}"));
        return Ok(learned);
    }
    for &collective in learned.candidates.keys() {
        match selected(drawn, site, collective) {
            Ok(choices) => learned.choices.extend(choices),
            Err(error) => learned.notes.push(format!("{collective}: {error:#}")),
        }
    }
    Ok(learned)
}

/// The collective and the algorithms of a campaign, by the names in data.
fn parsed(wanted: &str) -> Result<(Collective, Vec<String>)> {
    let (collective, names) = wanted
        .split_once(' ')
        .context("a campaign has algorithms")?;
    let collective: Collective = collective.parse()?;
    let names = split(names).into_iter();
    let methods = names.map(|name| Ok(Method::parse(collective, name)?.to_string()));
    Ok((collective, methods.collect::<Result<_>>()?))
}

/// The process counts that no profile has seen: ¾ and all of the hosts.
fn counts(drawn: &Drawn) -> [Procs; 2] {
    let all = drawn.whole.hosts();
    let most = Procs::new(all.get() * 3 / 4).expect("there are hosts");
    [most, all]
}

fn cells(collective: Collective, drawn: &Drawn) -> impl Iterator<Item = Cell> {
    let all = counts(drawn).into_iter().cartesian_product(SIZES);
    all.map(move |(procs, size)| Cell {
        collective,
        procs,
        size: Bytes(size),
    })
}

/// The first of every ranking of `netsig select` that it recommends.
fn selected(drawn: &Drawn, site: &Site, collective: Collective) -> Result<Choices> {
    let printed = site.netsig.run(&format!(
        "select {PROFILE}.toml --collective {collective} --procs {} --size {} --extrapolate --format csv {}",
        counts(drawn).iter().join(","),
        SIZES.iter().join(","),
        Site::description(drawn),
    ))?;
    let mut choices = Choices::new();
    for row in csv::Reader::from_reader(printed.as_bytes()).deserialize() {
        let row: Selected = row?;
        if row.rank == 1 && row.standing != OUTSIDE {
            let cell = Cell {
                collective,
                procs: row.procs,
                size: row.size_bytes,
            };
            choices.insert(cell, row.algorithm);
        }
    }
    Ok(choices)
}
