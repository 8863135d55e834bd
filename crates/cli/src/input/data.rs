//! Reads and joins the data files of `fit` and `compare`.

use std::path::{Path, PathBuf};

use netsig_model::fit::accepted::{self, AcceptedData, DoubtfulDataRule};

use crate::input::failure::Failure;
use crate::input::files;

/// The data files and the treatment of mixed ones.
#[derive(clap::Args)]
pub struct DataArgs {
    /// The data files, of one network and one MPI with its settings; all their repetitions are
    /// taken together; - is standard input.
    #[arg(required = true, value_name = "DATA")]
    files: Vec<PathBuf>,
    /// Take data of different networks or settings together, of ranks that shared a host, and
    /// times that the links do not allow, with a warning; with `compare --selection`, also take a
    /// profile of another network or setting.
    #[arg(long)]
    force: bool,
}

impl DataArgs {
    /// The files.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(PathBuf::as_path)
    }

    /// Reads the files.
    ///
    /// # Errors
    /// If a file is no data file, void or named twice. Without --force also if networks or settings differ, ranks
    /// shared a host, or a time is impossible.
    pub fn read(&self) -> Result<AcceptedData, Failure> {
        files::refuse_twice(&self.files)?;
        let read = |path: &PathBuf| {
            let data = files::usable_dataset(path)?;
            Ok::<_, Failure>((files::name(path), data))
        };
        let files = self.files.iter().map(read).collect::<Result<_, _>>()?;
        Ok(accepted::accept(files, self.doubtful())?)
    }

    /// Treatment of doubtful input, by --force.
    pub fn doubtful(&self) -> DoubtfulDataRule {
        if self.force {
            DoubtfulDataRule::Taken
        } else {
            DoubtfulDataRule::Refused
        }
    }
}
