//! Classes of sizes: one decision serves all sizes of a class, four classes for each doubling.

use netsig_base::units::Bytes;
use netsig_model::predict::result_rule::OrderDependence;

use crate::operation::CalledOperation;

/// Calls that share a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallClass {
    /// The operation.
    pub operation: CalledOperation,
    /// Class of the sizes.
    pub size: u32,
    /// How the result of a reduction depends on the order of its operands.
    pub dependence: OrderDependence,
}

impl CallClass {
    /// The class of a call that combines nothing.
    pub fn of_pieces(operation: CalledOperation, size: Bytes) -> Self {
        Self {
            operation,
            size: class(size.0),
            dependence: OrderDependence::None,
        }
    }
}

/// Steps between a power of two and the next.
const STEPS_BITS: u32 = 2;

/// The class of a size of at least a byte, from 0.
pub fn class(bytes: u64) -> u32 {
    let power = bytes.max(1).ilog2();
    let below = bytes.max(1) - (1 << power);
    let step = (below << STEPS_BITS) >> power;
    (power << STEPS_BITS) | u32::try_from(step).unwrap_or(0)
}

/// The smallest size of a class. Decisions are made for it, since sizes of programs are often powers of two.
pub fn least_size(class: u32) -> u64 {
    let power = class >> STEPS_BITS;
    let step = u64::from(class & ((1 << STEPS_BITS) - 1));
    let start = 1u64 << power;
    start + ((step << power).div_ceil(1 << STEPS_BITS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_begins_with_its_least_size() {
        for bytes in (1..5000).chain([1 << 20, (1 << 20) + 1, 7 << 28]) {
            let size_class = class(bytes);
            assert!(least_size(size_class) <= bytes, "{bytes}");
            assert_eq!(class(least_size(size_class)), size_class, "{bytes}");
            assert!(bytes < 8 || bytes < 2 * least_size(size_class), "{bytes}");
        }
        assert_eq!([1, 2, 4, 5, 7, 8, 10, 16].map(class), [0, 4, 8, 9, 11, 12, 13, 16]);
        assert_eq!(least_size(class(65536)), 65536);
    }
}
