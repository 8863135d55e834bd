//! What a user does: campaigns of about a minute each on half of the hosts, a fit, and a selection
//! for process counts that were not measured.

use std::collections::BTreeMap;

use anyhow::Result;
use itertools::Itertools as _;
use netsig_base::algorithm::{Collective, LIBRARY, Method, MpiFlavour, split};
use netsig_base::units::{Bytes, Procs};
use netsig_model::profile::Profile;
use serde::Deserialize;

use crate::cell::{Cell, Choices};
use crate::draw::Drawn;
use crate::effort::Effort;
use crate::site::{Campaign, Site};

/// The all-to-all.
pub const EXCHANGE: Wanted = Wanted {
    name: "alltoall",
    algorithms: "library,library:pairwise,windowed:segment=4096,window=4",
    seconds: 60,
};

/// Collectives whose choices are judged.
pub const JUDGED: [Wanted; 2] = [
    EXCHANGE,
    Wanted {
        name: "bcast",
        algorithms: "library,binomial,pipeline:1024,pipeline:4096,scatter-allgather,scatter-allgather-ring",
        seconds: 60,
    },
];

/// Further collectives that programs call. Pieces of different sizes need more time.
pub const FURTHER: [Wanted; 2] = [
    Wanted {
        name: "alltoallv",
        algorithms: "library,library:pairwise,windowed:segment=4096,window=4",
        seconds: 120,
    },
    Wanted {
        name: "scatter",
        algorithms: "library,flat,binomial",
        seconds: 60,
    },
];

/// A collective to measure.
pub struct Wanted {
    /// Its name, and that of its data.
    name: &'static str,
    algorithms: &'static str,
    /// Length of the campaign.
    seconds: u32,
}

/// The sizes of the selection.
const SIZES: [u64; 6] = [256, 1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18];

/// Name of the profile.
pub const PROFILE: &str = "profile";

/// A profile as it is made.
pub struct Made {
    /// `None` if netsig could not make it.
    pub profile: Option<Profile>,
    /// Duration of the measuring commands.
    pub seconds: f64,
    pub notes: Vec<String>,
}

/// What a user knows after measuring.
pub struct Learned {
    pub choices: Choices,
    /// Measured algorithms of each collective, by the names in data.
    pub candidates: BTreeMap<Collective, Vec<String>>,
    /// Duration of the measuring commands.
    pub seconds: f64,
    pub notes: Vec<String>,
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
    fn budget(self, wanted: &Wanted) -> u32 {
        match self {
            Self::Full => wanted.seconds,
            Self::Trial => wanted.seconds * 2 / 3,
        }
    }
}

/// Measures missing data and selects for the judged collectives. Where netsig fails, its user is left
/// with the library's own choice.
pub fn learned(
    drawn: &Drawn,
    site: &Site,
    wanted: &[&'static Wanted],
    effort: Effort,
) -> Result<Learned> {
    let made = made(drawn, site, wanted, effort)?;
    let mut learned = Learned {
        choices: Choices::new(),
        candidates: BTreeMap::new(),
        seconds: made.seconds,
        notes: made.notes,
    };
    for own in &JUDGED {
        let (collective, algorithms) = own.parsed()?;
        learned.candidates.insert(collective, algorithms);
        for cell in cells(collective, drawn) {
            learned.choices.insert(cell, LIBRARY.to_owned());
        }
    }
    if made.profile.is_none() {
        return Ok(learned);
    }
    for &collective in learned.candidates.keys() {
        let (procs, network) = (counts(drawn), Site::description(drawn));
        match selected(site, collective, (&procs, &SIZES), &network) {
            Ok(choices) => learned.choices.extend(choices),
            Err(error) => learned.notes.push(format!("{collective}: {error:#}")),
        }
    }
    Ok(learned)
}

/// Measures missing data and fits them to the profile of the network.
pub fn made(
    drawn: &Drawn,
    site: &Site,
    wanted: &[&'static Wanted],
    effort: Effort,
) -> Result<Made> {
    for network in [&drawn.whole, &drawn.half] {
        site.describe(network)?;
    }
    let mut made = Made {
        profile: None,
        seconds: 0.0,
        notes: Vec::new(),
    };
    for own in wanted {
        made.measure(drawn, site, own, effort);
    }
    let files = wanted.iter().map(|own| format!("{}.csv", own.name));
    let files = files.filter(|file| site.path(file).is_file()).join(" ");
    match site.fit(&files, PROFILE, Some(drawn)) {
        Ok(profile) => made.profile = Some(profile),
        Err(error) => made.notes.push(format!("no profile: {error:#}")),
    }
    Ok(made)
}

impl Made {
    /// Measures a collective unless its data are there.
    fn measure(&mut self, drawn: &Drawn, site: &Site, wanted: &'static Wanted, effort: Effort) {
        let name = wanted.name;
        let campaign = Campaign {
            name,
            wanted: &format!("{name} {}", wanted.algorithms_of(drawn.flavour())),
            budget: effort.budget(wanted),
            options: "",
        };
        match site.campaign(drawn, campaign, &drawn.half) {
            Ok(seconds) => self.seconds += seconds,
            Err(error) => self.notes.push(format!("{name}: {error:#}")),
        }
    }
}

impl Wanted {
    /// The algorithms that an MPI has.
    fn algorithms_of(&self, flavour: MpiFlavour) -> String {
        let is_there = |name: &&str| {
            let method = self.name.parse().map(|own| Method::parse(own, name));
            match method {
                Ok(Ok(method @ Method::Library(_))) => {
                    *name == LIBRARY || method.setting(flavour).is_some()
                }
                _ => true,
            }
        };
        split(self.algorithms)
            .into_iter()
            .filter(is_there)
            .join(",")
    }

    /// The collective and its algorithms, by the names in data.
    fn parsed(&self) -> Result<(Collective, Vec<String>)> {
        let collective: Collective = self.name.parse()?;
        let names = split(self.algorithms).into_iter();
        let methods = names.map(|name| Ok(Method::parse(collective, name)?.to_string()));
        Ok((collective, methods.collect::<Result<_>>()?))
    }
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
pub fn selected(
    site: &Site,
    collective: Collective,
    (procs, sizes): (&[Procs], &[u64]),
    options: &str,
) -> Result<Choices> {
    let printed = site.netsig.run(&format!(
        "select {PROFILE}.toml --collective {collective} --procs {} --size {} --extrapolate --format csv {options}",
        procs.iter().join(","),
        sizes.iter().join(","),
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
