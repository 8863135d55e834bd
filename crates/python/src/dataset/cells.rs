//! The cells of a dataset as a table.

use netsig_base::data::cells::{CellKey, CellRows, CellSummary, MeasuredCells};
use netsig_base::data::{Dataset, LossCounters, Sample};

use crate::columns::ArrowColumns;
use crate::table::PyResultTable;

/// A cell with its summary and its repetitions.
struct CellRow<'a> {
    key: &'a CellKey,
    summary: &'a CellSummary,
    rows: &'a CellRows<'a>,
}

impl CellRow<'_> {
    /// The least or greatest time in seconds; the only one of a statistic of another program.
    fn extreme(&self, choose: fn(f64, f64) -> f64) -> f64 {
        let times = self.rows.samples.iter().map(|sample| sample.time.0);
        times.reduce(choose).unwrap_or(self.summary.mean.0)
    }

    /// The sum of a counter; `None` if it was read at no repetition.
    fn total(&self, counter: fn(&LossCounters) -> Option<u32>) -> Option<u64> {
        let count = |sample: &&Sample| counter(&sample.losses).map(u64::from);
        let counts = self.rows.samples.iter().filter_map(count);
        counts.reduce(|sum, count| sum + count)
    }
}

/// All cells that have a statistic, in their order.
pub fn table(data: &Dataset) -> PyResultTable {
    let cells = MeasuredCells::of(data);
    let row = |(key, rows)| {
        Some(CellRow {
            key,
            summary: cells.summaries.get(key)?,
            rows,
        })
    };
    let found: Vec<CellRow> = cells.iter().filter_map(row).collect();
    let all = || found.iter();
    let named = |text: String| Some(text).filter(|name| !name.is_empty());
    let columns = ArrowColumns::default()
        .words("experiment", all().map(|cell| cell.key.experiment.column_values().0))
        .texts(
            "collective",
            all().map(|cell| named(cell.key.experiment.column_values().1)),
        )
        .texts("algorithm", all().map(|cell| named(cell.key.algorithm.to_string())))
        .counts("procs", all().map(|cell| Some(cell.key.procs.get())))
        .sizes("size_bytes", all().map(|cell| Some(cell.key.size.0)))
        .sizes(
            "repetitions",
            all().map(|cell| u64::try_from(cell.summary.repetitions).ok()),
        )
        .floats("median_s", all().map(|cell| Some(cell.summary.median.0)))
        .floats("mean_s", all().map(|cell| Some(cell.summary.mean.0)))
        .floats("deviation_s", all().map(|cell| Some(cell.summary.deviation.0)))
        .floats("min_s", all().map(|cell| Some(cell.extreme(f64::min))))
        .floats("max_s", all().map(|cell| Some(cell.extreme(f64::max))))
        .sizes(
            "retransmits",
            all().map(|cell| cell.total(|counters| counters.retransmits)),
        )
        .sizes("rtos", all().map(|cell| cell.total(|counters| counters.rtos)))
        .sizes(
            "tail_probes",
            all().map(|cell| cell.total(|counters| counters.tail_probes)),
        )
        .texts("statistic", all().map(|cell| cell.summary.imported.map(<&str>::from)));
    columns.batch().into()
}
