//! Writes a simulation in Chrome's trace event format, for Perfetto and `chrome://tracing`: a
//! thread for each lane of each rank, an arrow for each message.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::io::{self, Write};

use netsig_base::units::{Procs, Rank};
use netsig_sim::Time;
use netsig_sim::network::{Flight, PacketLoss};
use netsig_sim::observer::{Activity, Observer};
use netsig_sim::program::{FlightId, OperationId};

use crate::lanes::{ActivityLane, ActivityLanes};

/// Writes activities immediately; memory grows with the number of lanes and of messages in flight.
pub struct Timeline<W> {
    out: W,
    /// The first error of writing.
    problem: Option<io::Error>,
    lanes: ActivityLanes,
    /// The thread number of each lane.
    threads: BTreeMap<ActivityLane, usize>,
    /// The arrows of messages with one known end.
    arrows: HashMap<FlightId, u64>,
    messages: u64,
}

impl<W: Write> Timeline<W> {
    /// Starts a timeline of `procs` ranks, which is written to `out`.
    pub fn new(out: W, procs: Procs) -> Self {
        let mut timeline = Self {
            out,
            problem: None,
            lanes: ActivityLanes::new(procs),
            threads: BTreeMap::new(),
            arrows: HashMap::new(),
            messages: 0,
        };
        timeline.write(format_args!(
            "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{}",
            r#"{"ph":"M","name":"process_name","pid":1,"args":{"name":"netsig simulate"}}"#
        ));
        timeline
    }

    /// Completes the timeline. The output is returned with the first error of writing it.
    pub fn finish(mut self) -> (W, io::Result<()>) {
        self.name_threads();
        self.write(format_args!("\n]}}\n"));
        (self.out, self.problem.map_or(Ok(()), Err))
    }

    /// Names each thread after its lane, in the order of the lanes.
    fn name_threads(&mut self) {
        for (order, (lane, thread)) in std::mem::take(&mut self.threads).iter().enumerate() {
            let name = lane_name(*lane);
            self.event(format_args!(
                r#""ph":"M","name":"thread_name","pid":1,"tid":{thread},"args":{{"name":"{name}"}}"#
            ));
            self.event(format_args!(
                r#""ph":"M","name":"thread_sort_index","pid":1,"tid":{thread},"args":{{"sort_index":{order}}}"#
            ));
        }
    }

    fn event(&mut self, members: fmt::Arguments<'_>) {
        self.write(format_args!(",\n{{{members}}}"));
    }

    fn write(&mut self, text: fmt::Arguments<'_>) {
        if self.problem.is_none() {
            self.problem = self.out.write_fmt(text).err();
        }
    }

    /// The number of a message's arrow, equal for both ends.
    fn arrow(&mut self, id: FlightId) -> u64 {
        self.arrows.remove(&id).unwrap_or_else(|| {
            self.messages += 1;
            self.arrows.insert(id, self.messages);
            self.messages
        })
    }

    /// Writes one end of a message: its bar and its end of the arrow.
    fn message(&mut self, id: FlightId, flight: &Flight, end: &TimelineMessageEnd, when: ActivitySpan) {
        let TimelineMessageEnd { verb, peer, op, arrow } = end;
        let Flight { tag, bytes, .. } = flight;
        let ActivitySpan { thread, start, .. } = when;
        self.event(format_args!(
            r#""ph":"X","name":"{verb} {peer}",{when},"args":{{"peer":{peer},"bytes":{bytes},"tag":{tag},"operation":{op}}}"#
        ));
        let arrow_id = self.arrow(id);
        self.event(format_args!(
            r#"{arrow},"cat":"message","name":"message","id":{arrow_id},"pid":1,"tid":{thread},"ts":{start}"#
        ));
    }

