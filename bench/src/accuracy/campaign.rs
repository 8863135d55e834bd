//! The emulated clusters, their data, and the time to measure the data.

use std::fs;

use anyhow::{Result, bail};
use netsig_core::algorithm::Collective;
use netsig_core::data::{Dataset, Experiment};
use netsig_core::units::Seconds;

use super::split::Measured;
use crate::process::{self, Netsig, spent};

/// The name of an emulated cluster and the plan of its held-out campaign.
pub(super) struct Network(pub(super) &'static str, &'static str);

/// The clusters: one with packet losses, one with another congestion control, one with more hosts,
/// one with an uplink that hosts share, one without losses.
pub(super) const NETWORKS: [Network; 5] = [
    Network("ethernet-12x40", "heldout-12"),
    Network("cubic-16x40", "heldout-12"),
    Network("ethernet-16x25", "heldout-16"),
    Network("tree-2x6x40", "heldout-12"),
    // With twelve hosts, so deep a queue would overload the machine.
    Network("deep-12x40", "heldout-10"),
];

/// A cluster that is evaluated only if named: nothing was ever adjusted to it.
pub(super) const FURTHER: Network = Network("ethernet-12x30", "heldout-12");

/// Tables of the OSU micro-benchmarks measured elsewhere, in the format of `netsig import osu`,
/// from `osu_latency` and `osu_alltoall` of several process counts.
pub(super) const OSU: &str = "bench/results/accuracy/osu.csv";

/// The key of the last launch of every plan: its line ends a complete file.
const LAST_LAUNCH: &str = "launch_1_s";

/// The all-to-alls that a profile needs; the other all-to-alls of the plan are for comparison.
pub(super) const JUDGED: [&str; 3] = ["direct", "pairwise", "library"];

/// Number of attempts to measure a part with valid data.
const ATTEMPTS: u32 = 3;

impl Network {
    /// The campaigns: part of the data and name of the plan.
    fn campaigns(&self) -> [(&str, &str); 3] {
        [("train", "train"), ("few", "few"), ("heldout", self.1)]
    }

    /// The file of a part of the data, relative to the root.
    fn file(&self, part: &str) -> String {
        format!("bench/results/accuracy/{}-{part}.csv", self.0)
    }

    /// The arguments of netsig for a campaign.
    fn words(&self, (part, plan): (&str, &str)) -> String {
        format!(
            "measure plans/accuracy-{plan}.toml -o {} --on lab:{} --resume",
            self.file(part),
            self.0
        )
    }

    /// The data of the network. Measures incomplete parts; interrupted campaigns are resumed.
    pub(super) fn measured(&self) -> Result<Measured> {
        for campaign in self.campaigns() {
            let data = read(&self.file(campaign.0));
            if !data.is_ok_and(|data| data.provenance.get(LAST_LAUNCH).is_some()) {
                self.measure(campaign)?;
            }
        }
        let [train, few, heldout] = self.campaigns().map(|(part, _)| read(&self.file(part)));
        Ok(Measured {
            train: train?,
            few: few?,
            heldout: heldout?,
            network: Some(netsig_lab::load(self.0)?),
        })
    }

    /// Measures one part, and repeats the measurement if the machine was too busy for valid data.
    fn measure(&self, campaign: (&str, &str)) -> Result<()> {
        let netsig = Netsig::built(&crate::root(), "bench-accuracy")?;
        let (words, file) = (self.words(campaign), self.file(campaign.0));
        for further in (0..ATTEMPTS).rev() {
            eprintln!("netsig {words}");
            let done = netsig.run(&words).map(drop);
            let is_void = || netsig.data(&file).is_ok_and(|data| data.void().is_some());
            if done.is_ok() || further == 0 || !is_void() {
                return done;
            }
            eprintln!("{file}: void, measured again");
            fs::remove_file(netsig.folder().join(&file))?;
        }
        Ok(())
    }
}

/// Reads the data of a file; void data are an error.
fn read(file: &str) -> Result<Dataset> {
    let data = process::read(&crate::root().join(file))?;
    if let Some(reason) = data.void() {
        bail!("{file}: the data are void ({reason}); remove the file and measure again");
    }
    Ok(data)
}

/// The data of [`OSU`], if the file exists.
pub(super) fn osu() -> Result<Option<Measured>> {
    if !crate::root().join(OSU).is_file() {
        return Ok(None);
    }
    let all = read(OSU)?;
    Ok(Some(Measured {
        train: all.clone(),
        few: Dataset::default(),
        heldout: all,
        network: None,
    }))
}

/// The time to measure the data of a profile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cost {
    /// Duration of all launches.
    pub(super) wall: Seconds,
    /// Time in timed operations between two ranks and of the judged all-to-alls.
    pub(super) timed: Seconds,
}

impl Cost {
    /// Subtracts the samples of other collectives from the time of all operations, because the
    /// samples of operations between two ranks hold less time than the operations take.
    pub(super) fn of(data: &Dataset) -> Result<Self> {
        let others = data
            .samples
            .iter()
            .filter(|own| match own.place.experiment {
                Experiment::Collective(Collective::Alltoall) => {
                    !JUDGED.contains(&&*own.place.algorithm)
                }
                other => matches!(other, Experiment::Collective(_)),
            });
        let others: f64 = others.map(|sample| sample.time.0).sum();
        Ok(Self {
            wall: Seconds(spent(&data.provenance, "wall")?),
            timed: Seconds(spent(&data.provenance, "timed")? - others),
        })
    }
}
