//! The data of one drawn network: the campaigns of its profiles by netsig's commands, and the
//! truth.
//!
//! All files lie in bench/results/accuracy/NETWORK. A complete file is not measured again, and an
//! interrupted campaign goes on, so that a run of the benchmark resumes where it ended.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use netsig_core::data::Dataset;
use netsig_core::network::Network;
use netsig_core::profile::Profile;

use super::draw::Drawn;
use super::truth;
use crate::process::{self, Netsig};

/// Number of attempts to measure valid data.
const ATTEMPTS: u32 = 3;

/// The hosts on which a profile is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Half,
    Quarter,
}

/// A profile to make.
#[derive(Debug, Clone, Copy)]
pub(super) struct Campaign {
    /// Name of its files.
    pub(super) name: &'static str,
    part: Part,
    /// Collective and algorithms.
    wanted: &'static str,
    /// Seconds for measuring.
    pub(super) budget: u32,
}

/// All profiles of a network.
const CAMPAIGNS: [Campaign; 6] = [
    Campaign {
        name: HALF,
        part: Part::Half,
        wanted: "alltoall direct,pairwise,library",
        budget: 120,
    },
    Campaign {
        name: QUARTER,
        part: Part::Quarter,
        wanted: "alltoall direct,pairwise,library",
        budget: 120,
    },
    small("bcast", "bcast binomial"),
    small("scatter", "scatter flat"),
    small("gather", "gather flat"),
    small("allgather", "allgather ring"),
];

/// The campaign of the all-to-alls on half of the hosts.
pub(super) const HALF: &str = "half";

/// The campaign of the all-to-alls on a quarter of the hosts.
pub(super) const QUARTER: &str = "quarter";

const fn small(name: &'static str, wanted: &'static str) -> Campaign {
    Campaign {
        name,
        part: Part::Half,
        wanted,
        budget: 45,
    }
}

