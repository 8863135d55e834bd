//! TCP against fair sharing, cases computed by hand, and properties of any traffic.

use netsig_base::network::{LINUX_RTO, LinkSpec};
use netsig_base::units::{BitsPerSecond, Bytes};
use proptest::prelude::*;

use super::*;
use crate::goal::GoalRun;
use crate::network::fluid::Fluid;
use crate::testing::{ActivityRecorder, script};
use crate::{SimOutcome, run};

/// One segment takes a millisecond.
const RATE: BitsPerSecond = BitsPerSecond(11_584_000);
const LATENCY: Time = Time(50_000_000);
const SEGMENT: u64 = 1448;

/// A message by its sender, receiver and length.
type ScriptedSend = (u32, u32, u64);

/// Messages that all start at once, each sender's in order.
fn at_once(hosts: u32, messages: &[ScriptedSend], network: &mut impl Medium) -> (SimOutcome, ActivityRecorder) {
    let begun = messages.iter().map(|it| (0, it.0, it.1, it.2));
    let script = script(hosts, &begun.collect::<Vec<_>>());
    let mut log = ActivityRecorder::default();
    let outcome = run(&mut GoalRun::new(&script).unwrap(), network, &mut log);
    (outcome.unwrap(), log)
}

/// Hosts on one switch whose ports hold `buffer` bytes.
fn star(hosts: u32, buffer: u64) -> Network {
    Network::star(hosts, LinkSpec::new(RATE, Bytes(buffer))).unwrap()
}

fn tcp(network: &Network, seed: u64) -> Result<Tcp<'_>, ParameterError> {
    let min_timeout = Time::of(LINUX_RTO);
    let options = TcpOptions { min_timeout, seed };
    Tcp::new(network, network.all_hosts().collect(), LATENCY, options)
}

/// `senders` messages of `segments` to host 0, through a port that holds `buffer` segments.
fn incast(senders: u32, segments: u64, buffer: u64) -> SimOutcome {
    let star = star(senders + 1, buffer * SEGMENT);
    let messages: Vec<_> = (1..=senders).map(|from| (from, 0, segments * SEGMENT)).collect();
    at_once(senders + 1, &messages, &mut tcp(&star, 0).unwrap()).0
}

fn messages() -> impl Strategy<Value = Vec<ScriptedSend>> {
    prop::collection::vec((0u32..6, 0u32..6, 0u64..200_000), 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn with_room_for_all_it_is_fair_sharing(messages in messages()) {
        let star = star(6, 1 << 40);
        let mut fluid = Fluid::new(&star, star.all_hosts().collect(), LATENCY);
        let expected = at_once(6, &messages, &mut fluid);
        prop_assert_eq!(at_once(6, &messages, &mut tcp(&star, 0).unwrap()), expected);
    }

    #[test]
    fn all_messages_arrive_and_a_seed_says_when(
        messages in messages(),
        (buffer, seed) in (SEGMENT..100_000, any::<u64>()),
    ) {
        let star = star(6, buffer);
        let [one, again] = [(); 2].map(|()| at_once(6, &messages, &mut tcp(&star, seed).unwrap()));
        prop_assert_eq!(one.1.received.len(), messages.len());
        prop_assert_eq!(one, again);
    }

    #[test]
    fn a_message_alone_never_loses(bytes in 1u64..10_000_000, buffer in SEGMENT..10_000) {
        let star = star(2, buffer);
        let (outcome, _) = at_once(2, &[(0, 1, bytes)], &mut tcp(&star, 0).unwrap());
        prop_assert_eq!(outcome.losses, vec![]);
    }

    /// No train exceeds the initial window, so (k − 1)·m must fit. The excess is at least one segment of each train,
    /// so that no rounding hides it.
    #[test]
    fn an_incast_loses_if_the_trains_do_not_fit(senders in 2u32..12, segments in 1u64..11) {
        let needed = u64::from(senders - 1) * segments;
        prop_assert_eq!(incast(senders, segments, needed).losses, vec![]);
        let less = needed.checked_sub(u64::from(senders));
        if let Some(less) = less.filter(|less| *less > 0) {
            prop_assert!(incast(senders, segments, less).losses.len() >= senders as usize);
        }
    }
}

/// Two trains of 4 segments arrive at once, and 2 segments fit. Each train loses one of its last two segments, and
/// one comes through after the lost one. The trains have passed after 8 ms. With 2 ms of queue and 0.1 ms of wires,
/// the probe comes 4.2 ms later; 2 segments and the latency follow: 14.25 ms. Trains of 10 segments, with room for 4,
/// lose 3 of their last 6 each, and 3 come through after the first lost one. These reveal the loss after 3 · 2 ms,
/// more than the 4 ms of queue in the round trip.
#[test]
fn the_end_of_a_message_waits_for_a_probe_unless_three_segments_follow() {
    let short = incast(2, 4, 2);
    assert_eq!((short.time, short.losses.len()), (Time(14_250_000_000), 2));
    let probe = (TcpRepair::TailLossProbe, Time(4_200_000_000));
    let fast = (TcpRepair::FastRetransmit, Time::ZERO);
    for (loss, (repair, delay)) in [
        (&short.losses[0], probe),
        (&short.losses[1], probe),
        (&incast(2, 10, 4).losses[0], fast),
    ] {
        let link = "switch0 -> host0".into();
        let cause = LossCause::Overflow { link, repair };
        assert_eq!((&loss.cause, loss.delay), (&cause, delay));
    }
}

#[test]
fn ports_hold_a_segment() {
    let star = star(2, 0);
    let message = tcp(&star, 0).unwrap_err().to_string();
    assert!(
        message.starts_with("port buffer = 0 B at switch0 -> host0 is not"),
        "{message}"
    );
}
