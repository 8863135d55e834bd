//! Programs of ranks in GOAL, the language of the simulator `LogGOPSim`.
//!
//! A rank's program is a set of operations, and which of them wait for which others of the
//! same rank: what is neither forbidden by these dependencies nor by a busy processor may
//! proceed at once. Ranks wait for each other by messages alone.
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
//! * A send and a receive give bytes, the other rank, then if wanted a tag, a processor and
//!   a network interface, in that order and 0 unless said. A calculation gives nanoseconds,
//!   then if wanted a processor.
//! * `from -1` receives from any rank. `tag -1`, also written as 4294967295, fits any tag.
//! * A label is a letter followed by letters, digits and underlines. An operation without
//!   one cannot be waited for. Labels are a rank's own, and stand before their use.
//! * `a requires b`: a begins after b has ended. `a irequires b`: a begins after b has
//!   begun.
//! * One statement takes one line. `// …` and `/* … */` stand where a statement may begin.
//!
//! What `LogGOPSim`'s `txt2bin` takes without a fault, netsig takes. What it takes and then
//! reads otherwise than it says is an error here: a second block of a rank or none, a block
//! left open, a label defined twice, a number too large for its place.
//!
//! # Source
//! Hoefler, Siebert, Lumsdaine 2009 (ICPP), the language; Hoefler, Schneider, Lumsdaine 2010
//! (HPDC), the simulator; its `txt2bin.re`, the grammar.
//!
//! ```
//! use netsig_core::sim::goal::{Action, Goal};
//! use netsig_core::units::{Bytes, Rank};
//!
//! let text = "num_ranks 2\nrank 0 {\nl1: calc 5\nl2: send 8b to 1\nl2 requires l1\n}\n\
//!             rank 1 {\nrecv 8b from -1 tag -1\n}\n";
//! let goal = Goal::parse("f.goal", text)?;
//! let first = &goal.ranks()[0];
//! assert_eq!(first.action(0), Action::Calculate { nanoseconds: 5 });
//! assert_eq!(first.after_end(0), [1]);
//! let any = Action::Receive { from: None, size: Bytes(8), tag: None };
//! assert_eq!(goal.ranks()[1].action(0), any);
//! # Ok::<(), netsig_core::text::file_error::FileError>(())
//! ```

mod algorithm;
mod cycle;
mod program;
mod read;
mod run;
mod scan;
mod write;

use crate::text::file_error::FileError;
use crate::units::Procs;

pub use algorithm::write_algorithm;
pub use program::{Action, Operation, RankProgram};
pub use run::{Goals, OtherInterface};

/// The programs of all ranks. Every rank that they name is one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Goal {
    ranks: Vec<RankProgram>,
}

impl Goal {
    /// Reads GOAL; `name` is what errors call its file. Takes time and memory in proportion
    /// to the text.
    ///
    /// # Errors
    /// Names the line and column of the first fault.
    pub fn parse(name: &str, text: &str) -> Result<Self, FileError> {
        read::parse(name, text)
    }

    /// How many ranks there are.
    pub fn procs(&self) -> Procs {
        let count = u32::try_from(self.ranks.len()).ok();
        let procs = count.and_then(|count| Procs::new(count).ok());
        procs.expect("a file with no ranks, or more than it can count, is not read")
    }

    /// The programs by rank.
    pub fn ranks(&self) -> &[RankProgram] {
        &self.ranks
    }
}

#[cfg(test)]
mod tests;
