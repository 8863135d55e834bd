//! Cells that were measured while the processors were busy all the time: their times are those of
//! the machine, not of the network.
//!
//! # Method
//! `/proc/pressure/cpu` counts the time in which some process waited for a processor. A cell is busy
//! if this was nine tenths of the time in the median of its repetitions, added up over the machines.
//!
//! # Domain
//! Data with this count: Linux 4.20 and later. The count is that of the machine: on an emulated
//! cluster that of all its hosts.

use std::collections::BTreeMap;

use super::Dataset;
use super::cells::CellKey;
use crate::stats::sample::median;

/// Least share of the time of a busy cell in which some process waits.
const BUSY: f64 = 0.9;

/// The busy cells, ascending.
pub fn busy(data: &Dataset) -> Vec<CellKey> {
    let mut shares: BTreeMap<CellKey, Vec<f64>> = BTreeMap::new();
    for sample in &data.samples {
        if let Some(waited) = sample.losses.processor_wait_us {
            let share = f64::from(waited) * 1e-6 / sample.time.0;
            let key = CellKey::from(&sample.place);
            shares.entry(key).or_default().push(share);
        }
    }
    let is_busy = |shares: &Vec<f64>| median(shares.iter().copied()) >= BUSY;
    let busy = shares.into_iter().filter(|(_, shares)| is_busy(shares));
    busy.map(|(key, _)| key).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_busy_if_processes_wait_nearly_all_the_time() {
        let text = "experiment,collective,algorithm,procs,size_bytes,repetition,launch,time_s,processor_wait_us\n\
             collective,alltoall,direct,8,1024,0,0,0.001,950\n\
             collective,alltoall,direct,8,1024,1,0,0.001,100\n\
             collective,alltoall,direct,8,1024,2,0,0.001,930\n\
             collective,alltoall,direct,8,2048,0,0,0.001,\n\
             collective,alltoall,direct,8,4096,0,0,0.001,400\n";
        let data = Dataset::read("data.csv", text.as_bytes()).unwrap();
        let sizes: Vec<u64> = busy(&data).iter().map(|key| key.size.0).collect();
        assert_eq!(sizes, [1024]);
    }
}
