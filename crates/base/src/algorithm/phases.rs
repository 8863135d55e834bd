//! Phases of an all-to-all that load no link of a tree of switches beyond its rate.
//!
//! # Method
//! In a phase every rank sends at most one message and receives at most one. A link between switches that is c times
//! as fast as a host's carries at most c messages in each direction; for a fractional c, ⌊c·(p+1)⌋ − ⌊c·p⌋ in phase
//! p. A link with a of n ranks behind it carries a·(n−a) messages, so that at least max(n−1, ⌈a·(n−a)/c⌉) phases are
//! needed.
//!
//! The phases are filled one after the other, the most urgent messages first. The sender, the receiver and the links
//! of a message each still need a share of the remaining phases; the urgency is Σ shares⁸. Several orders of equally
//! urgent messages are tried, and the steps of pairwise exchange if they fit; the fewest phases are kept.
//!
//! # Source
//! Faraj and Yuan 2005 (IPDPS), for links of one rate: as many phases as the busiest link has messages, with at most
//! one message per link and phase. Faster links between switches, and this way of filling, are netsig's.

use std::ops::Range;

use itertools::Itertools as _;
use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha8Rng;

use crate::network::Network;
use crate::units::{Procs, Rank};

/// Most ranks for which phases are computed: the time grows with the cube of their number.
const MOST_RANKS: u32 = 128;

/// Number of orders that are tried.
const TRIALS: u64 = 24;

/// Tolerance for rounding errors in sums of rates.
const ROUNDING: f64 = 1e-9;

/// Power of the shares in the urgency of a message.
const SHARPNESS: i32 = 8;

/// The partners of every rank in every phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlltoallPhases {
    procs: Procs,
    /// By phase and sender, the receiver.
    receivers: Vec<Vec<Option<Rank>>>,
    /// By phase and receiver, the sender.
    senders: Vec<Vec<Option<Rank>>>,
    /// By phase, pairs of a rank that sends nothing and a rank that receives nothing: the first signals the second
    /// when it has received its message.
    signals: Vec<Vec<(Rank, Rank)>>,
}

/// A link between switches.
#[derive(Debug, Clone, PartialEq)]
struct PhaseUplink {
    behind: Vec<Range<u32>>,
    /// Rate relative to a host's link.
    rate: f64,
    /// Number of messages in each direction.
    messages: f64,
}

/// A message, with the numbers of the links between switches that it crosses; each direction has its own number.
#[derive(Debug, Clone)]
struct MessageDemand {
    from: usize,
    to: usize,
    crossed_links: Vec<usize>,
}

impl AlltoallPhases {
    /// Phases among `procs` ranks that are spread over the hosts of `network`; `None` for a network
    /// without known links between switches, or for more than 128 ranks.
    pub fn of(network: &Network, procs: Procs) -> Option<Self> {
        let gap = network.host_gap().0;
        let cut_uplinks = network.cuts()?.iter().map(|cut| {
            let behind = f64::from(cut.procs_behind(procs));
            PhaseUplink {
                behind: cut.ranks_behind(procs).collect(),
                rate: gap / cut.gap.0,
                messages: behind * (f64::from(procs.get()) - behind),
            }
        });
        let uplinks: Vec<PhaseUplink> = cut_uplinks.filter(|uplink| uplink.messages > 0.0).collect();
        if uplinks.is_empty() || procs.get() > MOST_RANKS {
            return None;
        }
        let demands = all_demands(procs, &uplinks);
        let least = least_phases(procs, &uplinks);
        let trials = (0..TRIALS).map(|trial| fill_phases(procs, &uplinks, &demands, least, trial));
        let steps = pairwise_steps(procs, &uplinks, &demands);
        let mut best = steps.into_iter().chain(trials).min_by_key(Vec::len).unwrap_or_default();
        for phase in &mut best {
            phase.sort_unstable();
        }
        Some(Self::from_pairs(procs, &best))
    }

    fn from_pairs(procs: Procs, phases: &[Vec<(usize, usize)>]) -> Self {
        let none = || vec![None; procs.get() as usize];
        let mut all = Self {
            procs,
            receivers: vec![none(); phases.len()],
            senders: vec![none(); phases.len()],
            signals: Vec::new(),
        };
        for (phase, pairs) in phases.iter().enumerate() {
            for &(from, to) in pairs {
                all.receivers[phase][from] = Some(rank(to));
                all.senders[phase][to] = Some(rank(from));
            }
        }
        all.signals = (0..phases.len()).map(|phase| all.signal_pairs(phase)).collect();
        all
    }

    /// Ranks that send nothing in a phase, each with a rank that receives nothing. A rank that does neither awaits
    /// the signal of a rank that receives.
    fn signal_pairs(&self, phase: usize) -> Vec<(Rank, Rank)> {
        let (receivers, senders) = (&self.receivers[phase], &self.senders[phase]);
        let idle = |partners: &[Option<Rank>]| -> Vec<usize> { partners.iter().positions(Option::is_none).collect() };
        let mut not_sending = idle(receivers);
        let mut not_receiving = idle(senders);
        not_sending.sort_by_key(|&number| senders[number].is_none());
        not_receiving.sort_by_key(|&number| receivers[number].is_some());
        let all_pairs = not_sending.into_iter().zip(not_receiving);
        let pairs = all_pairs.filter(|(first, second)| first != second);
        pairs.map(|(one, other)| (rank(one), rank(other))).collect()
    }

