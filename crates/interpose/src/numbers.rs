//! Floating-point numbers in the memory of a program: whether the order of operands could tell in a result that does not
//! depend on it by rounding.
//!
//! A sum or product of several NaN has the bits of one of them. Of zeros of both signs, or of a NaN and a number, the
//! largest is the one or the other.

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

/// True if there is a number in a vector by which the order of the operands could tell. The numbers lie `step` bytes
/// apart.
pub fn could_tell(form: NumberForm, dependence: OrderDependence, vector: &[u8], step: usize) -> bool {
    let with_zero = dependence == OrderDependence::SpecialValues;
    match form {
        NumberForm::Single => has_one::<4>(vector, step, |bytes| {
            let value = f32::from_ne_bytes(bytes);
            value.is_nan() || (with_zero && value == 0.0)
        }),
        NumberForm::Double => has_one::<8>(vector, step, |bytes| {
            let value = f64::from_ne_bytes(bytes);
            value.is_nan() || (with_zero && value == 0.0)
        }),
    }
}

/// True if a number of `N` bytes has a property. All are looked at, so that the loop has no exit.
fn has_one<const N: usize>(vector: &[u8], step: usize, property: impl Fn([u8; N]) -> bool) -> bool {
    let is_found = |number: &[u8]| number.first_chunk::<N>().is_some_and(|bytes| property(*bytes));
    let numbers = vector.chunks_exact(step.max(N));
    let last = is_found(numbers.remainder());
    numbers.fold(last, |found, number| found | is_found(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_can_tell_and_zero_among_extremes() {
        let vector = |values: &[f64]| -> Vec<u8> { values.iter().flat_map(|value| value.to_ne_bytes()).collect() };
        let could = |dependence, values: &[f64]| could_tell(NumberForm::Double, dependence, &vector(values), 8);
        assert!(!could(OrderDependence::Rounding, &[1.0, 0.0, f64::INFINITY, 5e-324]));
        assert!(could(OrderDependence::Rounding, &[1.0, f64::NAN]));
        assert!(could(OrderDependence::SpecialValues, &[1.0, -0.0]));
        assert!(!could(OrderDependence::SpecialValues, &[1.0, f64::NEG_INFINITY]));
        let pairs = vector(&[1.0, f64::NAN, 2.0, f64::NAN]);
        let of_pairs = could_tell(NumberForm::Double, OrderDependence::SpecialValues, &pairs, 16);
        assert!(!of_pairs, "only the first number of a pair counts");
    }
}
