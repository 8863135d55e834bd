//! Clusters of hosts with the measured times of messages between and inside them, as `netsig
//! discover` writes them.
//!
//! | section | holds |
//! |---|---|
//! | `[[cluster]]` | name and hosts, as of [`Clusters`] |
//! | `[[cluster_link]]` | one-way times of messages between two clusters, or inside one that is named twice |
//!
//! # Choices
//! A link has the times of two sizes at least. Between two sizes time is linear in size, beyond the
//! largest it goes on as between the two largest, below the smallest it is that of the smallest.
//!
//! # Pauses
//! After a pause of a retransmission timeout, TCP of Linux sends a first window and then waits for
//! acknowledgements. A message that needs two windows then takes t = `α + β·b + 2·α − β·W`; its time tells the
//! first window W.
//!
//! ```
//! # use netsig_core::network::Grid;
//! let text = "[[cluster]]\nname = 'a'\nhosts = 'a[0-1]'\n[[cluster]]\nname = 'b'\nhosts = 'b0'\n\
//!     [[cluster_link]]\nbetween = ['a', 'b']\nbytes = [1, 1001]\ntime_s = [0.005, 0.006]\n";
//! let grid = Grid::parse("grid.toml", text)?;
//! let link = grid.link("b", "a").expect("order does not matter");
//! assert_eq!(link.alpha().0, 0.005);
//! assert!((link.time(2001.0).0 - 0.007).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use itertools::Itertools as _;
use serde::{Deserialize, Serialize};

use super::clusters::Clusters;
use crate::text::file_error::{FileError, parse_toml};
use crate::units::{Bytes, Seconds, SecondsPerByte};

/// Least share of a round trip that counts as a wait.
const SEEN: f64 = 0.25;

/// Clusters and the links between and inside them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// The clusters.
    #[serde(rename = "cluster")]
    pub clusters: Clusters,
    /// The links that were measured, each once.
    #[serde(
        default,
        rename = "cluster_link",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub links: Vec<ClusterLink>,
}

/// Times of messages between two clusters, or inside one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Wire", into = "Wire")]
pub struct ClusterLink {
    between: [String; 2],
    /// One-way times of messages by size, ascending, two at least.
    times: Vec<(Bytes, Seconds)>,
    /// The one-way time of a message over a connection that has paused, and its size.
    paused: Option<(Bytes, Seconds)>,
}

/// Error of a link between clusters; the message ends with a remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GridError {
    /// Not as many times as sizes.
    #[error(
        "[[cluster_link]] between {between}: {sizes} bytes and {times} time_s; give one for each"
    )]
    Unequal {
        /// The clusters.
        between: String,
        /// Number of sizes.
        sizes: usize,
        /// Number of times.
        times: usize,
    },
    /// Fewer than two sizes.
    #[error(
        "[[cluster_link]] between {0}: fewer than two sizes, which show no bandwidth; give two or more"
    )]
    TooFew(String),
    /// Sizes that do not ascend.
    #[error(
        "[[cluster_link]] between {between}: {size} bytes are not above the size before; sort the sizes"
    )]
    NotAscending {
        /// The clusters.
        between: String,
        /// The second of two sizes.
        size: u64,
    },
    /// A time that no message can take.
    #[error(
        "[[cluster_link]] between {between}: a time of {time} s is not finite and above 0; measure again with netsig discover"
    )]
    NoTime {
        /// The clusters.
        between: String,
        /// The time.
        time: String,
    },
    /// A size without a time, or a time without a size.
    #[error(
        "[[cluster_link]] between {0}: paused_bytes and paused_time_s belong together; give both or none"
    )]
    HalfPaused(String),
    /// A link of an unknown cluster.
    #[error(
        "[[cluster_link]] between {between}: no cluster is called {name}; name two of the [[cluster]] tables"
    )]
    Unknown {
        /// The clusters.
        between: String,
        /// The unknown name.
        name: String,
    },
    /// Two links between the same clusters.
    #[error("[[cluster_link]] between {0} is given twice; leave one out")]
    Twice(String),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    between: [String; 2],
    bytes: Vec<u64>,
    time_s: Vec<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    paused_bytes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    paused_time_s: Option<f64>,
}

