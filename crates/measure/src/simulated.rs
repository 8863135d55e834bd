//! A transport with known parameters: times of the contention signature with seeded noise, and of reductions by the
//! critical paths of their forms. It serves tests and machines without MPI and gives no evidence about a real network.
//!
//! Its clock advances by the duration of each repetition.

use std::convert::Infallible;
use std::ops::Range;

use netsig_base::algorithm::{Collective, CriticalPath};
use netsig_base::data::LossCounters;
use netsig_base::network::{Network, TrueSignature};
use netsig_base::units::parameter::ParameterError;
use netsig_base::units::table::SizeTable;
use netsig_base::units::{Bytes, Seconds, SecondsPerByte};
use netsig_model::model::hockney::Hockney;
use netsig_model::model::plogp::{PLogP, PLogPParameters};
use netsig_model::model::signature::{Signature, SignatureForm};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::plan::{MeasurementPlan, PlanCell, TimedOperation};
use crate::transport::{MeasuredRepetition, Transport};
use crate::work::critical_path;

/// Bytes on the wire for each byte of payload: full Ethernet frames of TCP with time
/// stamps carry 1448 bytes in 1514.
const FRAMING: f64 = 1514.0 / 1448.0;

/// Lower bound of a time with noise, relative to the time without.
const FASTEST: f64 = 0.1;

/// Lower bound of all times, the resolution of a clock.
const SHORTEST: Seconds = Seconds(1e-8);

/// Seconds of a local reduction for each byte.
const LOCAL_REDUCTION: f64 = 2.5e-10;

/// Number of messages of a flood that the sender's buffer holds.
const BUFFERED: u32 = 4;

/// The simulated network. All algorithms of an all-to-all take the same time on it. A reduction or barrier takes γ times
/// the messages of its critical path, and then what is combined there.
#[derive(Debug)]
pub struct SimulatedNetwork {
    truth: Signature,
    point_to_point: PLogP,
    noise: f64,
    rng: ChaCha8Rng,
    now: Seconds,
}

/// The signature that a scenario states, with β from its link rate.
///
/// # Errors
/// If a parameter is out of its range.
pub fn true_signature(network: &Network, stated: &TrueSignature) -> Result<Signature, ParameterError> {
    let gap = network.host_gap().0 * FRAMING;
    let signature = Signature {
        base: Hockney::new(stated.alpha, SecondsPerByte(gap))?,
        form: SignatureForm::Full,
        gamma: stated.gamma,
        gamma_below: None,
        delta: stated.delta,
        threshold: Some(stated.threshold),
    };
    signature.checked()
}

/// Checks that all of `plan` can be simulated: an all-to-all, a reduction or a barrier.
///
/// # Errors
/// If the plan measures another collective; the text names the cell.
pub fn check(plan: &MeasurementPlan) -> Result<(), String> {
    for cell in plan.cells() {
        if let TimedOperation::Collective(collective, _) = cell.operation
            && collective != Collective::Alltoall
            && path_of(cell).is_none()
        {
            return Err(format!(
                "{cell} cannot be simulated; plan alltoall, reductions and barriers alone, or measure --on mpi or lab:SCENARIO"
            ));
        }
    }
    Ok(())
}

/// The path of a reduction or barrier; `None` for other operations.
fn path_of(cell: &PlanCell) -> Option<CriticalPath> {
    let TimedOperation::Collective(collective, method) = &cell.operation else {
        return None;
    };
    critical_path(*collective, method, cell.procs, cell.size)
}

/// The pLogP parameters between two processes of a simulated network: L = ¾·α and g(m) = ¼·α + β·m,
/// so that L + g(m) = α + β·m; os(m) is half of g(m) and or(m) a quarter.
pub fn point_to_point(base: &Hockney) -> PLogP {
    const FAR: Bytes = Bytes(1 << 31);
    let table = |name, share: f64| {
        let at = |size| (base.alpha() * 0.25 + base.beta() * size) * share;
        let rows = vec![(Bytes(0), at(Bytes(0))), (FAR, at(FAR))];
        SizeTable::new(name, rows).expect("alpha and beta are possible")
    };
    let parameters = PLogPParameters {
        latency: base.alpha() * 0.75,
        gap: table("g", 1.0),
        send_overhead: table("os", 0.5),
        receive_overhead: table("or", 0.25),
    };
    PLogP::new(parameters).expect("alpha is possible")
}

