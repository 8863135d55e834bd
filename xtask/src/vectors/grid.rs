//! Total exchange between two clusters: its prediction, and what its schedules carry where.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use netsig_core::algorithm::{Algorithm, Collective};
use netsig_core::model::grid::{Clusters, Packed, TwoPhase};
use netsig_core::model::hockney::Hockney;
use netsig_core::units::{Bytes, Procs, Rank, Seconds};
use serde_json::{Value, json};

use super::inputs::{Either, Inputs};
use super::printed_grid;

/// `grid.eq6`.
pub fn eq6(inputs: &Inputs) -> Result<Value> {
    let model = TwoPhase {
        packed: packed(inputs)?,
        ..two_phase(inputs)?
    };
    let time = model.eq6(clusters(inputs)?, inputs.get("m")?, local(inputs)?);
    Ok(json!(time))
}

/// The n of eq. 6, as a word or a number.
fn packed(inputs: &Inputs) -> Result<Packed> {
    let words = [("min(n1,n2)", Packed::Smaller), ("n1+n2", Packed::Total)];
    match inputs.find::<Either<u32, String>>("n")? {
        Some(Either::Left(blocks)) => Ok(Packed::Given(blocks)),
        _ => Ok(inputs.one_of("n", &words)?.unwrap_or_default()),
    }
}

/// `grid.exact_F1`.
pub fn exact_f1(inputs: &Inputs) -> Result<Value> {
    let time = two_phase(inputs)?.exact_f1(clusters(inputs)?, inputs.get("m")?, local(inputs)?);
    Ok(json!(time))
}

fn two_phase(inputs: &Inputs) -> Result<TwoPhase> {
    let wide_area = Hockney::new(inputs.get("alpha_w")?, inputs.get("beta_w")?)?;
    Ok(TwoPhase::new(wide_area))
}

fn clusters(inputs: &Inputs) -> Result<Clusters> {
    Ok(Clusters::new(inputs.get("n1")?, inputs.get("n2")?))
}

/// The longer of the two local exchanges.
fn local(inputs: &Inputs) -> Result<Seconds> {
    let [one, other]: [Seconds; 2] = [inputs.get("T_C1")?, inputs.get("T_C2")?];
    Ok(Seconds(one.0.max(other.0)))
}

/// `grid.delivery`. A schedule that leaves anything out is an error, so nothing is missing.
pub fn delivery(inputs: &Inputs) -> Result<Value> {
    let clusters = clusters(inputs)?;
    let near = Crossing::of("two-phase", clusters)?;
    let balanced = Crossing::of("two-phase-balanced", clusters)?;
    let steps = near.exchanges_by_round();
    let nothing: [u32; 0] = [];
    Ok(json!({
        "printed_missing": printed_grid::missing(clusters),
        "F1_missing": nothing,
        "F2_missing": nothing,
        "wan_messages": near.messages,
        "steps": steps.len(),
        "exchanges_per_step": steps,
        "F1_items_C2_to_C1": near.blocks(Way::Back),
        "F2_items_C2_to_C1": balanced.blocks(Way::Back),
        "items_C1_to_C2": near.blocks(Way::There),
    }))
}

/// From the smaller cluster to the larger, or from there.
#[derive(Clone, Copy)]
enum Way {
    There,
    Back,
}

/// The schedules in question do not depend on it.
const SIZE: Bytes = Bytes(1);

/// The messages of a schedule between the clusters, of which the smaller has the first ranks.
#[derive(Default)]
struct Crossing {
    messages: usize,
    /// The blocks sent each way, by the round and the rank in the smaller cluster.
    exchanges: BTreeMap<(usize, Rank), [usize; 2]>,
}

impl Crossing {
    fn of(algorithm: &str, clusters: Clusters) -> Result<Self> {
        let n1 = clusters.smaller().get();
        let procs = n1.checked_add(clusters.larger().get());
        let procs = Procs::new(procs.context("n1 + n2 is more than 2^32 - 1")?)?;
        let algorithm = Algorithm::parse(Collective::Alltoall, &format!("{algorithm}:{n1}"))?;
        let schedule = algorithm.schedule(procs, SIZE);
        schedule.check()?;
        let mut crossing = Self::default();
        for round in 0..schedule.extent().rounds {
            for from in procs.ranks() {
                for send in schedule.round(from, round).sends {
                    let (rank, way) = match (from.0 < n1, send.to.0 < n1) {
                        (true, false) => (from, Way::There),
                        (false, true) => (send.to, Way::Back),
                        _ => continue,
                    };
                    let blocks = crossing.exchanges.entry((round, rank)).or_default();
                    blocks[way as usize] += send.slots.len();
                    crossing.messages += 1;
                }
            }
        }
        Ok(crossing)
    }

    /// How many exchanges there are in each round that has any.
    fn exchanges_by_round(&self) -> Vec<usize> {
        let mut rounds: BTreeMap<usize, usize> = BTreeMap::new();
        for (round, _) in self.exchanges.keys() {
            *rounds.entry(*round).or_default() += 1;
        }
        rounds.into_values().collect()
    }

    fn blocks(&self, way: Way) -> Vec<usize> {
        self.exchanges
            .values()
            .map(|blocks| blocks[way as usize])
            .collect()
    }
}
