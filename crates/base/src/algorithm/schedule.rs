//! The schedule of an algorithm for a call: the rounds of each rank, and the proof of delivery.

use std::ops::Range;
use std::sync::Arc;

use super::call::{Call, Unsupported};
use super::delivery::{Piece, Pieces};
use super::traffic::Traffic;
use super::{ALGORITHMS, Algorithm, Collective, Cut, Entry, Layout, Outline, PairSizes, Phases, Shape};
use crate::schedule::{self, BlockCounts, Datum, Division, Extent, Round, ScheduleError, Slot, Turn};
use crate::units::{Bytes, Procs, Rank};

/// An algorithm with a call that it can serve.
///
/// The functions of the table have rank 0 as the root. For another root all ranks are
/// numbered from it, and pieces likewise.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule {
    procs: Procs,
    algorithm: Algorithm,
    division: Division,
    turn: Option<Turn>,
    pairs: Option<Arc<PairSizes>>,
    phases: Option<Arc<Phases>>,
    /// Clusters by numbers counted from the root, of an algorithm that follows them.
    layout: Option<Layout>,
}

/// A proved schedule, which may be run.
#[derive(Debug, Clone)]
pub struct Proven {
    schedule: Schedule,
    /// The rank whose part alone was proved, if not all were.
    rank: Option<Rank>,
}

impl Algorithm {
    /// The schedule among `procs` in one cluster for pieces of `size`, or of this mean size where the
    /// collective has pieces that differ, with root 0.
    pub fn schedule(self, procs: Procs, size: Bytes) -> Schedule {
        let pairs = PairSizes::of(self.collective.sizes(), procs, size);
        self.divided(procs, size, pairs.map(Arc::new))
    }

    /// The schedule for pieces of `size`, or of the sizes of `pairs`.
    fn divided(self, procs: Procs, size: Bytes, pairs: Option<Arc<PairSizes>>) -> Schedule {
        let size = pairs.as_deref().map_or(size, PairSizes::largest);
        let division = match self.entry.cut {
            Cut::Straight | Cut::Whole => Division::whole(size),
            Cut::Ranks => Division::equal(size, procs.get()),
            Cut::PowerOfTwo => Division::equal(size, 1 << procs.floor_log2()),
            Cut::Segments | Cut::StraightSegments => Division::segments(size, self.segment().unwrap_or_default()),
        };
        Schedule {
            procs,
            algorithm: self,
            division,
            turn: None,
            pairs,
            phases: None,
            layout: self.follows_clusters().then(|| Layout::one(procs)),
        }
    }

    /// True if the schedule depends on the clusters of the ranks.
    fn follows_clusters(&self) -> bool {
        self.traffic() == Some(Traffic::Clusters)
    }

    /// The schedule for `call`.
    ///
    /// # Errors
    /// If the algorithm cannot serve the call.
    pub fn serve(self, call: &Call) -> Result<Schedule, Unsupported> {
        let mut schedule = match self.pairs(call)? {
            Some(pairs) => self.divided(call.procs, call.size, Some(pairs)),
            None => self.schedule(call.procs, call.size),
        };
        schedule.turn = self.turn(call, schedule.division.parts())?;
        schedule.phases.clone_from(&call.phases);
        if let Some(phases) = &schedule.phases {
            refuse_other_count("phases", phases.procs().get() as usize, call.procs)?;
        }
        if let Some(layout) = &call.layout {
            refuse_other_count("layout", layout.ranks(), call.procs)?;
            if self.follows_clusters() {
                let Call { procs, root, .. } = *call;
                let turned = procs.ranks().map(|number| number.ahead(root.0, procs));
                schedule.layout = Some(layout.of_ranks(turned));
            }
        }
        Ok(schedule)
    }

    /// Renumbering of ranks and pieces for a root other than rank 0.
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
        if !self.entry.cut.is_straight() {
            let mut straight = ALGORITHMS.iter().filter(|entry| entry.cut.is_straight());
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
    /// The algorithm, with its settings for this call.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Number of ranks.
    pub fn procs(&self) -> Procs {
        self.procs
    }

    fn shape(&self) -> Shape<'_> {
        Shape {
            procs: self.procs,
            parts: self.division.parts(),
            algorithm: self.algorithm,
            phases: self.phases.as_deref(),
            layout: self.layout.as_ref(),
        }
    }

