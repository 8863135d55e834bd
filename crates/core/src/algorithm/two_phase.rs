//! All-to-all between two clusters: relays first gather the blocks for the other cluster, so that
//! few and long messages cross the wide-area network.
//!
//! # Phases
//! The smaller cluster has n₁ ranks and the larger n₂; i and j number the ranks of a
//! cluster from 0.
//!
//! 1. One round inside each cluster. A rank sends each peer one message: its block for
//!    the peer, and its blocks for the other cluster that the peer relays.
//! 2. ⌈n₂/n₁⌉ rounds between the clusters. In round s = 0, 1, … rank i of the smaller
//!    cluster and rank n₁·s + i of the larger, if it exists, exchange one message each
//!    way: all blocks that one relays for the other.
//!
//! Only 2·n₂ messages cross, while direct exchange sends 2·n₁·n₂, and each block crosses once.
//!
//! # Relays
//! Rank j mod n₁ relays a block from the smaller cluster to rank j of the larger. The relay of a
//! block from rank i of the larger cluster to rank j of the smaller is
//!
//! * `two-phase`: n₁·⌊i/n₁⌋ + j, or n₁ less if there is no such rank;
//! * `two-phase-balanced`: j + n₁·(i mod c), where c = ⌊(n₂−1−j)/n₁⌋ + 1 is the number of
//!   ranks that meet j in the second phase: their numbers of relayed blocks differ by at most one.
//!
//! # Source
//! Section 7 of Steffenel, Martinasso, Trystram 2007 (GPC), where ranks of the larger cluster are
//! numbered from n₁ and rounds from 1. The rule printed there for blocks from the larger cluster is
//! n₁·⌊i/n₁⌋ + j alone. Where n₁ does not divide n₂ it gives relays beyond the last rank, and
//! r·(n₁−r) blocks, r = n₂ mod n₁, would never arrive. Both forms here correct this. With
//! `two-phase`, such a block goes to the rank n₁ before, which also meets j; all other blocks keep
//! their printed relay. The printed range k ∈ [0, n₁] of ranks of the smaller cluster is [0, n₁−1].

use std::iter::StepBy;
use std::ops::Range;

use super::setting::N1;
use super::{Collective, Cut, Entry, Outline, Rounds, Shape, alltoall};
use crate::schedule::{Message, Round, Slot};
use crate::units::Rank;

pub(super) const TWO_PHASE: Entry = Entry {
    name: "two-phase",
    collective: Collective::Alltoall,
    summary: "two clusters, the first of N1 ranks: gathered on relays, then one message a pair",
    settings: &[N1],
    cut: Cut::Whole,
    rounds: &Relays::Near,
    traffic: None,
    closed_form: None,
    library: &[],
};

pub(super) const TWO_PHASE_BALANCED: Entry = Entry {
    name: "two-phase-balanced",
    collective: Collective::Alltoall,
    summary: "two-phase, but the relays of the larger cluster have equal shares",
    settings: &[N1],
    cut: Cut::Whole,
    rounds: &Relays::Balanced,
    traffic: None,
    closed_form: None,
    library: &[],
};

/// Relays in the larger cluster.
#[derive(Debug, Clone, Copy)]
enum Relays {
    /// The printed rank if it exists, else the rank n₁ before.
    Near,
    /// All ranks that meet the receiver, in turn.
    Balanced,
}

impl Rounds for Relays {
    fn outline(&self, shape: Shape) -> Outline {
        Grid::new(shape, *self).outline()
    }

    fn round(&self, shape: Shape, rank: Rank, index: usize) -> Round {
        Grid::new(shape, *self).round(rank, index)
    }

    fn active(&self, shape: Shape, _: Rank) -> Range<usize> {
        0..Grid::new(shape, *self).rounds()
    }
}

/// Ranks of both clusters. A lone cluster counts as the smaller one.
struct Grid {
    smaller: Range<u32>,
    larger: Range<u32>,
    relays: Relays,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Smaller,
    Larger,
}

/// A rank, as cluster and number in the cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seat {
    side: Side,
    number: u32,
}

/// Numbers of ranks in a cluster.
type Numbers = StepBy<Range<u32>>;

impl Grid {
    fn new(shape: Shape, relays: Relays) -> Self {
        let procs = shape.procs.get();
        let border = shape.get(N1).min(procs);
        let (first, second) = (0..border, border..procs);
        let (smaller, larger) = if second.is_empty() || first.len() <= second.len() {
            (first, second)
        } else {
            (second, first)
        };
        Self {
            smaller,
            larger,
            relays,
        }
    }

    fn outline(&self) -> Outline {
        let small = self.size(Side::Smaller);
        let steps = self.steps();
        let gathered = if small == 1 { 1 } else { 1 + steps };
        let relayed = self
            .seats(Side::Larger)
            .map(|seat| self.sources(seat).len());
        let relayed = u32::try_from(relayed.max().unwrap_or(0)).expect("fewer than ranks");
        Outline {
            rounds: self.rounds(),
            scratch: steps * small,
            longest_message: gathered.max(relayed),
        }
    }

