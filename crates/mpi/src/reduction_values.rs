//! Values to reduce whose result is known exactly for every operation and type.
//!
//! The values of a rank depend on the rank, the element and the repetition. They repeat after a prime number of
//! elements, so that stale, missing, doubled or shifted contributions are detected. They are small integers: sums stay
//! below 2²⁴, which all types hold exactly.
//!
//! | operation | value of a rank |
//! |---|---|
//! | sum | 1 to 200 |
//! | max, min | −1000 to 1000; on one rank beyond |
//! | land, lor | neutral; on one rank of every second element not |
//! | prod, band, bor | neutral; on eight ranks often not |
//! | lxor, bxor | any |
//!
//! The one rank or the eight ranks differ from element to element.

use std::iter::{once, repeat};
use std::ops::Range;

use netsig_base::algorithm::{ElementType, ReductionOperands, ReductionOperation};
use netsig_base::units::{Procs, Rank};

use crate::pattern::{DataFault, mixed};

/// Number of elements after which values repeat.
const PERIOD: u32 = 127;

/// Number of ranks whose value of an element is not neutral.
const CHOSEN_RANKS: u64 = 8;

/// The values of all ranks of a reduction.
#[derive(Debug, Clone, Copy)]
pub struct ReductionValues {
    /// Operation and type.
    pub operands: ReductionOperands,
    /// Number of ranks.
    pub procs: Procs,
}

impl ReductionValues {
    /// Length of an element in bytes.
    fn element(self) -> usize {
        usize::try_from(self.operands.element().bytes().0).expect("elements are short")
    }

    /// Fills a vector with the values of `rank`.
    pub fn fill(self, rank: Rank, repetition: u32, vector: &mut [u8]) {
        let period = self.period(|index| self.value(rank, index, repetition));
        let mut rest = vector;
        while !rest.is_empty() {
            let (part, later) = rest.split_at_mut(period.len().min(rest.len()));
            part.copy_from_slice(&period[..part.len()]);
            rest = later;
        }
    }

    /// Compares `result`, the `bytes` of the combined vector, with the values of all ranks.
    ///
    /// # Errors
    /// The first element that differs, as found on `rank`.
    pub fn check(self, rank: Rank, repetition: u32, result: &[u8], bytes: Range<usize>) -> Result<(), DataFault> {
        let period = self.period(|index| self.combined(index, repetition));
        let begin = bytes.start % period.len();
        let mut rest = result;
        for expected in once(&period[begin..]).chain(repeat(&period[..])) {
            let (part, later) = rest.split_at(expected.len().min(rest.len()));
            if part != &expected[..part.len()] {
                let before = bytes.start + result.len() - rest.len();
                return Err(self.fault(rank, part, expected, before));
            }
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// The first difference between a part of a result, which begins at byte `start` of the vector, and the expected
    /// values.
    fn fault(self, rank: Rank, part: &[u8], expected: &[u8], start: usize) -> DataFault {
        let pairs = part.chunks(self.element()).zip(expected.chunks(self.element()));
        let mut differing = pairs.enumerate().filter(|(_, (found, expected))| found != expected);
        let (index, (found, wanted)) = differing.next().expect("the parts differ");
        DataFault::Element {
            element: start / self.element() + index,
            rank,
            found: text(self.operands.element(), found),
            expected: text(self.operands.element(), wanted),
        }
    }

    /// The bytes of a period of elements with the values of `value`.
    fn period(self, value: impl Fn(u32) -> i32) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(PERIOD as usize * self.element());
        for index in 0..PERIOD {
            push(self.operands.element(), value(index), &mut bytes);
        }
        bytes
    }

    /// The combined values of an element.
    fn combined(self, index: u32, repetition: u32) -> i32 {
        let values = self.procs.ranks().map(|rank| self.value(rank, index, repetition));
        let operation = self.operands.operation();
        let combined = values.reduce(|left, right| combined(operation, left, right));
        combined.expect("there is a rank")
    }

    /// The value of a rank for an element.
    fn value(self, rank: Rank, index: u32, repetition: u32) -> i32 {
        let hash = mixed([rank.0, index, repetition]);
        let turn = u64::from(self.procs.get()) * u64::from(index) / u64::from(PERIOD);
        let number = (u64::from(rank.0) + turn + u64::from(repetition)) % u64::from(self.procs.get());
        let (is_first, is_chosen) = (number == 0, number < CHOSEN_RANKS);
        let below = |limit: u64| i32::try_from(hash % limit).expect("limits are small");
        // An eighth of the bits.
        let few_bits = below(1 << 31) & below((1 << 31) - 1) & below((1 << 31) - 99);
        let is_other = is_first && index.is_multiple_of(2);
        let other = 1 + below(7);
        let bits = match self.operands.element() {
            ElementType::Byte => 0xff,
            _ => i32::MAX,
        };
        match self.operands.operation() {
            ReductionOperation::Sum => 1 + below(200),
            ReductionOperation::Prod => 1 + i32::from(is_chosen) * below(2),
            ReductionOperation::Max if is_first => 1001 + below(100),
            ReductionOperation::Min if is_first => -1001 - below(100),
            ReductionOperation::Max | ReductionOperation::Min => below(2001) - 1000,
            ReductionOperation::Land => i32::from(!is_other) * other,
            ReductionOperation::Lor => i32::from(is_other) * other,
            ReductionOperation::Lxor => below(2) * other,
            ReductionOperation::Band if is_chosen => bits & !few_bits,
            ReductionOperation::Band => bits,
            ReductionOperation::Bor if is_chosen => bits & few_bits,
            ReductionOperation::Bor => 0,
            ReductionOperation::Bxor => bits & below(1 << 31),
        }
    }
}

/// left ∘ right.
fn combined(operation: ReductionOperation, left: i32, right: i32) -> i32 {
    let truth = [left, right].map(|value| value != 0);
    match operation {
        ReductionOperation::Sum => left + right,
        ReductionOperation::Prod => left * right,
        ReductionOperation::Max => left.max(right),
        ReductionOperation::Min => left.min(right),
        ReductionOperation::Land => i32::from(truth[0] && truth[1]),
        ReductionOperation::Lor => i32::from(truth[0] || truth[1]),
        ReductionOperation::Lxor => i32::from(truth[0] != truth[1]),
        ReductionOperation::Band => left & right,
        ReductionOperation::Bor => left | right,
        ReductionOperation::Bxor => left ^ right,
    }
}

/// Adds the bytes of an element.
fn push(element: ElementType, value: i32, bytes: &mut Vec<u8>) {
    match element {
        ElementType::Double => bytes.extend(f64::from(value).to_ne_bytes()),
        ElementType::Float => {
            #[expect(clippy::cast_precision_loss, reason = "values stay below 2^24")]
            let number = value as f32;
            bytes.extend(number.to_ne_bytes());
        }
        ElementType::Int => bytes.extend(value.to_ne_bytes()),
        ElementType::Long => bytes.extend(i64::from(value).to_ne_bytes()),
        ElementType::Byte => bytes.push(u8::try_from(value).expect("a byte's values are its bits")),
    }
}

/// An element for people.
fn text(element: ElementType, bytes: &[u8]) -> String {
    fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
        bytes.try_into().expect("a whole element")
    }
    match element {
        ElementType::Double => f64::from_ne_bytes(array(bytes)).to_string(),
        ElementType::Float => f32::from_ne_bytes(array(bytes)).to_string(),
        ElementType::Int => i32::from_ne_bytes(array(bytes)).to_string(),
        ElementType::Long => i64::from_ne_bytes(array(bytes)).to_string(),
        ElementType::Byte => format!("{:#04x}", bytes[0]),
    }
}

