//! The plan of a campaign, and the parameters of the network and the measured times from its data.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use netsig_base::algorithm::Collective;
use netsig_base::data::{Dataset, Experiment};
use netsig_base::network::{LinkSpec, Network};
use netsig_base::stats::sample::SortedValues;
use netsig_base::units::{BitsPerSecond, Bytes, Procs, Seconds};
use netsig_model::profile::Profile;

use crate::harness::process;

/// Bytes that every pair sends simultaneously to saturate the uplink.
const FLOW_SIZE: Bytes = Bytes(4 << 20);

/// The plan of a campaign: single pairs, simultaneous pairs, and the all-to-alls.
pub(super) fn plan(procs: Procs, sizes: &str) -> String {
    let pairs = procs.get() / 2;
    format!(
        "seed = 50\nlaunches = 2\n\n[pingpong]\nsizes = \"1..64, 64KiB..512KiB\"\nrepetitions = 10\n\n\
         [plogp]\nsizes = \"1..128KiB\"\n\n\
         [flows]\npairs = [1, {pairs}]\nsize = \"{}MiB\"\nrepetitions = 3\n\n\
         [[collective]]\nname = \"alltoall\"\nalgorithms = [\"pairwise\", \"sends-in-turn\"]\n\
         procs = {procs}\nsizes = \"{sizes}\"\nrepetitions = 8\nwarmup = 1\n",
        FLOW_SIZE.0 >> 20,
    )
}

/// The data of a campaign and the profile fitted to them.
pub(super) struct PlogptCampaign {
    data: Dataset,
    profile: Profile,
}

impl PlogptCampaign {
    pub(super) fn read(data: &Path, profile: &Path) -> Result<Self> {
        let text = fs::read_to_string(profile)?;
        Ok(Self {
            data: process::read_dataset(data)?,
            profile: Profile::parse(&profile.display().to_string(), &text)?,
        })
    }

    /// L, measured between two ranks.
    pub(super) fn latency(&self) -> Result<Seconds> {
        let plogp = self.profile.plogp.as_ref();
        Ok(plogp.context("the profile has no pLogP")?.latency())
    }

    /// The times of the repetitions of an all-to-all.
    pub(super) fn times(&self, algorithm: &str, size: Bytes) -> Result<SortedValues> {
        let wanted = Experiment::Collective(Collective::Alltoall);
        let samples = self.data.samples.iter().filter(|sample| {
            let place = &sample.cell;
            place.experiment == wanted && &*place.algorithm == algorithm && place.size == size
        });
        let times: Vec<f64> = samples.map(|sample| sample.time.0).collect();
        ensure!(!times.is_empty(), "no times of {algorithm} with {size}");
        Ok(SortedValues::new(times))
    }

    /// A network of two switches with the measured rates: 1/β for a host's link, and the total rate
    /// of all simultaneous pairs for the link between the switches.
    pub(super) fn network(&self, stated: &Network) -> Result<Network> {
        let beta = self.profile.hockney.model().beta();
        let procs = stated.hosts();
        let first_cut = stated.cuts().and_then(<[_]>::first);
        let cut = first_cut.with_context(|| format!("{} has one switch", stated.name))?;
        let second = cut.procs_behind(procs);
        let pairs = procs.get() / 2;
        let uplink = bits_per_second(f64::from(pairs) * FLOW_SIZE.as_f64() / self.slowest_flow(pairs)?);
        let port = LinkSpec::new(bits_per_second(1.0 / beta.0), stated.links()[0].buffer);
        let switches = [procs.get() - second, second];
        Ok(Network::two_switches(
            switches,
            port,
            LinkSpec::new(uplink, cut.buffer),
        )?)
    }

    /// The time of the slowest pair, the median over the repetitions.
    fn slowest_flow(&self, pairs: u32) -> Result<f64> {
        let flows = self.data.samples.iter().filter(|sample| {
            let place = &sample.cell;
            place.experiment == Experiment::Flow && place.procs.get() == 2 * pairs
        });
        let mut slowest_times = std::collections::BTreeMap::new();
        for flow in flows {
            let time: &mut f64 = slowest_times.entry((flow.cell.launch, flow.repetition)).or_default();
            *time = time.max(flow.time.0);
        }
        ensure!(!slowest_times.is_empty(), "no flows of {pairs} pairs");
        Ok(SortedValues::new(slowest_times.into_values().collect()).median())
    }
}

/// Rounds to whole bits per second.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "rates of emulated links are far from the bounds"
)]
fn bits_per_second(bytes_per_second: f64) -> BitsPerSecond {
    BitsPerSecond((bytes_per_second * 8.0).round() as u64)
}
