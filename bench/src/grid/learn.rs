//! The steps of a user on sites: discovers the clusters, measures for about six minutes, fits, predicts and selects.

use std::collections::BTreeSet;
use std::fs;

use anyhow::Result;
use itertools::Itertools as _;
use netsig_base::algorithm::{Collective, LIBRARY};
use netsig_base::data::Dataset;
use netsig_base::data::cells::{CellKey, summarise};
use netsig_base::network::{ClusterGrid, HostClusters};
use netsig_base::units::{Bytes, Procs, Seconds};
use serde::Deserialize;

use crate::harness::campaign::{BenchNetwork, SteeredCampaign};
use crate::harness::cell::BenchCell;
use crate::harness::draw::{DrawnNetwork, size_in_octave};
use crate::harness::folder::BenchFolder;
use crate::harness::learn::{LearnedChoices, PROFILE, select_choices};

/// The algorithms of the campaign beside the library's own choice.
const CAMPAIGN_ALGORITHMS: [&str; 3] = [
    "windowed:segment=4096,window=4",
    "two-phase-staggered:3",
    "two-phase-spaced:2",
];

/// Prefix of the names of two-phase exchanges.
pub(super) const TWO_PHASE: &str = "two-phase";

/// Powers of two of the judged sizes: one size is drawn between each and the next.
const OCTAVES: std::ops::Range<i32> = 8..17;

/// The size that is always judged.
pub(super) const FIXED_SIZE: Bytes = Bytes(4 << 10);

/// Name of the campaign's data, and of the file of clusters.
const CAMPAIGN: &str = "alltoall";
const CLUSTERS: &str = "clusters.toml";

/// A prediction of `netsig predict --format csv`.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct PredictedExchange {
    pub(super) procs: Procs,
    pub(super) size_bytes: Bytes,
    pub(super) time_s: Seconds,
    pub(super) lower_s: Option<Seconds>,
    pub(super) upper_s: Option<Seconds>,
}

/// Results of the user's steps on sites.
pub(super) struct KnownSites {
    /// Duration of `netsig discover`.
    pub(super) discovery: Seconds,
    /// True if `netsig discover` found the sites.
    pub(super) is_found: bool,
    /// Choices and candidates.
    pub(super) learned: LearnedChoices,
    /// Predictions of the two-phase exchanges.
    pub(super) predicted: Vec<(&'static str, Vec<PredictedExchange>)>,
    /// Numbers of processes and sizes that the campaign measured.
    pub(super) procs: BTreeSet<Procs>,
    pub(super) sizes: BTreeSet<Bytes>,
}

/// Measures missing data, fits, predicts and selects.
pub(super) fn learn_sites(bench_network: &BenchNetwork) -> Result<KnownSites> {
    let (drawn, folder) = (&bench_network.drawn, &bench_network.folder);
    bench_network.describe([&drawn.whole])?;
    let (discovery, is_found) = discover_once(drawn, folder)?;
    let campaign = SteeredCampaign {
        name: CAMPAIGN,
        wanted: &format!("alltoall {LIBRARY},{}", CAMPAIGN_ALGORITHMS.join(",")),
        // The slowest drawn links need most of these seconds for the first pass.
        budget: bench_network.effort.choose(360, 150),
        options: &format!("--clusters {CLUSTERS} --size 256..128KiB"),
    };
    let seconds = bench_network.run_campaign(campaign, &drawn.whole)?;
    folder.fit(&format!("{CAMPAIGN}.csv"), PROFILE, "")?;
    let (procs, sizes) = judged_cases(drawn);
    let choices = select_choices(folder, Collective::Alltoall, &procs, &sizes, "")?;
    let two_phase_names = CAMPAIGN_ALGORITHMS
        .into_iter()
        .filter(|name| name.starts_with(TWO_PHASE));
    let predicted = two_phase_names.map(|name| Ok((name, predictions(folder, name, &procs, &sizes)?)));
    let measured = measured_exchanges(&folder.netsig.data(&format!("{CAMPAIGN}.csv"))?);
    let candidates = CAMPAIGN_ALGORITHMS.map(str::to_owned).to_vec();
    Ok(KnownSites {
        discovery,
        is_found,
        learned: LearnedChoices {
            choices,
            candidates: [(Collective::Alltoall, candidates)].into(),
            seconds,
            notes: Vec::new(),
        },
        predicted: predicted.collect::<Result<_>>()?,
        procs: measured.iter().map(|cell| cell.procs).collect(),
        sizes: measured.iter().map(|cell| cell.size).collect(),
    })
}

/// The judged process counts, about 5/6 and all (a campaign measures about 2/3 and all), and the judged sizes.
fn judged_cases(drawn: &DrawnNetwork) -> ([Procs; 2], Vec<u64>) {
    let all = drawn.whole.hosts();
    let fewer = Procs::new((5 * all.get()).div_ceil(6)).expect("there are hosts");
    let mut rng = drawn.rng();
    let drawn_sizes = OCTAVES.map(|octave| size_in_octave(&mut rng, octave));
    let sorted_sizes = drawn_sizes.chain([FIXED_SIZE]).sorted_unstable();
    ([fewer, all], sorted_sizes.map(|size| size.0).collect())
}

/// The duration of `netsig discover`, which runs once, and true if it found the sites.
fn discover_once(drawn: &DrawnNetwork, folder: &BenchFolder) -> Result<(Seconds, bool)> {
    let seconds = folder.run_once("discover", CLUSTERS, || {
        let words = format!(
            "discover -o {CLUSTERS} --on lab:{}.toml --launcher {}",
            drawn.whole.name, drawn.mpi
        );
        folder.netsig.run(&words).map(drop)
    })?;
    let text = fs::read_to_string(folder.path(CLUSTERS))?;
    let grid = ClusterGrid::parse(CLUSTERS, &text)?;
    let truth = netsig_lab::clusters(&drawn.whole);
    Ok((Seconds(seconds), host_sets(&grid.clusters) == host_sets(&truth)))
}

/// The hosts of every cluster, without the clusters' names.
fn host_sets(clusters: &HostClusters) -> Option<BTreeSet<BTreeSet<&str>>> {
    let HostClusters::Named(named) = clusters else {
        return None;
    };
    let hosts = named.iter().map(|cluster| cluster.hosts.iter());
    Some(hosts.map(|hosts| hosts.map(String::as_str).collect()).collect())
}

fn predictions(
    folder: &BenchFolder,
    algorithm: &str,
    procs: &[Procs],
    sizes: &[u64],
) -> Result<Vec<PredictedExchange>> {
    folder.netsig.rows(&format!(
        "predict {PROFILE}.toml --collective alltoall --algorithm {algorithm} --procs {} --size {} --format csv",
        procs.iter().join(","),
        sizes.iter().join(","),
    ))
}

/// The cells of two-phase exchanges in the data.
fn measured_exchanges(data: &Dataset) -> Vec<BenchCell> {
    let keys = summarise(data).into_keys();
    let two_phase_keys = keys.filter(|key: &CellKey| key.algorithm.starts_with(TWO_PHASE));
    two_phase_keys.filter_map(|key| BenchCell::of(&key)).collect()
}
