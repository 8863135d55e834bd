//! The schedule of an algorithm for a call: what each rank does in each round, and the proof
//! that it delivers.

use std::ops::Range;
use std::sync::Arc;

use super::call::{Call, PairSizes, Unsupported};
use super::delivery::{Piece, Pieces};
use super::setting::Kind;
use super::{ALGORITHMS, Algorithm, Cut, Entry, Outline, Shape};
use crate::schedule::{
    self, BlockCounts, Datum, Division, Extent, Round, ScheduleError, Slot, Turn,
};
use crate::units::{Bytes, Procs, Rank};

/// An algorithm for a call that it can serve.
///
/// The functions of the table have rank 0 as the root. For another root all ranks are
/// numbered from it, and pieces likewise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    shape: Shape,
    division: Division,
    turn: Option<Turn>,
    pairs: Option<Arc<PairSizes>>,
}

/// A schedule that was proved: the right to run it.
#[derive(Debug, Clone)]
pub struct Proven(Schedule);

impl Algorithm {
    /// The schedule among `procs` for pieces of `size`, with root 0.
    pub fn schedule(self, procs: Procs, size: Bytes) -> Schedule {
        let division = match self.entry.cut {
            Cut::Straight | Cut::Whole => Division::whole(size),
            Cut::Ranks => Division::equal(size, procs.get()),
            Cut::PowerOfTwo => Division::equal(size, 1 << procs.floor_log2()),
            Cut::Segments => Division::segments(size, self.segment().unwrap_or_default()),
        };
        Schedule {
            shape: Shape {
                procs,
                parts: division.parts(),
                algorithm: self,
            },
            division,
            turn: None,
            pairs: None,
        }
    }

    /// The schedule for `call`. A layout of two clusters takes the place of the setting that
    /// says how large the first is.
    ///
    /// # Errors
    /// If the algorithm does not serve such a call.
    pub fn serve(mut self, call: &Call) -> Result<Schedule, Unsupported> {
        self.arrange(call)?;
        let mut schedule = self.schedule(call.procs, call.size);
        schedule.turn = self.turn(call, schedule.shape.parts)?;
        schedule.pairs = self.pairs(call)?;
        Ok(schedule)
    }

    /// Sets what follows from the layout.
    fn arrange(&mut self, call: &Call) -> Result<(), Unsupported> {
        let Some(layout) = &call.layout else {
            return Ok(());
        };
        refuse_other_count("layout", layout.ranks(), call.procs)?;
        let mut settings = self.entry.settings.iter();
        if let Some(place) = settings.position(|setting| setting.kind == Kind::FirstCluster) {
            let first = layout.first_of_two();
            let first = first.ok_or_else(|| Unsupported::NotTwoClusters {
                algorithm: self.to_string(),
            })?;
            self.values.set(place, first);
        }
        Ok(())
    }

    /// How ranks and pieces are numbered from a root that is not rank 0.
    fn turn(&self, call: &Call, parts: u32) -> Result<Option<Turn>, Unsupported> {
        let Call { procs, root, .. } = *call;
        if root == Rank(0) {
            return Ok(None);
        }
        if root.0 >= procs.get() {
            return Err(Unsupported::NoSuchRoot { root, procs });
        }
        let collective = self.collective();
        if !collective.has_root() {
            return Err(Unsupported::Rootless { collective });
        }
        let Pieces { input, output } = collective.pieces(procs);
        Ok(Some(Turn {
            root,
            procs,
            parts,
            input,
            output,
        }))
    }

    fn pairs(&self, call: &Call) -> Result<Option<Arc<PairSizes>>, Unsupported> {
        let Some(pairs) = &call.pairs else {
            return Ok(None);
        };
        refuse_other_count("sizes", pairs.procs().get() as usize, call.procs)?;
        if self.entry.cut != Cut::Straight {
            let mut straight = ALGORITHMS.iter().filter(|entry| entry.cut == Cut::Straight);
            return Err(Unsupported::SizesDiffer {
                algorithm: self.to_string(),
                example: straight.next().map_or("", |entry| entry.name),
            });
        }
        Ok(Some(Arc::clone(pairs)))
    }
}

