//! Paths of reductions and barriers: their steps, the bytes that meet at a port, and those on links between switches.
//!
//! # Formula
//! n ranks, a of them behind a link in each direction, m bytes of the whole vector:
//!
//! | form | bytes over the link |
//! |---|---|
//! | recursive doubling | a·m·log₂(n/a) |
//! | Rabenseifner | 2·m·(1 − a/n) |
//! | ring; of a reduce-scatter | 2·m·(n−1)/n; m·(n−1)/n |
//! | halving with the farthest partners first, pairwise | a·m·(1 − a/n) |
//! | butterfly | m·(1 − a/n) + a·m/n |
//! | direct; of a reduce-scatter | 2·a·m·(1 − a/n); a·m·(1 − a/n) |
//! | flat | a·m |
//! | trees and chains | m |
//!
//! Powers of two with their ranks in order are exact for exchanges; other counts are near.
//!
//! # Source
//! Derived from the schedules.

use netsig_base::algorithm::{CriticalPath, DOUBLE, ReducedVector, ReductionForm};
use netsig_base::units::{Bytes, Procs};

/// A reduction of doubles with its segment size, if one is set.
#[derive(Clone, Copy)]
pub(super) struct ReductionSteps {
    pub form: ReductionForm,
    pub segment: Option<Bytes>,
}

impl ReductionSteps {
    /// The steps that follow one another.
    pub(super) fn path(self, procs: Procs, size: Bytes) -> CriticalPath {
        let vector = ReducedVector {
            procs,
            size,
            element: DOUBLE,
        };
        self.form.path(vector, self.segment)
    }

    /// Longest message of the path.
    pub(super) fn longest_message(self, procs: Procs, size: Bytes) -> Bytes {
        let path = self.path(procs, size);
        let longest = path.steps.iter().map(|step| step.message).fold(0.0, f64::max);
        Bytes::rounded(longest).min(size)
    }

    /// Bytes that all other ranks send to one port at once; `None` for forms in which they do not.
    pub(super) fn port_bytes(self, procs: Procs, size: Bytes) -> Option<f64> {
        use ReductionForm::{BarrierFlat, Direct, FlatReduceBcast, ReduceFlat, ScatterDirect};
        let meets = matches!(
            self.form,
            BarrierFlat | Direct | FlatReduceBcast | ReduceFlat | ScatterDirect
        );
        meets.then(|| procs.partners() * self.longest_message(procs, size).as_f64())
    }

    /// Bytes over a link with `behind` ranks on one side.
    pub(super) fn crossing_bytes(self, procs: Procs, size: Bytes, behind: u32) -> f64 {
        use ReductionForm as Form;
        let (n, m) = (f64::from(procs.get()), size.as_f64());
        let a = f64::from(behind.min(procs.get() - behind));
        if a < 1.0 {
            return 0.0;
        }
        let beyond = m * (1.0 - a / n);
        match self.form {
            Form::RecursiveDoubling | Form::ScatterDoubling => a * m * (n / a).log2(),
            Form::Rabenseifner(_) | Form::ReduceRabenseifner(_) => 2.0 * beyond,
            Form::Ring | Form::RingSegmented => 2.0 * m * (n - 1.0) / n,
            Form::ScatterRing => m * (n - 1.0) / n,
            Form::Halving | Form::Pairwise | Form::ScatterDirect => a * beyond,
            Form::Direct => 2.0 * a * beyond,
            Form::Butterfly => beyond + a * m / n,
            Form::ReduceFlat | Form::FlatReduceBcast => a * m,
            _ => m,
        }
    }
}

#[cfg(test)]
mod tests {
    use netsig_base::algorithm::Fold;

    use super::*;
    use crate::testing::procs;

    const SIZE: Bytes = Bytes(4096);

    fn steps(form: ReductionForm) -> ReductionSteps {
        ReductionSteps { form, segment: None }
    }

    /// Of eight ranks four are behind the link. Recursive doubling loads it by 4·m, Rabenseifner by m. A far-first
    /// halving loads it four times as much as a near-first one without its last exchange.
    #[test]
    fn links_carry_what_was_counted_by_hand() {
        let m = SIZE.as_f64();
        for (form, bytes) in [
            (ReductionForm::RecursiveDoubling, 4.0 * m),
            (ReductionForm::Rabenseifner(Fold::Whole), m),
            (ReductionForm::Ring, 2.0 * m * 7.0 / 8.0),
            (ReductionForm::Halving, 2.0 * m),
            (ReductionForm::Butterfly, m),
            (ReductionForm::Direct, 4.0 * m),
        ] {
            let found = steps(form).crossing_bytes(procs(8), SIZE, 4);
            assert!((found - bytes).abs() < 1e-9, "{form:?}: {found}");
        }
    }

    #[test]
    fn messages_and_ports_know_the_count() {
        let of = |form| steps(form).longest_message(procs(8), SIZE);
        assert_eq!(of(ReductionForm::Ring), Bytes(512));
        assert_eq!(of(ReductionForm::Halving), Bytes(2048));
        assert_eq!(of(ReductionForm::RecursiveDoubling), SIZE);
        let at_port = |form| steps(form).port_bytes(procs(8), SIZE);
        assert_eq!(at_port(ReductionForm::ReduceFlat), Some(7.0 * 4096.0));
        assert_eq!(at_port(ReductionForm::Direct), Some(7.0 * 512.0));
        assert_eq!(at_port(ReductionForm::Ring), None);
    }
}
