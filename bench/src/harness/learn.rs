//! The steps of a user: campaigns of about a minute each on half of the hosts, a fit, and a selection for unmeasured
//! process counts.

use std::collections::BTreeMap;

use anyhow::Result;
use itertools::Itertools as _;
use netsig_base::algorithm::{Collective, CollectiveMethod, LIBRARY, MpiFlavour, split_algorithms};
use netsig_base::units::{Bytes, Procs};
use netsig_model::profile::Profile;
use serde::Deserialize;

use super::campaign::{BenchNetwork, SteeredCampaign};
use super::cell::{BenchCell, CellChoices};
use super::draw::DrawnNetwork;
use super::folder::BenchFolder;

/// A collective to measure.
pub struct CollectiveCampaign {
    /// Name of the collective and of its data.
    name: &'static str,
    algorithms: &'static str,
    /// Length of the campaign.
    seconds: u32,
}

/// The all-to-all.
pub const ALLTOALL_CAMPAIGN: CollectiveCampaign = CollectiveCampaign {
    name: "alltoall",
    algorithms: "library,library:pairwise,windowed:segment=4096,window=4",
    seconds: 60,
};

/// The broadcast.
const BCAST_CAMPAIGN: CollectiveCampaign = CollectiveCampaign {
    name: "bcast",
    algorithms: "library,binomial,pipeline:1024,pipeline:4096,scatter-allgather,scatter-allgather-ring",
    seconds: 60,
};

/// The all-reduce.
const ALLREDUCE_CAMPAIGN: CollectiveCampaign = CollectiveCampaign {
    name: "allreduce",
    algorithms: "library,recursive-doubling,rabenseifner,ring,reduce-bcast,direct",
    seconds: 60,
};

/// Collectives whose choices are judged.
const JUDGED_COLLECTIVES: [CollectiveCampaign; 3] = [ALLTOALL_CAMPAIGN, BCAST_CAMPAIGN, ALLREDUCE_CAMPAIGN];

/// Further collectives that programs call. Pieces of different sizes need more time.
pub const FURTHER_COLLECTIVES: [CollectiveCampaign; 2] = [
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

/// The sizes of the selection; the last one of reductions alone, whose messages are parts of their vectors.
const SIZES: [u64; 7] = [256, 1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20];

/// Name of the profile.
pub const PROFILE: &str = "profile";

/// The outcome of making a profile.
pub struct MadeProfile {
    /// `None` if netsig could not make it.
    pub profile: Option<Profile>,
    /// Duration of the measuring commands.
    pub seconds: f64,
    pub notes: Vec<String>,
}

/// The choices after measuring.
pub struct LearnedChoices {
    pub choices: CellChoices,
    /// Measured algorithms of each collective, by the names in data.
    pub candidates: BTreeMap<Collective, Vec<String>>,
    /// Duration of the measuring commands.
    pub seconds: f64,
    pub notes: Vec<String>,
}

/// A row of `netsig select --format csv`, with the fields that a choice needs.
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

/// The campaigns of these collectives whose choices are judged, or all of them if none is given.
pub fn judged_campaigns(collectives: &[Collective]) -> Vec<&'static CollectiveCampaign> {
    let is_wanted = |campaign: &&CollectiveCampaign| {
        collectives.is_empty()
            || collectives
                .iter()
                .any(|collective| collective.to_string() == campaign.name)
    };
    JUDGED_COLLECTIVES.iter().filter(is_wanted).collect()
}