    /// Rounds, division, memory and longest message. Counts beyond 2³² − 1 are limited to that
    /// value. For pieces of different sizes, the division is that of the largest piece.
    pub fn extent(&self) -> Extent {
        let shape = self.shape();
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

    /// Sends, receives and copies of `rank` in round `index`.
    pub fn round(&self, rank: Rank, index: usize) -> Round {
        let number = self.number_of(rank);
        let round = self.entry().rounds.round(self.shape(), number, index);
        match self.turn {
            Some(turn) => round.turned(turn),
            None => round,
        }
    }

    /// Range of rounds outside of which `rank` is idle. In a tree the rank is active in the first
    /// and the last of them.
    pub fn active(&self, rank: Rank) -> Range<usize> {
        let number = self.number_of(rank);
        self.entry().rounds.active(self.shape(), number)
    }

    /// Length of the message from `from` to `to` that consists of `slots`.
    pub fn bytes(&self, (from, to): (Rank, Rank), slots: &[Slot]) -> u64 {
        let piece = self.pairs.as_ref().map(|pairs| pairs.get(from, to));
        let length = |slot: &Slot| match piece {
            Some(piece) => self.division.bytes_of(piece, slot.index()),
            None => self.division.bytes(slot.index()),
        };
        slots.iter().map(length).fold(0, u64::saturating_add)
    }

    /// True if a message is sent: where pieces differ in size, both its ends leave out blocks without
    /// data. A message without blocks is a signal.
    pub fn is_sent(&self, pair: (Rank, Rank), slots: &[Slot]) -> bool {
        self.pairs.is_none() || slots.is_empty() || self.bytes(pair, slots) > 0
    }

    /// Lengths of the pieces that differ in size.
    pub fn pairs(&self) -> Option<&PairSizes> {
        self.pairs.as_deref()
    }

    /// Proves the schedule: every block arrives, and every rule is kept. The size of a piece
    /// affects the proof by its number of parts only.
    ///
    /// # Errors
    /// The first violated rule.
    pub fn check(&self) -> Result<(), ScheduleError> {
        let Shape { procs, parts, .. } = self.shape();
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
        schedule::check_delivery(self.extent(), |rank, index| self.round(rank, index), expected)
    }

    /// [`Schedule::check`], which returns the proved schedule. Time and memory grow with the blocks
    /// of all ranks, for an all-to-all with the square of the number of ranks: well below a second
    /// and 100 MB among 1024.
    ///
    /// # Errors
    /// As [`Schedule::check`].
    pub fn prove(self) -> Result<Proven, ScheduleError> {
        self.check()?;
        Ok(Proven {
            schedule: self,
            rank: None,
        })
    }

    /// Proves the part of `rank`, for a job in which every rank proves its own part of the same
    /// algorithm. Pieces may be cut into other numbers of parts on other ranks, if none is longer there
    /// than its parts. Where each message carries one block straight to its destination in a single
    /// round, time and memory grow with the rank's own blocks; otherwise this is [`Schedule::prove`].
    ///
    /// # Errors
    /// As [`Schedule::check`].
    pub fn prove_part(self, rank: Rank) -> Result<Proven, ScheduleError> {
        if !self.is_straight_part(rank) {
            return self.prove();
        }
        Ok(Proven {
            schedule: self,
            rank: Some(rank),
        })
    }

    /// True if the schedule is an exchange in one round, and the part of `rank` is straight.
    fn is_straight_part(&self, rank: Rank) -> bool {
        let extent = self.extent();
        let is_exchange = self.entry().collective == Collective::Alltoall;
        is_exchange && extent.rounds == 1 && schedule::is_straight(&extent, rank, &self.round(rank, 0))
    }

    fn entry(&self) -> &'static Entry {
        self.algorithm.entry
    }

    fn root(&self) -> Rank {
        self.turn.map_or(Rank(0), |turn| turn.root)
    }

    /// Number of `rank`, counted from the root.
    fn number_of(&self, rank: Rank) -> Rank {
        match self.turn {
            Some(Turn { root, procs, .. }) => rank.behind(root.0, procs),
            None => rank,
        }
    }
}

impl Proven {
    /// The proof of `schedule`, if it follows from this one: pieces may have another size, but not another
    /// number of parts, and another root only renumbers ranks and pieces.
    pub fn of(&self, schedule: Schedule) -> Option<Self> {
        let follows = self.schedule.shape() == schedule.shape();
        follows.then_some(Self {
            schedule,
            rank: self.rank,
        })
    }

    /// Rounds, division, memory and longest message.
    pub fn extent(&self) -> Extent {
        self.schedule.extent()
    }

    /// The number of rounds.
    pub fn rounds(&self) -> usize {
        self.extent().rounds
    }

    /// Sends, receives and copies of `rank`, whose part is proved, in round `index`.
    pub fn round(&self, rank: Rank, index: usize) -> Round {
        let is_proved = self.rank.is_none_or(|proved| proved == rank);
        assert!(is_proved, "another rank's part is not proved");
        self.schedule.round(rank, index)
    }
}
