//! A folder in the results of a benchmark, in which netsig runs. It keeps the results of long steps. Data of the
//! repository are copied from bench/data.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use netsig_base::data::Dataset;
use netsig_model::profile::Profile;

use super::process::NetsigProgram;
use super::root;

/// A folder in the results of a benchmark.
pub struct BenchFolder {
    pub netsig: NetsigProgram,
}

impl BenchFolder {
    /// The folder `name` in the results of `benchmark`.
    pub fn new(benchmark: &str, name: &str) -> Result<Self> {
        let folder = results(benchmark)?.join(name);
        let kept = root().join("bench/data").join(benchmark).join(name);
        if !folder.exists() && kept.is_dir() {
            copy(&kept, &folder)?;
        }
        fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        Ok(Self {
            netsig: NetsigProgram::built(&folder, &format!("bench-{benchmark}"))?,
        })
    }

    /// The path of a file in the folder.
    pub fn path(&self, file: &str) -> PathBuf {
        self.netsig.folder().join(file)
    }

    /// True if the folder has a file.
    pub fn has(&self, file: &str) -> bool {
        self.path(file).is_file()
    }

    /// Fits data files to the profile `NAME.toml`; `network` is the option that describes the network.
    pub fn fit(&self, data: &str, name: &str, network: &str) -> Result<Profile> {
        let words = format!("fit {data} -o {name}.toml {network}");
        self.netsig.run(&words)?;
        let text = fs::read_to_string(self.path(&format!("{name}.toml")))?;
        Ok(Profile::parse(name, &text)?)
    }

    /// Writes data to `NAME.csv` and fits them to the profile `NAME.toml`.
    pub fn fit_data(&self, data: &Dataset, name: &str, network: &str) -> Result<Profile> {
        let file = format!("{name}.csv");
        data.write(&mut fs::File::create(self.path(&file))?)?;
        self.fit(&file, name, network)
    }

    /// Runs a step that writes `file`, unless its duration is known; returns its duration in seconds.
    pub fn run_once(&self, name: &str, file: &str, step: impl FnOnce() -> Result<()>) -> Result<f64> {
        let duration_file = self.path(&format!("{name}.seconds"));
        if !duration_file.is_file() {
            let _ = fs::remove_file(self.path(file));
            let started = Instant::now();
            step()?;
            fs::write(&duration_file, started.elapsed().as_secs_f64().to_string())?;
        }
        Ok(fs::read_to_string(&duration_file)?.parse()?)
    }
}

/// The folder of the results of a benchmark.
pub fn results(benchmark: &str) -> Result<PathBuf> {
    let folder = root().join("bench/results").join(benchmark);
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    Ok(folder)
}

/// Copies the files of a folder.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for listed in fs::read_dir(from)? {
        let entry = listed?;
        fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}
