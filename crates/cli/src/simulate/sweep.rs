//! `netsig simulate --sweep`: all points of a plan, in a fixed order, as CSV.
//!
//! Points are simulated in parallel and written in order. So the file is the same for any number of
//! threads, and the concatenated shards of a sweep equal the file of the whole sweep.

mod kept;
mod plan;
mod varied;

use std::fs::OpenOptions;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::Context;
use netsig_sim::simulate::Point;

use super::points;
use crate::input::args::first_given;
use crate::input::claim::Claim;
use crate::input::destination::Destination;
use crate::input::failure::Failure;
use crate::input::files;
use crate::input::interrupt;
use crate::input::output::Output;
use crate::print::rows::data_to_stdout;
use plan::Plan;
use varied::VariedColumns;

/// Number of points that are simulated before their rows are written.
const CHUNK: usize = 64;

/// The sweep, its part to simulate, and its output.
#[derive(Debug, clap::Args)]
pub struct SweepOptions {
    /// Simulates all points of a plan (TOML) instead, and writes them as CSV.
    #[arg(
        long, value_name = "PLAN",
        conflicts_with_all = [
            "ProgramOptions", "network", "model", "profile", "settings", "placement", "nodes", "ppn",
            "rate", "uplink_rate", "port_buffer", "rto_mode", "sharing", "negligible", "seed", "extrapolate", "format",
            "wide",
        ]
    )]
    pub sweep: Option<PathBuf>,
    /// The file for the rows of a sweep [default: standard output].
    #[arg(short, long, value_name = "FILE", requires = "sweep")]
    pub output: Option<PathBuf>,
    /// Simulates the I-th of N parts of a sweep; the parts one after the other are the whole.
    #[arg(long, value_name = "I/N", requires = "sweep")]
    pub shard: Option<Shard>,
    /// Continues an interrupted sweep into the same --output.
    #[arg(long, requires = "output")]
    pub resume: bool,
}

impl SweepOptions {
    /// Refuses options that only apply to a sweep if there is no sweep. (clap ignores `requires` if
    /// the required option conflicts with another given option.)
    ///
    /// # Errors
    /// If there is such an option.
    pub fn refuse_without_plan(&self) -> Result<(), Failure> {
        let given = [
            ("--output", self.output.is_some()),
            ("--shard", self.shard.is_some()),
            ("--resume", self.resume),
        ];
        match first_given(&given) {
            Some(option) => Err(Failure::usage(format!(
                "{option} is for --sweep; give a plan, or leave it out"
            ))),
            None => Ok(()),
        }
    }
}

/// The place of the rows.
enum SweepPlace {
    /// Standard output.
    Standard,
    /// A pipe or device.
    Through(Output),
    /// A file, which an interrupted sweep leaves to go on with.
    File(Claim),
}

impl SweepOptions {
    /// The place of the rows of the plan in `path`.
    ///
    /// # Errors
    /// If a file with rows exists and is not to be continued, or cannot be written.
    fn place(&self, path: &Path) -> Result<SweepPlace, Failure> {
        let Some(output) = &self.output else {
            return Ok(SweepPlace::Standard);
        };
        let destination = Destination::of(output);
        let destination = destination.map_err(|problem| Failure::usage(problem).about(output))?;
        let remedy = "go on with --resume, choose another --output or remove it";
        let fresh = || Output::fresh(output, &[path], remedy);
        match destination {
            Destination::Regular(_) => {
                let claim = Claim::of(output)?;
                if !self.resume {
                    fresh()?;
                }
                Ok(SweepPlace::File(claim))
            }
            _ if self.resume => {
                let problem = "is no file to go on with; leave out --resume";
                Err(Failure::usage(problem).about(output))
            }
            Destination::Standard => Ok(SweepPlace::Standard),
            Destination::Through(_) => fresh().map(SweepPlace::Through),
        }
    }
}

/// One of several parts of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// The number of the part, from 1.
    number: usize,
    of: usize,
}

impl Shard {
    /// The whole sweep as a single part.
    const WHOLE: Self = Self { number: 1, of: 1 };

