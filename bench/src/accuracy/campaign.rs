//! What is measured, where, and what it cost.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use netsig_core::algorithm::Collective;
use netsig_core::data::import::{Asked, Input, Program, import};
use netsig_core::data::{Dataset, Experiment};
use netsig_core::units::Seconds;

use super::split::Measured;
use crate::process::{self, Netsig, spent};

/// An emulated cluster and the plan of its held-out part.
pub(super) struct Network {
    pub(super) name: &'static str,
    heldout: &'static str,
}

const fn network(name: &'static str, heldout: &'static str) -> Network {
    Network { name, heldout }
}

/// The clusters: one that loses packets, one under another congestion control, one with more
/// hosts, one with an uplink that hosts share, one that loses nothing.
pub(super) const NETWORKS: [Network; 5] = [
    network("ethernet-12x40", "heldout-12"),
    network("cubic-16x40", "heldout-12"),
    network("ethernet-16x25", "heldout-16"),
    network("tree-2x6x40", "heldout-12"),
    // With twelve hosts so deep a queue asks more of the machine than it has.
    network("deep-12x40", "heldout-10"),
];

/// One that is judged only where it is named: nothing was ever adjusted to it.
pub(super) const FURTHER: Network = network("ethernet-12x30", "heldout-12");

/// The variable that names a directory with tables of the OSU micro-benchmarks that somebody
/// measured elsewhere: [`LATENCY`] and `osu_alltoall-direct-pN.txt`.
pub(super) const OSU_TABLES: &str = "NETSIG_OSU_DIR";

const LATENCY: &str = "osu_latency-p2.txt";
const ALLTOALL: &str = "osu_alltoall-direct-p";

/// The last launch of every plan: its line ends a complete file.
const LAST_LAUNCH: &str = "launch_1_s";

/// The all-to-alls that a profile needs; the others of the plan are for comparison.
pub(super) const JUDGED: [&str; 3] = ["direct", "pairwise", "library"];

/// How often a part is measured whose data are void.
const ATTEMPTS: u32 = 3;

impl Network {
    /// Its campaigns: the part of the data and the plan.
    fn campaigns(&self) -> [(&str, &str); 3] {
        [
            ("train", "train"),
            ("few", "few"),
            ("heldout", self.heldout),
        ]
    }

    /// A part of the data, from the root.
    fn file(&self, part: &str) -> String {
        format!("bench/results/accuracy/{}-{part}.csv", self.name)
    }

    /// The arguments of netsig for one of the campaigns.
    fn words(&self, (part, plan): (&str, &str)) -> String {
        format!(
            "measure plans/accuracy-{plan}.toml -o {} --on lab:{} --resume",
            self.file(part),
            self.name
        )
    }

    /// The campaigns as lines of a shell.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        let words = self.campaigns().map(|campaign| self.words(campaign));
        words
            .into_iter()
            .map(|words| format!("target/release/netsig {words}"))
    }

    /// Its data. What is not complete is measured; an interrupted campaign goes on.
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
            network: Some(netsig_lab::load(self.name)?),
        })
    }

    /// Measures one part; again if the machine was too busy for its data to count.
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

/// The data of a file that may be used.
fn read(file: &str) -> Result<Dataset> {
    let data = process::read(&crate::root().join(file))?;
    let void = data.void();
    ensure!(
        void.is_none(),
        "{file}: the data are void ({}); remove the file and measure again",
        void.unwrap_or_default()
    );
    Ok(data)
}

/// The tables in [`OSU_TABLES`], if it is set.
pub(super) fn osu() -> Result<Option<Measured>> {
    let Some(folder) = std::env::var_os(OSU_TABLES).map(PathBuf::from) else {
        return Ok(None);
    };
    let shown = folder.display();
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| format!("{OSU_TABLES}: {shown}"))? {
        let path = PathBuf::from(entry?.file_name());
        let is_text = path.extension().is_some_and(|end| end == "txt");
        let name = path.to_string_lossy().into_owned();
        if is_text && name.starts_with(ALLTOALL) {
            names.push(name);
        }
    }
    ensure!(
        !names.is_empty(),
        "{shown} holds no {ALLTOALL}N.txt; name another directory in {OSU_TABLES}"
    );
    names.sort();
    names.insert(0, LATENCY.to_owned());
    let text = |name: &String| {
        fs::read_to_string(folder.join(name)).with_context(|| format!("{name} cannot be read"))
    };
    let texts: Vec<String> = names.iter().map(text).collect::<Result<_>>()?;
    let inputs = names.iter().zip(&texts);
    let inputs: Vec<Input> = inputs.map(|(name, text)| Input { name, text }).collect();
    let asked = Asked {
        algorithm: "direct".into(),
        ..Asked::default()
    };
    let all = import(Program::Osu, &inputs, &asked)?.data;
    Ok(Some(Measured {
        train: all.clone(),
        few: Dataset::default(),
        heldout: all,
        network: None,
    }))
}

/// What the data of a profile cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cost {
    /// From start to end of the launches.
    pub(super) wall: Seconds,
    /// In timed operations of pairs and of the judged all-to-alls.
    pub(super) timed: Seconds,
}

impl Cost {
    /// Of a pair's operations the samples tell less than they took, so the samples of other
    /// collectives are taken from the time of all operations.
    pub(super) fn of(data: &Dataset) -> Result<Self> {
        let others = data
            .samples
            .iter()
            .filter(|own| match own.place.experiment {
                Experiment::Collective(Collective::Alltoall) => {
                    !JUDGED.contains(&&*own.place.algorithm)
                }
                Experiment::Collective(_) => true,
                _ => false,
            });
        let others: f64 = others.map(|sample| sample.time.0).sum();
        Ok(Self {
            wall: Seconds(spent(&data.provenance, "wall")?),
            timed: Seconds(spent(&data.provenance, "timed")? - others),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_of_a_profile_leaves_out_what_it_does_not_need() {
        let text = "#@launch_0_s=wall 10.5 timed 8 barriers 1\n\
            experiment,collective,algorithm,procs,size_bytes,repetition,launch,time_s\n\
            collective,alltoall,direct,8,4096,0,0,3\n\
            collective,alltoall,throttled:2,8,4096,0,0,1.5\n\
            collective,bcast,binomial,8,4096,0,1,0.5\n\
            pingpong,,,2,4096,0,1,0.25\n\
            #@launch_1_s=wall 2 timed 1 barriers 0\n";
        let data = Dataset::read("a.csv", text.as_bytes()).unwrap();
        let cost = Cost {
            wall: Seconds(12.5),
            timed: Seconds(7.0),
        };
        assert_eq!(Cost::of(&data).unwrap(), cost);
    }
}
