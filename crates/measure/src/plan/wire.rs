//! What may stand in a plan file, and how it becomes cells.

use netsig_core::algorithm::{Collective, Method};
use netsig_core::text::file_error::{FileError, parse_toml};
use netsig_core::units::list::List;
use netsig_core::units::{self, Bytes, Procs};
use serde::Deserialize;

use super::number::{Count, Precision};
use super::{Cell, Operation, PLogPSettings, Plan, Synchronisation};

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
    synchronisation: Synchronisation,
    pingpong: Option<WirePingPong>,
    plogp: Option<PLogPSettings>,
    flows: Option<WireFlows>,
    #[serde(default)]
    collective: Vec<WireCollective>,
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
        Ok(Plan {
            seed: self.seed,
            launches: self.launches.0,
            precision: self.precision.map(|Precision(share)| share),
            synchronisation: self.synchronisation,
            plogp: self.plogp,
            cells: self.cells()?,
        })
    }

    fn cells(&self) -> Result<Vec<Cell>, String> {
        let mut cells: Vec<Cell> = self.pingpong.iter().flat_map(WirePingPong::cells).collect();
        if let Some(settings) = &self.plogp {
            settings.check()?;
            cells.push(plogp_cell(settings));
        }
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
        size: settings.sizes.largest,
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
