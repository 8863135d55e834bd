//! The data files of `fit` and `compare`, read and joined. Mixed networks and impossible times
//! are refused.

use std::path::PathBuf;

use netsig_core::data::Dataset;
use netsig_core::data::mixture::{self, Source};
use netsig_core::fit::link;

use crate::failure::Failure;
use crate::input::files;

/// Which data to take.
#[derive(clap::Args)]
pub struct DataArgs {
    /// The data files, of one network and one MPI with its settings; all their repetitions are
    /// taken together.
    #[arg(required = true, value_name = "DATA")]
    files: Vec<PathBuf>,
    /// Take data of different networks or settings together, and times that the links do not
    /// allow, with a warning.
    #[arg(long)]
    force: bool,
}

/// Data that may be fitted.
pub struct Input {
    /// All repetitions.
    pub data: Dataset,
    /// The files, for messages and profiles.
    pub name: String,
}

/// A file with its data.
struct File {
    name: String,
    data: Dataset,
}

impl DataArgs {
    /// Reads the files.
    ///
    /// # Errors
    /// If one is no data file, void or named twice, or, unless forced, they are of different
    /// networks or settings, or a time is impossible.
    pub fn read(&self) -> Result<Input, Failure> {
        self.refuse_repeated()?;
        let read = |path: &PathBuf| {
            Ok(File {
                name: path.display().to_string(),
                data: files::usable_dataset(path)?,
            })
        };
        let files: Vec<File> = self
            .files
            .iter()
            .map(read)
            .collect::<Result<_, Failure>>()?;
        for doubt in [mixed(&files), impossible(&files)].into_iter().flatten() {
            if !self.force {
                return Err(Failure::data(doubt.refusal()));
            }
            eprintln!("netsig: warning: {}", doubt.what);
        }
        joined(files)
    }

    fn refuse_repeated(&self) -> Result<(), Failure> {
        let places: Vec<PathBuf> = self
            .files
            .iter()
            .map(|path| path.canonicalize().unwrap_or_else(|_| path.clone()))
            .collect();
        for (number, path) in self.files.iter().enumerate() {
            if places[..number].contains(&places[number]) {
                return Err(Failure::usage(format!(
                    "{}: is named twice; name each file once",
                    path.display()
                )));
            }
        }
        Ok(())
    }
}

/// Why data should not be fitted.
struct Doubt {
    what: String,
    remedy: &'static str,
}

impl Doubt {
    fn refusal(&self) -> String {
        format!("{}; {}, or give --force", self.what, self.remedy)
    }
}

/// That the data are not of one network and setting.
fn mixed(files: &[File]) -> Option<Doubt> {
    let sources: Vec<Source> = files
        .iter()
        .map(|File { name, data }| Source { name, data })
        .collect();
    let differences = mixture::differences(&sources);
    let (first, others) = differences.split_first()?;
    let others = match others.len() {
        0 => String::new(),
        1 => " (and 1 more difference)".to_owned(),
        count => format!(" (and {count} more differences)"),
    };
    Some(Doubt {
        what: format!(
            "{}: two networks or settings are mixed: {first}{others}",
            names(files)
        ),
        remedy: match files.len() {
            1 => "measure again with one of them",
            _ => "take each on its own",
        },
    })
}

/// That a collective is faster than its links.
fn impossible(files: &[File]) -> Option<Doubt> {
    let data: Vec<&Dataset> = files.iter().map(|file| &file.data).collect();
    let gap = link::gap(&data)?;
    let found = |file: &File| Some((file.name.clone(), link::too_fast(&file.data, gap)?));
    let (name, cell) = files.iter().find_map(found)?;
    Some(Doubt {
        what: format!("{name}: {cell}: time_s may be in another unit than seconds"),
        remedy: "correct it or measure again",
    })
}

fn joined(files: Vec<File>) -> Result<Input, Failure> {
    let name = names(&files);
    let mut data = Dataset::default();
    for (number, file) in (1..).zip(files) {
        if number == 1 {
            data = file.data;
            continue;
        }
        data.join(file.data, number)
            .map_err(|error| Failure::data(format!("{}: {error}", file.name)))?;
    }
    Ok(Input { data, name })
}

fn names(files: &[File]) -> String {
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    names.join(", ")
}

impl Input {
    /// Warns of cells that only ever stalled.
    pub fn tell_stalls(&self) {
        let gap = link::gap(&[&self.data]);
        if let Some(stalled) = gap.and_then(|gap| link::stalled(&self.data, gap)) {
            eprintln!(
                "netsig: warning: {stalled}; measure smaller messages, or give the switch deeper buffers"
            );
        }
    }
}
