//! What is measured, where, and what it cost.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use netsig_core::algorithm::Collective;
use netsig_core::data::{Dataset, Experiment};
use netsig_core::network::tree::Tree;
use netsig_core::units::Seconds;

use super::split::Measured;
use crate::bench::run_quietly;

/// An emulated cluster and the plan of its held-out part.
pub(super) struct Network {
    pub(super) name: &'static str,
    heldout: &'static str,
}

/// The clusters: one that loses packets, one under another congestion control, one with more
/// hosts, one with an uplink that hosts share, one that loses nothing.
pub(super) const NETWORKS: [Network; 5] = [
    Network {
        name: "ethernet-12x40",
        heldout: "heldout-12",
    },
    Network {
        name: "cubic-16x40",
        heldout: "heldout-12",
    },
    Network {
        name: "ethernet-16x25",
        heldout: "heldout-16",
    },
    Network {
        name: "tree-2x6x40",
        heldout: "heldout-12",
    },
    // With twelve hosts so deep a queue asks more of the machine than it has.
    Network {
        name: "deep-12x40",
        heldout: "heldout-10",
    },
];

/// One that is judged only where it is named: nothing was ever adjusted to it.
pub(super) const FURTHER: Network = Network {
    name: "ethernet-12x30",
    heldout: "heldout-12",
};

/// The last launch of every plan: its line ends a complete file.
const LAST_LAUNCH: &str = "launch_1_s";

/// The all-to-alls that a profile needs; the others of the plan are for comparison.
pub(super) const JUDGED: [&str; 3] = ["direct", "pairwise", "library"];

/// How often a part is measured whose data are void.
const ATTEMPTS: u32 = 3;

/// Where plans are found and results go.
pub(super) struct Place {
    pub(super) root: PathBuf,
    pub(super) results: PathBuf,
}

/// One campaign.
struct Part {
    plan: String,
    data: String,
}

impl Network {
    fn parts(&self) -> [Part; 3] {
        let heldout = ("heldout", self.heldout);
        [("train", "train"), ("few", "few"), heldout].map(|(part, plan)| Part {
            plan: format!("plans/accuracy-{plan}.toml"),
            data: format!("bench/results/accuracy/{}-{part}.csv", self.name),
        })
    }

    /// The arguments of netsig for each of the campaigns, with paths from the root.
    fn commands(&self) -> [Vec<String>; 3] {
        let place = format!("lab:{}", self.name);
        self.parts().map(|Part { plan, data }| {
            let words = ["measure", &plan, "-o", &data, "--on", &place, "--resume"];
            words.map(str::to_owned).to_vec()
        })
    }

    /// The same as lines of a shell.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        let lines = self.commands();
        lines
            .into_iter()
            .map(|words| format!("target/release/netsig {}", words.join(" ")))
    }
}

impl Place {
    /// Whether all of a network's campaigns came to their end.
    pub(super) fn is_complete(&self, network: &Network) -> bool {
        let parts = network.parts();
        parts.iter().all(|part| self.is_done(part))
    }

    fn is_done(&self, part: &Part) -> bool {
        let data = read(&self.root.join(&part.data));
        data.is_ok_and(|data| data.provenance.get(LAST_LAUNCH).is_some())
    }

    /// Measures what is not complete; an interrupted campaign goes on.
    pub(super) fn measure(&self, network: &Network, netsig: &Path) -> Result<()> {
        for (part, words) in network.parts().iter().zip(network.commands()) {
            if self.is_done(part) {
                continue;
            }
            let absolute = |word: &String| {
                let is_path = word.starts_with("plans/") || word.starts_with("bench/");
                let path = self.root.join(word);
                if is_path {
                    path.to_string_lossy().into_owned()
                } else {
                    word.clone()
                }
            };
            let words: Vec<String> = words.iter().map(absolute).collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            self.carry_out(part, netsig, &words)?;
        }
        Ok(())
    }

    /// Measures one part; again if the machine was too busy for its data to count.
    fn carry_out(&self, part: &Part, netsig: &Path, words: &[&str]) -> Result<()> {
        let path = self.root.join(&part.data);
        for further in (0..ATTEMPTS).rev() {
            eprintln!("netsig {}", words.join(" "));
            let done = run_quietly(netsig, words).map(drop);
            if done.is_ok() || further == 0 || !is_void(&path) {
                return done;
            }
            eprintln!("{}: void, measured again", part.data);
            fs::remove_file(&path)?;
        }
        Ok(())
    }

    /// What was measured.
    pub(super) fn read(&self, network: &Network) -> Result<Measured> {
        let part = |part: &Part| read(&self.root.join(&part.data));
        let [train, few, heldout] = &network.parts();
        Ok(Measured {
            train: part(train)?,
            few: part(few)?,
            heldout: part(heldout)?,
            tree: Some(Tree::new(netsig_lab::load(network.name)?.links())?),
        })
    }
}

fn is_void(path: &Path) -> bool {
    let data = fs::File::open(path).ok();
    let data = data.and_then(|file| Dataset::read("", file).ok());
    data.is_some_and(|data| data.void().is_some())
}

fn read(path: &Path) -> Result<Dataset> {
    let name = path.display().to_string();
    let file = fs::File::open(path).with_context(|| format!("{name} cannot be opened"))?;
    let data = Dataset::read(&name, file)?;
    let void = data.void();
    ensure!(
        void.is_none(),
        "{name}: the data are void ({}); remove the file and measure again",
        void.unwrap_or_default()
    );
    Ok(data)
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
    /// From `launch_K_s=wall W timed T barriers B`. Of a pair's operations the samples tell
    /// less than they took, so the samples of other collectives are taken from T.
    pub(super) fn of(data: &Dataset) -> Result<Self> {
        let mut cost = Self {
            wall: Seconds(0.0),
            timed: Seconds(0.0),
        };
        let launches = data
            .provenance
            .iter()
            .filter(|(_, value)| value.starts_with("wall "));
        for (key, value) in launches {
            let words: Vec<&str> = value.split_whitespace().collect();
            let [_, wall, _, timed, ..] = words[..] else {
                anyhow::bail!("{key}={value} does not say how the time was spent");
            };
            cost.wall = cost.wall + Seconds(wall.parse()?);
            cost.timed = cost.timed + Seconds(timed.parse()?);
        }
        let others = data
            .samples
            .iter()
            .filter(|sample| match sample.experiment {
                Experiment::Collective(Collective::Alltoall) => {
                    !JUDGED.contains(&&*sample.algorithm)
                }
                Experiment::Collective(_) => true,
                _ => false,
            });
        let others: f64 = others.map(|sample| sample.time.0).sum();
        cost.timed = cost.timed - Seconds(others);
        Ok(cost)
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
