//! The lanes of a rank in a picture of a simulation: one group for each kind of activity, with
//! overlapping activities on different lanes.

use std::collections::BTreeSet;

use netsig_base::units::{Procs, Rank};
use netsig_sim::Time;
use netsig_sim::observer::Activity;
use strum::{Display, EnumCount, EnumIter};

/// A kind of activity, in the order of pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, EnumCount, EnumIter, Display)]
#[strum(serialize_all = "lowercase")]
pub enum ActivityKind {
    /// Sends.
    Send,
    /// Receives.
    Receive,
    /// Computations.
    Compute,
    /// Waits of a sender for its lost packets.
    #[strum(to_string = "wait after loss")]
    Wait,
}

/// A lane of a picture; the order is that in the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ActivityLane {
    /// The rank.
    pub rank: Rank,
    /// The kind of its activities.
    pub kind: ActivityKind,
    /// Its number among the lanes of this rank and kind.
    pub number: u32,
}

/// The lanes of all ranks.
#[derive(Debug)]
pub struct ActivityLanes {
    /// By rank and kind: the time at which each lane becomes free.
    free_since: Vec<[BTreeSet<(Time, u32)>; ActivityKind::COUNT]>,
}

impl ActivityLanes {
    /// Creates the lanes of `procs` ranks, initially none.
    pub fn new(procs: Procs) -> Self {
        Self {
            free_since: procs.ranks().map(|_| Default::default()).collect(),
        }
    }

    /// Assigns a lane without overlap to the activity: the lane that became free last, or a new
    /// one.
    pub fn take(&mut self, activity: &Activity<'_>, start: Time, end: Time) -> ActivityLane {
        let (rank, kind) = rank_and_kind(activity);
        let lanes_of_kind = &mut self.free_since[rank.0 as usize][kind as usize];
        let last = lanes_of_kind.range(..=(start, u32::MAX)).next_back().copied();
        let number = match last {
            Some(last) => {
                lanes_of_kind.remove(&last);
                last.1
            }
            None => u32::try_from(lanes_of_kind.len()).expect("fewer than 2^32 messages at once"),
        };
        lanes_of_kind.insert((end, number));
        ActivityLane { rank, kind, number }
    }
}

/// The rank and kind of an activity.
fn rank_and_kind(activity: &Activity<'_>) -> (Rank, ActivityKind) {
    match activity {
        Activity::Send(_, flight) => (flight.from, ActivityKind::Send),
        Activity::Receive(_, flight, _) => (flight.to, ActivityKind::Receive),
        Activity::Compute(rank, _) => (*rank, ActivityKind::Compute),
        Activity::Loss(loss) => (loss.from, ActivityKind::Wait),
    }
}

/// Simulations for the tests of pictures.
#[cfg(test)]
pub mod testing {
    use netsig_base::algorithm::{Algorithm, Collective};
    use netsig_base::units::{Bytes, Procs, Rank, Seconds, SecondsPerByte};
    use netsig_model::model::message::loggp::LogGP;
    use netsig_sim::network::endpoint::{Endpoint, PortParameters};
    use netsig_sim::network::{Agenda, Flight, InjectionTimes, LossCause, Medium};
    use netsig_sim::observer::Observer;
    use netsig_sim::program::FlightId;
    use netsig_sim::rounds::ScheduleProgram;
    use netsig_sim::{SimOutcome, Time, run};

    /// An all-to-all exchange of 64 KiB.
    pub fn exchange(
        algorithm: &str,
        procs: u32,
        network: &mut impl Medium,
        observer: &mut impl Observer,
    ) -> SimOutcome {
        let algorithm = Algorithm::parse(Collective::Alltoall, algorithm).unwrap();
        let procs = Procs::new(procs).unwrap();
        let mut rounds = ScheduleProgram::new(algorithm.schedule(procs, Bytes(65536)));
        run(&mut rounds, network, observer).unwrap()
    }

    /// Ports with overheads and gaps.
    pub fn endpoint(procs: u32) -> Endpoint {
        let us = |time: f64| Seconds(time * 1e-6);
        let gap_per_byte = SecondsPerByte(1e-9);
        let model = LogGP::new(us(20.0), us(15.5), us(3.0), gap_per_byte).unwrap();
        Endpoint::new(PortParameters::LogGP(model), Procs::new(procs).unwrap())
    }

    /// Takes any number of messages at once; messages from even ranks to rank 1 are late. Sends end with their
    /// receives, at times that are no whole nanoseconds.
    pub struct LossyMedium;

    impl Medium for LossyMedium {
        fn latency(&mut self, _: Rank, _: Rank) -> Time {
            Time::ZERO
        }

        fn inject(&mut self, id: FlightId, flight: &Flight, agenda: &mut Agenda) -> InjectionTimes {
            let mut end = agenda.now() + Time(50_000_001 + 7_000_777 * u64::from(flight.to.0));
            if flight.to == Rank(1) && flight.from.0.is_multiple_of(2) {
                let delay = Time(200_000_000);
                let cause = LossCause::LastPacket {
                    other: Rank(3),
                    height: 2,
                    other_height: 1,
                };
                agenda.record_loss(flight, delay, cause);
                end += delay;
            }
            agenda.schedule_delivery(end, id);
            agenda.schedule_sent(end, id);
            InjectionTimes {
                sent: None,
                next: agenda.now(),
            }
        }

        fn wake(&mut self, _: u32, _: &mut Agenda) {}
    }
}