impl TryFrom<Wire> for ClusterLink {
    type Error = GridError;
    fn try_from(wire: Wire) -> Result<Self, GridError> {
        let (sizes, times) = (wire.bytes.len(), wire.time_s.len());
        if sizes != times {
            return Err(GridError::Unequal {
                between: shown(&wire.between),
                sizes,
                times,
            });
        }
        let times = wire.bytes.into_iter().zip(wire.time_s);
        let times = times.map(|(size, time)| (Bytes(size), Seconds(time)));
        let link = Self::new(wire.between, times.collect())?;
        match (wire.paused_bytes, wire.paused_time_s) {
            (None, None) => Ok(link),
            (Some(size), Some(time)) => link.with_pause(Bytes(size), Seconds(time)),
            _ => Err(GridError::HalfPaused(shown(&link.between))),
        }
    }
}

impl From<ClusterLink> for Wire {
    fn from(link: ClusterLink) -> Self {
        let ClusterLink {
            between,
            times,
            paused,
        } = link;
        let (bytes, time_s) = times
            .into_iter()
            .map(|(size, time)| (size.0, time.0))
            .unzip();
        Self {
            between,
            bytes,
            time_s,
            paused_bytes: paused.map(|(size, _)| size.0),
            paused_time_s: paused.map(|(_, time)| time.0),
        }
    }
}

impl ClusterLink {
    /// A link `between` clusters of these names with the one-way `times` of messages by size.
    ///
    /// # Errors
    /// If there are fewer than two sizes, they do not ascend, or a time is not finite and above 0.
    pub fn new(between: [String; 2], times: Vec<(Bytes, Seconds)>) -> Result<Self, GridError> {
        if times.len() < 2 {
            return Err(GridError::TooFew(shown(&between)));
        }
        let mut pairs = times.iter().tuple_windows();
        if let Some((_, (size, _))) = pairs.find(|(one, next)| one.0 >= next.0) {
            return Err(GridError::NotAscending {
                between: shown(&between),
                size: size.0,
            });
        }
        for (_, time) in &times {
            check_time(&between, *time)?;
        }
        Ok(Self {
            between,
            times,
            paused: None,
        })
    }

    /// The link with the one-way time of a message over a connection that has paused.
    ///
    /// # Errors
    /// If the time is not finite and above 0.
    pub fn with_pause(self, size: Bytes, time: Seconds) -> Result<Self, GridError> {
        check_time(&self.between, time)?;
        let paused = Some((size, time));
        Ok(Self { paused, ..self })
    }

    /// The names of the clusters, equal for a link inside a cluster.
    pub fn between(&self) -> [&str; 2] {
        self.between.each_ref().map(String::as_str)
    }

    /// The measured one-way times by size, ascending.
    pub fn times(&self) -> &[(Bytes, Seconds)] {
        &self.times
    }

    /// The time of the smallest message.
    pub fn alpha(&self) -> Seconds {
        self.times[0].1
    }

    /// The slope between the two largest sizes, or before the largest if that alone waits for the receiver's
    /// consent; 0 if noise makes the larger take less time.
    pub fn beta(&self) -> SecondsPerByte {
        let slope = |index: usize| {
            let [(low, early), (high, late)] = self.ends_of(index);
            ((late - early) / (high - low)).max(0.0)
        };
        let last = self.times.len() - 1;
        let [(low, early), (high, late)] = self.ends_of(last);
        let before = (last > 1).then(|| slope(last - 1)).filter(|before| {
            let wait = late - early - before * (high - low);
            wait > SEEN * 2.0 * self.alpha().0
        });
        SecondsPerByte(before.unwrap_or_else(|| slope(last)))
    }

    /// The time of a message of so many bytes.
    pub fn time(&self, bytes: f64) -> Seconds {
        let next = self
            .times
            .partition_point(|(size, _)| size.as_f64() < bytes);
        if next == 0 {
            return self.alpha();
        }
        if next == self.times.len() {
            let (size, time) = self.times[next - 1];
            return Seconds(time.0 + self.beta().0 * (bytes - size.as_f64()));
        }
        let [(low, early), (high, late)] = self.ends_of(next);
        Seconds(early + (late - early) * (bytes - low) / (high - low))
    }

    /// The smallest measured size from which a message waits for the receiver's consent: its time without that
    /// of its bytes has grown by a round trip, at least by a quarter of it.
    pub fn consent(&self) -> Option<Bytes> {
        let waits = |&&(size, time): &&(Bytes, Seconds)| self.excess(size, time) > SEEN;
        self.times.iter().find(waits).map(|(size, _)| *size)
    }