    /// Number of ranks.
    pub fn procs(&self) -> Procs {
        self.procs
    }

    /// Number of phases.
    pub fn count(&self) -> usize {
        self.receivers.len()
    }

    /// Receiver of the message of `rank` in a phase.
    pub(super) fn receiver(&self, phase: usize, rank: Rank) -> Option<Rank> {
        self.receivers[phase][rank.0 as usize]
    }

    /// Sender of the message for `rank` in a phase.
    pub(super) fn sender(&self, phase: usize, rank: Rank) -> Option<Rank> {
        self.senders[phase][rank.0 as usize]
    }

    /// The rank that `rank` signals at the end of a phase, and the rank whose signal it awaits.
    pub(super) fn signal(&self, phase: usize, rank: Rank) -> (Option<Rank>, Option<Rank>) {
        let signals = &self.signals[phase];
        let sent_signal = signals.iter().find(|(from, _)| *from == rank);
        let awaited_signal = signals.iter().find(|(_, to)| *to == rank);
        (sent_signal.map(|(_, to)| *to), awaited_signal.map(|(from, _)| *from))
    }
}

/// Least number of phases: max(n−1, ⌈a·(n−a)/c⌉) over all links.
fn least_phases(procs: Procs, uplinks: &[PhaseUplink]) -> f64 {
    let needs = uplinks.iter().map(|uplink| (uplink.messages / uplink.rate).ceil());
    needs.fold(procs.partners(), f64::max)
}

fn all_demands(procs: Procs, uplinks: &[PhaseUplink]) -> Vec<MessageDemand> {
    let ranks = || 0..procs.get();
    let is_behind = |uplink: &PhaseUplink, rank: u32| uplink.behind.iter().any(|range| range.contains(&rank));
    let crossed_by = |from: u32, to: u32| {
        let crossed = uplinks.iter().enumerate().filter_map(|(place, uplink)| {
            match (is_behind(uplink, from), is_behind(uplink, to)) {
                (true, false) => Some(2 * place),
                (false, true) => Some(2 * place + 1),
                _ => None,
            }
        });
        crossed.collect()
    };
    let all_pairs = ranks().cartesian_product(ranks());
    let pairs = all_pairs.filter(|(from, to)| from != to);
    pairs
        .map(|(from, to)| MessageDemand {
            from: from as usize,
            to: to as usize,
            crossed_links: crossed_by(from, to),
        })
        .collect()
}

/// Pairs of sender and receiver in the steps of pairwise exchange, if no step loads a link beyond its
/// rate.
fn pairwise_steps(
    procs: Procs,
    uplinks: &[PhaseUplink],
    demands: &[MessageDemand],
) -> Option<Vec<Vec<(usize, usize)>>> {
    let n = procs.get();
    let meets = |demand: &&MessageDemand, step: u32| partners(procs, rank(demand.from), step).0 == rank(demand.to);
    let fits = |phase: &[&MessageDemand]| {
        (0..2 * uplinks.len()).all(|link| {
            let carried = phase
                .iter()
                .filter(|demand| demand.crossed_links.contains(&link))
                .count();
            carried as f64 <= uplinks[link / 2].rate + ROUNDING
        })
    };
    let step_pairs = |step| {
        let phase: Vec<&MessageDemand> = demands.iter().filter(|demand| meets(demand, step)).collect();
        let pairs = phase.iter().map(|demand| (demand.from, demand.to)).collect();
        fits(&phase).then_some(pairs)
    };
    (1..n).map(step_pairs).collect()
}

/// Pairs of sender and receiver by phase; `trial` is the seed of the order of equally urgent messages.
fn fill_phases(
    procs: Procs,
    uplinks: &[PhaseUplink],
    demands: &[MessageDemand],
    least: f64,
    trial: u64,
) -> Vec<Vec<(usize, usize)>> {
    let mut rng = ChaCha8Rng::seed_from_u64(trial);
    let mut unplaced = demands.to_vec();
    let ranks = procs.get() as usize;
    let mut needs = PhaseNeeds {
        sends: vec![procs.partners(); ranks],
        receives: vec![procs.partners(); ranks],
        links: uplinks
            .iter()
            .flat_map(|uplink| [uplink.messages / uplink.rate; 2])
            .collect(),
    };
    let mut phases = Vec::new();
    while !unplaced.is_empty() {
        let phase = phases.len() as f64;
        let remaining = (least - phase).max(1.0);
        unplaced.shuffle(&mut rng);
        unplaced.sort_by(|a, b| {
            let urgency = |demand| needs.urgency(demand, remaining);
            urgency(b).total_cmp(&urgency(a))
        });
        let capacities = |uplink: &PhaseUplink| {
            let passed = |phases: f64| (uplink.rate * phases + ROUNDING).floor();
            [passed(phase + 1.0) - passed(phase); 2]
        };
        let mut capacity: Vec<f64> = uplinks.iter().flat_map(capacities).collect();
        let (mut sends, mut receives) = (vec![true; ranks], vec![true; ranks]);
        let mut placed = Vec::new();
        unplaced.retain(|demand| {
            let fits = sends[demand.from]
                && receives[demand.to]
                && demand.crossed_links.iter().all(|&link| capacity[link] >= 1.0);
            if fits {
                (sends[demand.from], receives[demand.to]) = (false, false);
                demand.crossed_links.iter().for_each(|&link| capacity[link] -= 1.0);
                placed.push((demand.from, demand.to));
                needs.subtract(demand, uplinks);
            }
            !fits
        });
        phases.push(placed);
    }
    phases
}

