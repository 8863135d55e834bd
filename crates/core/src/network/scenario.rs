//! A network as a file: how many hosts, how fast their links are, how much a switch
//! port buffers and, for simulation, what contention truly costs on it.
//!
//! The same TOML describes an emulated cluster and a simulated one. What the file may
//! say is the private `wire` module; what the rest of netsig sees is [`Scenario`],
//! which cannot hold a value that was not checked.

mod wire;

use crate::network::LINUX_RTO;
use crate::network::tree::{Link, Tree};
use crate::text::file_error::FileError;
use crate::units::{BitsPerSecond, Bytes, Procs, Seconds};

/// The most hosts that a simulation numbers.
const MOST_HOSTS: u32 = 1 << 20;

/// The burst of a link at 100 Mbit/s and below: two full frames. A smaller port
/// buffer would let nothing pass.
const SMALLEST_BURST: u64 = 3200;

/// Bursts that shaped links of these rates (Mbit/s) need to reach their rate.
const BURSTS: [(f64, f64); 3] = [(100.0, 3200.0), (300.0, 15_000.0), (1000.0, 40_000.0)];

/// A network, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// What the scenario is called: its file without `.toml`.
    pub name: String,
    /// What it is good for, in a sentence.
    pub description: String,
    /// How many hosts, each running one process.
    pub hosts: Procs,
    /// The rate of every host's link, in both directions.
    pub rate: BitsPerSecond,
    /// What a switch port towards a host buffers before it drops.
    pub port_buffer: Bytes,
    /// The TCP congestion control of all hosts.
    pub congestion_control: String,
    /// What joins two switches; none where all hosts are on one.
    pub uplink: Option<Uplink>,
    /// The contention signature that a simulated transport follows, if known.
    pub truth: Option<Truth>,
}

/// The link between the two switches of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Uplink {
    /// Its rate in each direction.
    pub rate: BitsPerSecond,
    /// What each end buffers before it drops.
    pub port_buffer: Bytes,
    /// The hosts from 0 up to this number are on the first switch.
    pub first_switch_hosts: u32,
}

/// The signature that a simulated network obeys, so that a fit can be judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Truth {
    /// Start-up time of one message.
    pub alpha: Seconds,
    /// Contention ratio: how many times the contention-free bound an exchange takes.
    pub gamma: f64,
    /// Extra time of one partner's message beyond the threshold.
    pub delta: Seconds,
    /// The message size from which `delta` is paid.
    pub threshold: Bytes,
    /// Relative standard deviation of one repetition.
    pub noise: f64,
}

impl Scenario {
    /// Reads the scenario `text`; `name` is its name, and its place in messages.
    ///
    /// # Errors
    /// If the text is not TOML, has unknown or missing keys, or describes a network
    /// that cannot be; the message names the line and says what to write.
    pub fn parse(name: &str, text: &str) -> Result<Self, FileError> {
        wire::parse(name, text)
    }

    /// The network in a few words: `12 hosts, 40 Mbit/s, 64 KiB port buffer, reno, star`.
    pub fn summary(&self) -> String {
        format!(
            "{} hosts, {}, {} port buffer, {}, {}",
            self.hosts,
            self.rate,
            self.port_buffer,
            self.congestion_control,
            self.shape()
        )
    }

