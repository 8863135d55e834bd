//! The job that examines the hosts: what it found there, and how it ended.

use netsig_core::text::file_error::parse_toml;
use netsig_core::units::Procs;
use serde::Deserialize;

use super::errand::Errand;
use crate::input::failure::Failure;
use crate::input::files;
use crate::job::End;
use crate::job::launch::Launcher;

/// The report of the ranks, as far as they wrote it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// Number of ranks, if they started.
    pub started: Option<u32>,
    /// The findings of each rank on its host; none if the ranks did not meet.
    #[serde(default, rename = "rank")]
    pub ranks: Vec<Findings>,
    /// The pairs of ranks that exchanged messages, and the one that was about to.
    #[serde(default, rename = "pair")]
    pub pairs: Vec<Pair>,
}

/// The findings of a rank on its host.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Findings {
    /// Name of the host.
    pub host: String,
    /// The files of counters that the kernel does not show.
    pub unreadable_counters: Vec<String>,
    /// The kernel's name of its clock; empty if unknown.
    pub clock_source: String,
    /// Time of reading the clock twice.
    pub clock_overhead_s: f64,
    /// Number of processors.
    pub processors: u32,
    /// Share of the processors' time in which others used them.
    pub busy: f64,
}

/// An exchange of messages between two ranks.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// The ranks.
    pub ranks: [usize; 2],
    /// Time until each of both had the messages of the other one, infinite if they did not arrive; nothing
    /// if the job ended during the exchange.
    pub arrived_s: Option<[f64; 2]>,
}

/// The outcome of an examination.
pub struct Examination {
    /// What the ranks found.
    pub report: Report,
    /// The reason why the job did not end well, if so.
    pub trouble: Option<String>,
}

impl Examination {
    /// Examines the hosts of `procs` ranks.
    ///
    /// # Errors
    /// If the job cannot be started, Ctrl-C ends it, or its report cannot be read.
    pub fn run(errand: &Errand, launcher: &Launcher, procs: Procs) -> Result<Self, Failure> {
        let (end, file) = errand.run(launcher, procs)?;
        let name = file.display().to_string();
        let hint = "use a rank program of this version of netsig";
        let report = parse_toml(&name, &files::text(&file)?, hint)?;
        let trouble = match end {
            End::Complete => None,
            End::Interrupted(code) => {
                return Err(Failure::interrupted(code, "start the command again"));
            }
            End::Void(why) | End::Lost(why) | End::Failed(why) => Some(why),
        };
        Ok(Self { report, trouble })
    }
}
