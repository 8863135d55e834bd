//! The data of one drawn network: the campaigns of its profiles by netsig's commands, and the
//! truth. All files lie in bench/results/accuracy/NETWORK.

use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use netsig_base::data::Dataset;
use netsig_base::network::Network;
use netsig_model::profile::Profile;

use super::truth;
use crate::draw::Drawn;
use crate::site::{Campaign, Site};

/// The hosts on which a profile is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Half,
    Quarter,
}

/// All profiles of a network.
const CAMPAIGNS: [(Part, Campaign<'static>); 6] = [
    (Part::Half, alltoalls(HALF)),
    (Part::Quarter, alltoalls(QUARTER)),
    (Part::Half, small("bcast", "bcast binomial")),
    (Part::Half, small("scatter", "scatter flat")),
    (Part::Half, small("gather", "gather flat")),
    (Part::Half, small("allgather", "allgather ring")),
];

/// The campaign of the all-to-alls on half of the hosts.
pub(super) const HALF: &str = "half";

/// The campaign of the all-to-alls on a quarter of the hosts.
pub(super) const QUARTER: &str = "quarter";

const SIZES: &str = "--sizes 1KiB..256KiB";

const fn alltoalls(name: &'static str) -> Campaign<'static> {
    Campaign {
        name,
        wanted: "alltoall direct,pairwise,library",
        budget: 120,
        options: SIZES,
    }
}

const fn small(name: &'static str, wanted: &'static str) -> Campaign<'static> {
    Campaign {
        name,
        wanted,
        budget: 45,
        options: SIZES,
    }
}

/// A profile with its data.
pub(super) struct Learned {
    pub(super) campaign: Campaign<'static>,
    pub(super) data: Dataset,
    pub(super) profile: Profile,
    /// Duration of the measuring commands in seconds.
    pub(super) seconds: f64,
    /// Duration of the fit in seconds.
    pub(super) fit_seconds: f64,
}

/// A measured network.
pub(super) struct Measured {
    pub(super) learned: Vec<Learned>,
    pub(super) truth: Dataset,
    pub(super) notes: Vec<String>,
}

/// Measures missing data of the network and fits all profiles; a profile that netsig cannot make is
/// missing, with a note.
pub(super) fn measured(drawn: &Drawn, site: &Site) -> Result<Measured> {
    for network in [&drawn.whole, &drawn.half]
        .into_iter()
        .chain(&drawn.quarter)
    {
        site.describe(network)?;
    }
    let mut learned = Vec::new();
    let mut notes = Vec::new();
    for (part, campaign) in CAMPAIGNS {
        let Some(part) = drawn.part(part) else {
            continue;
        };
        match learn(site, drawn, campaign, part) {
            Ok(one) => learned.push(one),
            Err(error) => notes.push(format!("{}, {}: {error:#}", drawn.name, campaign.name)),
        }
    }
    Ok(Measured {
        learned,
        truth: truth(site, drawn)?,
        notes,
    })
}

impl Measured {
    /// The profile of a campaign, if netsig made one.
    pub(super) fn learned(&self, name: &str) -> Option<&Learned> {
        self.learned.iter().find(|own| own.campaign.name == name)
    }
}

impl Drawn {
    fn part(&self, part: Part) -> Option<&Network> {
        match part {
            Part::Half => Some(&self.half),
            Part::Quarter => self.quarter.as_ref(),
        }
    }
}

/// Writes `NAME.csv`.
pub(super) fn write(site: &Site, name: &str, data: &Dataset) -> Result<()> {
    let mut file = fs::File::create(site.path(&format!("{name}.csv")))?;
    data.write(&mut file)?;
    Ok(())
}

/// Fits `NAME.csv`.
pub(super) fn fit(site: &Site, name: &str, drawn: Option<&Drawn>) -> Result<Profile> {
    site.fit(&format!("{name}.csv"), name, drawn)
}

/// The tables of a folder, imported.
pub(super) fn import_osu(site: &Site, folder: &Path) -> Result<Dataset> {
    let mut tables: Vec<String> = Vec::new();
    for entry in fs::read_dir(folder).context("bench/data/osu cannot be read")? {
        tables.push(entry?.path().display().to_string());
    }
    tables.sort();
    let tables = tables.join(" ");
    let _ = fs::remove_file(site.path("osu.csv"));
    site.netsig.run(&format!(
        "import osu {tables} -o osu.csv --algorithm direct"
    ))?;
    site.netsig.data("osu.csv")
}

/// Measures a campaign unless its data are there, and fits its profile.
fn learn(
    site: &Site,
    drawn: &Drawn,
    campaign: Campaign<'static>,
    part: &Network,
) -> Result<Learned> {
    let seconds = site.campaign(drawn, campaign, part)?;
    let started = Instant::now();
    let profile = fit(site, campaign.name, Some(drawn))?;
    Ok(Learned {
        campaign,
        fit_seconds: started.elapsed().as_secs_f64(),
        data: site.netsig.data(&format!("{}.csv", campaign.name))?,
        profile,
        seconds,
    })
}

/// The truth: all cells, and those where some repetitions stall once more.
fn truth(site: &Site, drawn: &Drawn) -> Result<Dataset> {
    let first = site.plan(drawn, "truth", &truth::plan(drawn), &[])?;
    let Some(plan) = truth::further(&first) else {
        return Ok(first);
    };
    let further = site.plan(drawn, "further", &plan, &[])?;
    let mut all = first;
    all.join(further, 2)?;
    Ok(all)
}