    /// The word in a scenario file for how the hosts are joined.
    fn shape(&self) -> &'static str {
        match self.uplink {
            None => "star",
            Some(_) => "tree",
        }
    }

    /// The TOML text that [`Scenario::parse`] reads back to this scenario.
    pub fn to_toml(&self) -> String {
        let description = toml::Value::from(self.description.as_str());
        let uplink = self.uplink.map_or_else(String::new, |uplink| {
            format!(
                "[uplink]\nrate = \"{}\"\nport_buffer = \"{}\"\nfirst_switch_hosts = {}\n",
                uplink.rate, uplink.port_buffer, uplink.first_switch_hosts
            )
        });
        let truth = self.truth.map_or_else(String::new, |truth| {
            let (Seconds(alpha), Seconds(delta)) = (truth.alpha, truth.delta);
            format!(
                "[truth]\nalpha = \"{alpha}s\"\ngamma = {:?}\ndelta = \"{delta}s\"\n\
                 threshold = \"{}\"\nnoise = {:?}\n",
                truth.gamma, truth.threshold, truth.noise
            )
        });
        format!(
            "description = {description}\ntopology = \"{}\"\nhosts = {}\nrate = \"{}\"\n\
             port_buffer = \"{}\"\ncongestion_control = \"{}\"\n{uplink}{truth}",
            self.shape(),
            self.hosts,
            self.rate,
            self.port_buffer,
            self.congestion_control
        )
    }

    /// The links with how many hosts lie behind each: those of a host, and the uplink.
    /// Headers are not counted, so that bounds stay bounds.
    pub fn tree(&self) -> Tree {
        let host = Link {
            below: 1,
            gap: self.rate.gap_per_byte(),
            buffer: self.port_buffer,
        };
        let uplink = self.uplink.map(|uplink| Link {
            below: uplink.first_switch_hosts,
            gap: uplink.rate.gap_per_byte(),
            buffer: uplink.port_buffer,
        });
        let links = [host].into_iter().chain(uplink);
        Tree::new(links.collect()).expect("the gap of a rate is finite")
    }

    /// Why an emulation of this network on an ordinary machine cannot be trusted for
    /// figures, if so. The limits were found by changing the rate: where times no
    /// longer scale with it, the machine and not the network sets them.
    pub fn fidelity_warning(&self) -> Option<String> {
        let hosts = u64::from(self.hosts.get());
        let most = if hosts <= 8 { 800_000_000 } else { 640_000_000 };
        if hosts.saturating_mul(self.rate.0) > most {
            return Some(format!(
                "{}: {hosts} hosts at {} exceed {} in total, so the machine's speed enters the \
                 times; use at most {} a host",
                self.name,
                self.rate,
                BitsPerSecond(most),
                BitsPerSecond(most / hosts / 1_000_000 * 1_000_000),
            ));
        }
        let queue = self.rate.gap_per_byte() * self.port_buffer;
        (queue > LINUX_RTO).then(|| {
            format!(
                "{}: a full port buffer of {} takes {queue} to drain, longer than TCP waits \
                 before it sends again; use a smaller port_buffer",
                self.name, self.port_buffer,
            )
        })
    }
}