    /// Bytes that a connection sends at once after a pause; `None` if it was seen to send all, or
    /// pauses were not measured.
    pub fn first_window(&self) -> Option<Bytes> {
        let (size, time) = self.paused?;
        let waited = self.excess(size, time);
        let sent = 2.0 * self.alpha().0 * (1.0 - waited) / self.beta().0;
        let most = size.as_f64();
        (waited > SEEN && sent < most).then(|| Bytes::rounded(sent.max(1.0)))
    }

    /// Time of a message beyond that of its bytes and the latency, in round trips.
    fn excess(&self, size: Bytes, time: Seconds) -> f64 {
        let usual = self.alpha().0 + self.beta().0 * size.as_f64();
        (time.0 - usual) / (2.0 * self.alpha().0)
    }

    /// Size and time before and at an index.
    fn ends_of(&self, index: usize) -> [(f64, f64); 2] {
        [index - 1, index].map(|index| {
            let (size, time) = self.times[index];
            (size.as_f64(), time.0)
        })
    }

    fn joins(&self, one: &str, other: &str) -> bool {
        self.between() == [one, other] || self.between() == [other, one]
    }
}

/// Refuses a time that is not finite and above 0.
fn check_time(between: &[String; 2], time: Seconds) -> Result<(), GridError> {
    if time.0.is_finite() && time.0 > 0.0 {
        return Ok(());
    }
    Err(GridError::NoTime {
        between: shown(between),
        time: time.0.to_string(),
    })
}

/// Clusters without times.
impl From<Clusters> for Grid {
    fn from(clusters: Clusters) -> Self {
        Self {
            clusters,
            links: Vec::new(),
        }
    }
}

impl Grid {
    /// Clusters and their links.
    ///
    /// # Errors
    /// As [`check`].
    pub fn new(clusters: Clusters, links: Vec<ClusterLink>) -> Result<Self, GridError> {
        check(&clusters, &links)?;
        Ok(Self { clusters, links })
    }

    /// Parses a file of clusters, with links or without; `name` names it in errors.
    ///
    /// # Errors
    /// If the text is not TOML or contains impossible clusters or links.
    pub fn parse(name: &str, text: &str) -> Result<Self, FileError> {
        let grid: Self = parse_toml(name, text, "see FORMATS.md for files of clusters")?;
        check(&grid.clusters, &grid.links)
            .map_err(|error| FileError::of_file(name, error.to_string()))?;
        Ok(grid)
    }

    /// The TOML text that [`Grid::parse`] reads back.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("clusters and links have a TOML form")
    }

    /// The link between two clusters, in any order, or inside one that is named twice.
    pub fn link(&self, one: &str, other: &str) -> Option<&ClusterLink> {
        self.links.iter().find(|link| link.joins(one, other))
    }
}

/// Checks that the links join known clusters, each pair once.
///
/// # Errors
/// If a link names an unknown cluster, or two links join the same clusters.
pub fn check(clusters: &Clusters, links: &[ClusterLink]) -> Result<(), GridError> {
    let is_known = |name: &str| match clusters {
        Clusters::EachHost => false,
        Clusters::Named(clusters) => clusters.iter().any(|own| own.name == name),
    };
    for (index, link) in links.iter().enumerate() {
        let [one, other] = link.between();
        if let Some(name) = [one, other].into_iter().find(|name| !is_known(name)) {
            return Err(GridError::Unknown {
                between: shown(&link.between),
                name: name.to_owned(),
            });
        }
        if links[..index].iter().any(|before| before.joins(one, other)) {
            return Err(GridError::Twice(shown(&link.between)));
        }
    }
    Ok(())
}