    /// Number of rounds of the second phase.
    fn steps(&self) -> u32 {
        self.size(Side::Larger).div_ceil(self.size(Side::Smaller))
    }

    fn rounds(&self) -> usize {
        1 + self.steps() as usize
    }

    fn round(&self, rank: Rank, index: usize) -> Round {
        let me = self.seat(rank);
        match index.checked_sub(1) {
            None => self.gather(me),
            Some(step) => self.cross(me, u32::try_from(step).expect("fewer steps than ranks")),
        }
    }

    /// Round of the first phase.
    fn gather(&self, me: Seat) -> Round {
        let size = self.size(me.side);
        let peer = |distance| Seat {
            number: (me.number + distance) % size,
            ..me
        };
        Round {
            sends: (1..size).map(|t| self.hand_over(me, peer(t))).collect(),
            receives: (1..size)
                .map(|t| self.collect(peer(size - t), me))
                .collect(),
            copies: [alltoall::keep(self.rank(me).0)].into(),
            ..Round::default()
        }
    }

    /// Message of a rank to a peer: the block for the peer and the blocks that the peer relays.
    fn hand_over(&self, from: Seat, to: Seat) -> Message {
        let mut message = Message::single(self.rank(to), Slot::Input(self.rank(to).0));
        if self.sources(to).any(|source| source == from.number) {
            let blocks = self.targets(to);
            let blocks = blocks.map(|target| Slot::Input(self.rank(target).0));
            message.slots.extend(blocks);
        }
        message
    }

    /// Message of [`Grid::hand_over`] at its receiver.
    fn collect(&self, from: Seat, to: Seat) -> Message {
        let mut message = Message::single(self.rank(from), Slot::Output(self.rank(from).0));
        let mut sources = self.sources(to).zip(0..);
        if let Some((_, place)) = sources.find(|&(source, _)| source == from.number) {
            let blocks = self.targets(to);
            let blocks = blocks.map(|target| self.scratch(to, target, place));
            message.slots.extend(blocks);
        }
        message
    }

    /// Step `step` of the second phase, from 0.
    fn cross(&self, me: Seat, step: u32) -> Round {
        let mut partners = self.targets(me);
        let partner = partners.find(|&partner| self.step(me, partner) == step);
        Round {
            sends: partner.map(|to| self.pass_on(me, to)).into(),
            receives: partner.map(|from| self.take(from)).into(),
            ..Round::default()
        }
    }

    /// Message of a relay to a rank of the other cluster, with all blocks for that rank.
    fn pass_on(&self, relay: Seat, to: Seat) -> Message {
        let block = |(source, place)| {
            if source == relay.number {
                Slot::Input(self.rank(to).0)
            } else {
                self.scratch(relay, to, place)
            }
        };
        Message::of(self.rank(to), self.sources(relay).zip(0..).map(block))
    }

    /// Message of [`Grid::pass_on`] at its receiver: one output block for each source of the relay.
    fn take(&self, relay: Seat) -> Message {
        let block = |number| Slot::Output(self.rank(Seat { number, ..relay }).0);
        Message::of(self.rank(relay), self.sources(relay).map(block))
    }

    /// Slot in which a relay keeps the block from its source number `place` to `target`.
    fn scratch(&self, relay: Seat, target: Seat, place: u32) -> Slot {
        let stride = u32::try_from(self.sources(relay).len()).expect("fewer than ranks");
        let row = match relay.side {
            Side::Smaller => self.step(relay, target),
            Side::Larger => 0,
        };
        Slot::Scratch(row * stride + place)
    }

    /// Step in which two ranks of different clusters meet.
    fn step(&self, one: Seat, other: Seat) -> u32 {
        let in_larger = match one.side {
            Side::Smaller => other,
            Side::Larger => one,
        };
        in_larger.number / self.size(Side::Smaller)
    }

    /// Ranks of the relay's own cluster whose blocks it relays, possibly itself.
    fn sources(&self, relay: Seat) -> Numbers {
        let (small, large) = (self.size(Side::Smaller), self.size(Side::Larger));
        let class = relay.number % small;
        let row = relay.number / small;
        match (relay.side, self.relays) {
            (Side::Smaller, _) => (0..small).step_by(1),
            // No later rank meets its target, so it relays for the rest of the cluster.
            (Side::Larger, Relays::Near) if relay.number + small >= large => {
                (row * small..large).step_by(1)
            }
            (Side::Larger, Relays::Near) => (row * small..(row + 1) * small).step_by(1),
            (Side::Larger, Relays::Balanced) => {
                let meeting = (large - 1 - class) / small + 1;
                (row..large).step_by(meeting as usize)
            }
        }
    }

    /// Ranks of the other cluster that the relay sends blocks to: those that it meets.
    fn targets(&self, relay: Seat) -> impl Iterator<Item = Seat> {
        let small = self.size(Side::Smaller);
        let (side, numbers) = match relay.side {
            Side::Smaller => (Side::Larger, relay.number..self.size(Side::Larger)),
            Side::Larger => (Side::Smaller, relay.number % small..small),
        };
        numbers
            .step_by(small as usize)
            .map(move |number| Seat { side, number })
    }

