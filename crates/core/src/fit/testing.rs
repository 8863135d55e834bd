//! Data for the tests of estimators.

use crate::data::{Dataset, Experiment, LossCounters, Place, Sample};
use crate::units::{Bytes, Procs, Seconds};

/// Samples between two processes: experiment, size, launch, time.
pub(crate) fn data(rows: impl IntoIterator<Item = (Experiment, u64, u32, f64)>) -> Dataset {
    let sample = |(experiment, size, launch, time)| Sample {
        place: Place {
            experiment,
            algorithm: "".into(),
            procs: Procs::new(2).unwrap(),
            size: Bytes(size),
            launch,
        },
        repetition: 0,
        time: Seconds(time),
        losses: LossCounters::default(),
        part: 0,
        sync_error: None,
    };
    Dataset {
        samples: rows.into_iter().map(sample).collect(),
        ..Dataset::default()
    }
}
