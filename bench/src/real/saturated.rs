//! `netsig-bench saturated`: cells of long messages that the papers' signature, the model `full`, predicts within 10 %,
//! network by network. The papers report errors of usually less than 10 % in saturated networks.
//!
//! `full` is fitted to all-to-alls up to the largest process count that leaves a count to judge. It predicts the counts
//! beyond, including those for which `netsig predict` refuses an answer. Emulated networks are fitted to the campaign
//! on half of their hosts. Nothing is measured.

use anyhow::Result;
use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::data::cells::Statistic;
use netsig_base::units::Bytes;
use netsig_model::field::FieldPrior;

use super::sets::{self, JudgedNetwork, JudgedSet, SetGroup};
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
/// If the data cannot be read, or the table cannot be written.
pub fn run() -> Result<bool> {
    let mut networks = sets::networks_of_halves()?;
    networks.extend(sets::networks_of_folder("real", SetGroup::Real)?);
    let rows = networks.iter().filter_map(NetworkCells::of).collect_vec();
    let mut report = BenchReport::without_goals(&results("saturated")?);
    report.table(&columns(), &rows);
    report.publish()
}

impl NetworkCells {
    /// The cells of a network; `None` without long all-to-alls beyond the fitted counts.
    fn of(network: &JudgedNetwork) -> Option<Self> {
        let mut sets = network.sets();
        let is_fitted_alltoall = |set: &JudgedSet| set.collective == Collective::Alltoall && !set.fitted.is_empty();
        let split = sets
            .iter()
            .filter(|set| is_fitted_alltoall(set))
            .map(|set| set.split)
            .max()?;
        sets.retain(|set| is_fitted_alltoall(set) && set.split == split);
        let profile = super::fit_profile(&network.part(split), FieldPrior::default());
        let (mut errors, mut counts) = (Vec::new(), [Vec::new(), Vec::new()]);
        for set in &sets {
            let forecaster = profile.as_ref().and_then(|fitted_profile| {
                ModelForecaster::new(
                    fitted_profile,
                    None,
                    set.collective,
                    &set.algorithm,
                    Statistic::Mean,
                    Some("full"),
                )
            });
            counts[0].extend(set.fitted.iter().map(|(key, _)| key.procs));
            for (key, summary) in set.judged.iter().filter(|(key, _)| key.size >= LONG) {
                let predicted = forecaster
                    .as_ref()
                    .and_then(|full_model| full_model.time(key.procs, key.size));
                errors.push(predicted.map(|time| time / summary.mean - 1.0));
                counts[1].push(key.procs);
            }
        }
        let [fitted, judged] = counts.map(|procs| procs.iter().sorted_unstable().dedup().join(", "));
        (!errors.is_empty()).then(|| Self {
            name: network.file.clone(),
            fitted,
            judged,
            errors,
        })
    }

    fn count_within_bound(&self) -> usize {
        let errors = self.errors.iter().flatten();
        errors.filter(|error| error.abs() <= SMALL).count()
    }
}

fn columns() -> [TableColumn<NetworkCells>; 6] {
    [
        ("network", |network| network.name.clone()),
        ("fitted processes", |network| network.fitted.clone()),
        ("judged", |network| network.judged.clone()),
        ("cells", |network| network.errors.len().to_string()),
        ("within 10 %", |network| network.count_within_bound().to_string()),
        ("without a time", |network| {
            network
                .errors
                .iter()
                .filter(|error| error.is_none())
                .count()
                .to_string()
        }),
    ]
}
