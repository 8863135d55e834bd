//! The data of one drawn network: the campaigns of its profiles by netsig's commands, and the
//! truth. All files lie in bench/results/accuracy/NETWORK.

use std::fs;
use std::time::Instant;

use anyhow::{Context, Result};
use itertools::Itertools as _;
use netsig_base::data::Dataset;
use netsig_base::network::Network;
use netsig_model::profile::Profile;

use super::truth;
use crate::harness::campaign::{BenchNetwork, SteeredCampaign};
use crate::harness::folder::BenchFolder;
use crate::harness::root;

/// The campaigns of all profiles.
const CAMPAIGNS: [SteeredCampaign<'static>; 6] = [
    campaign(HALF, "alltoall direct,pairwise,library", 120),
    campaign(QUARTER, "alltoall direct,pairwise,library", 120),
    campaign("bcast", "bcast binomial", 45),
    campaign("scatter", "scatter flat", 45),
    campaign("gather", "gather flat", 45),
    campaign("allgather", "allgather ring", 45),
];

/// The campaign of the all-to-alls on half of the hosts.
pub(super) const HALF: &str = "half";

/// The campaign on a quarter of the hosts; all other campaigns use half.
pub(super) const QUARTER: &str = "quarter";

const fn campaign(name: &'static str, wanted: &'static str, budget: u32) -> SteeredCampaign<'static> {
    SteeredCampaign {
        name,
        wanted,
        budget,
        options: "--size 1KiB..256KiB",
    }
}

/// A profile with its data.
pub(super) struct LearnedProfile {
    pub(super) campaign: SteeredCampaign<'static>,
    pub(super) data: Dataset,
    pub(super) profile: Profile,
    /// Duration of the measuring commands in seconds.
    pub(super) seconds: f64,
    /// Duration of the fit in seconds.
    pub(super) fit_seconds: f64,
}

/// A measured network.
pub(super) struct AccuracyNetwork {
    pub(super) learned: Vec<LearnedProfile>,
    pub(super) truth: Dataset,
    pub(super) notes: Vec<String>,
}

/// Measures missing data of the network and fits all profiles. A profile that netsig cannot make is missing, and a note
/// says so.
pub(super) fn measured(bench_network: &BenchNetwork) -> Result<AccuracyNetwork> {
    let drawn = &bench_network.drawn;
    bench_network.describe([&drawn.whole, &drawn.half].into_iter().chain(&drawn.quarter))?;
    let mut learned = Vec::new();
    let mut notes = Vec::new();
    for campaign in CAMPAIGNS {
        let drawn_part = match campaign.name {
            QUARTER => drawn.quarter.as_ref(),
            _ => Some(&drawn.half),
        };
        let Some(part) = drawn_part else { continue };
        match learn(bench_network, campaign, part) {
            Ok(one) => learned.push(one),
            Err(error) => notes.push(format!("{}, {}: {error:#}", drawn.name, campaign.name)),
        }
    }
    let mut truth = bench_network.run_plan("truth", &truth::plan(drawn), &[])?;
    // Cells where some repetitions stall are measured once more.
    if let Some(plan) = truth::mixture_plan(&truth) {
        truth.join(bench_network.run_plan("further", &plan, &[])?, 2)?;
    }
    Ok(AccuracyNetwork { learned, truth, notes })
}

impl AccuracyNetwork {
    /// The profile of a campaign, if netsig made one.
    pub(super) fn learned(&self, name: &str) -> Option<&LearnedProfile> {
        self.learned.iter().find(|learned| learned.campaign.name == name)
    }
}

/// Measures a campaign unless its data are there, and fits its profile.
fn learn(bench_network: &BenchNetwork, campaign: SteeredCampaign<'static>, part: &Network) -> Result<LearnedProfile> {
    let seconds = bench_network.run_campaign(campaign, part)?;
    let data = format!("{}.csv", campaign.name);
    let started = Instant::now();
    let profile = bench_network
        .folder
        .fit(&data, campaign.name, &bench_network.description())?;
    Ok(LearnedProfile {
        campaign,
        fit_seconds: started.elapsed().as_secs_f64(),
        data: bench_network.folder.netsig.data(&data)?,
        profile,
        seconds,
    })
}

/// The tables of bench/data/osu, imported.
pub(super) fn import_osu(folder: &BenchFolder) -> Result<Dataset> {
    let listing = fs::read_dir(root().join("bench/data/osu"));
    let files: Vec<fs::DirEntry> = listing
        .and_then(Iterator::collect)
        .context("bench/data/osu cannot be read")?;
    let paths = files.iter().map(|file| file.path().display().to_string());
    let tables = paths.sorted().join(" ");
    let _ = fs::remove_file(folder.path("osu.csv"));
    folder
        .netsig
        .run(&format!("import osu {tables} -o osu.csv --algorithm direct"))?;
    folder.netsig.data("osu.csv")
}
