//! Total exchange between two clusters: its predicted time, and the messages of its schedules.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use itertools::{Itertools as _, iproduct};
use netsig_base::algorithm::{Algorithm, ClusterLayout, Collective, CollectiveCall};
use netsig_base::units::{Bytes, Procs, Rank, Seconds};
use netsig_model::model::alltoall::two_phase::{self, TwoClusters};
use netsig_model::model::hockney::Hockney;
use serde_json::{Value, json};

use super::inputs::VectorInputs;

/// `grid.eq6` and `grid.exact_F1`: the longer of the two local exchanges, and the second phase.
pub fn time(inputs: &VectorInputs, second_phase: fn(&two_phase::WideAreaPhase) -> Seconds) -> Result<Seconds> {
    let clusters = clusters(inputs)?;
    let [n1, n2] = [clusters.smaller().get(), clusters.larger().get()];
    let crossing = two_phase::WideAreaPhase {
        clusters,
        link: Hockney::new(inputs.get("alpha_w")?, inputs.get("beta_w")?)?,
        size: inputs.get("m")?,
        packed: match inputs.find("n")? {
            Some(Value::Number(n)) => n.as_u64().and_then(|n| n.try_into().ok()),
            _ => inputs.one_of("n", &[("min(n1,n2)", Some(n1)), ("n1+n2", n1.checked_add(n2))])?,
        }
        .context("n is more than 2^32 - 1")?,
    };
    let [one, other]: [Seconds; 2] = [inputs.get("T_C1")?, inputs.get("T_C2")?];
    Ok(Seconds(one.0.max(other.0)) + second_phase(&crossing))
}

fn clusters(inputs: &VectorInputs) -> Result<TwoClusters> {
    Ok(TwoClusters::new(inputs.get("n1")?, inputs.get("n2")?))
}

/// `grid.delivery`. An incomplete schedule is an error, so the lists of missing data are empty.
pub fn delivery(inputs: &VectorInputs) -> Result<Value> {
    let clusters = clusters(inputs)?;
    let plain = crossing("two-phase", clusters)?;
    let balanced = crossing("two-phase-balanced", clusters)?;
    let exchanges = plain.iter().map(|message| (message.round, message.rank));
    let rounds = exchanges.dedup().map(|(round, _)| round);
    let steps: Vec<usize> = rounds.dedup_with_count().map(|(count, _)| count).collect();
    let blocks = |messages: &[CrossingMessage], goes_there: bool| -> Vec<usize> {
        let directed = messages.iter().filter(|message| message.goes_there == goes_there);
        directed.map(|message| message.blocks).collect()
    };
    let nothing: [u32; 0] = [];
    Ok(json!({
        "printed_missing": missing_data(clusters),
        "F1_missing": nothing,
        "F2_missing": nothing,
        "wan_messages": plain.len(),
        "steps": steps.len(),
        "exchanges_per_step": steps,
        "F1_items_C2_to_C1": blocks(&plain, false),
        "F2_items_C2_to_C1": blocks(&balanced, false),
        "items_C1_to_C2": blocks(&plain, true),
    }))
}

/// Any message size; these schedules do not depend on it.
const SIZE: Bytes = Bytes(1);

/// A message of a schedule between the clusters.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CrossingMessage {
    round: usize,
    /// The rank in the smaller cluster.
    rank: Rank,
    /// True for a message from the smaller cluster to the larger.
    goes_there: bool,
    blocks: usize,
}

/// The messages between the clusters, ordered by round and rank. The smaller cluster has the first
/// ranks.
fn crossing(algorithm: &str, clusters: TwoClusters) -> Result<Vec<CrossingMessage>> {
    let n1 = clusters.smaller().get();
    let n2 = clusters.larger().get();
    let rank_count = n1.checked_add(n2).context("n1 + n2 is more than 2^32 - 1")?;
    let procs = Procs::new(rank_count)?;
    // The steps of the source have n1 exchanges at once.
    let algorithm = Algorithm::parse(Collective::Alltoall, &format!("{algorithm}:{n1}"))?;
    let schedule = algorithm.serve(&CollectiveCall {
        layout: Some(ClusterLayout::of_sizes(&[n1, n2])),
        ..CollectiveCall::new(procs, SIZE)
    })?;
    schedule.check()?;
    let mut messages = Vec::new();
    for (round, from) in iproduct!(0..schedule.extent().rounds, procs.ranks()) {
        for send in schedule.round(from, round).sends.iter() {
            if (from.0 < n1) != (send.partner.0 < n1) {
                messages.push(CrossingMessage {
                    round,
                    rank: from.min(send.partner),
                    goes_there: from.0 < n1,
                    blocks: send.slots.len(),
                });
            }
        }
    }
    messages.sort_unstable();
    Ok(messages)
}

/// M(i, j): the data of rank i for rank j.
type CrossingDatum = (u32, u32);

/// The data that never arrive, ascending, in the two-phase total exchange exactly as printed in
/// Steffenel, Martinasso, Trystram 2007 (GPC) §7, simulated datum by datum. netsig runs a corrected
/// form. The smaller cluster has the first ranks.
fn missing_data(clusters: TwoClusters) -> Vec<CrossingDatum> {
    let [n1, n2] = [clusters.smaller().get(), clusters.larger().get()];
    let ranks = n1 + n2;
    let crosses = |&(i, j): &CrossingDatum| (i < n1) != (j < n1);
    let crossing: Vec<CrossingDatum> = iproduct!(0..ranks, 0..ranks).filter(crosses).collect();
    // Phase 1: (relay, datum). A relay whose rank does not exist keeps nothing.
    let relay = |(i, j): CrossingDatum| if i < n1 { j % n1 } else { i / n1 * n1 + j };
    let relayed = crossing.iter().map(|&datum| (relay(datum), datum));
    let stored: BTreeSet<(u32, CrossingDatum)> = relayed.filter(|(relay, _)| *relay < ranks).collect();
    // Phase 2: the partners of an exchange, i and j, pass on data of the printed ranges.
    let mut delivered = BTreeSet::new();
    for j in n1..ranks {
        let (i, step) = (j % n1, j / n1);
        let there = (0..=n1).map(|k| (i, (k, j)));
        let back = (n1 * step..n1 * (step + 1)).map(|k| (j, (k, i)));
        let held = there.chain(back).filter(|held| stored.contains(held));
        delivered.extend(held.map(|(_, datum)| datum));
    }
    let is_missing = |datum: &CrossingDatum| !delivered.contains(datum);
    crossing.into_iter().filter(is_missing).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use netsig_base::units::Procs;

    fn missing_among(n1: u32, n2: u32) -> Vec<CrossingDatum> {
        let [smaller, larger] = [n1, n2].map(|n| Procs::new(n).unwrap());
        missing_data(TwoClusters::new(smaller, larger))
    }

    /// r·(n1 − r) data are missing, with r = n2 mod n1; the first case can be followed by hand.
    #[test]
    fn data_are_lost_where_n1_does_not_divide_n2() {
        assert_eq!(missing_among(2, 3), [(4, 1)]);
        for (n1, n2) in (1..=8).flat_map(|n1| (n1..=16).map(move |n2| (n1, n2))) {
            let rest = n2 % n1;
            let lost = missing_among(n1, n2).len();
            assert_eq!(u32::try_from(lost), Ok(rest * (n1 - rest)), "{n1} and {n2}");
        }
    }
}
