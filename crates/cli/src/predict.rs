//! `netsig predict`: times with intervals from a profile.

use std::path::PathBuf;

use clap::ValueEnum;
use netsig_core::collective::Collective;
use netsig_core::list::List;
use netsig_core::predict::{self, Prediction};
use netsig_core::profile::{Profile, SignatureEntry};
use netsig_core::units::{Bytes, Procs};

use crate::failure::Failure;
use crate::files;
use crate::rows::{Cell, Format, Rows};

/// Predict times for process counts and sizes, with intervals.
#[derive(clap::Args)]
pub struct Args {
    /// The profile that `netsig fit` wrote.
    profile: PathBuf,
    /// The collective.
    #[arg(long)]
    collective: Collective,
    /// The algorithm [default: all in the profile].
    #[arg(long)]
    algorithm: Option<String>,
    /// Process counts: 8,16,32 or 8..64 (doubling) or 8..64+8 (steps).
    #[arg(long, value_name = "LIST")]
    procs: List<Procs>,
    /// Bytes per destination, as for --procs, with kB MB KiB MiB.
    #[arg(long, value_name = "LIST")]
    size: List<Bytes>,
    /// The model.
    #[arg(long, value_enum, default_value = "signature")]
    model: Model,
    /// How to print it.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// What predicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Model {
    /// The fitted contention signature.
    Signature,
    /// The same network without contention, (n-1)(alpha + beta m).
    ContentionFree,
}

/// Runs the command.
///
/// # Errors
/// If the profile cannot be used or does not hold the algorithm.
pub fn run(args: &Args) -> Result<(), Failure> {
    let profile = files::profile(&args.profile)?;
    let entries = wanted(&profile, args)?;
    let mut rows = Rows::new(&[
        "collective",
        "algorithm",
        "procs",
        "size_bytes",
        "time_s",
        "lower_s",
        "upper_s",
        "model",
        "standing",
    ]);
    for entry in entries {
        for &procs in args.procs.items() {
            for &size in args.size.items() {
                rows.push(row(args.model, &profile, entry, procs, size));
            }
        }
    }
    Ok(rows.print(args.format)?)
}

fn wanted<'a>(profile: &'a Profile, args: &Args) -> Result<Vec<&'a SignatureEntry>, Failure> {
    let of_collective = || {
        profile
            .signatures
            .iter()
            .filter(|entry| entry.collective == args.collective)
    };
    let is_wanted = |entry: &&SignatureEntry| {
        args.algorithm
            .as_ref()
            .is_none_or(|name| *name == entry.algorithm)
    };
    let entries: Vec<_> = of_collective().filter(is_wanted).collect();
    if entries.is_empty() {
        let known: Vec<_> = of_collective()
            .map(|entry| entry.algorithm.as_str())
            .collect();
        return Err(Failure::data(format!(
            "{}: has no signature of {} {}; it has: {}; measure and fit what is missing",
            args.profile.display(),
            args.collective,
            args.algorithm.as_deref().unwrap_or_default(),
            known.join(", ")
        )));
    }
    Ok(entries)
}

fn row(
    model: Model,
    profile: &Profile,
    entry: &SignatureEntry,
    procs: Procs,
    size: Bytes,
) -> Vec<Cell> {
    let (
        Prediction {
            time,
            lower,
            upper,
            standing,
        },
        name,
    ) = match model {
        Model::Signature => (
            predict::alltoall(entry, procs, size),
            format!("signature/{}", entry.signature.form),
        ),
        Model::ContentionFree => (
            predict::contention_free(profile, entry, procs, size),
            "contention-free".to_owned(),
        ),
    };
    vec![
        Cell::text(entry.collective.to_string()),
        Cell::text(entry.algorithm.clone()),
        Cell::count(procs.get().into()),
        Cell::size(size),
        Cell::time(time),
        Cell::time(lower),
        Cell::time(upper),
        Cell::text(name),
        Cell::text(standing.to_string()),
    ]
}