fn refuse_other_count(of: &'static str, given: usize, procs: Procs) -> Result<(), Unsupported> {
    if given == procs.get() as usize {
        return Ok(());
    }
    Err(Unsupported::OtherCount { of, given, procs })
}

impl Schedule {
    /// The algorithm, with what its settings are for this call.
    pub fn algorithm(&self) -> Algorithm {
        self.shape.algorithm
    }

    /// Who takes part.
    pub fn procs(&self) -> Procs {
        self.shape.procs
    }

    /// Rounds, division, memory and longest message. Counts beyond 2³² − 1 are given as that.
    /// Where sizes differ, the division is that of the largest piece.
    pub fn extent(&self) -> Extent {
        let shape = self.shape;
        let Outline {
            rounds,
            scratch,
            longest_message,
        } = self.entry().rounds.outline(shape);
        let Pieces { input, output } = self.entry().collective.pieces(shape.procs);
        Extent {
            procs: shape.procs,
            rounds,
            division: self.division,
            blocks: BlockCounts {
                input: input.saturating_mul(shape.parts),
                output: output.saturating_mul(shape.parts),
                scratch,
            },
            longest_message,
        }
    }

    /// What `rank` does in round `index`.
    pub fn round(&self, rank: Rank, index: usize) -> Round {
        let number = self.number_of(rank);
        let round = self.entry().rounds.round(self.shape, number, index);
        match self.turn {
            Some(turn) => round.turned(turn),
            None => round,
        }
    }

    /// The rounds outside of which `rank` has nothing to do. In a tree it is busy in the first
    /// and the last of them.
    pub fn active(&self, rank: Rank) -> Range<usize> {
        let number = self.number_of(rank);
        self.entry().rounds.active(self.shape, number)
    }

    /// The length of the message of `from` to `to` that consists of `slots`.
    pub fn bytes(&self, (from, to): (Rank, Rank), slots: &[Slot]) -> u64 {
        if let Some(pairs) = &self.pairs {
            return pairs.get(from, to).0;
        }
        let lengths = slots.iter().map(|slot| self.division.bytes(slot.index()));
        lengths.fold(0, u64::saturating_add)
    }

    /// Proves the schedule: every datum arrives, every rule is kept. Of the size, only the
    /// number of parts matters.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn check(&self) -> Result<(), ScheduleError> {
        let Shape { procs, parts, .. } = self.shape;
        let collective = self.entry().collective;
        let blocks = |piece: Piece| {
            let first = piece.number * parts;
            (first..first + parts).map(move |block| Datum {
                origin: piece.origin,
                block,
            })
        };
        let pieces = |rank| collective.expected(procs, self.root(), rank);
        let expected = |rank| pieces(rank).flat_map(blocks).collect();
        schedule::check_delivery(
            self.extent(),
            |rank, index| self.round(rank, index),
            expected,
        )
    }

    /// [`Schedule::check`] with its success in hand. Takes time and memory that grow with the
    /// blocks of all ranks, for an all-to-all with the square of their number: well below a
    /// second and 100 MB among 1024.
    ///
    /// # Errors
    /// As there.
    pub fn prove(self) -> Result<Proven, ScheduleError> {
        self.check()?;
        Ok(Proven(self))
    }

    fn entry(&self) -> &'static Entry {
        self.shape.algorithm.entry
    }

    fn root(&self) -> Rank {
        self.turn.map_or(Rank(0), |turn| turn.root)
    }

    /// The number of `rank` from the root on.
    fn number_of(&self, rank: Rank) -> Rank {
        match self.turn {
            Some(Turn { root, procs, .. }) => rank.behind(root.0, procs),
            None => rank,
        }
    }
}

impl Proven {
    /// Whether `schedule` does the same: pieces may have another size, but not another number
    /// of parts.
    pub fn is_for(&self, schedule: &Schedule) -> bool {
        (self.0.shape, self.0.turn) == (schedule.shape, schedule.turn)
    }

    /// The number of rounds.
    pub fn rounds(&self) -> usize {
        self.0.extent().rounds
    }

    /// What `rank` does in round `index`.
    pub fn round(&self, rank: Rank, index: usize) -> Round {
        self.0.round(rank, index)
    }
}
