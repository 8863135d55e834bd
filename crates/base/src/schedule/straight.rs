//! Proof of delivery of an exchange from one rank's part of it.

use super::{BlockCopy, BlockSlot, Round, RoundMessages, ScheduleExtent, ScheduleMessage};
use crate::units::Rank;

/// True if the part of `rank` in the only round of an exchange is straight. For each other rank j, it sends the parts
/// 0, 1, … of input piece j in this order, each in a message of its own. It receives output piece j likewise, and
/// copies each part of its own piece.
///
/// If the parts of all ranks are straight, the exchange delivers every datum: message number k from i to j carries
/// part k at both ends. No block is written twice or while it is read.
pub fn is_straight(extent: &ScheduleExtent, rank: Rank, round: &Round) -> bool {
    let parts = extent.division.parts();
    let count = extent.procs.get();
    let is_in_order = |messages: &RoundMessages, slot: fn(u32) -> BlockSlot| {
        let mut next = vec![0; count as usize];
        next[rank.0 as usize] = parts;
        let mut is_next = |message: &ScheduleMessage| {
            let Some(part) = next.get_mut(message.partner.0 as usize) else {
                return false;
            };
            let block = message.partner.0 * parts + *part;
            *part += 1;
            *part <= parts && *message.slots == [slot(block)]
        };
        let all_in_order = messages.iter().all(|message| is_next(&message));
        all_in_order && next.iter().all(|part| *part == parts)
    };
    let block_range = rank.0 * parts..(rank.0 + 1) * parts;
    let own_copies = block_range.map(|block| BlockCopy {
        from: BlockSlot::Input(block),
        to: BlockSlot::Output(block),
    });
    is_in_order(&round.sends, BlockSlot::Input)
        && is_in_order(&round.receives, BlockSlot::Output)
        && round.copies.iter().copied().eq(own_copies)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::algorithm::{Algorithm, Collective};
    use crate::units::{Bytes, Procs};

    /// These schedules in one round are straight; a changed part is not.
    #[test]
    fn straight_parts_are_told_from_others() {
        for (name, count) in [("direct", 7), ("windowed:segment=2,window=3", 8)] {
            let algorithm = Algorithm::parse(Collective::Alltoall, name).unwrap();
            let schedule = algorithm.schedule(Procs::new(count).unwrap(), Bytes(5));
            let extent = schedule.extent();
            let round = |rank| schedule.round(rank, 0);
            assert!(
                extent
                    .procs
                    .ranks()
                    .all(|rank| is_straight(&extent, rank, &round(rank)))
            );
            let rank = Rank(2);
            assert!(!is_straight(&extent, Rank(1), &round(rank)));
            let mut swapped = round(rank);
            std::mem::swap(&mut swapped.sends, &mut swapped.receives);
            assert!(!is_straight(&extent, rank, &swapped));
            let mut forgetful = round(rank);
            forgetful.copies.pop();
            assert!(!is_straight(&extent, rank, &forgetful));
            let mut disordered = round(rank);
            let mut sends: Vec<ScheduleMessage> = disordered.sends.iter().map(Cow::into_owned).collect();
            sends.dedup();
            sends.push(sends[0].clone());
            disordered.sends = sends.into_iter().collect();
            assert!(!is_straight(&extent, rank, &disordered));
        }
    }
}