/// Measures missing data and selects for the judged collectives. If netsig fails, the library's own choice counts.
pub fn learn_choices(bench_network: &BenchNetwork, wanted: &[&'static CollectiveCampaign]) -> Result<LearnedChoices> {
    let made = make_profile(bench_network, wanted)?;
    let mut learned = LearnedChoices {
        choices: CellChoices::new(),
        candidates: BTreeMap::new(),
        seconds: made.seconds,
        notes: made.notes,
    };
    let procs = judged_counts(&bench_network.drawn);
    let is_wanted = |judged: &&CollectiveCampaign| wanted.iter().any(|campaign| campaign.name == judged.name);
    for campaign in JUDGED_COLLECTIVES.iter().filter(is_wanted) {
        let (collective, algorithms) = campaign.parsed()?;
        learned.candidates.insert(collective, algorithms);
        let sizes = sizes_of(collective).iter().copied();
        let cases = procs.into_iter().cartesian_product(sizes);
        let library_choices = cases.map(|(procs, size)| {
            let size = Bytes(size);
            let cell = BenchCell {
                collective,
                procs,
                size,
            };
            (cell, LIBRARY.to_owned())
        });
        learned.choices.extend(library_choices);
    }
    if made.profile.is_none() {
        return Ok(learned);
    }
    let network = bench_network.description();
    for &collective in learned.candidates.keys() {
        match select_choices(
            &bench_network.folder,
            collective,
            &procs,
            sizes_of(collective),
            &network,
        ) {
            Ok(choices) => learned.choices.extend(choices),
            Err(error) => learned.notes.push(format!("{collective}: {error:#}")),
        }
    }
    Ok(learned)
}

/// Measures missing data and fits them to the profile of the network.
pub fn make_profile(bench_network: &BenchNetwork, wanted: &[&'static CollectiveCampaign]) -> Result<MadeProfile> {
    let drawn = &bench_network.drawn;
    bench_network.describe([&drawn.whole, &drawn.half])?;
    let mut made = MadeProfile {
        profile: None,
        seconds: 0.0,
        notes: Vec::new(),
    };
    for collective_campaign in wanted {
        let CollectiveCampaign { name, seconds, .. } = *collective_campaign;
        let campaign = SteeredCampaign {
            name,
            wanted: &format!("{name} {}", collective_campaign.algorithms_of(drawn.flavour())),
            budget: bench_network.effort.choose(*seconds, seconds * 2 / 3),
            options: "",
        };
        match bench_network.run_campaign(campaign, &drawn.half) {
            Ok(seconds) => made.seconds += seconds,
            Err(error) => made.notes.push(format!("{name}: {error:#}")),
        }
    }
    let data_files = wanted
        .iter()
        .map(|collective_campaign| format!("{}.csv", collective_campaign.name));
    let files = data_files.filter(|file| bench_network.folder.has(file)).join(" ");
    match bench_network.folder.fit(&files, PROFILE, &bench_network.description()) {
        Ok(profile) => made.profile = Some(profile),
        Err(error) => made.notes.push(format!("no profile: {error:#}")),
    }
    Ok(made)
}

impl CollectiveCampaign {
    /// The algorithms that an MPI has.
    fn algorithms_of(&self, flavour: MpiFlavour) -> String {
        let is_available = |name: &&str| {
            let method = self
                .name
                .parse()
                .map(|collective| CollectiveMethod::parse(collective, name));
            match method {
                Ok(Ok(method @ CollectiveMethod::Library(_))) => {
                    *name == LIBRARY || method.mpi_setting(flavour).is_some()
                }
                _ => true,
            }
        };
        let names = split_algorithms(self.algorithms).into_iter();
        names.filter(is_available).join(",")
    }

    /// The collective and its algorithms, by the names in data.
    fn parsed(&self) -> Result<(Collective, Vec<String>)> {
        let collective: Collective = self.name.parse()?;
        let names = split_algorithms(self.algorithms).into_iter();
        let methods = names.map(|name| Ok(CollectiveMethod::parse(collective, name)?.to_string()));
        Ok((collective, methods.collect::<Result<_>>()?))
    }
}

/// The sizes of a collective's selection.
fn sizes_of(collective: Collective) -> &'static [u64] {
    let last = SIZES.len() - usize::from(!collective.is_reduction());
    &SIZES[..last]
}

/// The judged process counts, unknown to all profiles: ¾ and all of the hosts.
pub fn judged_counts(drawn: &DrawnNetwork) -> [Procs; 2] {
    let all = drawn.whole.hosts();
    let three_quarters = Procs::new(all.get() * 3 / 4).expect("there are hosts");
    [three_quarters, all]
}

/// The first candidate of every ranking of `netsig select`, if it is recommended.
pub fn select_choices(
    folder: &BenchFolder,
    collective: Collective,
    procs: &[Procs],
    sizes: &[u64],
    options: &str,
) -> Result<CellChoices> {
    let selected_rows: Vec<SelectedRow> = folder.netsig.rows(&format!(
        "select {PROFILE}.toml --collective {collective} --procs {} --size {} --extrapolate --format csv {options}",
        procs.iter().join(","),
        sizes.iter().join(","),
    ))?;
    let rows = selected_rows.into_iter();
    let recommended = rows.filter(|row| row.rank == 1 && row.standing != OUTSIDE);
    let choice = |row: SelectedRow| {
        let cell = BenchCell {
            collective,
            procs: row.procs,
            size: row.size_bytes,
        };
        (cell, row.algorithm)
    };
    Ok(recommended.map(choice).collect())
}
