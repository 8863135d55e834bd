//! Work of a collective: the messages that follow one another on its critical path.
//!
//! # Formula
//! Start-ups and bytes in the messages of the path. A reduction or barrier has the steps of its form
//! ([`ReductionForm::path`]), the library's choice those that it usually takes. Algorithms of clusters count as a
//! binomial tree in each direction that the collective needs. All other collectives have n − 1 messages of m bytes.

use netsig_base::algorithm::{
    AlgorithmTraffic, Collective, CollectiveMethod, CriticalPath, DOUBLE, ReducedVector, ReductionForm,
};
use netsig_base::units::{Bytes, Procs, Seconds};
use netsig_model::model::hockney::Hockney;

/// Messages on the critical path of a collective.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CollectiveWork {
    startups: f64,
    bytes: f64,
}

impl CollectiveWork {
    /// The work of a method of a collective.
    pub fn of(collective: Collective, method: &CollectiveMethod, procs: Procs, size: Bytes) -> Self {
        let partners = procs.partners();
        match critical_path(collective, method, procs, size) {
            Some(path) => Self {
                startups: path.startups(),
                bytes: path.bytes(),
            },
            None => Self {
                startups: partners,
                bytes: partners * size.as_f64(),
            },
        }
    }

    /// Time of the messages one after the other.
    pub fn time(self, hockney: &Hockney) -> Seconds {
        hockney.alpha() * self.startups + hockney.beta() * Bytes::rounded(self.bytes)
    }

    /// The work in bytes, if a start-up counts as `startup` bytes.
    pub fn in_bytes(self, startup: f64) -> f64 {
        self.startups * startup + self.bytes
    }
}

/// The path of a reduction or barrier; `None` for other collectives. Vectors count as doubles, since the length of an element
/// affects the rounding of blocks alone.
pub(crate) fn critical_path(
    collective: Collective,
    method: &CollectiveMethod,
    procs: Procs,
    size: Bytes,
) -> Option<CriticalPath> {
    let vector = ReducedVector {
        procs,
        size,
        element: DOUBLE,
    };
    let form = reduction_form(collective, method)?;
    Some(form.path(vector, method.segment()))
}

/// True if ranks beyond a power of two take more steps than the others.
pub(crate) fn folds_ranks(collective: Collective, method: &CollectiveMethod) -> bool {
    use ReductionForm::{BarrierDoubling, Butterfly, Halving, Rabenseifner, RecursiveDoubling, ReduceRabenseifner};
    matches!(
        reduction_form(collective, method),
        Some(RecursiveDoubling | Rabenseifner(_) | ReduceRabenseifner(_) | Halving | Butterfly | BarrierDoubling)
    )
}

/// The steps of a reduction or barrier; `None` for other collectives.
fn reduction_form(collective: Collective, method: &CollectiveMethod) -> Option<ReductionForm> {
    let usual = match collective {
        Collective::Reduce => ReductionForm::ReduceBinomial,
        Collective::Allreduce => ReductionForm::ReduceBcast,
        Collective::ReduceScatter | Collective::ReduceScatterBlock => ReductionForm::ReduceThenScatter,
        Collective::Barrier => ReductionForm::BarrierTree,
        _ => return None,
    };
    match method.traffic() {
        Some(AlgorithmTraffic::Reduction(form)) => Some(form),
        _ => Some(usual),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Among eight: twice seven messages of an eighth; of a half, a quarter and an eighth, there and back; three of
    /// everything; seven of a broadcast, which has no path here; six signals.
    #[test]
    fn work_is_that_of_the_critical_path() {
        let work = |collective, name: &str| {
            let method = CollectiveMethod::parse(collective, name).unwrap();
            let work = CollectiveWork::of(collective, &method, Procs::new(8).unwrap(), Bytes(8000));
            (work.startups, work.bytes)
        };
        assert_eq!(work(Collective::Allreduce, "ring"), (14.0, 14_000.0));
        assert_eq!(work(Collective::Allreduce, "library"), (6.0, 14_000.0));
        assert_eq!(work(Collective::Allreduce, "two-level"), (6.0, 48_000.0));
        assert_eq!(work(Collective::Reduce, "library:binomial"), (3.0, 24_000.0));
        assert_eq!(work(Collective::Bcast, "binomial"), (7.0, 56_000.0));
        let barrier = CollectiveMethod::parse(Collective::Barrier, "tree").unwrap();
        let signals = CollectiveWork::of(Collective::Barrier, &barrier, Procs::new(8).unwrap(), Bytes(0));
        assert_eq!((signals.startups, signals.bytes), (6.0, 0.0));
    }
}