    /// The range of points in this part, among `count` points.
    fn range(self, count: usize) -> Range<usize> {
        let cut = |number: usize| {
            let product = number as u128 * count as u128 / self.of as u128;
            usize::try_from(product).expect("at most the count")
        };
        cut(self.number - 1)..cut(self.number)
    }
}

impl std::str::FromStr for Shard {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.split_once('/');
        let parts = parts.and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((number, of)) if 0 < number && number <= of => Ok(Self { number, of }),
            _ => Err("write I/N with I from 1 to N, such as 2/8".to_owned()),
        }
    }
}

/// Simulates the points of the plan in the file `path`.
///
/// # Errors
/// If the plan cannot be used, a point cannot be simulated (checked before the first simulation),
/// or the output cannot be written.
pub fn run(path: &Path, options: &SweepOptions) -> Result<(), Failure> {
    let place = options.place(path)?;
    let plan = Plan::read(path)?;
    let points = plan.points();
    for point in &points {
        point.check()?;
    }
    let columns = VariedColumns::of(&plan);
    let shard = options.shard.unwrap_or(Shard::WHOLE);
    let points = &points[shard.range(points.len())];
    let header = match shard.number {
        1 => format!("{}\n", columns.names().join(",")).into_bytes(),
        _ => Vec::new(),
    };
    match &place {
        SweepPlace::Standard => {
            interrupt::keeps("rows of the first points are printed; with --output, --resume goes on".into());
            let print = |lines: &[u8]| data_to_stdout(|out| out.write_all(lines));
            pass_on(&header, points, &columns, print)?;
        }
        SweepPlace::Through(output) => {
            let mut draft = output.draft()?;
            let write = |lines: &[u8]| Ok(draft.write_all(lines)?);
            pass_on(&header, points, &columns, write)?;
            draft.publish()?;
        }
        SweepPlace::File(claim) => to_file(claim.path(), &header, points, &columns)?,
    }
    for note in plan.notes() {
        eprintln!("netsig: note: {note}");
    }
    Ok(())
}

/// Passes the rows to `print` as they come.
fn pass_on(
    header: &[u8],
    points: &[Point],
    columns: &VariedColumns,
    mut print: impl FnMut(&[u8]) -> anyhow::Result<()>,
) -> Result<(), Failure> {
    print(header)?;
    let bar = points::bar(points);
    for chunk in points.chunks(CHUNK) {
        let lines = columns.lines(chunk, points::simulate_all(chunk, &bar))?;
        print(&lines)?;
    }
    Ok(())
}

/// Writes the rows to the file, after the rows of an earlier run.
fn to_file(output: &Path, header: &[u8], points: &[Point], columns: &VariedColumns) -> Result<(), Failure> {
    let what = || files::unwritable(output);
    let kept = kept::points(output, header, points, columns)?;
    let file = OpenOptions::new().create(true).append(true).open(output);
    let mut file = file.with_context(what)?;
    file.set_len(kept.bytes).with_context(what)?;
    if kept.bytes == 0 {
        file.write_all(header).with_context(what)?;
    }
    let left = &points[kept.points..];
    let bar = points::bar(left);
    for (index, chunk) in left.chunks(CHUNK).enumerate() {
        tell_kept(output, [kept.points + index * CHUNK, points.len()]);
        let lines = columns.lines(chunk, points::simulate_all(chunk, &bar))?;
        file.write_all(&lines).with_context(what)?;
    }
    Ok(file.sync_all().with_context(what)?)
}

/// Says at an interruption how many of the points have their rows in the file.
fn tell_kept(output: &Path, [done, all]: [usize; 2]) {
    let output = output.display();
    let kept = format!("{done} of {all} points are in {output}; --resume simulates the rest");
    interrupt::keeps(kept);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_cover_all_points_once() {
        for count in [0, 1, 7, 64] {
            for of in 1..=9 {
                let shards = (1..=of).map(|number| Shard { number, of }.range(count));
                assert!(shards.flatten().eq(0..count), "{count} in {of}");
            }
        }
    }
}
