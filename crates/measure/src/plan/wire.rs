//! The keys of a plan file, with the conversion to cells and back.

use std::collections::HashSet;

use itertools::iproduct;
use netsig_base::algorithm::{Collective, Method};
use netsig_base::network::{ClusterLink, Clusters, Grid, Network};
use netsig_base::text::file_error::{FileError, parse_toml};
use netsig_base::units::list::{Item, List};
use netsig_base::units::{self, Bytes, Procs};
use serde::{Deserialize, Serialize, Serializer};

use super::number::{count, count_or_none, precision};
use super::{Cell, Operation, PLogPSettings, Plan, Synchronisation};

const HINT: &str = "see FORMATS.md for the keys of a plan";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WirePlan {
    #[serde(default)]
    seed: u64,
    #[serde(default = "one", deserialize_with = "count")]
    launches: u32,
    #[serde(default, deserialize_with = "precision")]
    precision: Option<f64>,
    #[serde(default, skip_serializing_if = "Synchronisation::is_barrier")]
    synchronisation: Synchronisation,
    pingpong: Option<WirePingPong>,
    plogp: Option<PLogPSettings>,
    flows: Option<WireFlows>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    collective: Vec<WireCollective>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    network: Option<toml::Table>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cluster: Option<Clusters>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    cluster_link: Vec<ClusterLink>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WirePingPong {
    sizes: List<Bytes>,
    #[serde(deserialize_with = "count")]
    repetitions: u32,
    #[serde(default = "one", deserialize_with = "count_or_none")]
    warmup: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireFlows {
    pairs: List<Procs>,
    #[serde(default = "flow_size")]
    #[serde(serialize_with = "as_text", deserialize_with = "units::from_text")]
    size: Bytes,
    #[serde(default = "flow_repetitions", deserialize_with = "count")]
    repetitions: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireCollective {
    #[serde(deserialize_with = "units::from_text")]
    name: Collective,
    algorithms: Vec<String>,
    #[serde(serialize_with = "single")]
    procs: List<Procs>,
    sizes: List<Bytes>,
    #[serde(deserialize_with = "count")]
    repetitions: u32,
    #[serde(default = "one", deserialize_with = "count_or_none")]
    warmup: u32,
}

/// Writes the process count of an entry, which has exactly one when written.
fn single<S: Serializer>(procs: &List<Procs>, to: S) -> Result<S::Ok, S::Error> {
    procs.largest().serialize(to)
}

/// Writes a size with its unit.
fn as_text<S: Serializer>(size: &impl std::fmt::Display, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(size)
}

fn one() -> u32 {
    1
}

/// The message size with which the papers saturate networks.
fn flow_size() -> Bytes {
    Bytes(32 << 20)
}

fn flow_repetitions() -> u32 {
    3
}

impl Plan {
    /// Parses a plan; errors refer to the file by `name`.
    ///
    /// # Errors
    /// If the text is not TOML, has unknown keys or impossible values, or measures nothing.
    pub fn parse(name: &str, text: &str) -> Result<Self, FileError> {
        let wire: WirePlan = parse_toml(name, text, HINT)?;
        let cells = wire.cells();
        let network = wire.network.as_ref().map(|table| {
            let text = toml::to_string(table).expect("a table has a text");
            Network::parse(&format!("{name}, [network]"), &text)
        });
        let grid = wire.cluster.map(|clusters| {
            let grid = Grid::new(clusters, wire.cluster_link);
            grid.map_err(|error| FileError::of_file(name, error.to_string()))
        });
        Ok(Self {
            network: network.transpose()?,
            grid: grid.transpose()?,
            cells: cells.map_err(|problem| FileError::of_file(name, problem))?,
            seed: wire.seed,
            launches: wire.launches,
            precision: wire.precision,
            synchronisation: wire.synchronisation,
            plogp: wire.plogp,
        })
    }

    /// Writes this plan as text for [`Plan::parse`]. Consecutive cells of the same collective,
    /// algorithm and process count share an entry.
    pub fn to_toml(&self) -> String {
        toml::to_string(&WirePlan::of(self)).expect("a plan has a text")
    }
}

impl WirePlan {
    fn of(plan: &Plan) -> Self {
        let mut wire = Self {
            seed: plan.seed,
            launches: plan.launches,
            precision: plan.precision,
            synchronisation: plan.synchronisation,
            pingpong: None,
            plogp: plan.plogp,
            flows: None,
            collective: Vec::new(),
            network: plan.network.as_ref().map(|network| {
                let table = network.to_toml().parse();
                table.expect("a network has a TOML form")
            }),
            cluster: plan.grid.as_ref().map(|grid| grid.clusters.clone()),
            cluster_link: plan.grid.as_ref().map_or(Vec::new(), |grid| grid.links.clone()),
        };
        for cells in plan.cells.chunk_by(shares_an_entry) {
            let first = cells[0];
            let (repetitions, warmup) = (first.repetitions, first.warmup);
            let sizes = list(cells, |cell| cell.size);
            match first.operation {
                Operation::Collective(name, method) => wire.collective.push(WireCollective {
                    name,
                    algorithms: vec![method.to_string()],
                    procs: list(cells, |cell| cell.procs),
                    sizes,
                    repetitions,
                    warmup,
                }),
                Operation::Flows => {
                    wire.flows = Some(WireFlows {
                        pairs: list(cells, |cell| Procs::new(cell.flows()).expect("a cell has flows")),
                        size: first.size,
                        repetitions,
                    });
                }
                Operation::PLogP => {}
                _ => {
                    wire.pingpong = Some(WirePingPong {
                        sizes,
                        repetitions,
                        warmup,
                    });
                }
            }
        }
        wire
    }

    fn cells(&self) -> Result<Vec<Cell>, String> {
        let mut cells: Vec<Cell> = self.pingpong.iter().flat_map(WirePingPong::cells).collect();
        if let Some(settings) = &self.plogp {
            settings.check()?;
            cells.push(Cell::of_plogp(settings));
        }
        if let Some(flows) = &self.flows {
            cells.extend(flows.cells()?);
        }
        for collective in &self.collective {
            cells.extend(collective.cells()?);
        }
        if cells.is_empty() {
            return Err("the plan measures nothing; add [pingpong], [plogp], [flows] or [[collective]]".to_owned());
        }
        cells.iter().try_for_each(Cell::check)?;
        let mut seen = HashSet::with_capacity(cells.len());
        let doubled = cells.iter().position(|cell| !seen.insert(cell.work()));
        match doubled {
            Some(i) => Err(format!("{} is planned twice; merge the entries", cells[i])),
            None => Ok(cells),
        }
    }
}

fn shares_an_entry(one: &Cell, other: &Cell) -> bool {
    let is_flow = one.operation == Operation::Flows;
    let counts = |cell: &Cell| (cell.warmup, cell.repetitions);
    one.operation == other.operation && (is_flow || one.procs == other.procs) && counts(one) == counts(other)
}

fn list<T: Item>(cells: &[Cell], item: impl Fn(&Cell) -> T) -> List<T> {
    List::new(cells.iter().map(item).collect()).expect("an entry has cells")
}

impl WirePingPong {
    fn cells(&self) -> Vec<Cell> {
        let cell = |&size| Cell::of_two(Operation::PingPong, size, self.warmup, self.repetitions);
        self.sizes.items().iter().map(cell).collect()
    }
}

impl WireFlows {
    fn cells(&self) -> Result<Vec<Cell>, String> {
        let cell = |pairs: &Procs| {
            let ranks = pairs.get().checked_mul(2);
            let procs = ranks.and_then(|ranks| Procs::new(ranks).ok());
            let procs =
                procs.ok_or_else(|| format!("[flows] {pairs} pairs are too many; write fewer, such as [1, 2, 4]"))?;
            Ok(Cell {
                operation: Operation::Flows,
                procs,
                size: self.size,
                warmup: 0,
                repetitions: self.repetitions,
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
                self.name
            ));
        }
        let mut cells = Vec::new();
        for algorithm in &self.algorithms {
            let method = Method::parse(self.name, algorithm).map_err(|e| e.to_string())?;
            for (&procs, &size) in iproduct!(self.procs.items(), self.sizes.items()) {
                cells.push(Cell {
                    operation: Operation::Collective(self.name, method),
                    procs,
                    size,
                    warmup: self.warmup,
                    repetitions: self.repetitions,
                });
            }
        }
        Ok(cells)
    }
}
