//! What a user does on sites: discovers the clusters, measures for about six minutes, fits, predicts and
//! selects.

use std::collections::BTreeSet;
use std::fs;

use anyhow::Result;
use itertools::Itertools as _;
use netsig_base::algorithm::{Collective, LIBRARY};
use netsig_base::data::{Dataset, Experiment};
use netsig_base::network::{Clusters, Grid};
use netsig_base::units::{Bytes, Procs, Seconds};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;

use crate::cell::Cell;
use crate::draw::Drawn;
use crate::effort::Effort;
use crate::learn::{Learned, PROFILE, selected};
use crate::site::{Campaign, Site};

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
pub(super) struct Predicted {
    pub(super) procs: Procs,
    pub(super) size_bytes: Bytes,
    pub(super) time_s: Seconds,
    pub(super) lower_s: Option<Seconds>,
    pub(super) upper_s: Option<Seconds>,
}

/// What a user knows of sites.
pub(super) struct Known {
    /// Duration of `netsig discover`.
    pub(super) discovery: Seconds,
    /// True if it found the sites.
    pub(super) is_found: bool,
    /// Choices and candidates.
    pub(super) learned: Learned,
    /// Predictions of the two-phase exchanges.
    pub(super) predicted: Vec<(&'static str, Vec<Predicted>)>,
    /// Numbers of processes and sizes that the campaign measured.
    pub(super) procs: BTreeSet<Procs>,
    pub(super) sizes: BTreeSet<Bytes>,
}

impl Effort {
    /// Seconds of the campaign: the slowest links that are drawn need most of them for the first pass.
    fn survey(self) -> u32 {
        match self {
            Self::Full => 360,
            Self::Trial => 150,
        }
    }
}

/// Measures what is missing, fits, predicts and selects.
pub(super) fn known(drawn: &Drawn, site: &Site, effort: Effort) -> Result<Known> {
    site.describe(&drawn.whole)?;
    let (discovery, is_found) = discovered(drawn, site)?;
    let campaign = Campaign {
        name: CAMPAIGN,
        wanted: &format!("alltoall {LIBRARY},{}", OTHERS.join(",")),
        budget: effort.survey(),
        options: &format!("--clusters {CLUSTERS} --sizes 256..128KiB"),
    };
    let seconds = site.campaign(drawn, campaign, &drawn.whole)?;
    site.fit(&format!("{CAMPAIGN}.csv"), PROFILE, None)?;
    let (procs, sizes) = judged(drawn);
    let choices = selected(site, Collective::Alltoall, (&procs, &sizes), "")?;
    let own = OTHERS
        .into_iter()
        .filter(|name| name.starts_with(TWO_PHASE));
    let own = own.map(|name| Ok((name, predictions(site, name, (&procs, &sizes))?)));
    let data = site.netsig.data(&format!("{CAMPAIGN}.csv"))?;
    let candidates = OTHERS.map(str::to_owned).to_vec();
    Ok(Known {
        discovery,
        is_found,
        learned: Learned {
            choices,
            candidates: [(Collective::Alltoall, candidates)].into(),
            seconds,
            notes: Vec::new(),
        },
        predicted: own.collect::<Result<_>>()?,
        procs: exchanges(&data).map(|cell| cell.procs).collect(),
        sizes: exchanges(&data).map(|cell| cell.size).collect(),
    })
}

/// All processes, and about 5/6 of them: a campaign measures all and about 2/3; and the judged sizes.
fn judged(drawn: &Drawn) -> ([Procs; 2], Vec<u64>) {
    let all = drawn.whole.hosts();
    let fewer = Procs::new((5 * all.get()).div_ceil(6)).expect("there are hosts");
    let seed = drawn.name.bytes().fold(0, |sum: u64, byte| {
        sum.wrapping_mul(31).wrapping_add(byte.into())
    });
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let drawn = OCTAVES.map(|octave| {
        let power = f64::from(octave) + rng.random_range(0.2..0.8);
        Bytes::rounded(2f64.powf(power))
    });
    let sizes = drawn.chain([PACKED]).sorted_unstable();
    ([fewer, all], sizes.map(|size| size.0).collect())
}

/// The duration of `netsig discover`, which runs once, and whether it found the sites.
fn discovered(drawn: &Drawn, site: &Site) -> Result<(Seconds, bool)> {
    let duration = site.path("discover.seconds");
    if !duration.is_file() {
        let _ = fs::remove_file(site.path(CLUSTERS));
        let seconds = site.netsig.seconds(&format!(
            "discover -o {CLUSTERS} --on lab:{}.toml --launcher {}",
            drawn.whole.name, drawn.mpi
        ))?;
        fs::write(&duration, seconds.to_string())?;
    }
    let seconds = fs::read_to_string(&duration)?.parse()?;
    let text = fs::read_to_string(site.path(CLUSTERS))?;
    let grid = Grid::parse(CLUSTERS, &text)?;
    let truth = netsig_lab::clusters(&drawn.whole);
    Ok((Seconds(seconds), hosts(&grid.clusters) == hosts(&truth)))
}

/// The hosts of every cluster, without the clusters' names.
fn hosts(clusters: &Clusters) -> Option<BTreeSet<BTreeSet<&str>>> {
    let Clusters::Named(clusters) = clusters else {
        return None;
    };
    let hosts = clusters.iter();
    Some(
        hosts
            .map(|own| own.hosts.iter().map(String::as_str).collect())
            .collect(),
    )
}

fn predictions(
    site: &Site,
    algorithm: &str,
    (procs, sizes): (&[Procs], &[u64]),
) -> Result<Vec<Predicted>> {
    let printed = site.netsig.run(&format!(
        "predict {PROFILE}.toml --collective alltoall --algorithm {algorithm} --procs {} --size {} --format csv",
        procs.iter().join(","),
        sizes.iter().join(","),
    ))?;
    let mut reader = csv::Reader::from_reader(printed.as_bytes());
    Ok(reader.deserialize().collect::<Result<_, _>>()?)
}

/// The cells of two-phase exchanges in the data.
fn exchanges(data: &Dataset) -> impl Iterator<Item = Cell> {
    let places = data.samples.iter().map(|sample| &sample.place);
    let own = places.filter(|place| {
        matches!(place.experiment, Experiment::Collective(_))
            && place.algorithm.starts_with(TWO_PHASE)
    });
    own.filter_map(Cell::of)
}