/// Phases that ranks and links still need.
struct PhaseNeeds {
    sends: Vec<f64>,
    receives: Vec<f64>,
    links: Vec<f64>,
}

impl PhaseNeeds {
    fn urgency(&self, demand: &MessageDemand, remaining: f64) -> f64 {
        let links = demand.crossed_links.iter().map(|&link| self.links[link]);
        let ends = [self.sends[demand.from], self.receives[demand.to]];
        let needs = ends.into_iter().chain(links);
        needs.map(|need| (need / remaining).powi(SHARPNESS)).sum()
    }

    fn subtract(&mut self, demand: &MessageDemand, uplinks: &[PhaseUplink]) {
        self.sends[demand.from] -= 1.0;
        self.receives[demand.to] -= 1.0;
        for &link in &demand.crossed_links {
            self.links[link] -= 1.0 / uplinks[link / 2].rate;
        }
    }
}

fn rank(index: usize) -> Rank {
    Rank(u32::try_from(index).expect("fewer ranks than 2^32"))
}

/// Receiver and sender that are the partners of `rank` in step `step`, from 1.
pub(super) fn partners(procs: Procs, rank: Rank, step: u32) -> (Rank, Rank) {
    if procs.get().is_power_of_two() {
        let both = Rank(rank.0 ^ step);
        (both, both)
    } else {
        ring(procs, rank, step)
    }
}

/// Receiver and sender of a step around a ring.
pub(super) fn ring(procs: Procs, rank: Rank, step: u32) -> (Rank, Rank) {
    (rank.successor(step, procs), rank.predecessor(step, procs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::testing::graph_of;

    fn procs(count: u32) -> Procs {
        Procs::new(count).unwrap()
    }

    /// Every pair meets once, no link carries more than its rate at any time, and there are as many
    /// phases as the busiest link has messages. Links are as fast as a host's, or the hosts of both
    /// switches together are the busiest.
    #[test]
    fn the_busiest_link_is_busy_in_every_phase() {
        for (hosts, trunks, count, phases) in [
            (&[4, 4][..], &[(0, 1)][..], 8, 16),
            (&[8, 8], &[(0, 1)], 16, 64),
            (&[5, 3], &[(0, 1)], 8, 15),
            (&[8, 8], &[(0, 1)], 12, 36),
            (&[4, 4, 4], &[(0, 1), (1, 2)], 12, 32),
            (&[1, 5], &[(0, 1)], 6, 5),
        ] {
            let network = graph_of(hosts, trunks).unwrap();
            let found = AlltoallPhases::of(&network, procs(count)).unwrap();
            assert_eq!(found.count(), phases, "{hosts:?} {count}");
            let mut pairs = Vec::new();
            for phase in 0..found.count() {
                let phase_sends = procs(count).ranks().filter_map(|from| {
                    let to = found.receiver(phase, from)?;
                    assert_eq!(found.sender(phase, to), Some(from));
                    Some((from, to))
                });
                let sends: Vec<(Rank, Rank)> = phase_sends.collect();
                for cut in network.cuts().unwrap() {
                    let is_behind = |rank: Rank| cut.ranks_behind(procs(count)).any(|range| range.contains(&rank.0));
                    for direction in [true, false] {
                        let crosses =
                            |(from, to): &&(Rank, Rank)| (is_behind(*from), is_behind(*to)) == (direction, !direction);
                        assert!(sends.iter().filter(crosses).count() <= 1);
                    }
                }
                pairs.extend(sends);
            }
            pairs.sort_unstable();
            pairs.dedup();
            assert_eq!(pairs.len(), (count * (count - 1)) as usize);
        }
    }

    /// A link three times as fast as a host's carries 64 messages in 22 phases.
    #[test]
    fn faster_links_need_fewer_phases() {
        let text = "topology = \"tree\"\nhosts = 16\nrate = \"10Mbit/s\"\nport_buffer = \"64KiB\"\n\
                    [uplink]\nrate = \"30Mbit/s\"\nport_buffer = \"64KiB\"\nfirst_switch_hosts = 8\n";
        let network = Network::parse("tree", text).unwrap();
        assert_eq!(AlltoallPhases::of(&network, procs(16)).unwrap().count(), 22);
        let star = graph_of(&[8], &[]).unwrap();
        assert_eq!(AlltoallPhases::of(&star, procs(8)), None);
    }
}