impl SimulatedNetwork {
    /// A network that follows `truth`, where each repetition has a normal error with the relative
    /// standard deviation `noise`, drawn from the plan's seed.
    pub fn new(truth: Signature, noise: f64, plan: &MeasurementPlan, launch: u32) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(plan.seed);
        // The plan draws the order of cells from the stream with the launch's number, in another
        // generator: the offset keeps the streams apart.
        rng.set_stream((1 << 32) + u64::from(launch));
        Self {
            point_to_point: point_to_point(&truth.base),
            truth,
            noise,
            rng,
            now: Seconds(0.0),
        }
    }

    /// The times of a repetition without noise.
    fn times(&self, step: &PlanCell) -> Vec<Seconds> {
        let (size, two) = (step.size, &self.point_to_point);
        match step.operation {
            TimedOperation::Collective(..) => {
                let reduction = path_of(step).map(|path| self.reduction(&path));
                vec![reduction.unwrap_or_else(|| self.truth.time(step.procs, size))]
            }
            TimedOperation::PingPong => vec![two.message(size)],
            TimedOperation::LocalReduction => vec![Seconds(LOCAL_REDUCTION * size.as_f64())],
            TimedOperation::Flows => vec![two.message(size); step.flows() as usize],
            TimedOperation::RoundTrip | TimedOperation::PLogP => {
                vec![self.round_trip(size), two.os(size)]
            }
            TimedOperation::ReceiveOverhead { .. } => vec![two.or(size)],
            TimedOperation::Flood { messages } => {
                let sends = self.sends(size, messages);
                let others = f64::from(messages.saturating_sub(1).max(1));
                let gap = (sends - self.sends(size, 1)) * (1.0 / others);
                let answer = two.latency() + two.message(Bytes(0));
                vec![gap, sends + answer]
            }
        }
    }

    /// γ·(startups·α + bytes·β) + ω·combined on a critical path.
    fn reduction(&self, path: &CriticalPath) -> Seconds {
        let base = self.truth.base;
        let messages = base.alpha() * path.startups() + Seconds(base.beta().0 * path.bytes());
        messages * self.truth.gamma + Seconds(LOCAL_REDUCTION * path.combined())
    }

    /// RTT(m).
    fn round_trip(&self, size: Bytes) -> Seconds {
        self.point_to_point.message(size) + self.point_to_point.message(Bytes(0))
    }

    /// Time until the sender can continue after `messages` messages.
    fn sends(&self, size: Bytes, messages: u32) -> Seconds {
        let buffered = messages.min(BUFFERED);
        self.point_to_point.os(size) * f64::from(buffered)
            + self.point_to_point.g(size) * f64::from(messages - buffered)
    }

    fn with_noise(&mut self, time: Seconds) -> Seconds {
        let error: f64 = StandardNormal.sample(&mut self.rng);
        let noisy_time = time * (1.0 + self.noise * error).max(FASTEST);
        if noisy_time < SHORTEST { SHORTEST } else { noisy_time }
    }
}

impl Transport for SimulatedNetwork {
    type Error = Infallible;

    fn is_recorder(&self) -> bool {
        true
    }

    fn now(&self) -> Seconds {
        self.now
    }

    fn enter(&mut self, _: &PlanCell) -> Result<bool, Infallible> {
        Ok(true)
    }

    fn repeat(&mut self, step: &PlanCell, numbers: Range<u32>) -> Result<Vec<MeasuredRepetition>, Infallible> {
        // A barrier takes α for each level of a binomial tree.
        let barrier = self.truth.base.alpha() * f64::from(step.procs.ceil_log2());
        let waited = match step.operation {
            TimedOperation::ReceiveOverhead { delay_ns } => Seconds(delay_ns as f64 * 1e-9),
            _ => Seconds(0.0),
        };
        let truth = self.times(step);
        let observation = |_| {
            let times: Vec<Seconds> = truth.iter().map(|&time| self.with_noise(time)).collect();
            self.now = self.now + barrier + (step.operation.duration(&times) + waited);
            MeasuredRepetition {
                outcome: Ok(times),
                barrier,
                losses: LossCounters::default(),
                sync_error: None,
            }
        };
        Ok(numbers.map(observation).collect())
    }

    fn broadcast_words(&mut self, _: &mut [u64]) -> Result<(), Infallible> {
        Ok(())
    }

    fn leave(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// n = 8, 8000 B by recursive doubling: three steps that send and combine the vector.
    #[test]
    fn reductions_take_the_time_of_their_path() {
        let text = "[[collective]]\nname = \"allreduce\"\nalgorithms = [\"recursive-doubling\"]\n\
            procs = 8\nsizes = 8000\nrepetitions = 1\n";
        let plan = MeasurementPlan::parse("plan.toml", text).unwrap();
        assert_eq!(check(&plan), Ok(()));
        let truth = Signature {
            base: Hockney::new(Seconds(5e-5), SecondsPerByte(1e-8)).unwrap(),
            form: SignatureForm::Full,
            gamma: 2.0,
            gamma_below: None,
            delta: Seconds(0.0),
            threshold: None,
        };
        let network = SimulatedNetwork::new(truth, 0.0, &plan, 0);
        let [Seconds(time)] = network.times(&plan.cells()[0])[..] else {
            panic!("a collective has one time");
        };
        assert!((time / (2.0 * 3.0 * 130e-6 + 3.0 * 2e-6) - 1.0).abs() < 1e-9, "{time}");
    }

    #[test]
    fn collectives_without_a_signature_are_refused() {
        let text = "[[collective]]\nname = \"gather\"\nalgorithms = [\"library\"]\n\
            procs = 4\nsizes = 1\nrepetitions = 1\n";
        let problem = check(&MeasurementPlan::parse("plan.toml", text).unwrap()).unwrap_err();
        assert!(problem.starts_with("gather library among 4 with 1 B cannot be simulated"));
    }
}
