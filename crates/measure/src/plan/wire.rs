//! What may stand in a plan file, and how it becomes cells.

use netsig_core::algorithm::{Collective, Method};
use netsig_core::text::file_error::{FileError, parse_toml};
use netsig_core::units::list::List;
use netsig_core::units::{self, Bytes, Procs};
use serde::Deserialize;

use super::cell::LARGEST_MESSAGE;
use super::{Cell, Flood, Operation, PLogPSettings, Plan, Synchronisation};

const HINT: &str = "see FORMATS.md for what a plan may say";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WirePlan {
    #[serde(default)]
    seed: u64,
    #[serde(default = "one")]
    launches: Count,
    precision: Option<Precision>,
    #[serde(default)]
    synchronisation: WireSynchronisation,
    pingpong: Option<WirePingPong>,
    plogp: Option<WirePLogP>,
    flows: Option<WireFlows>,
    #[serde(default)]
    collective: Vec<WireCollective>,
}

#[derive(Deserialize, Clone, Copy, Default)]
#[serde(rename_all = "lowercase")]
enum WireSynchronisation {
    #[default]
    Barrier,
    Window,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WirePingPong {
    sizes: List<Bytes>,
    repetitions: Count,
    #[serde(default = "one")]
    warmup: Count,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WirePLogP {
    sizes: Option<List<Bytes>>,
    round: Option<Count>,
    most: Option<Count>,
    confidence: Option<Share>,
    epsilon: Option<Share>,
    difference: Option<Share>,
    #[serde(default)]
    flood: WireFlood,
}

#[derive(Deserialize, Clone, Copy, Default)]
#[serde(rename_all = "lowercase")]
enum WireFlood {
    #[default]
    Empty,
    Every,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireFlows {
    pairs: List<Procs>,
    #[serde(default = "flow_size", deserialize_with = "units::from_text")]
    size: Bytes,
    #[serde(default = "flow_repetitions")]
    repetitions: Count,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireCollective {
    name: Name,
    algorithms: Vec<String>,
    procs: List<Procs>,
    sizes: List<Bytes>,
    repetitions: Count,
    #[serde(default = "one")]
    warmup: Count,
}

/// A count from 1 to a million.
#[derive(Deserialize, Clone, Copy)]
#[serde(try_from = "i64")]
struct Count(u32);

/// A number between 0 and 1.
#[derive(Deserialize, Clone, Copy)]
#[serde(try_from = "f64")]
struct Share(f64);

/// A share, which may be written in per cent.
#[derive(Deserialize, Clone, Copy)]
#[serde(try_from = "NumberOrText")]
struct Precision(f64);

#[derive(Deserialize)]
#[serde(untagged, expecting = "write a share such as \"2%\" or 0.02")]
enum NumberOrText {
    Number(f64),
    Text(String),
}

/// The name of a collective.
#[derive(Deserialize, Clone, Copy)]
#[serde(try_from = "String")]
struct Name(Collective);

fn one() -> Count {
    Count(1)
}

/// The message that the papers saturate networks with.
fn flow_size() -> Bytes {
    Bytes(32 << 20)
}

fn flow_repetitions() -> Count {
    Count(3)
}

impl TryFrom<i64> for Count {
    type Error = String;
    fn try_from(value: i64) -> Result<Self, String> {
        match u32::try_from(value) {
            Ok(count @ 1..=1_000_000) => Ok(Self(count)),
            _ => Err(format!(
                "{value} is not possible here; write a number from 1 to 1000000"
            )),
        }
    }
}

impl TryFrom<f64> for Share {
    type Error = String;
    fn try_from(value: f64) -> Result<Self, String> {
        if value > 0.0 && value < 1.0 {
            Ok(Self(value))
        } else {
            Err(format!(
                "{value} is not possible here; write a number between 0 and 1"
            ))
        }
    }
}

impl TryFrom<NumberOrText> for Precision {
    type Error = String;
    fn try_from(written: NumberOrText) -> Result<Self, String> {
        let share = match &written {
            NumberOrText::Number(share) => Some(*share),
            NumberOrText::Text(text) => text
                .trim()
                .strip_suffix('%')
                .and_then(|number| number.trim_end().parse().ok())
                .map(|percent: f64| percent / 100.0),
        };
        share
            .and_then(|share| Share::try_from(share).ok())
            .map(|Share(share)| Self(share))
            .ok_or_else(|| {
                let text = match written {
                    NumberOrText::Number(share) => share.to_string(),
                    NumberOrText::Text(text) => format!("{text:?}"),
                };
                format!("{text} is not a precision; write \"2%\" or 0.02, more than 0 and less than 100%")
            })
    }
}

impl TryFrom<String> for Name {
    type Error = String;
    fn try_from(name: String) -> Result<Self, String> {
        name.parse()
            .map(Self)
            .map_err(|e: netsig_core::algorithm::UnknownAlgorithm| e.to_string())
    }
}

/// Reads a plan; `name` is what errors call it.
pub(super) fn parse(name: &str, text: &str) -> Result<Plan, FileError> {
    let wire: WirePlan = parse_toml(name, text, HINT)?;
    wire.plan()
        .map_err(|problem| FileError::at_line(name, 1, problem))
}

impl WirePlan {
    fn plan(&self) -> Result<Plan, String> {
        let plogp = self.plogp.as_ref().map(WirePLogP::settings).transpose()?;
        Ok(Plan {
            seed: self.seed,
            launches: self.launches.0,
            precision: self.precision.map(|Precision(share)| share),
            synchronisation: match self.synchronisation {
                WireSynchronisation::Barrier => Synchronisation::Barrier,
                WireSynchronisation::Window => Synchronisation::Window,
            },
            plogp,
            cells: self.cells(plogp.as_ref())?,
        })
    }

    fn cells(&self, plogp: Option<&PLogPSettings>) -> Result<Vec<Cell>, String> {
        let mut cells: Vec<Cell> = self.pingpong.iter().flat_map(WirePingPong::cells).collect();
        cells.extend(plogp.map(plogp_cell));
        if let Some(flows) = &self.flows {
            cells.extend(flows.cells()?);
        }
        for collective in &self.collective {
            cells.extend(collective.cells()?);
        }
        if cells.is_empty() {
            return Err(
                "the plan measures nothing; add [pingpong], [plogp], [flows] or [[collective]]"
                    .to_owned(),
            );
        }
        cells.iter().try_for_each(Cell::check)?;
        let doubled =
            (1..cells.len()).find(|&i| cells[..i].iter().any(|cell| cell.is_same_work(&cells[i])));
        match doubled {
            Some(i) => Err(format!("{} is planned twice; merge the entries", cells[i])),
            None => Ok(cells),
        }
    }
}

fn two() -> Procs {
    Procs::new(2).expect("two is a number of processes")
}

pub(crate) fn plogp_cell(settings: &PLogPSettings) -> Cell {
    Cell {
        operation: Operation::PLogP,
        procs: two(),
        size: settings.largest,
        warmup: 0,
        repetitions: settings.most,
    }
}

impl WirePingPong {
    fn cells(&self) -> Vec<Cell> {
        let cell = |&size| Cell {
            operation: Operation::PingPong,
            procs: two(),
            size,
            warmup: self.warmup.0,
            repetitions: self.repetitions.0,
        };
        self.sizes.items().iter().map(cell).collect()
    }
}

impl WirePLogP {
    fn settings(&self) -> Result<PLogPSettings, String> {
        let default = PLogPSettings::default();
        let share = |written: Option<Share>, default| written.map_or(default, |Share(s)| s);
        let count = |written: Option<Count>, default| written.map_or(default, |Count(c)| c);
        let (smallest, largest) = match &self.sizes {
            Some(sizes) => ends(sizes)?,
            None => (default.smallest, default.largest),
        };
        let settings = PLogPSettings {
            smallest,
            largest,
            round: count(self.round, default.round),
            most: count(self.most, default.most),
            confidence: share(self.confidence, default.confidence),
            epsilon: share(self.epsilon, default.epsilon),
            difference: share(self.difference, default.difference),
            flood: match self.flood {
                WireFlood::Empty => Flood::Empty,
                WireFlood::Every => Flood::Every,
            },
        };
        if settings.most < settings.round {
            return Err(format!(
                "[plogp] most = {} is less than a round of {}; write most = {} or more",
                settings.most, settings.round, settings.round
            ));
        }
        if settings.confidence <= 0.5 {
            return Err(format!(
                "[plogp] confidence = {} has no interval; write a number above 0.5 such as 0.9",
                settings.confidence
            ));
        }
        Ok(settings)
    }
}

/// The least size above 0 and the largest.
fn ends(sizes: &List<Bytes>) -> Result<(Bytes, Bytes), String> {
    let largest = sizes.largest();
    let smallest = sizes.items().iter().find(|size| size.0 > 0);
    match smallest {
        Some(&smallest) if smallest < largest && largest.0 <= LARGEST_MESSAGE => {
            Ok((smallest, largest))
        }
        _ => Err(format!(
            "[plogp] sizes up to {largest} are no range; write two sizes from 1 to 2147483647 bytes, such as \"1..256KiB\""
        )),
    }
}

impl WireFlows {
    fn cells(&self) -> Result<Vec<Cell>, String> {
        let cell = |pairs: &Procs| {
            let ranks = pairs.get().checked_mul(2);
            let procs = ranks.and_then(|ranks| Procs::new(ranks).ok());
            let procs = procs.ok_or_else(|| {
                format!("[flows] {pairs} pairs are too many; write fewer, such as [1, 2, 4]")
            })?;
            Ok(Cell {
                operation: Operation::Flows,
                procs,
                size: self.size,
                warmup: 0,
                repetitions: self.repetitions.0,
            })
        };
        self.pairs.items().iter().map(cell).collect()
    }
}

impl WireCollective {
    fn cells(&self) -> Result<Vec<Cell>, String> {
        if self.algorithms.is_empty() {
            return Err(format!(
                "no algorithms for {}; write algorithms = [\"direct\"]",
                self.name.0
            ));
        }
        let mut cells = Vec::new();
        for algorithm in &self.algorithms {
            let method = Method::parse(self.name.0, algorithm).map_err(|e| e.to_string())?;
            for &procs in self.procs.items() {
                for &size in self.sizes.items() {
                    cells.push(Cell {
                        operation: Operation::Collective(self.name.0, method),
                        procs,
                        size,
                        warmup: self.warmup.0,
                        repetitions: self.repetitions.0,
                    });
                }
            }
        }
        Ok(cells)
    }
}
