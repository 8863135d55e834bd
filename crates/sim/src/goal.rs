//! Programs of ranks in GOAL, the language of the simulator `LogGOPSim`.
//!
//! The program of a rank is a set of operations with dependencies among them. An operation may
//! start as soon as its dependencies and its processor allow. Ranks wait for each other only
//! through messages.
//!
//! # Format
//! ```text
//! num_ranks 2
//! rank 0 {
//! l1: calc 1500 cpu 1
//! l2: send 1024b to 1 tag 7 cpu 0 nic 0
//! l2 requires l1
//! }
//! rank 1 {
//! recv 1024b from 0 tag 7
//! }
//! ```
//! * `num_ranks` comes first; then each rank has one block, in any order.
//! * A send or receive gives the bytes and the other rank, then optionally tag, processor and
//!   network interface, in this order; each is 0 by default. A calculation gives nanoseconds,
//!   then optionally a processor.
//! * `from -1` receives from any rank. `tag -1`, also written as 4294967295, fits any tag.
//! * A label is a letter followed by letters, digits and underscores. Dependencies can name only
//!   labelled operations. Labels are local to a rank and are defined before their use.
//! * `a requires b`: a begins after b has ended. `a irequires b`: a begins after b has
//!   begun.
//! * One statement takes one line. `// …` and `/* … */` may stand where a statement may begin.
//!
//! Every text that `LogGOPSim`'s `txt2bin` accepts and reads as written is accepted here too. Texts that `txt2bin`
//! accepts but misreads are errors here: a missing or second block of a rank, an unclosed block, a second definition
//! of a label, a too large number.
//!
//! # Source
//! Hoefler, Siebert, Lumsdaine 2009 (ICPP), the language; Hoefler, Schneider, Lumsdaine 2010
//! (HPDC), the simulator; its `txt2bin.re`, the grammar.
//!
//! ```
//! use netsig_sim::goal::{Goal, GoalAction};
//! use netsig_base::units::{Bytes, Rank};
//!
//! let text = "num_ranks 2\nrank 0 {\nl1: calc 5\nl2: send 8b to 1\nl2 requires l1\n}\n\
//!             rank 1 {\nrecv 8b from -1 tag -1\n}\n";
//! let goal = Goal::parse("f.goal", text)?;
//! let first = &goal.ranks()[0];
//! assert_eq!(first.action(0), GoalAction::Calculate { nanoseconds: 5 });
//! assert_eq!(first.after_end(0), [1]);
//! let any = GoalAction::Receive { from: None, size: Bytes(8), tag: None };
//! assert_eq!(goal.ranks()[1].action(0), any);
//! # Ok::<(), netsig_base::text::file_error::FileError>(())
//! ```

mod algorithm;
mod cycle;
mod program;
mod read;
mod run;
mod scan;
mod write;

use netsig_base::text::file_error::FileError;
use netsig_base::units::Procs;

pub use algorithm::write_algorithm;
pub use program::{GoalAction, GoalOperation, GoalRankProgram};
pub use run::{GoalRun, UnknownInterface};

/// The programs of all ranks. Operations refer only to these ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Goal {
    ranks: Vec<GoalRankProgram>,
}

impl Goal {
    /// Parses GOAL; errors name the file `name`. Time and memory are proportional to the text.
    ///
    /// # Errors
    /// If `text` is not valid GOAL; the error names the line and column of the first fault.
    pub fn parse(name: &str, text: &str) -> Result<Self, FileError> {
        read::parse(name, text)
    }

    /// Number of ranks.
    pub fn procs(&self) -> Procs {
        let count = u32::try_from(self.ranks.len()).ok();
        let procs = count.and_then(|count| Procs::new(count).ok());
        procs.expect("a file with no ranks, or more than it can count, is not read")
    }

    /// The programs by rank.
    pub fn ranks(&self) -> &[GoalRankProgram] {
        &self.ranks
    }
}

#[cfg(test)]
mod tests;
