//! Shows the progress of a measurement with the remaining time. It is read from the data file: the
//! volume of its samples relative to the volume of the plan.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use netsig_base::units::Bytes;
use netsig_measure::plan::{JobId, Plan, volume};

use crate::print::bar::Bar;

/// Interval between checks of the data file.
const GLANCE: Duration = Duration::from_millis(200);

/// A file that does not grow for this time is complete.
const QUIET: Duration = Duration::from_millis(300);

/// Limit of the wait for a complete file.
const LONGEST: Duration = Duration::from_secs(10);

/// The provenance key of the hosts in rank order, for all jobs or for one.
const HOSTS: &str = "hosts";

/// A bar that follows a growing data file.
pub struct Follower {
    bar: Bar,
    path: PathBuf,
    /// Last time when the file was seen to have grown during the present job.
    grown: Option<Instant>,
    looked: Instant,
    seen: Seen,
}

/// Content of the file so far.
#[derive(Default)]
struct Seen {
    /// Number of bytes read, in complete lines.
    read: u64,
    /// Length of the file at the last check.
    length: u64,
    done: u64,
    ended: BTreeSet<JobId>,
    hosts: Vec<String>,
    /// The hosts of jobs, if they differ from those of the first job.
    hosts_of: BTreeMap<JobId, Vec<String>>,
}

impl Follower {
    /// Follows the data file of `plan` at `path`, which need not exist yet.
    pub fn new(plan: &Plan, path: &Path, what: &str) -> Self {
        Self::of(Bar::new(plan.volume(), what), path)
    }

    /// Follows a file of unknown extent at `path`, which need not exist yet.
    pub fn without_end(path: &Path, what: &str) -> Self {
        Self::of(Bar::without_end(what), path)
    }

    fn of(bar: Bar, path: &Path) -> Self {
        Self {
            bar,
            path: path.to_owned(),
            grown: None,
            looked: Instant::now(),
            seen: Seen::default(),
        }
    }

    /// Counts no row that the file has now as progress.
    pub fn pass_over(&mut self) {
        self.look_now();
        self.seen.done = 0;
    }

    /// Prints a message on standard error without disturbing the bar.
    pub fn say(&self, message: &str) {
        self.bar.say(message);
    }

    /// True if the file states that the job is complete.
    pub fn has_ended(&self, job: JobId) -> bool {
        self.seen.ended.contains(&job)
    }

    /// Last time when the file was seen to have grown since the present job began.
    pub fn grown(&self) -> Option<Instant> {
        self.grown
    }

    /// The hosts of a job in rank order, as far as the file has them.
    pub fn hosts(&self, job: JobId) -> &[String] {
        self.seen.hosts_of.get(&job).unwrap_or(&self.seen.hosts)
    }

    /// Starts to follow a job.
    pub fn begin_job(&mut self) {
        self.look_now();
        self.grown = None;
    }

    /// Checks the file, if the interval has passed.
    pub fn look(&mut self) {
        if self.looked.elapsed() >= GLANCE {
            self.look_now();
        }
    }

    /// Checks the file.
    pub fn look_now(&mut self) {
        self.looked = Instant::now();
        // Errors are ignored: the next check reads the rest.
        let _ = self.read_on();
        self.bar.reach(self.seen.done);
    }

    /// Checks the file until it stops growing: ranks live a little longer than a killed launcher.
    pub fn look_until_quiet(&mut self) {
        let deadline = Instant::now() + LONGEST;
        self.look_now();
        loop {
            let length = self.seen.length;
            std::thread::sleep(QUIET);
            self.look_now();
            if self.seen.length == length || Instant::now() > deadline {
                return;
            }
        }
    }

    /// Reads the new complete lines; an incomplete one may yet be removed.
    fn read_on(&mut self) -> std::io::Result<()> {
        let mut file = File::open(&self.path)?;
        let length = file.metadata()?.len();
        if length > self.seen.length {
            self.grown = Some(self.looked);
        }
        self.seen.length = length;
        file.seek(SeekFrom::Start(self.seen.read))?;
        let mut lines = BufReader::new(file);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
            self.seen.read += line.len() as u64;
            self.seen.take(String::from_utf8_lossy(&line).trim_end());
            line.clear();
        }
        Ok(())
    }
}

impl Seen {
    fn take(&mut self, line: &str) {
        let fact = line.strip_prefix("#@");
        let Some((key, value)) = fact.and_then(|fact| fact.split_once('=')) else {
            self.done += line_volume(line).unwrap_or(0);
            return;
        };
        let names = || value.split(',').map(str::to_owned).collect();
        match JobId::of_key(key) {
            None if key == HOSTS => self.hosts = names(),
            Some((job, HOSTS)) => self.hosts_of.extend([(job, names())]),
            Some((job, "s")) => self.ended.extend([job]),
            _ => {}
        }
    }
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