/// A profile with its data.
pub(super) struct Learned {
    pub(super) campaign: Campaign,
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
        fs::write(site.path(&file(network)), network.to_toml())?;
    }
    let mut learned = Vec::new();
    let mut notes = Vec::new();
    for campaign in CAMPAIGNS {
        let Some(part) = drawn.part(campaign.part) else {
            continue;
        };
        match site.learn(drawn, campaign, part) {
            Ok(one) => learned.push(one),
            Err(error) => notes.push(format!("{}, {}: {error:#}", drawn.name, campaign.name)),
        }
    }
    Ok(Measured {
        learned,
        truth: site.truth(drawn)?,
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

/// Runs netsig in a folder of the results.
pub(super) struct Site {
    name: String,
    netsig: Netsig,
}

impl Site {
    /// The folder `name`. The data of a development network that the repository holds are not
    /// measured again.
    pub(super) fn new(name: &str, results: &Path) -> Result<Self> {
        let folder = results.join(name);
        let kept = crate::root().join("bench/data/accuracy").join(name);
        if !folder.exists() && kept.is_dir() {
            copy(&kept, &folder)?;
        }
        fs::create_dir_all(&folder)
            .with_context(|| format!("{} cannot be made", folder.display()))?;
        Ok(Self {
            name: name.to_owned(),
            netsig: Netsig::built(&folder, "bench-accuracy")?,
        })
    }

    fn path(&self, file: &str) -> PathBuf {
        self.netsig.folder().join(file)
    }

    /// Writes `NAME.csv`.
    pub(super) fn write(&self, name: &str, data: &Dataset) -> Result<()> {
        let mut file = fs::File::create(self.path(&format!("{name}.csv")))?;
        data.write(&mut file)?;
        Ok(())
    }

    /// Fits `NAME.csv`, with the description of the whole network if its user gives one.
    pub(super) fn fit(&self, name: &str, drawn: Option<&Drawn>) -> Result<Profile> {
        let network = drawn.and_then(Drawn::description);
        let network = network.map(|network| format!("--network {}", file(network)));
        let network = network.unwrap_or_default();
        self.netsig
            .run(&format!("fit {name}.csv -o {name}.toml {network}"))?;
        let text = fs::read_to_string(self.path(&format!("{name}.toml")))?;
        Ok(Profile::parse(name, &text)?)
    }

    /// The tables of a folder, imported.
    pub(super) fn import_osu(&self, folder: &Path) -> Result<Dataset> {
        let mut tables: Vec<String> = Vec::new();
        for entry in fs::read_dir(folder).context("bench/data/osu cannot be read")? {
            tables.push(entry?.path().display().to_string());
        }
        tables.sort();
        let tables = tables.join(" ");
        let _ = fs::remove_file(self.path("osu.csv"));
        self.netsig.run(&format!(
            "import osu {tables} -o osu.csv --algorithm direct"
        ))?;
        self.netsig.data("osu.csv")
    }

    /// Measures a campaign unless its data are there, and fits its profile.
    fn learn(&self, drawn: &Drawn, campaign: Campaign, part: &Network) -> Result<Learned> {
        let Campaign {
            name,
            wanted,
            budget,
            ..
        } = campaign;
        let (data, duration) = (format!("{name}.csv"), format!("{name}.seconds"));
        if !self.path(&duration).is_file() {
            let _ = fs::remove_file(self.path(&data));
            let goal = format!("{wanted} up to {}", drawn.whole.hosts());
            let options = format!(
                "--launcher {} --budget {budget}s --sizes 1KiB..256KiB",
                drawn.mpi
            );
            let started = Instant::now();
            self.measure(&["--for", &goal], &data, part, &options)?;
            let seconds = started.elapsed().as_secs_f64();
            fs::write(self.path(&duration), seconds.to_string())?;
        }
        let started = Instant::now();
        let profile = self.fit(name, Some(drawn))?;
        Ok(Learned {
            campaign,
            fit_seconds: started.elapsed().as_secs_f64(),
            data: self.netsig.data(&data)?,
            profile,
            seconds: fs::read_to_string(self.path(&duration))?.parse()?,
        })
    }

    /// The truth: all cells, and those where some repetitions stall once more.
    fn truth(&self, drawn: &Drawn) -> Result<Dataset> {
        let first = self.cells(drawn, "truth", &truth::plan(drawn))?;
        let Some(plan) = truth::further(&first) else {
            return Ok(first);
        };
        let further = self.cells(drawn, "further", &plan)?;
        let mut all = first;
        all.join(further, 2)?;
        Ok(all)
    }

    /// The data of a plan on the whole network, measured unless they are there.
    fn cells(&self, drawn: &Drawn, name: &str, plan: &str) -> Result<Dataset> {
        let (file, data) = (format!("{name}-plan.toml"), format!("{name}.csv"));
        let complete = self.path(&format!("{name}.complete"));
        if !complete.is_file() {
            fs::write(self.path(&file), plan)?;
            let options = format!("--launcher {} --resume", drawn.mpi);
            self.measure(&[&file], &data, &drawn.whole, &options)?;
            fs::write(&complete, "")?;
        }
        self.netsig.data(&data)
    }

    /// Measures a plan, or for a prediction, and again if the machine was too busy for valid data.
    fn measure(&self, goal: &[&str], data: &str, network: &Network, options: &str) -> Result<()> {
        let words = format!("measure -o {data} --on lab:{} {options}", file(network));
        for attempt in 1..=ATTEMPTS {
            eprintln!("{}: netsig {words} {}", self.name, goal.join(" "));
            let done = process::output(self.netsig.command(&words).args(goal));
            let read = self.netsig.data(data);
            let is_void = read.is_ok_and(|data| data.void().is_some());
            if !is_void {
                return done.map(drop);
            }
            eprintln!("{}: {data} is void", self.name);
            if attempt < ATTEMPTS {
                fs::remove_file(self.path(data))?;
            }
        }
        bail!("{data}: the machine was too busy {ATTEMPTS} times")
    }
}

/// Copies the files of a folder.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}

/// The file of a network.
fn file(network: &Network) -> String {
    format!("{}.toml", network.name)
}
