//! Floating-point numbers in the memory of a program: whether the order of operands could tell in a result that does not
//! depend on it by rounding.
//!
//! A sum or product of several NaN has the bits of one of them. Of zeros of both signs, or of a NaN and a number, the
//! largest is the one or the other. Zeros of one sign tell nothing. Some programs let the processor take
//! denormal numbers for zeros. Two of them are then equal although their bits differ, so that one counts as zeros of both
//! signs.

use std::num::FpCategory;

use netsig_model::predict::result_rule::OrderDependence;

/// Form of floating-point numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NumberForm {
    /// IEEE 754, 32 bits.
    Single,
    /// IEEE 754, 64 bits.
    Double,
}

impl NumberForm {
    /// The form of numbers of C and Fortran of so many bytes.
    pub fn of_bytes(bytes: usize) -> Option<Self> {
        match bytes {
            4 => Some(Self::Single),
            8 => Some(Self::Double),
            _ => None,
        }
    }

    /// Length of a number.
    pub fn bytes(self) -> usize {
        match self {
            Self::Single => 4,
            Self::Double => 8,
        }
    }
}

/// The special numbers of a vector: for NaN, zero and negative zero a count that is positive if they occur. The largest
/// counts of all ranks are those of all vectors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SpecialNumbers(pub [u64; 3]);

impl SpecialNumbers {
    /// Those of a vector whose numbers lie `step` bytes apart. In one of unknown form all may occur.
    pub fn of(form: Option<NumberForm>, vector: &[u8], step: usize) -> Self {
        match form {
            None => Self([1; 3]),
            Some(NumberForm::Single) => found_in(
                vector,
                step,
                |bytes| f32::from_ne_bytes(bytes).abs() >= f32::MIN_POSITIVE,
                |bytes| {
                    let value = f32::from_ne_bytes(bytes);
                    Self::of_number(value.classify(), value.is_sign_negative())
                },
            ),
            Some(NumberForm::Double) => found_in(
                vector,
                step,
                |bytes| f64::from_ne_bytes(bytes).abs() >= f64::MIN_POSITIVE,
                |bytes| {
                    let value = f64::from_ne_bytes(bytes);
                    Self::of_number(value.classify(), value.is_sign_negative())
                },
            ),
        }
    }

    fn of_number(category: FpCategory, is_negative: bool) -> Self {
        Self(match (category, is_negative) {
            (FpCategory::Nan, _) => [1, 0, 0],
            (FpCategory::Zero, false) => [0, 1, 0],
            (FpCategory::Zero, true) => [0, 0, 1],
            (FpCategory::Subnormal, _) => [0, 1, 1],
            (FpCategory::Infinite | FpCategory::Normal, _) => [0; 3],
        })
    }

    fn with(self, other: Self) -> Self {
        Self(std::array::from_fn(|kind| self.0[kind] | other.0[kind]))
    }

    /// True if the order of operands with these numbers could tell.
    pub fn could_tell(self, dependence: OrderDependence) -> bool {
        let [is_nan, is_zero, is_negative_zero] = self.0.map(|count| count > 0);
        is_nan || (dependence == OrderDependence::SpecialValues && is_zero && is_negative_zero)
    }
}

/// What `find` finds in the numbers of `N` bytes, of which most are usual. A loop without an exit looks for others first.
fn found_in<const N: usize>(
    vector: &[u8],
    step: usize,
    is_usual: impl Fn([u8; N]) -> bool,
    find: impl Fn([u8; N]) -> SpecialNumbers,
) -> SpecialNumbers {
    let elements = vector.chunks_exact(step.max(N));
    let last = elements.remainder();
    let number = |element: &[u8]| element.first_chunk::<N>().copied();
    let all_usual = elements
        .clone()
        .fold(true, |all, element| all & number(element).is_none_or(&is_usual));
    if all_usual && number(last).is_none_or(&is_usual) {
        return SpecialNumbers::default();
    }
    let numbers = elements.chain([last]).filter_map(number);
    numbers.map(find).fold(SpecialNumbers::default(), SpecialNumbers::with)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_can_tell_and_zeros_of_both_signs_among_extremes() {
        use OrderDependence::{Rounding, SpecialValues};
        let vector = |values: &[f64]| -> Vec<u8> { values.iter().flat_map(|value| value.to_ne_bytes()).collect() };
        let of = |values: &[f64]| SpecialNumbers::of(Some(NumberForm::Double), &vector(values), 8);
        for (dependence, values, expected) in [
            (Rounding, [0.0, -0.0, f64::INFINITY, 5e-324], false),
            (Rounding, [1.0, 2.0, 3.0, f64::NAN], true),
            (SpecialValues, [1.0, -0.0, -0.0, f64::NEG_INFINITY], false),
            (SpecialValues, [0.0, 0.0, -1.0, 3e-308], false),
            (SpecialValues, [1.0, 2.0, 3.0, 5e-324], true),
            (SpecialValues, [0.0, 1.0, 2.0, -0.0], true),
        ] {
            assert_eq!(
                of(&values).could_tell(dependence),
                expected,
                "{dependence:?} {values:?}"
            );
        }
        let [first, other] = [of(&[0.0]), of(&[-0.0])];
        let of_all = SpecialNumbers([0, 1, 2].map(|kind| first.0[kind].max(other.0[kind])));
        assert!(of_all.could_tell(SpecialValues), "zeros of two ranks");
        let pairs = vector(&[1.0, f64::NAN, 2.0, f64::NAN]);
        let of_pairs = SpecialNumbers::of(Some(NumberForm::Double), &pairs, 16);
        assert_eq!(
            of_pairs,
            SpecialNumbers::default(),
            "only the first number of a pair counts"
        );
    }
}
