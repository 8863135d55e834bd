//! Cells that were measured while the processes waited for processors: their times are those of the
//! machine, not of the network.
//!
//! # Method
//! For each repetition of a collective the data state how long the process that waited longest was ready to run and
//! had no processor. A cell is busy if the median share of this wait in the time of a repetition is at least one
//! half.
//!
//! # Domain
//! Data with this count, which Linux keeps for each process (`/proc/PID/schedstat`).

use std::collections::BTreeMap;

use super::cells::CellKey;
use super::{Dataset, Experiment};
use crate::stats::sample::median;

/// Least share of the time of a busy cell in which one process waits for a processor.
const BUSY_SHARE: f64 = 0.5;

/// The busy cells, ascending.
pub fn busy_cells(data: &Dataset) -> Vec<CellKey> {
    let mut shares: BTreeMap<CellKey, Vec<f64>> = BTreeMap::new();
    for sample in &data.samples {
        let is_call = matches!(sample.cell.experiment, Experiment::Collective(_));
        let waited = sample.losses.longest_processor_wait_us.filter(|_| is_call);
        if let Some(waited) = waited {
            let share = f64::from(waited) * 1e-6 / sample.time.0;
            let key = CellKey::from(&sample.cell);
            shares.entry(key).or_default().push(share);
        }
    }
    let is_busy = |shares: &Vec<f64>| median(shares.iter().copied()) >= BUSY_SHARE;
    let busy = shares.into_iter().filter(|(_, shares)| is_busy(shares));
    busy.map(|(key, _)| key).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_busy_if_a_process_waits_half_of_the_time() {
        let text = "experiment,collective,algorithm,procs,size_bytes,repetition,launch,time_s,longest_processor_wait_us\n\
             collective,alltoall,direct,8,1024,0,0,0.001,550\n\
             collective,alltoall,direct,8,1024,1,0,0.001,100\n\
             collective,alltoall,direct,8,1024,2,0,0.001,530\n\
             collective,alltoall,direct,8,2048,0,0,0.001,\n\
             collective,alltoall,direct,8,4096,0,0,0.001,400\n";
        let data = Dataset::read("data.csv", text.as_bytes()).unwrap();
        let sizes: Vec<u64> = busy_cells(&data).iter().map(|key| key.size.0).collect();
        assert_eq!(sizes, [1024]);
    }
}