fn shown([one, other]: &[String; 2]) -> String {
    format!("{one} and {other}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[[cluster]]\nname = \"h0\"\nhosts = \"h0,h1,h2\"\n\n\
        [[cluster]]\nname = \"h3\"\nhosts = \"h3,h4\"\n\n\
        [[cluster_link]]\nbetween = [\"h0\", \"h3\"]\nbytes = [1, 1024, 2048]\n\
        time_s = [0.005, 0.006, 0.009]\n\n\
        [[cluster_link]]\nbetween = [\"h3\", \"h3\"]\nbytes = [1, 2]\ntime_s = [0.2, 0.1]\n";

    #[test]
    fn a_grid_survives_its_text_and_clusters_alone_are_one() {
        let grid = Grid::parse("g", TEXT).unwrap();
        assert_eq!(grid.to_toml().replace('\'', "\""), TEXT);
        let alone = TEXT.split("[[cluster_link]]").next().unwrap();
        let clusters = Clusters::parse("g", alone).unwrap();
        assert_eq!(Clusters::parse("g", TEXT), Ok(clusters.clone()));
        assert_eq!(clusters, grid.clusters);
        let read = Grid::parse("g", alone).unwrap();
        assert!(read.links.is_empty());
        assert_eq!(read.to_toml(), clusters.to_toml());
    }

    /// By hand: 10 ms and 0.3 µs a byte; from 64 KiB on a message waits a round trip of 20 ms. After a pause
    /// 14480 bytes leave in 4.344 ms, and the rest waits for the other 15.656 ms of a round trip.
    #[test]
    fn waits_tell_consent_and_first_window() {
        let usual = |size: u64| Seconds(0.01 + 0.3e-6 * size as f64);
        let link = |paused: f64| {
            let late = |size: u64| (Bytes(size), Seconds(usual(size).0 + 0.02));
            let times = vec![
                (Bytes(0), usual(0)),
                (Bytes(32768), usual(32768)),
                late(65536),
                late(1_048_576),
            ];
            let names = ["a", "b"].map(str::to_owned);
            let link = ClusterLink::new(names, times).unwrap();
            link.with_pause(Bytes(32768), Seconds(usual(32768).0 + paused))
                .unwrap()
        };
        assert_eq!(link(0.015_656).consent(), Some(Bytes(65536)));
        assert_eq!(link(0.015_656).first_window(), Some(Bytes(14480)));
        assert_eq!(link(0.001).first_window(), None);
        let short = link(0.001).times[..3].to_vec();
        let short = ClusterLink::new(["a", "b"].map(str::to_owned), short).unwrap();
        assert!(
            (short.beta().0 / 0.3e-6 - 1.0).abs() < 1e-9,
            "not of the wait"
        );
        assert_eq!(short.consent(), Some(Bytes(65536)));
        let text = "[[cluster_link]]\nbetween = ['h0', 'h3']\nbytes = [1, 2]\ntime_s = [0.1, 0.2]\n\
            paused_bytes = 3\n";
        let alone = TEXT.split("[[cluster_link]]").next().unwrap();
        let error = Grid::parse("g", &format!("{alone}{text}")).unwrap_err();
        assert!(error.to_string().contains("belong together"), "{error}");
        let whole = format!("{alone}{text}paused_time_s = 0.3\n");
        let read = Grid::parse("g", &whole).unwrap();
        assert_eq!(Grid::parse("g", &read.to_toml()), Ok(read));
    }

    /// By hand: 3 ms for the last 1024 bytes.
    #[test]
    fn times_are_linear_between_sizes_and_beyond() {
        let grid = Grid::parse("g", TEXT).unwrap();
        let link = grid.link("h3", "h0").unwrap();
        let near = |found: f64, expected: f64| (found - expected).abs() < 1e-12;
        assert!(near(link.beta().0, 0.003 / 1024.0));
        for (bytes, time) in [
            (0.0, 0.005),
            (1.0, 0.005),
            (1024.0, 0.006),
            (1536.0, 0.0075),
            (2048.0, 0.009),
            (3072.0, 0.012),
        ] {
            assert!(near(link.time(bytes).0, time), "{bytes}");
        }
        let noisy = grid.link("h3", "h3").unwrap();
        assert!(near(noisy.time(1e9).0, 0.1) && near(noisy.beta().0, 0.0));
        assert_eq!(grid.link("h0", "h0"), None);
    }

    #[test]
    fn faults_are_told_with_what_to_do() {
        let told = [
            TEXT.replace("1, 1024, 2048", "1, 2048"),
            TEXT.replace("1, 1024, 2048", "1, 2048, 1024"),
            TEXT.replace("0.009", "0.0"),
            TEXT.replace("0.009", "inf"),
            TEXT.replace("[1, 2]", "[1]").replace("[0.2, 0.1]", "[0.2]"),
            TEXT.replace("[\"h0\", \"h3\"]", "[\"h0\", \"h4\"]"),
            TEXT.replace("[\"h0\", \"h3\"]", "[\"h3\", \"h3\"]"),
            TEXT.replace("bytes", "sizes"),
            "cluster = \"host\"\n".to_owned() + TEXT.split_once("h4\"\n\n").unwrap().1,
        ]
        .map(|text| format!("{}\n", Grid::parse("g.toml", &text).unwrap_err()));
        insta::assert_snapshot!(told.concat());
    }
}
