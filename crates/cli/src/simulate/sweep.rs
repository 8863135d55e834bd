//! `netsig simulate --sweep`: all points of a plan, in a fixed order, as CSV.
//!
//! Points are simulated in parallel and written in order. So the file is the same for any number of
//! threads, and the concatenated shards of a sweep equal the file of the whole sweep.

mod plan;
mod resume;
mod varied;

use std::fs::OpenOptions;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::Context;
use netsig_sim::simulate::SimPoint;

use super::points;
use crate::input::args::first_given;
use crate::input::claim::OutputClaim;
use crate::input::destination::Destination;
use crate::input::failure::Failure;
use crate::input::files;
use crate::input::interrupt;
use crate::input::output::OutputPath;
use crate::print::notes::print_remark;
use crate::print::rows::data_to_stdout;
use plan::SweepPlan;
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
    pub shard: Option<SweepShard>,
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
enum SweepDestination {
    /// Standard output.
    Standard,
    /// A pipe or device.
    Through(OutputPath),
    /// A file, which an interrupted sweep keeps for --resume.
    File(OutputClaim),
}

impl SweepOptions {
    /// The place of the rows of the plan in `path`.
    ///
    /// # Errors
    /// If a file with rows exists and is not to be continued, or cannot be written.
    fn place(&self, path: &Path) -> Result<SweepDestination, Failure> {
        let Some(output) = &self.output else {
            return Ok(SweepDestination::Standard);
        };
        let parsed_output = Destination::of(output);
        let destination = parsed_output.map_err(|problem| Failure::usage(problem).about(output))?;
        let remedy = "go on with --resume, choose another --output or remove it";
        let fresh = || OutputPath::fresh(output, &[path], remedy);
        match destination {
            Destination::Regular(_) => {
                let claim = OutputClaim::of(output)?;
                if !self.resume {
                    fresh()?;
                }
                Ok(SweepDestination::File(claim))
            }
            _ if self.resume => {
                let problem = "is no file to go on with; leave out --resume";
                Err(Failure::usage(problem).about(output))
            }
            Destination::Standard => Ok(SweepDestination::Standard),
            Destination::Through(_) => fresh().map(SweepDestination::Through),
        }
    }
}

/// One of several parts of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SweepShard {
    /// The number of the part, from 1.
    number: usize,
    total: usize,
}

impl SweepShard {
    /// The whole sweep as a single part.
    const WHOLE: Self = Self { number: 1, total: 1 };

    /// The range of points in this part, among `count` points.
    fn range(self, count: usize) -> Range<usize> {
        let cut = |number: usize| {
            let product = number as u128 * count as u128 / self.total as u128;
            usize::try_from(product).expect("at most the count")
        };
        cut(self.number - 1)..cut(self.number)
    }
}

impl std::str::FromStr for SweepShard {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number_and_total = text.split_once('/');
        let parts = number_and_total.and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((number, total)) if 0 < number && number <= total => Ok(Self { number, total }),
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
    let plan = SweepPlan::read(path)?;
    let all_points = plan.points();
    for point in &all_points {
        point.check()?;
    }
    let columns = VariedColumns::of(&plan);
    let shard = options.shard.unwrap_or(SweepShard::WHOLE);
    let points = &all_points[shard.range(all_points.len())];
    let header = match shard.number {
        1 => format!("{}\n", columns.names().join(",")).into_bytes(),
        _ => Vec::new(),
    };
    match &place {
        SweepDestination::Standard => {
            interrupt::set_kept_message("rows of the first points are printed; with --output, --resume goes on".into());
            let print = |lines: &[u8]| data_to_stdout(|out| out.write_all(lines));
            write_rows(&header, points, &columns, print)?;
        }
        SweepDestination::Through(output) => {
            let mut draft = output.draft()?;
            let write = |lines: &[u8]| Ok(draft.write_all(lines)?);
            write_rows(&header, points, &columns, write)?;
            draft.publish()?;
        }
        SweepDestination::File(claim) => write_file(claim.path(), &header, points, &columns)?,
    }
    for note in plan.notes() {
        print_remark(note);
    }
    Ok(())
}

/// Passes the rows to `print` as they come.
fn write_rows(
    header: &[u8],
    points: &[SimPoint],
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
fn write_file(output: &Path, header: &[u8], points: &[SimPoint], columns: &VariedColumns) -> Result<(), Failure> {
    let unwritable = || files::unwritable(output);
    let kept = resume::finished_part(output, header, points, columns)?;
    let opened = OpenOptions::new().create(true).append(true).open(output);
    let mut file = opened.with_context(unwritable)?;
    file.set_len(kept.bytes).with_context(unwritable)?;
    if kept.bytes == 0 {
        file.write_all(header).with_context(unwritable)?;
    }
    let remaining = &points[kept.points..];
    let bar = points::bar(remaining);
    for (index, chunk) in remaining.chunks(CHUNK).enumerate() {
        set_interrupt_message(output, [kept.points + index * CHUNK, points.len()]);
        let lines = columns.lines(chunk, points::simulate_all(chunk, &bar))?;
        file.write_all(&lines).with_context(unwritable)?;
    }
    Ok(file.sync_all().with_context(unwritable)?)
}

/// Sets the message of an interruption: how many of the points have their rows in the file.
fn set_interrupt_message(output: &Path, [done, all]: [usize; 2]) {
    let output = output.display();
    let kept = format!("{done} of {all} points are in {output}; --resume simulates the rest");
    interrupt::set_kept_message(kept);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_cover_all_points_once() {
        for count in [0, 1, 7, 64] {
            for total in 1..=9 {
                let shards = (1..=total).map(|number| SweepShard { number, total }.range(count));
                assert!(shards.flatten().eq(0..count), "{count} in {total}");
            }
        }
    }
}
