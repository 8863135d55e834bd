//! The kernel's counters of this host: TCP's, from `/proc/net/snmp` and `/proc/net/netstat`, and
//! dropped packets, from `/proc/net/softnet_stat`.
//!
//! The first two files have pairs of lines, names and values, each beginning with a group name; they count per network
//! namespace, that is per emulated host. The third file has a line for each processor, with drops in the second column
//! in hexadecimal; it counts for the whole machine. One of the ranks that share a counter reads it.

use std::fs::File;
use std::io::Seek;

use itertools::Itertools as _;
use netsig_base::data::LossCounters;

use crate::locations::CounterDuty;

/// Number of counters: retransmitted segments, expired retransmission timers, tail-loss probes,
/// dropped packets.
const COUNTS: usize = 4;

/// Values to be summed over the ranks: the counts, then for each count the number of ranks that could not read it.
pub type CounterSums = [u64; 2 * COUNTS];

/// The counter files of this rank, kept open: the index of each count, its file, and the function
/// that extracts it.
pub struct CounterFiles(Vec<(usize, Option<File>, CounterParser)>);

/// A counter's value since the machine started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CounterValue {
    /// Another rank reads this counter.
    OfAnother,
    Unreadable,
    Read(u64),
}

/// The counters at a given time.
pub struct CounterReading([CounterValue; COUNTS]);

type CounterParser = fn(&str) -> Option<u64>;

const SOFTNET: &str = "/proc/net/softnet_stat";

const SOURCES: [(&str, CounterParser); COUNTS] = [
    ("/proc/net/snmp", |text| value_in_group(text, "Tcp:", "RetransSegs")),
    ("/proc/net/netstat", |text| {
        value_in_group(text, "TcpExt:", "TCPTimeouts")
    }),
    ("/proc/net/netstat", |text| {
        value_in_group(text, "TcpExt:", "TCPLossProbes")
    }),
    (SOFTNET, drops),
];

impl CounterFiles {
    /// Opens the readable files of this rank's `duty`.
    pub fn open(duty: CounterDuty) -> Self {
        let sources = (0..).zip(SOURCES);
        let mine = sources.filter(|(_, (path, _))| match *path {
            SOFTNET => duty.machine,
            _ => duty.tcp,
        });
        Self(
            mine.map(|(place, (path, find))| (place, File::open(path).ok(), find))
                .collect(),
        )
    }

    /// Reads the counters.
    pub fn read(&mut self) -> CounterReading {
        let mut reading = [CounterValue::OfAnother; COUNTS];
        for (place, file, find) in &mut self.0 {
            let found = file.as_mut().and_then(|file| {
                file.rewind().ok()?;
                find(&std::io::read_to_string(file).ok()?)
            });
            reading[*place] = found.map_or(CounterValue::Unreadable, CounterValue::Read);
        }
        CounterReading(reading)
    }
}

impl CounterReading {
    /// The files whose counters this kernel does not show, each once.
    pub fn unreadable(&self) -> Vec<&'static str> {
        let counts = self.0.iter().zip(SOURCES);
        let lacking = counts.filter(|(count, _)| **count == CounterValue::Unreadable);
        lacking.map(|(_, (path, _))| path).dedup().collect()
    }

    /// The differences from this reading to a `later` one, to be summed over the ranks.
    pub fn differences_to(&self, later: &Self) -> CounterSums {
        let mut sums = [0; 2 * COUNTS];
        for (place, pair) in self.0.iter().zip(later.0).enumerate() {
            match pair {
                (CounterValue::OfAnother, _) => {}
                (&CounterValue::Read(before), CounterValue::Read(after)) => {
                    sums[place] = after.saturating_sub(before);
                }
                _ => sums[COUNTS + place] = 1,
            }
        }
        sums
    }
}

/// Losses of each of `repetitions` that share one reading. If a loss occurred during several repetitions, the count of
/// each is unknown.
pub fn losses_of_each(sums: &CounterSums, repetitions: usize) -> LossCounters {
    let count = |place: usize| {
        let is_read = sums[COUNTS + place] == 0;
        let is_clear = repetitions == 1 || sums[place] == 0;
        let sum = u32::try_from(sums[place]).ok()?;
        (is_read && is_clear).then_some(sum)
    };
    LossCounters {
        retransmits: count(0),
        rtos: count(1),
        tail_probes: count(2),
        softnet_drops: count(3),
        ..LossCounters::default()
    }
}

/// The value of `name` in the group of lines that begin with `group`.
fn value_in_group(text: &str, group: &str, name: &str) -> Option<u64> {
    let mut lines = text.lines().filter(|line| line.starts_with(group));
    let (names, values) = (lines.next()?, lines.next()?);
    let column = names.split_whitespace().position(|field| field == name)?;
    values.split_whitespace().nth(column)?.parse().ok()
}

/// Sum of the second column.
fn drops(text: &str) -> Option<u64> {
    text.lines()
        .map(|line| u64::from_str_radix(line.split_whitespace().nth(1)?, 16).ok())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "IpExt: A B\nIpExt: 1 2\nTcpExt: X TCPTimeouts\nTcpExt: 7 8\n";

    #[test]
    fn values_stand_under_their_names() {
        assert_eq!(value_in_group(TEXT, "TcpExt:", "TCPTimeouts"), Some(8));
        assert_eq!(value_in_group(TEXT, "TcpExt:", "A"), None);
        assert_eq!(value_in_group(TEXT, "Tcp:", "A"), None);
    }

    #[test]
    fn drops_are_hexadecimal_and_of_all_processors() {
        assert_eq!(drops("00000e46 00000010 0\n00000012 0000000a 0\n"), Some(26));
        assert_eq!(drops("00000e46\n"), None);
    }

    #[test]
    fn this_kernel_counts_what_is_asked_for() {
        let both = CounterDuty {
            tcp: true,
            machine: true,
        };
        let counts = CounterFiles::open(both).read().0;
        assert!(
            counts.iter().all(|count| matches!(count, CounterValue::Read(_))),
            "{counts:?}"
        );
        let tcp = CounterDuty { machine: false, ..both };
        assert_eq!(CounterFiles::open(tcp).read().0[3], CounterValue::OfAnother);
    }

    #[test]
    fn several_repetitions_share_a_loss_that_nobody_can_place() {
        use CounterValue::{OfAnother, Read, Unreadable};
        let before = CounterReading([Read(5), Read(1), Unreadable, OfAnother]);
        let later = CounterReading([Read(7), Read(1), Read(3), OfAnother]);
        let sums = before.differences_to(&later);
        let one = LossCounters {
            retransmits: Some(2),
            rtos: Some(0),
            tail_probes: None,
            softnet_drops: Some(0),
            longest_processor_wait_us: None,
        };
        assert_eq!(losses_of_each(&sums, 1), one);
        let many = LossCounters {
            retransmits: None,
            ..one
        };
        assert_eq!(losses_of_each(&sums, 10), many);
    }
}