/// How many bytes a link that is shaped to `rate` lets through at once: linear between what links
/// of 100, 300 and 1000 Mbit/s need, and beyond.
pub fn burst(rate: BitsPerSecond) -> Bytes {
    let [slow, middle, fast] = BURSTS;
    let mbit = rate.0 as f64 / 1e6;
    let ((x0, y0), (x1, y1)) = if mbit <= middle.0 {
        (slow, middle)
    } else {
        (middle, fast)
    };
    let line = y0 + (mbit.max(x0) - x0) * (y1 - y0) / (x1 - x0);
    Bytes::rounded(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = r#"
description = "a \"tree\""
topology = "tree"
hosts = 9
rate = "40Mbit/s"
port_buffer = "64KiB"
congestion_control = "reno"
[uplink]
rate = "100Mbit/s"
port_buffer = "128KiB"
[truth]
alpha = "100us"
gamma = 1.8
delta = "4ms"
threshold = "64KiB"
noise = 0.03
"#;

    fn tree() -> Scenario {
        Scenario::parse("tree", TREE).unwrap()
    }

    /// The message for [`TREE`] with `old` replaced by `new`.
    fn fault(old: &str, new: &str) -> String {
        assert!(TREE.contains(old), "{old}");
        Scenario::parse("t", &TREE.replace(old, new))
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn a_tree_is_read_in_full() {
        let scenario = tree();
        assert_eq!(scenario.hosts.get(), 9);
        assert_eq!(scenario.rate, BitsPerSecond(40_000_000));
        assert_eq!(scenario.port_buffer, Bytes(65536));
        let uplink = scenario.uplink.unwrap();
        assert_eq!(uplink.first_switch_hosts, 4, "half, rounded down");
        assert_eq!(uplink.port_buffer, Bytes(131_072));
        let truth = scenario.truth.unwrap();
        assert_eq!((truth.alpha, truth.noise), (Seconds(100.0 * 1e-6), 0.03));
    }

    #[test]
    fn a_star_needs_neither_uplink_nor_truth() {
        let (head, _) = TREE.split_once("[uplink]").unwrap();
        let star = Scenario::parse("s", &head.replace("\"tree\"", "\"star\"")).unwrap();
        assert_eq!((star.uplink, star.truth), (None, None));
    }

    #[test]
    fn written_and_read_again_it_is_the_same() {
        let scenario = tree();
        assert_eq!(Scenario::parse("tree", &scenario.to_toml()), Ok(scenario));
    }

    #[test]
    fn faults_name_line_and_remedy() {
        assert_eq!(
            fault("hosts = 9", "hosts = 1"),
            "t:4: hosts is 1; write a number from 2 to 1048576"
        );
        let cases = [
            ("hosts = 9", "hosts = 1048577", "t:4: hosts is 1048577;"),
            ("hosts = 9", "hosts = \"9\"", "t:4: invalid type"),
            ("hosts = 9", "host = 9", "t:4: unknown field `host`"),
            ("hosts = 9", "", "missing field `hosts`"),
            ("\"40Mbit/s\"", "40", "t:5: invalid type"),
            (
                "\"40Mbit/s\"",
                "\"40\"",
                "t:5: \"40\" is not a link rate; write 40Mbit/s",
            ),
            (
                "\"64KiB\"\ncong",
                "\"3199\"\ncong",
                "t:6: port_buffer of 3199 B is less than one",
            ),
            ("\"128KiB\"", "\"1kB\"", "t:10: port_buffer"),
            ("\"reno\"", "\"re no\"", "t:7: congestion_control \"re no\""),
            ("\"reno\"", "\"\"", "t:7: congestion_control"),
            (
                "\"tree\"\n",
                "\"star\"\n",
                "t:8: a star has no uplink; remove [uplink]",
            ),
            ("\"tree\"\n", "\"ring\"\n", "t:3: unknown variant `ring`"),
            (
                "[truth]",
                "first_switch_hosts = 9\n[truth]",
                "t:11: first_switch_hosts is 9; write a number from 1 to 8",
            ),
            (
                "[truth]",
                "first_switch_hosts = 0\n[truth]",
                "t:11: first_switch_hosts is 0;",
            ),
            ("gamma = 1.8", "gamma = 0.0", "t:13: gamma is 0;"),
            ("gamma = 1.8", "gamma = nan", "t:13: gamma is NaN;"),
            ("noise = 0.03", "noise = 1.0", "t:16: noise is 1;"),
            ("noise = 0.03", "noise = ", "t:16: "),
        ];
        for (old, new, expected) in cases {
            let message = fault(old, new);
            assert!(message.contains(expected), "{new}: {message}");
            assert!(
                !message.contains('\n') && message.contains("; "),
                "{message}"
            );
        }
    }

    #[test]
    fn a_tree_without_uplink_is_refused() {
        let (head, _) = TREE.split_once("[uplink]").unwrap();
        let message = Scenario::parse("t", head).unwrap_err().to_string();
        assert_eq!(
            message,
            "t:3: a tree needs an uplink; add [uplink] with rate and port_buffer"
        );
    }

    #[test]
    fn bursts_grow_with_the_rate() {
        let at = |mbit: u64| burst(BitsPerSecond(mbit * 1_000_000)).0;
        assert_eq!(
            [at(10), at(100), at(200), at(300)],
            [3200, 3200, 9100, 15_000]
        );
        assert_eq!([at(650), at(1000)], [27_500, 40_000]);
    }

    #[test]
    fn too_much_traffic_or_too_deep_a_buffer_is_told() {
        let with = |hosts: u32, mbit: u64, buffer: u64| {
            let hosts = Procs::new(hosts).unwrap();
            let rate = BitsPerSecond(mbit * 1_000_000);
            Scenario {
                hosts,
                rate,
                port_buffer: Bytes(buffer),
                ..tree()
            }
            .fidelity_warning()
        };
        assert_eq!(with(8, 100, 65536), None);
        assert_eq!(with(16, 40, 65536), None);
        let warning = with(12, 100, 65536).unwrap();
        assert!(
            warning.ends_with("use at most 53 Mbit/s a host"),
            "{warning}"
        );
        assert!(with(8, 101, 65536).is_some());
        assert!(with(4, 2, 65536).unwrap().contains("262 ms"));
    }
}
