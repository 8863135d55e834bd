//! What a user does on sites: discovers the clusters, measures for about six minutes, fits, predicts and
//! selects.

use std::collections::BTreeSet;
use std::fs;

use anyhow::Result;
use itertools::Itertools as _;
use netsig_base::algorithm::{Collective, LIBRARY};
use netsig_base::data::Dataset;
use netsig_base::data::cells::{CellKey, summarise};
use netsig_base::network::{Clusters, Grid};
use netsig_base::units::{Bytes, Procs, Seconds};
use serde::Deserialize;

use crate::harness::campaign::{NetworkSite, SteeredCampaign};
use crate::harness::cell::BenchCell;
use crate::harness::draw::{DrawnNetwork, between};
use crate::harness::folder::BenchFolder;
use crate::harness::learn::{LearnedChoices, PROFILE, selected};

/// The algorithms of the campaign beside the library's own choice.
const OTHERS: [&str; 3] = [
    "windowed:segment=4096,window=4",
    "two-phase-staggered:3",
    "two-phase-spaced:2",
];

/// What the names of the two-phase exchanges begin with.
pub(super) const TWO_PHASE: &str = "two-phase";

/// Powers of two of the judged sizes: one size is drawn between each and the next.
const OCTAVES: std::ops::Range<i32> = 8..17;

/// A size that is always judged.
pub(super) const PACKED: Bytes = Bytes(4 << 10);

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

/// What a user knows of sites.
pub(super) struct KnownSites {
    /// Duration of `netsig discover`.
    pub(super) discovery: Seconds,
    /// True if it found the sites.
    pub(super) is_found: bool,
    /// Choices and candidates.
    pub(super) learned: LearnedChoices,
    /// Predictions of the two-phase exchanges.
    pub(super) predicted: Vec<(&'static str, Vec<PredictedExchange>)>,
    /// Numbers of processes and sizes that the campaign measured.
    pub(super) procs: BTreeSet<Procs>,
    pub(super) sizes: BTreeSet<Bytes>,
}

/// Measures what is missing, fits, predicts and selects.
pub(super) fn known(site: &NetworkSite) -> Result<KnownSites> {
    let (drawn, folder) = (&site.drawn, &site.folder);
    site.describe([&drawn.whole])?;
    let (discovery, is_found) = discovered(drawn, folder)?;
    let campaign = SteeredCampaign {
        name: CAMPAIGN,
        wanted: &format!("alltoall {LIBRARY},{}", OTHERS.join(",")),
        // The slowest links that are drawn need most of them for the first pass.
        budget: site.effort.of(360, 150),
        options: &format!("--clusters {CLUSTERS} --sizes 256..128KiB"),
    };
    let seconds = site.campaign(campaign, &drawn.whole)?;
    folder.fit(&format!("{CAMPAIGN}.csv"), PROFILE, "")?;
    let (procs, sizes) = judged(drawn);
    let choices = selected(folder, Collective::Alltoall, (&procs, &sizes), "")?;
    let own = OTHERS.into_iter().filter(|name| name.starts_with(TWO_PHASE));
    let own = own.map(|name| Ok((name, predictions(folder, name, (&procs, &sizes))?)));
    let measured = exchanges(&folder.netsig.data(&format!("{CAMPAIGN}.csv"))?);
    let candidates = OTHERS.map(str::to_owned).to_vec();
    Ok(KnownSites {
        discovery,
        is_found,
        learned: LearnedChoices {
            choices,
            candidates: [(Collective::Alltoall, candidates)].into(),
            seconds,
            notes: Vec::new(),
        },
        predicted: own.collect::<Result<_>>()?,
        procs: measured.iter().map(|cell| cell.procs).collect(),
        sizes: measured.iter().map(|cell| cell.size).collect(),
    })
}

/// All processes, and about 5/6 of them: a campaign measures all and about 2/3; and the judged sizes.
fn judged(drawn: &DrawnNetwork) -> ([Procs; 2], Vec<u64>) {
    let all = drawn.whole.hosts();
    let fewer = Procs::new((5 * all.get()).div_ceil(6)).expect("there are hosts");
    let mut rng = drawn.rng();
    let sizes = OCTAVES.map(|octave| between(&mut rng, octave));
    let sizes = sizes.chain([PACKED]).sorted_unstable();
    ([fewer, all], sizes.map(|size| size.0).collect())
}

/// The duration of `netsig discover`, which runs once, and whether it found the sites.
fn discovered(drawn: &DrawnNetwork, folder: &BenchFolder) -> Result<(Seconds, bool)> {
    let seconds = folder.once("discover", CLUSTERS, || {
        let words = format!(
            "discover -o {CLUSTERS} --on lab:{}.toml --launcher {}",
            drawn.whole.name, drawn.mpi
        );
        folder.netsig.run(&words).map(drop)
    })?;
    let text = fs::read_to_string(folder.path(CLUSTERS))?;
    let grid = Grid::parse(CLUSTERS, &text)?;
    let truth = netsig_lab::clusters(&drawn.whole);
    Ok((Seconds(seconds), hosts(&grid.clusters) == hosts(&truth)))
}

/// The hosts of every cluster, without the clusters' names.
fn hosts(clusters: &Clusters) -> Option<BTreeSet<BTreeSet<&str>>> {
    let Clusters::Named(clusters) = clusters else {
        return None;
    };
    let hosts = clusters.iter().map(|own| own.hosts.iter());
    Some(hosts.map(|hosts| hosts.map(String::as_str).collect()).collect())
}

fn predictions(
    folder: &BenchFolder,
    algorithm: &str,
    (procs, sizes): (&[Procs], &[u64]),
) -> Result<Vec<PredictedExchange>> {
    folder.netsig.rows(&format!(
        "predict {PROFILE}.toml --collective alltoall --algorithm {algorithm} --procs {} --size {} --format csv",
        procs.iter().join(","),
        sizes.iter().join(","),
    ))
}

/// The cells of two-phase exchanges in the data.
fn exchanges(data: &Dataset) -> Vec<BenchCell> {
    let keys = summarise(data).into_keys();
    let own = keys.filter(|key: &CellKey| key.algorithm.starts_with(TWO_PHASE));
    own.filter_map(|key| BenchCell::of(&key)).collect()
}
