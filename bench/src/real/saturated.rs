//! `netsig-bench saturated`: cells of long messages that the papers' signature, the model `full`, has within 10 %,
//! network by network. The papers report usually less than 10 % of error in saturated networks.
//!
//! `full` is fitted to all-to-alls up to a process count, the largest of them that leaves one to judge, and predicts the
//! counts beyond, also those for which `netsig predict` refuses an answer. Emulated networks are fitted to the campaign
//! on half of their hosts. Nothing is measured.

use anyhow::Result;
use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::units::Bytes;
use netsig_model::field::FieldPrior;
use netsig_model::predict::Asked;

use super::sets::{self, JudgedSet, MeasuredNetwork, SetGroup};
use crate::harness::folder::results;
use crate::harness::forecast::ModelForecaster;
use crate::harness::report::{BenchReport, TableColumn};

/// The least size of a judged cell.
const LONG: Bytes = Bytes(64 << 10);

/// The papers' bound of the relative error.
const SMALL: f64 = 0.1;

/// The judged cells of a network.
struct NetworkCells {
    name: String,
    fitted: String,
    judged: String,
    /// Relative errors, predicted/measured − 1; `None` where `full` has no time.
    errors: Vec<Option<f64>>,
}

/// Writes the table.
///
/// # Errors
/// If the data cannot be read or the table not be written.
pub fn run() -> Result<bool> {
    let mut networks = sets::of_halves()?;
    networks.extend(sets::of_folder("real", SetGroup::Real)?);
    let rows = networks.iter().filter_map(NetworkCells::of).collect_vec();
    let mut report = BenchReport::bare(&results("saturated")?);
    report.table(&columns(), &rows);
    report.publish()
}

impl NetworkCells {
    /// The cells of a network; `None` without long all-to-alls beyond the fitted counts.
    fn of(network: &MeasuredNetwork) -> Option<Self> {
        let mut sets = network.sets();
        let is_told = |set: &JudgedSet| set.collective == Collective::Alltoall && !set.fitted.is_empty();
        let split = sets.iter().filter(|set| is_told(set)).map(|set| set.split).max()?;
        sets.retain(|set| is_told(set) && set.split == split);
        let profile = super::fitted(&network.part(split), FieldPrior::default());
        let (mut errors, mut counts) = (Vec::new(), [Vec::new(), Vec::new()]);
        for set in &sets {
            let who = (set.collective, set.algorithm.as_str());
            let forecaster = profile
                .as_ref()
                .and_then(|own| ModelForecaster::new(own, None, who, Asked::Mean, Some("full")));
            counts[0].extend(set.fitted.iter().map(|(key, _)| key.procs));
            for (key, summary) in set.judged.iter().filter(|(key, _)| key.size >= LONG) {
                let told = forecaster.as_ref().and_then(|own| own.time(key.procs, key.size));
                errors.push(told.map(|time| time / summary.mean - 1.0));
                counts[1].push(key.procs);
            }
        }
        let [fitted, judged] = counts.map(|own| own.iter().sorted_unstable().dedup().join(", "));
        (!errors.is_empty()).then(|| Self {
            name: network.file.clone(),
            fitted,
            judged,
            errors,
        })
    }

    fn within(&self) -> usize {
        let errors = self.errors.iter().flatten();
        errors.filter(|error| error.abs() <= SMALL).count()
    }
}

fn columns() -> [TableColumn<NetworkCells>; 6] {
    [
        ("network", |own| own.name.clone()),
        ("fitted processes", |own| own.fitted.clone()),
        ("judged", |own| own.judged.clone()),
        ("cells", |own| own.errors.len().to_string()),
        ("within 10 %", |own| own.within().to_string()),
        ("without a time", |own| {
            own.errors.iter().filter(|error| error.is_none()).count().to_string()
        }),
    ]
}