    fn seats(&self, side: Side) -> impl Iterator<Item = Seat> {
        (0..self.size(side)).map(move |number| Seat { side, number })
    }

    fn size(&self, side: Side) -> u32 {
        let ranks = self.ranks(side);
        ranks.end - ranks.start
    }

    fn ranks(&self, side: Side) -> &Range<u32> {
        match side {
            Side::Smaller => &self.smaller,
            Side::Larger => &self.larger,
        }
    }

    fn rank(&self, seat: Seat) -> Rank {
        Rank(self.ranks(seat.side).start + seat.number)
    }

    fn seat(&self, rank: Rank) -> Seat {
        let side = if self.smaller.contains(&rank.0) {
            Side::Smaller
        } else {
            Side::Larger
        };
        Seat {
            side,
            number: rank.0 - self.ranks(side).start,
        }
    }
}

#[cfg(test)]
mod tests {
    use itertools::Itertools;

    use super::*;
    use crate::algorithm::{Algorithm, tests::listed};
    use crate::model::testing::procs;
    use crate::schedule::Messages;
    use crate::units::{Bytes, Procs};

    /// Nothing depends on it.
    const SIZE: Bytes = Bytes(1);

    const FORMS: [&str; 2] = ["two-phase", "two-phase-balanced"];

    fn algorithm(form: &str, first: u32) -> Algorithm {
        Algorithm::parse(Collective::Alltoall, &format!("{form}:{first}")).unwrap()
    }

    /// All sends of a round, with their senders.
    fn sends(algorithm: &Algorithm, procs: Procs, index: usize) -> Vec<(Rank, Message)> {
        let of = |rank| {
            let round = algorithm.schedule(procs, SIZE).round(rank, index);
            let sends = listed(&round.sends).into_iter();
            sends.map(move |send| (rank, send))
        };
        procs.ranks().flat_map(of).collect()
    }

    /// All are delivered, so that none of the crossings is superfluous; and a step is at most
    /// one exchange of each rank.
    #[test]
    fn each_datum_crosses_once_in_two_messages_a_rank_of_the_larger_cluster() {
        let pairs = (1..=12).flat_map(|n2| (1..=n2).map(move |n1| (n1, n2)));
        let orders = pairs.flat_map(|(n1, n2)| [(n1, n1, n2), (n2, n1, n2)]);
        for ((first, n1, n2), form) in orders.cartesian_product(FORMS) {
            let (algorithm, procs) = (algorithm(form, first), procs(n1 + n2));
            let schedule = algorithm.schedule(procs, SIZE);
            assert_eq!(schedule.check(), Ok(()), "{algorithm} among {procs}");
            let rounds = schedule.extent().rounds;
            assert_eq!(rounds, 1 + n2.div_ceil(n1) as usize);
            let (near, wide): (Vec<_>, Vec<_>) = (0..rounds)
                .flat_map(|index| sends(&algorithm, procs, index))
                .partition(|(from, send)| (from.0 < first) == (send.partner.0 < first));
            assert_eq!(near.len(), (n1 * (n1 - 1) + n2 * (n2 - 1)) as usize);
            assert_eq!(wide.len(), 2 * n2 as usize, "{algorithm} among {procs}");
            let crossings: usize = wide.iter().map(|(_, send)| send.slots.len()).sum();
            assert_eq!(crossings, 2 * (n1 * n2) as usize);
            for (rank, index) in procs.ranks().cartesian_product(1..rounds) {
                let round = schedule.round(rank, index);
                let partners = |messages: &Messages| messages.iter().map(|it| it.partner).collect();
                let to: Vec<_> = partners(&round.sends);
                assert_eq!(to, partners(&round.receives));
                assert!(to.len() <= 1);
            }
        }
    }

    /// Ranks of the larger cluster with their numbers of data, in the order of the steps, worked
    /// by hand. Clusters of 2 and 3 and of 4 and 4 are in `vectors.json`.
    #[test]
    fn balanced_exchanges_share_what_the_last_step_has_too_few_of() {
        let simple = [(4, 4), (5, 4), (6, 6), (7, 6), (8, 2), (9, 2)];
        let balanced = [(4, 3), (5, 3), (6, 6), (7, 6), (8, 3), (9, 3)];
        for (form, expected) in FORMS.into_iter().zip([simple, balanced]) {
            let sends = (1..3).flat_map(|step| sends(&algorithm(form, 4), procs(10), step));
            let sizes = sends.map(|(rank, send)| (rank.0, send.slots.len()));
            let sizes: Vec<_> = sizes.filter(|(rank, _)| *rank >= 4).collect();
            assert_eq!(sizes, expected, "{form}");
        }
    }

    #[test]
    fn one_cluster_exchanges_directly() {
        let direct = Algorithm::parse(Collective::Alltoall, "direct").unwrap();
        let [lone, direct] = [algorithm("two-phase", 5), direct].map(|one| {
            let round = |rank| one.schedule(procs(5), SIZE).round(rank, 0);
            procs(5).ranks().map(round).collect::<Vec<_>>()
        });
        assert_eq!(lone, direct);
    }
}
