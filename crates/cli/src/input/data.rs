//! Reads and joins the data files of `fit` and `compare`. Refuses mixed networks, ranks that shared
//! a host, and impossible times.

use std::path::{Path, PathBuf};

use itertools::Itertools;
use netsig_core::data::Dataset;
use netsig_core::data::likeness::{Likeness, likeness, within};
use netsig_core::data::mixture::{self, Source};
use netsig_core::data::places;
use netsig_core::data::sharing;
use netsig_core::fit::link;

use crate::input::failure::Failure;
use crate::input::files;

/// The data files and the treatment of mixed ones.
#[derive(clap::Args)]
pub struct DataArgs {
    /// The data files, of one network and one MPI with its settings; all their repetitions are
    /// taken together.
    #[arg(required = true, value_name = "DATA")]
    files: Vec<PathBuf>,
    /// Take data of different networks or settings together, of ranks that shared a host, and
    /// times that the links do not allow, with a warning; with `compare --selection`, also take a
    /// profile of another network or setting.
    #[arg(long)]
    force: bool,
}

/// Accepted data.
pub struct Input {
    /// All repetitions.
    pub data: Dataset,
    /// The names of the files, for messages and profiles.
    pub name: String,
}

/// A reason not to fit the data, and a remedy.
type Doubt = (String, &'static str);

impl DataArgs {
    /// The files.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(PathBuf::as_path)
    }

    /// Reads the files.
    ///
    /// # Errors
    /// If a file is no data file, void or named twice, or, without --force, the files are of
    /// different networks or settings, ranks shared a host, or a time is impossible.
    pub fn read(&self) -> Result<Input, Failure> {
        let place = |path: &&PathBuf| path.canonicalize().unwrap_or_else(|_| (*path).clone());
        if let Some(path) = self.files.iter().duplicates_by(place).next() {
            return Err(Failure::usage("is named twice; name each file once").about(path));
        }
        let all = self.files.iter().map(|path| files::usable_dataset(path));
        let all = all.collect::<Result<Vec<Dataset>, _>>()?;
        let names = self.files.iter().map(|path| path.display().to_string());
        let names: Vec<String> = names.collect();
        let sources = names.iter().zip(&all);
        let sources: Vec<Source> = sources.map(|(name, data)| Source { name, data }).collect();
        let name = names.join(", ");
        let unlike = unlike(&sources);
        let doubts = [
            mixed(&sources, &name),
            unlike,
            shared(&sources),
            impossible(&sources),
        ];
        for (what, remedy) in doubts.into_iter().flatten() {
            self.doubt(&what, remedy)?;
        }
        let mut all = all.into_iter();
        let mut data = all.next().unwrap_or_default();
        for (number, (later, file)) in (2..).zip(all.zip(&names[1..])) {
            data.join(later, number)
                .map_err(|error| Failure::data(error).about(file))?;
        }
        Ok(Input { data, name })
    }

    /// Refuses what is doubted, with a remedy; with --force warns.
    ///
    /// # Errors
    /// Without --force.
    pub fn doubt(&self, what: &str, remedy: &str) -> Result<(), Failure> {
        if !self.force {
            return Err(Failure::data(format!("{what}; {remedy}, or give --force")));
        }
        eprintln!("netsig: warning: {what}");
        Ok(())
    }
}

/// Doubt: the data are of several networks or settings.
fn mixed(files: &[Source], names: &str) -> Option<Doubt> {
    let differences = mixture::differences(files);
    let (first, others) = differences.split_first()?;
    let others = match others.len() {
        0 => String::new(),
        1 => " (and 1 more difference)".to_owned(),
        count => format!(" (and {count} more differences)"),
    };
    let remedy = match files.len() {
        1 => "measure again with one of them",
        _ => "take each on its own",
    };
    let what = format!("{names}: two networks or settings are mixed: {first}{others}");
    Some((what, remedy))
}

/// Doubt: ranks shared a host, so data did not cross the network, and the file does not name the clusters.
fn shared(files: &[Source]) -> Option<Doubt> {
    let found = |file: &Source| {
        if places::grid(&file.data.provenance).is_some() {
            return None;
        }
        let shared = sharing::shared_host(&file.data.provenance)?;
        Some(format!(
            "{}: {shared}, so that times are those of its memory and not of the network",
            file.name
        ))
    };
    let what = files.iter().find_map(found)?;
    Some((what, "measure again with one rank a host, without --ppn"))
}

/// Doubt: the times of two files cannot be of one network. Prints a note on files whose network
/// neither their provenance nor their times show.
fn unlike(files: &[Source]) -> Option<Doubt> {
    let is_imported = |file: &&Source| file.data.provenance.get("imported_from").is_some();
    if let Some(found) = files.iter().filter(is_imported).find_map(within) {
        return Some((found.to_string(), "import each on its own"));
    }
    for [one, other] in files.iter().array_combinations() {
        match likeness(one, other) {
            Likeness::Alike => {}
            Likeness::Unlike(found) => return Some((found.to_string(), "take each on its own")),
            Likeness::Unknown => {
                let is_measured = |file: &Source| mixture::is_measured(&file.data.provenance);
                if !(is_measured(one) && is_measured(other)) {
                    eprintln!(
                        "netsig: note: {} and {} have fewer than three cells in common: nothing shows whether they are of one network",
                        one.name, other.name
                    );
                }
            }
        }
    }
    None
}

/// Doubt: a collective is faster than its links allow.
fn impossible(files: &[Source]) -> Option<Doubt> {
    let data: Vec<&Dataset> = files.iter().map(|file| file.data).collect();
    let gap = link::gap(&data)?;
    let found = |file: &Source| Some((file.name.to_owned(), link::too_fast(file.data, gap)?));
    let (name, cell) = files.iter().find_map(found)?;
    let what = format!("{name}: {cell}: time_s may be in another unit than seconds");
    Some((what, "correct it or measure again"))
}

impl Input {
    /// Warns about cells that stalled in every repetition.
    pub fn tell_stalls(&self) {
        let gap = link::gap(&[&self.data]);
        if let Some(stalled) = gap.and_then(|gap| link::stalled(&self.data, gap)) {
            eprintln!(
                "netsig: warning: {stalled}; measure smaller messages, or give the switch deeper buffers"
            );
        }
    }
}