#[cfg(test)]
mod tests {
    use netsig_base::algorithm::ReductionOperation;
    use strum::VariantArray as _;

    use super::*;

    fn values(operands: &str, procs: u32) -> ReductionValues {
        ReductionValues {
            operands: operands.parse().unwrap(),
            procs: Procs::new(procs).unwrap(),
        }
    }

    /// All operations, as far as the type has them.
    fn all_operands() -> Vec<ReductionOperands> {
        let types = ElementType::VARIANTS.iter();
        let pairs = types.flat_map(|&element| {
            let operations = ReductionOperation::VARIANTS.iter();
            operations.filter_map(move |&operation| ReductionOperands::new(operation, element).ok())
        });
        pairs.collect()
    }

    /// Without the contribution of a rank the result of some element is another.
    #[test]
    fn every_rank_is_needed() {
        for operands in all_operands() {
            for count in [2, 9, 40] {
                let values = ReductionValues {
                    operands,
                    procs: Procs::new(count).unwrap(),
                };
                for missing in values.procs.ranks() {
                    let without = |index| {
                        let others = values.procs.ranks().filter(|rank| *rank != missing);
                        let numbers = others.map(|rank| values.value(rank, index, 5));
                        numbers.reduce(|left, right| combined(operands.operation(), left, right))
                    };
                    let is_missed = |index| {
                        let all = [values.combined(index, 5), without(index).unwrap()];
                        let [whole, part] = match operands.operation() {
                            ReductionOperation::Land | ReductionOperation::Lor | ReductionOperation::Lxor => {
                                all.map(|value| i32::from(value != 0))
                            }
                            _ => all,
                        };
                        whole != part
                    };
                    assert!((0..PERIOD).any(is_missed), "{operands}: {missing} of {count}");
                }
            }
        }
    }

    /// Blocks out of place, results of another repetition, and a wrong element are found; a right part is not.
    #[test]
    fn wrong_results_are_found_with_their_element() {
        let values = values("sum:int", 3);
        let mut vector = vec![0; 4 * 1000];
        let period = values.period(|index| values.combined(index, 7));
        for (place, byte) in vector.iter_mut().zip(period.iter().cycle()) {
            *place = *byte;
        }
        let check = |result: &[u8], start| values.check(Rank(2), 7, result, start..start + result.len());
        assert_eq!(check(&vector, 0), Ok(()));
        assert_eq!(check(&vector[4 * 300..4 * 700], 4 * 300), Ok(()));
        assert_eq!(check(&[], 4), Ok(()));
        assert!(check(&vector[..4 * 256], 4 * 256).is_err(), "another block");
        assert!(
            values.check(Rank(2), 8, &vector, 0..4000).is_err(),
            "another repetition"
        );
        let expected = values.combined(450 % PERIOD, 7);
        vector[4 * 450..4 * 451].copy_from_slice(&(expected - 1).to_ne_bytes());
        let fault = check(&vector[4 * 300..4 * 700], 4 * 300).unwrap_err().to_string();
        assert_eq!(
            fault,
            format!(
                "element 450 of the result on rank 2 is {} instead of {expected}",
                expected - 1
            )
        );
    }
}