    /// Writes the wait as a bar, and its start as a mark that is visible at any zoom.
    fn loss(&mut self, loss: &PacketLoss, when: ActivitySpan) {
        let cause = serde_json::Value::from(loss.cause.to_string());
        let (peer, op, delay) = (loss.to, loss.send, Microseconds(loss.delay));
        let args = format!(r#""args":{{"peer":{peer},"operation":{op},"delay_us":{delay},"cause":{cause}}}"#);
        self.event(format_args!(r#""ph":"X","name":"wait for {peer}",{when},{args}"#));
        let ActivitySpan { thread, start, .. } = when;
        self.event(format_args!(
            r#""ph":"i","s":"t","name":"loss","pid":1,"tid":{thread},"ts":{start},{args}"#
        ));
    }
}

impl<W: Write> Observer for Timeline<W> {
    fn observe(&mut self, activity: Activity<'_>, start: Time, end: Time) {
        let lane = self.lanes.take(&activity, start, end);
        let new = self.threads.len() + 1;
        let when = ActivitySpan {
            thread: *self.threads.entry(lane).or_insert(new),
            start: Microseconds(start),
            duration: Microseconds(end - start),
        };
        match activity {
            Activity::Send(id, flight) => {
                let end = TimelineMessageEnd {
                    verb: "send to",
                    peer: flight.to,
                    op: flight.send,
                    arrow: r#""ph":"s""#,
                };
                self.message(id, flight, &end, when);
            }
            Activity::Receive(id, flight, op) => {
                let end = TimelineMessageEnd {
                    verb: "receive from",
                    peer: flight.from,
                    op,
                    arrow: r#""ph":"f","bp":"e""#,
                };
                self.message(id, flight, &end, when);
            }
            Activity::Compute(_, op) => self.event(format_args!(
                r#""ph":"X","name":"compute",{when},"args":{{"operation":{op}}}"#
            )),
            Activity::Loss(loss) => self.loss(loss, when),
        }
    }
}

/// One end of a message.
struct TimelineMessageEnd {
    verb: &'static str,
    peer: Rank,
    op: OperationId,
    arrow: &'static str,
}

/// The thread and the time of a shown activity.
#[derive(Clone, Copy)]
struct ActivitySpan {
    thread: usize,
    start: Microseconds,
    duration: Microseconds,
}

impl fmt::Display for ActivitySpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (thread, start, duration) = (self.thread, self.start, self.duration);
        write!(f, r#""pid":1,"tid":{thread},"ts":{start},"dur":{duration}"#)
    }
}

/// A time in microseconds, exact to the picosecond.
#[derive(Clone, Copy)]
struct Microseconds(Time);

impl fmt::Display for Microseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const PER_MICROSECOND: u64 = 1_000_000;
        let (whole, rest) = (self.0.0 / PER_MICROSECOND, self.0.0 % PER_MICROSECOND);
        write!(f, "{whole}.{rest:06}")
    }
}

