//! The findings of a rank on its host: counters that it cannot read, the clock, the processors.

use std::time::Duration;

use crate::counters::CounterFiles;
use crate::locations::{CounterDuty, processors};
use crate::provenance::host_name;
use crate::stopwatch::Stopwatch;

/// Time over which the use of the processors is observed; this rank sleeps meanwhile.
const OBSERVATION_TIME: Duration = Duration::from_millis(200);

/// The kernel's name of the clock that it reads.
const CLOCK_SOURCE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";

/// The findings of a rank.
pub struct RankFindings {
    host: String,
    /// The other findings: a table of the report.
    table: String,
}

impl RankFindings {
    /// The findings of this rank.
    pub fn gather(watch: &Stopwatch) -> Self {
        let host = host_name();
        let both = CounterDuty {
            tcp: true,
            machine: true,
        };
        let counters = CounterFiles::open(both).read().unreadable();
        let source = std::fs::read_to_string(CLOCK_SOURCE).unwrap_or_default();
        let table = format!(
            "[[rank]]\nhost = {host:?}\nunreadable_counters = {counters:?}\nclock_source = {:?}\n\
             clock_overhead_s = {:e}\nprocessors = {}\nbusy = {:.3}\n",
            source.trim(),
            watch.overhead().0,
            processors(),
            busy_share()
        );
        Self { host, table }
    }

    /// The name of the host.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The table of the report.
    pub fn to_toml(&self) -> &str {
        &self.table
    }

    /// A message to rank 0.
    pub fn to_message(&self) -> Vec<u8> {
        format!("{}\n{}", self.host, self.table).into_bytes()
    }

    /// The findings in a message.
    pub fn of_message(message: &[u8]) -> Self {
        let text = String::from_utf8_lossy(message);
        let (host, table) = text.split_once('\n').unwrap_or_default();
        Self {
            host: host.to_owned(),
            table: table.to_owned(),
        }
    }
}

/// The share of all processors' time in which others used them; 0 if the kernel does not tell.
fn busy_share() -> f64 {
    let used = || used_ticks(&std::fs::read_to_string("/proc/stat").ok()?);
    let before = used();
    std::thread::sleep(OBSERVATION_TIME);
    let spent = used().zip(before).map(|(later, before)| {
        let [used, all] = [0, 1].map(|part| (later[part] - before[part]).max(0.0));
        used / all.max(1.0)
    });
    spent.unwrap_or(0.0)
}

/// The time that processors were in use, and the whole time, in ticks, summed over the processors. Both come from the
/// first line of `/proc/stat`: its fourth and fifth numbers are idle times, and its last two are contained in other
/// numbers.
fn used_ticks(text: &str) -> Option<[f64; 2]> {
    let words = text.lines().next()?.split_whitespace().skip(1).take(8);
    let ticks: Vec<f64> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let idle: f64 = ticks.get(3..5)?.iter().sum();
    let all: f64 = ticks.iter().sum();
    Some([all - idle, all])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_times_are_no_use() {
        let text = "cpu  10 1 20 400 5 2 3 4 9 9\ncpu0 1 1 1 1 1 1 1 1 1 1\n";
        assert_eq!(used_ticks(text), Some([40.0, 445.0]));
        assert_eq!(used_ticks("cpu 1 2 3\n"), None);
    }

    #[test]
    fn findings_pass_through_a_message() {
        let mine = RankFindings {
            host: "h0".to_owned(),
            table: "[[rank]]\nhost = \"h0\"\nclock_source = \"tsc\"\n".to_owned(),
        };
        let read = RankFindings::of_message(&mine.to_message());
        assert_eq!((read.host, read.table), (mine.host, mine.table));
    }
}
