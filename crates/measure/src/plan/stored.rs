//! The keys of a plan file, with the conversion to cells and back.

use std::collections::HashSet;

use itertools::iproduct;
use netsig_base::algorithm::{Collective, CollectiveMethod, ReductionOperands};
use netsig_base::network::{ClusterGrid, ClusterLink, HostClusters, Network};
use netsig_base::text::file_error::{FileError, parse_toml};
use netsig_base::units::list::{ListItem, QuantityList};
use netsig_base::units::{self, Bytes, Procs};
use serde::{Deserialize, Serialize, Serializer};

use super::number::{count, count_or_none, precision};
use super::{MeasurementPlan, PLogPSettings, PlanCell, Synchronisation, TimedOperation};

const HINT: &str = "see FORMATS.md for the keys of a plan";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredPlan {
    #[serde(default)]
    seed: u64,
    #[serde(default = "one", deserialize_with = "count")]
    launches: u32,
    #[serde(default, deserialize_with = "precision")]
    precision: Option<f64>,
    #[serde(default, skip_serializing_if = "Synchronisation::is_barrier")]
    synchronisation: Synchronisation,
    #[serde(default, skip_serializing_if = "is_default")]
    #[serde(serialize_with = "as_text", deserialize_with = "units::from_text")]
    reduction: ReductionOperands,
    pingpong: Option<StoredPingPong>,
    plogp: Option<PLogPSettings>,
    flows: Option<StoredFlows>,
    local_reduction: Option<StoredLocalReduction>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    collective: Vec<StoredCollective>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    network: Option<toml::Table>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cluster: Option<HostClusters>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    cluster_link: Vec<ClusterLink>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredPingPong {
    sizes: QuantityList<Bytes>,
    #[serde(deserialize_with = "count")]
    repetitions: u32,
    #[serde(default = "one", deserialize_with = "count_or_none")]
    warmup: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredFlows {
    pairs: QuantityList<Procs>,
    #[serde(default = "flow_size")]
    #[serde(serialize_with = "as_text", deserialize_with = "units::from_text")]
    size: Bytes,
    #[serde(default = "flow_repetitions", deserialize_with = "count")]
    repetitions: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredLocalReduction {
    sizes: QuantityList<Bytes>,
    #[serde(deserialize_with = "count")]
    repetitions: u32,
    #[serde(default = "one", deserialize_with = "count_or_none")]
    warmup: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredCollective {
    #[serde(deserialize_with = "units::from_text")]
    name: Collective,
    algorithms: Vec<String>,
    #[serde(serialize_with = "single")]
    procs: QuantityList<Procs>,
    /// Left out for a barrier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sizes: Option<QuantityList<Bytes>>,
    #[serde(deserialize_with = "count")]
    repetitions: u32,
    #[serde(default = "one", deserialize_with = "count_or_none")]
    warmup: u32,
}

/// Writes the process count of an entry, which has exactly one when written.
fn single<S: Serializer>(procs: &QuantityList<Procs>, to: S) -> Result<S::Ok, S::Error> {
    procs.largest().serialize(to)
}

/// Writes a size with its unit.
fn as_text<S: Serializer>(size: &impl std::fmt::Display, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(size)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_default(operands: &ReductionOperands) -> bool {
    *operands == ReductionOperands::default()
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

impl MeasurementPlan {
    /// Parses a plan; errors refer to the file by `name`.
    ///
    /// # Errors
    /// If the text is not TOML, has unknown keys or impossible values, or measures nothing.
    pub fn parse(name: &str, text: &str) -> Result<Self, FileError> {
        let stored: StoredPlan = parse_toml(name, text, HINT)?;
        let cells = stored.cells();
        let network = stored.network.as_ref().map(|table| {
            let text = toml::to_string(table).expect("a table has a text");
            Network::parse(&format!("{name}, [network]"), &text)
        });
        let grid = stored.cluster.map(|clusters| {
            let grid = ClusterGrid::new(clusters, stored.cluster_link);
            grid.map_err(|error| FileError::of_file(name, error.to_string()))
        });
        Ok(Self {
            network: network.transpose()?,
            grid: grid.transpose()?,
            cells: cells.map_err(|problem| FileError::of_file(name, problem))?,
            seed: stored.seed,
            launches: stored.launches,
            precision: stored.precision,
            synchronisation: stored.synchronisation,
            operands: stored.reduction,
            plogp: stored.plogp,
        })
    }

    /// Writes this plan as text for [`MeasurementPlan::parse`]. Consecutive cells of the same collective,
    /// algorithm and process count share an entry.
    pub fn to_toml(&self) -> String {
        toml::to_string(&StoredPlan::of(self)).expect("a plan has a text")
    }
}

impl StoredPlan {
    fn of(plan: &MeasurementPlan) -> Self {
        let mut stored = Self {
            seed: plan.seed,
            launches: plan.launches,
            precision: plan.precision,
            synchronisation: plan.synchronisation,
            reduction: plan.operands,
            pingpong: None,
            plogp: plan.plogp,
            flows: None,
            local_reduction: None,
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
                TimedOperation::Collective(name, method) => stored.collective.push(StoredCollective {
                    name,
                    algorithms: vec![method.to_string()],
                    procs: list(cells, |cell| cell.procs),
                    sizes: (name != Collective::Barrier).then_some(sizes),
                    repetitions,
                    warmup,
                }),
                TimedOperation::Flows => {
                    stored.flows = Some(StoredFlows {
                        pairs: list(cells, |cell| Procs::new(cell.flows()).expect("a cell has flows")),
                        size: first.size,
                        repetitions,
                    });
                }
                TimedOperation::LocalReduction => {
                    stored.local_reduction = Some(StoredLocalReduction {
                        sizes,
                        repetitions,
                        warmup,
                    });
                }
                TimedOperation::PLogP => {}
                _ => {
                    stored.pingpong = Some(StoredPingPong {
                        sizes,
                        repetitions,
                        warmup,
                    });
                }
            }
        }
        stored
    }

    fn cells(&self) -> Result<Vec<PlanCell>, String> {
        let mut cells: Vec<PlanCell> = self.pingpong.iter().flat_map(StoredPingPong::cells).collect();
        if let Some(settings) = &self.plogp {
            settings.check()?;
            cells.push(PlanCell::of_plogp(settings));
        }
        if let Some(flows) = &self.flows {
            cells.extend(flows.cells()?);
        }
        cells.extend(self.local_reduction.iter().flat_map(StoredLocalReduction::cells));
        for collective in &self.collective {
            cells.extend(collective.cells()?);
        }
        if cells.is_empty() {
            return Err(
                "the plan measures nothing; add [pingpong], [plogp], [flows], [local_reduction] or [[collective]]"
                    .to_owned(),
            );
        }
        cells.iter().try_for_each(|cell| cell.check(self.reduction))?;
        let mut seen = HashSet::with_capacity(cells.len());
        let doubled = cells.iter().position(|cell| !seen.insert(cell.timed_case()));
        match doubled {
            Some(i) => Err(format!("{} is planned twice; merge the entries", cells[i])),
            None => Ok(cells),
        }
    }
}

fn shares_an_entry(one: &PlanCell, other: &PlanCell) -> bool {
    let is_flow = one.operation == TimedOperation::Flows;
    let counts = |cell: &PlanCell| (cell.warmup, cell.repetitions);
    one.operation == other.operation && (is_flow || one.procs == other.procs) && counts(one) == counts(other)
}

fn list<T: ListItem>(cells: &[PlanCell], item: impl Fn(&PlanCell) -> T) -> QuantityList<T> {
    QuantityList::new(cells.iter().map(item).collect()).expect("an entry has cells")
}

impl StoredPingPong {
    fn cells(&self) -> Vec<PlanCell> {
        let cell = |&size| PlanCell::of_two(TimedOperation::PingPong, size, self.warmup, self.repetitions);
        self.sizes.items().iter().map(cell).collect()
    }
}

impl StoredLocalReduction {
    fn cells(&self) -> Vec<PlanCell> {
        let cell = |&size| PlanCell::of_local_reduction(size, self.warmup, self.repetitions);
        self.sizes.items().iter().map(cell).collect()
    }
}

impl StoredFlows {
    fn cells(&self) -> Result<Vec<PlanCell>, String> {
        let cell = |pairs: &Procs| {
            let ranks = pairs.get().checked_mul(2);
            let valid_procs = ranks.and_then(|ranks| Procs::new(ranks).ok());
            let procs = valid_procs
                .ok_or_else(|| format!("[flows] {pairs} pairs are too many; write fewer, such as [1, 2, 4]"))?;
            Ok(PlanCell {
                operation: TimedOperation::Flows,
                procs,
                size: self.size,
                warmup: 0,
                repetitions: self.repetitions,
            })
        };
        self.pairs.items().iter().map(cell).collect()
    }
}

impl StoredCollective {
    fn cells(&self) -> Result<Vec<PlanCell>, String> {
        if self.algorithms.is_empty() {
            return Err(format!(
                "no algorithms for {}; write algorithms = [\"direct\"]",
                self.name
            ));
        }
        let sizes = match (&self.sizes, self.name) {
            (Some(sizes), _) => sizes.items(),
            (None, Collective::Barrier) => &[Bytes(0)],
            (None, name) => return Err(format!("no sizes for {name}; write sizes = \"256..256KiB\"")),
        };
        let mut cells = Vec::new();
        for algorithm in &self.algorithms {
            let method = CollectiveMethod::parse(self.name, algorithm).map_err(|e| e.to_string())?;
            for (&procs, &size) in iproduct!(self.procs.items(), sizes) {
                cells.push(PlanCell {
                    operation: TimedOperation::Collective(self.name, method),
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