/// The name of a lane: `rank 3 send`, and `rank 3 send 2` for the second lane.
fn lane_name(lane: ActivityLane) -> String {
    let ActivityLane { rank, kind, number } = lane;
    match number {
        0 => format!("rank {rank} {kind}"),
        _ => format!("rank {rank} {kind} {}", number + 1),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::lanes::testing::{LossyMedium, endpoint, exchange};

    /// The text of the timeline of an exchange, and the outcome of its simulation.
    fn timeline(
        algorithm: &str,
        procs: u32,
        network: &mut impl netsig_sim::network::Medium,
    ) -> (String, netsig_sim::SimOutcome) {
        let mut timeline = Timeline::new(Vec::new(), Procs::new(procs).unwrap());
        let outcome = exchange(algorithm, procs, network, &mut timeline);
        let (text, written) = timeline.finish();
        written.unwrap();
        (String::from_utf8(text).unwrap(), outcome)
    }

    struct TimelineTrace(Vec<Value>);

    impl TimelineTrace {
        fn parse(text: &str) -> Self {
            let mut trace: Value = serde_json::from_str(text).unwrap();
            assert_eq!(trace["displayTimeUnit"], "ns");
            match trace["traceEvents"].take() {
                Value::Array(events) => Self(events),
                other => panic!("{other}"),
            }
        }

        fn phase(&self, phase: &str) -> impl Iterator<Item = &Value> {
            self.0.iter().filter(move |event| event["ph"] == phase)
        }
    }

    fn picoseconds(value: &Value) -> i64 {
        format!("{:.0}", value.as_f64().unwrap() * 1e6).parse().unwrap()
    }

    /// The starts of all bars, by thread; fails if two overlap.
    fn begins(trace: &TimelineTrace) -> BTreeMap<i64, Vec<i64>> {
        let mut bars: BTreeMap<i64, Vec<(i64, i64)>> = BTreeMap::new();
        for bar in trace.phase("X") {
            let (start, duration) = (picoseconds(&bar["ts"]), picoseconds(&bar["dur"]));
            assert!(start >= 0 && duration >= 0, "{bar}");
            let of_thread = bars.entry(bar["tid"].as_i64().unwrap()).or_default();
            of_thread.push((start, start + duration));
        }
        let starts = |mut bars: Vec<(i64, i64)>| {
            bars.sort_unstable();
            let is_free = bars.windows(2).all(|pair| pair[0].1 <= pair[1].0);
            assert!(is_free, "{bars:?}");
            bars.into_iter().map(|bar| bar.0).collect()
        };
        bars.into_iter().map(|(id, bars)| (id, starts(bars))).collect()
    }

    fn check(text: &str, outcome: &netsig_sim::SimOutcome) {
        let trace = TimelineTrace::parse(text);
        let (messages, losses) = (outcome.messages, outcome.losses.len());
        let bars = usize::try_from(2 * messages).unwrap() + losses;
        assert_eq!(trace.phase("X").count(), bars);
        assert_eq!(trace.phase("i").count(), losses);
        let begins = begins(&trace);
        let arrows = |phase| -> BTreeMap<u64, i64> {
            let arrows = trace.phase(phase).map(|arrow| {
                let time = picoseconds(&arrow["ts"]);
                assert!(begins[&arrow["tid"].as_i64().unwrap()].contains(&time));
                (arrow["id"].as_u64().unwrap(), time)
            });
            arrows.collect()
        };
        let (feet, heads) = (arrows("s"), arrows("f"));
        assert!(feet.keys().copied().eq(1..=messages));
        assert!(heads.keys().eq(feet.keys()));
        assert!(feet.iter().all(|(id, foot)| foot <= &heads[id]));
        let names = trace.phase("M").filter(|event| event["name"] == "thread_name");
        let named_ids = names.map(|event| event["tid"].as_i64().unwrap());
        let mut named: Vec<i64> = named_ids.collect();
        named.sort_unstable();
        assert!(named.iter().eq(begins.keys()));
    }

    #[test]
    fn nothing_overlaps_on_a_thread_and_every_message_has_an_arrow() {
        for algorithm in ["pairwise", "direct"] {
            let (text, outcome) = timeline(algorithm, 8, &mut endpoint(8));
            check(&text, &outcome);
            let (text, outcome) = timeline(algorithm, 8, &mut LossyMedium);
            assert_eq!(outcome.losses.len(), 4);
            check(&text, &outcome);
        }
    }

    /// Times have all their picoseconds (o = 15.5 µs, L = 20 µs, 65535·G = 65.535 µs). Threads are in the order of
    /// ranks, with a lane for each simultaneous bar and for waits after a loss.
    #[test]
    fn events_are_as_the_viewer_reads_them() {
        let (ports, _) = timeline("pairwise", 2, &mut endpoint(2));
        let (lossy, _) = timeline("direct", 3, &mut LossyMedium);
        let told = ports + &lossy;
        insta::assert_snapshot!(told);
    }
}
