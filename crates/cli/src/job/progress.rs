//! Shows the progress of a measurement with the remaining time. It is read from the data file: the
//! volume of its samples relative to the volume of the plan.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use netsig_base::data::{COLUMNS, DataRecord, Dataset};
use netsig_base::text::note::Note;
use netsig_base::units::Bytes;
use netsig_measure::plan::{JobId, MeasurementPlan, volume};

use crate::print::measured_cells::OpenCells;
use crate::print::progress_display::ProgressDisplay;

/// Interval between checks of the data file.
const CHECK_INTERVAL: Duration = Duration::from_millis(200);

/// A file that does not grow for this time is complete.
const COMPLETE_AFTER: Duration = Duration::from_millis(300);

/// Limit of the wait for a complete file.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// The provenance key of the hosts in rank order, for all jobs or for one.
const HOSTS: &str = "hosts";

/// Begin of the line that marks a cell as completely measured.
const DONE_PREFIX: &str = "#@done=";

/// A bar that follows a growing data file.
pub struct ProgressFollower {
    bar: ProgressDisplay,
    path: PathBuf,
    /// Last time when the file was seen to have grown during the present job.
    last_growth: Option<Instant>,
    checked_at: Instant,
    content: FollowedContent,
    /// The cells without all repetitions, if cells are printed.
    open_cells: Option<OpenCells>,
}

/// Content of the file so far.
#[derive(Default)]
struct FollowedContent {
    /// Number of bytes read, in complete lines.
    bytes_read: u64,
    /// Length of the file at the last check.
    length: u64,
    done: u64,
    ended: BTreeSet<JobId>,
    hosts: Vec<String>,
    /// The hosts of jobs, if they differ from those of the first job.
    hosts_of_job: BTreeMap<JobId, Vec<String>>,
    /// Rows and marks of complete cells since the last check.
    new_lines: Vec<String>,
}

impl ProgressFollower {
    /// Follows the data file of `plan` at `path`, which need not exist yet.
    pub fn new(plan: &MeasurementPlan, path: &Path, label: &str) -> Self {
        Self::of(ProgressDisplay::new(plan.volume(), label), path)
    }

    /// Follows a file of unknown extent at `path`, which need not exist yet.
    pub fn of_unknown_extent(path: &Path, label: &str) -> Self {
        Self::of(ProgressDisplay::of_unknown_extent(label), path)
    }

    fn of(bar: ProgressDisplay, path: &Path) -> Self {
        Self {
            bar,
            path: path.to_owned(),
            last_growth: None,
            checked_at: Instant::now(),
            content: FollowedContent::default(),
            open_cells: None,
        }
    }

    /// Begins to print each cell that gets complete, if wanted. No row that the file has now counts as progress, and no
    /// cell that is complete now is printed.
    pub fn begin_campaign(&mut self) {
        self.open_cells = OpenCells::if_wanted();
        let _ = self.read_on();
        self.completed_cells();
        self.content.done = 0;
    }

    /// Prints a message on standard error without disturbing the bar.
    pub fn print_message(&self, message: &str) {
        self.bar.print_message(message);
    }

    /// Prints a note without disturbing the bar.
    pub fn print_note(&self, note: &Note) {
        self.bar.print_note(note);
    }

    /// True if the file states that the job is complete.
    pub fn has_ended(&self, job: JobId) -> bool {
        self.content.ended.contains(&job)
    }

    /// Last time when the file was seen to have grown since the present job began.
    pub fn last_growth(&self) -> Option<Instant> {
        self.last_growth
    }

    /// The hosts of a job in rank order, as far as the file has them.
    pub fn hosts(&self, job: JobId) -> &[String] {
        self.content.hosts_of_job.get(&job).unwrap_or(&self.content.hosts)
    }

    /// Starts to follow a job.
    pub fn begin_job(&mut self) {
        self.check();
        self.last_growth = None;
    }

    /// Checks the file, if the interval has passed.
    pub fn check_if_due(&mut self) {
        if self.checked_at.elapsed() >= CHECK_INTERVAL {
            self.check();
        }
    }

    /// Checks the file.
    pub fn check(&mut self) {
        self.checked_at = Instant::now();
        // Errors are ignored: the next check reads the rest.
        let _ = self.read_on();
        for line in self.completed_cells() {
            self.print_message(&line);
        }
        self.bar.set_done(self.content.done);
    }

    /// A line for each cell that the lines since the last check complete; none unless cells are printed.
    fn completed_cells(&mut self) -> Vec<String> {
        let new_lines = std::mem::take(&mut self.content.new_lines);
        let open_cells = self.open_cells.as_mut();
        open_cells.map_or(Vec::new(), |cells| cells.completed_lines(&records(&new_lines)))
    }

    /// Checks the file until it stops growing: ranks live a little longer than a killed launcher.
    pub fn check_until_complete(&mut self) {
        let deadline = Instant::now() + LONGEST_WAIT;
        self.check();
        loop {
            let length = self.content.length;
            std::thread::sleep(COMPLETE_AFTER);
            self.check();
            if self.content.length == length || Instant::now() > deadline {
                return;
            }
        }
    }

    /// Reads the new complete lines; an incomplete one may yet be removed.
    fn read_on(&mut self) -> std::io::Result<()> {
        let mut file = File::open(&self.path)?;
        let length = file.metadata()?.len();
        if length > self.content.length {
            self.last_growth = Some(self.checked_at);
        }
        self.content.length = length;
        file.seek(SeekFrom::Start(self.content.bytes_read))?;
        let mut lines = BufReader::new(file);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
            self.content.bytes_read += line.len() as u64;
            self.content.take_line(String::from_utf8_lossy(&line).trim_end());
            line.clear();
        }
        Ok(())
    }
}

impl FollowedContent {
    fn take_line(&mut self, line: &str) {
        let is_mark = line.starts_with(DONE_PREFIX);
        let row_volume = line_volume(line);
        if is_mark || row_volume.is_some() {
            self.new_lines.push(line.to_owned());
        }
        let fact = line.strip_prefix("#@");
        let Some((key, value)) = fact.and_then(|fact| fact.split_once('=')) else {
            self.done += row_volume.unwrap_or(0);
            return;
        };
        let names = || value.split(',').map(str::to_owned).collect();
        match JobId::of_key(key) {
            None if key == HOSTS => self.hosts = names(),
            Some((job, HOSTS)) => self.hosts_of_job.extend([(job, names())]),
            Some((job, "s")) => self.ended.extend([job]),
            _ => {}
        }
    }
}

/// The records of lines in netsig's form; none if a line has another.
fn records(lines: &[String]) -> Vec<DataRecord> {
    let text = format!("{}\n{}", COLUMNS.join(","), lines.join("\n"));
    let read = Dataset::read("", text.as_bytes()).unwrap_or_default();
    let samples = read.samples.into_iter().map(DataRecord::Sample);
    let completed = read.completed.into_iter().map(DataRecord::Done);
    samples.chain(completed).collect()
}

/// The volume of a data line in netsig's form; `None` for other lines.
fn line_volume(line: &str) -> Option<u64> {
    let algorithm_on = line.splitn(3, ',').nth(2)?;
    let (_, rest) = match algorithm_on.strip_prefix('"') {
        Some(quoted) => quoted.split_once("\",")?,
        None => algorithm_on.split_once(',')?,
    };
    let mut fields = rest.split(',');
    let procs = fields.next()?.parse().ok()?;
    let size = fields.next()?.parse().ok()?;
    Some(volume(procs, Bytes(size)))
}
