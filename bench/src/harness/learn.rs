//! What a user does: campaigns of about a minute each on half of the hosts, a fit, and a selection
//! for process counts that were not measured.

use std::collections::BTreeMap;

use anyhow::Result;
use itertools::Itertools as _;
use netsig_base::algorithm::{Collective, LIBRARY, Method, MpiFlavour, split};
use netsig_base::units::{Bytes, Procs};
use netsig_model::profile::Profile;
use serde::Deserialize;

use super::campaign::{NetworkSite, SteeredCampaign};
use super::cell::{BenchCell, CellChoices};
use super::draw::DrawnNetwork;
use super::folder::BenchFolder;

/// A collective to measure.
pub struct CollectiveCampaign {
    /// Its name, and that of its data.
    name: &'static str,
    algorithms: &'static str,
    /// Length of the campaign.
    seconds: u32,
}

/// The all-to-all.
pub const EXCHANGE: CollectiveCampaign = CollectiveCampaign {
    name: "alltoall",
    algorithms: "library,library:pairwise,windowed:segment=4096,window=4",
    seconds: 60,
};

/// Collectives whose choices are judged.
pub const JUDGED: [CollectiveCampaign; 2] = [
    EXCHANGE,
    CollectiveCampaign {
        name: "bcast",
        algorithms: "library,binomial,pipeline:1024,pipeline:4096,scatter-allgather,scatter-allgather-ring",
        seconds: 60,
    },
];

/// Further collectives that programs call. Pieces of different sizes need more time.
pub const FURTHER: [CollectiveCampaign; 2] = [
    CollectiveCampaign {
        name: "alltoallv",
        algorithms: "library,library:pairwise,windowed:segment=4096,window=4",
        seconds: 120,
    },
    CollectiveCampaign {
        name: "scatter",
        algorithms: "library,flat,binomial",
        seconds: 60,
    },
];

/// The sizes of the selection.
const SIZES: [u64; 6] = [256, 1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18];

/// Name of the profile.
pub const PROFILE: &str = "profile";

/// A profile as it is made.
pub struct MadeProfile {
    /// `None` if netsig could not make it.
    pub profile: Option<Profile>,
    /// Duration of the measuring commands.
    pub seconds: f64,
    pub notes: Vec<String>,
}

/// What a user knows after measuring.
pub struct LearnedChoices {
    pub choices: CellChoices,
    /// Measured algorithms of each collective, by the names in data.
    pub candidates: BTreeMap<Collective, Vec<String>>,
    /// Duration of the measuring commands.
    pub seconds: f64,
    pub notes: Vec<String>,
}

/// A row of `netsig select --format csv`, as far as a choice needs it.
#[derive(Deserialize)]
struct SelectedRow {
    procs: Procs,
    size_bytes: Bytes,
    rank: u32,
    algorithm: String,
    standing: String,
}

/// Standing of a candidate that `netsig select` does not recommend.
const OUTSIDE: &str = "outside";

/// Measures missing data and selects for the judged collectives. Where netsig fails, its user is left
/// with the library's own choice.
pub fn learned(site: &NetworkSite, wanted: &[&'static CollectiveCampaign]) -> Result<LearnedChoices> {
    let made = made(site, wanted)?;
    let mut learned = LearnedChoices {
        choices: CellChoices::new(),
        candidates: BTreeMap::new(),
        seconds: made.seconds,
        notes: made.notes,
    };
    let procs = counts(&site.drawn);
    for own in &JUDGED {
        let (collective, algorithms) = own.parsed()?;
        learned.candidates.insert(collective, algorithms);
        let all = procs.into_iter().cartesian_product(SIZES);
        let libraries = all.map(|(procs, size)| {
            let size = Bytes(size);
            let cell = BenchCell {
                collective,
                procs,
                size,
            };
            (cell, LIBRARY.to_owned())
        });
        learned.choices.extend(libraries);
    }
    if made.profile.is_none() {
        return Ok(learned);
    }
    let network = site.description();
    for &collective in learned.candidates.keys() {
        match selected(&site.folder, collective, (&procs, &SIZES), &network) {
            Ok(choices) => learned.choices.extend(choices),
            Err(error) => learned.notes.push(format!("{collective}: {error:#}")),
        }
    }
    Ok(learned)
}

/// Measures missing data and fits them to the profile of the network.
pub fn made(site: &NetworkSite, wanted: &[&'static CollectiveCampaign]) -> Result<MadeProfile> {
    let drawn = &site.drawn;
    site.describe([&drawn.whole, &drawn.half])?;
    let mut made = MadeProfile {
        profile: None,
        seconds: 0.0,
        notes: Vec::new(),
    };
    for own in wanted {
        let CollectiveCampaign { name, seconds, .. } = *own;
        let campaign = SteeredCampaign {
            name,
            wanted: &format!("{name} {}", own.algorithms_of(drawn.flavour())),
            budget: site.effort.of(*seconds, seconds * 2 / 3),
            options: "",
        };
        match site.campaign(campaign, &drawn.half) {
            Ok(seconds) => made.seconds += seconds,
            Err(error) => made.notes.push(format!("{name}: {error:#}")),
        }
    }
    let files = wanted.iter().map(|own| format!("{}.csv", own.name));
    let files = files.filter(|file| site.folder.has(file)).join(" ");
    match site.folder.fit(&files, PROFILE, &site.description()) {
        Ok(profile) => made.profile = Some(profile),
        Err(error) => made.notes.push(format!("no profile: {error:#}")),
    }
    Ok(made)
}

impl CollectiveCampaign {
    /// The algorithms that an MPI has.
    fn algorithms_of(&self, flavour: MpiFlavour) -> String {
        let is_there = |name: &&str| {
            let method = self.name.parse().map(|own| Method::parse(own, name));
            match method {
                Ok(Ok(method @ Method::Library(_))) => *name == LIBRARY || method.setting(flavour).is_some(),
                _ => true,
            }
        };
        let names = split(self.algorithms).into_iter();
        names.filter(is_there).join(",")
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
pub fn counts(drawn: &DrawnNetwork) -> [Procs; 2] {
    let all = drawn.whole.hosts();
    let most = Procs::new(all.get() * 3 / 4).expect("there are hosts");
    [most, all]
}

/// The first of every ranking of `netsig select` that it recommends.
pub fn selected(
    folder: &BenchFolder,
    collective: Collective,
    (procs, sizes): (&[Procs], &[u64]),
    options: &str,
) -> Result<CellChoices> {
    let rows: Vec<SelectedRow> = folder.netsig.rows(&format!(
        "select {PROFILE}.toml --collective {collective} --procs {} --size {} --extrapolate --format csv {options}",
        procs.iter().join(","),
        sizes.iter().join(","),
    ))?;
    let rows = rows.into_iter();
    let first = rows.filter(|row| row.rank == 1 && row.standing != OUTSIDE);
    let choice = |row: SelectedRow| {
        let cell = BenchCell {
            collective,
            procs: row.procs,
            size: row.size_bytes,
        };
        (cell, row.algorithm)
    };
    Ok(first.map(choice).collect())
}
