//! A transport whose truth is known: the contention signature itself with noise from a
//! seed. It serves tests and machines without MPI; it is no evidence about any network.

use std::convert::Infallible;
use std::ops::Range;

use netsig_core::collective::Collective;
use netsig_core::dataset::LossCounters;
use netsig_core::model::hockney::Hockney;
use netsig_core::model::signature::{Form, Signature};
use netsig_core::model::{ParameterError, Threshold};
use netsig_core::scenario::{Scenario, Truth};
use netsig_core::units::{Seconds, SecondsPerByte};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::plan::{Cell, Operation, Plan};
use crate::transport::{Observation, Outcome, Role, Transport};

/// Bytes on the wire for each byte of payload: full Ethernet frames of TCP with time
/// stamps carry 1448 bytes in 1514.
const FRAMING: f64 = 1514.0 / 1448.0;

/// No repetition is faster than this share of the truth, however large the noise.
const FASTEST: f64 = 0.1;

/// The simulated network. All algorithms cost the same on it.
#[derive(Debug)]
pub struct Simulated {
    truth: Signature,
    noise: f64,
    rng: ChaCha8Rng,
}

/// The signature that a scenario states, with β from its link rate.
///
/// # Errors
/// If its numbers are not possible.
pub fn truth(scenario: &Scenario, stated: &Truth) -> Result<Signature, ParameterError> {
    let gap = scenario.rate.gap_per_byte().0 * FRAMING;
    let signature = Signature {
        base: Hockney::new(stated.alpha, SecondsPerByte(gap))?,
        form: Form::Full,
        gamma: stated.gamma,
        gamma_below: None,
        delta: stated.delta,
        threshold: Some(Threshold::From(stated.threshold)),
    };
    signature.checked()
}

/// Whether all of `plan` can be simulated: the signature is of ping-pongs and all-to-alls.
///
/// # Errors
/// If it measures another collective; says which.
pub fn check(plan: &Plan) -> Result<(), String> {
    let is_known = |cell: &&Cell| {
        matches!(
            cell.operation,
            Operation::PingPong | Operation::Collective(Collective::Alltoall, _)
        )
    };
    match plan.order(0).iter().find(|cell| !is_known(cell)) {
        None => Ok(()),
        Some(cell) => Err(format!(
            "{cell} cannot be simulated; plan alltoall alone, or measure --on mpi or lab:SCENARIO"
        )),
    }
}

impl Simulated {
    /// A network that follows `truth`; one repetition deviates from it by a normal error
    /// with the relative standard deviation `noise`, drawn from the plan's seed.
    pub fn new(truth: Signature, noise: f64, plan: &Plan, launch: u32) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(plan.seed);
        // The plan draws the order of cells from the stream of the same number, in
        // another generator: an offset keeps the two apart.
        rng.set_stream((1 << 32) + u64::from(launch));
        Self { truth, noise, rng }
    }
}

impl Simulated {
    fn time(&mut self, cell: &Cell) -> Seconds {
        let truth = match cell.operation {
            Operation::Collective(..) => self.truth.time(cell.procs, cell.size),
            _ => self.truth.base.time(cell.size),
        };
        let error: f64 = StandardNormal.sample(&mut self.rng);
        truth * (1.0 + self.noise * error).max(FASTEST)
    }
}

impl Transport for Simulated {
    type Error = Infallible;

    fn is_recorder(&self) -> bool {
        true
    }

    fn now(&self) -> Seconds {
        Seconds(0.0)
    }

    fn enter(&mut self, _: &Cell) -> Result<Role, Infallible> {
        Ok(Role::Participant)
    }

    fn prepare(&mut self, _: &Cell) -> Result<(), Infallible> {
        Ok(())
    }

    fn repeat(
        &mut self,
        step: &Cell,
        numbers: Range<u32>,
        seen: &mut Vec<Observation>,
    ) -> Result<(), Infallible> {
        for _ in numbers {
            let time = self.time(step);
            seen.push(Observation {
                outcome: Outcome::Times(vec![time]),
                barrier: Seconds(0.0),
                losses: LossCounters::default(),
                sync_error: None,
            });
        }
        Ok(())
    }

    fn agree(&mut self, _: &mut [u64]) -> Result<(), Infallible> {
        Ok(())
    }

    fn leave(&mut self, _: &Cell) -> Result<(), Infallible> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_signature_is_of_is_simulated() {
        let checked = |collective: &str| {
            let text = format!(
                "[[collective]]\nname = {collective:?}\nalgorithms = [\"library\"]\n\
                 procs = 4\nsizes = 1\nrepetitions = 1\n"
            );
            check(&Plan::parse("plan.toml", &text).unwrap())
        };
        assert_eq!(checked("alltoall"), Ok(()));
        let problem = checked("gather").unwrap_err();
        assert!(problem.starts_with("gather library among 4 with 1 B cannot be simulated"));
    }
}
