//! Operation and type of the elements of a reduction.

use std::fmt;
use std::str::FromStr;

use itertools::Itertools as _;
use strum::VariantArray as _;

use crate::algorithm::Collective;
use crate::text::refusal::Refusal;
use crate::units::Bytes;

/// Operation of MPI that combines two elements. All commute.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Default,
    strum::Display,
    strum::EnumString,
    strum::VariantArray,
)]
#[strum(serialize_all = "lowercase")]
pub enum ReductionOperation {
    /// `MPI_SUM`.
    #[default]
    Sum,
    /// `MPI_PROD`.
    Prod,
    /// `MPI_MAX`.
    Max,
    /// `MPI_MIN`.
    Min,
    /// `MPI_LAND`.
    Land,
    /// `MPI_LOR`.
    Lor,
    /// `MPI_LXOR`.
    Lxor,
    /// `MPI_BAND`.
    Band,
    /// `MPI_BOR`.
    Bor,
    /// `MPI_BXOR`.
    Bxor,
}

/// Type of an element, by its name in MPI.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Default,
    strum::Display,
    strum::EnumString,
    strum::VariantArray,
)]
#[strum(serialize_all = "lowercase")]
pub enum ElementType {
    /// `MPI_DOUBLE`, 8 bytes.
    #[default]
    Double,
    /// `MPI_FLOAT`, 4 bytes.
    Float,
    /// `MPI_INT`, 4 bytes.
    Int,
    /// `MPI_LONG`, 8 bytes.
    Long,
    /// `MPI_BYTE`, for operations on bits.
    Byte,
}

/// An operation on elements of a type that has it: `sum:double`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct ReductionOperands {
    operation: ReductionOperation,
    element: ElementType,
}

/// Reason why a text names no operation on a type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnknownOperands {
    /// The text is not an operation and a type.
    #[error("{0:?} is no operation and type; write OPERATION:TYPE, such as sum:double, with one of {1} and one of {2}")]
    Text(String, String, String),
    /// MPI does not define the operation for the type.
    #[error("MPI has no {operation} of {element}; write one of {known}")]
    NotDefined {
        /// The operation.
        operation: ReductionOperation,
        /// The type.
        element: ElementType,
        /// Operations that the type has.
        known: String,
    },
}

impl ElementType {
    /// Length of an element.
    pub fn bytes(self) -> Bytes {
        Bytes(match self {
            Self::Double | Self::Long => 8,
            Self::Float | Self::Int => 4,
            Self::Byte => 1,
        })
    }

    /// True if MPI defines the operation for the type.
    fn has(self, operation: ReductionOperation) -> bool {
        use ReductionOperation::{Band, Bor, Bxor, Max, Min, Prod, Sum};
        match self {
            Self::Double | Self::Float => matches!(operation, Sum | Prod | Max | Min),
            Self::Int | Self::Long => true,
            Self::Byte => matches!(operation, Band | Bor | Bxor),
        }
    }
}

impl ReductionOperands {
    /// Refuses vectors of a reduction without a whole number of elements; other collectives have any size.
    ///
    /// # Errors
    /// If a size is no multiple of the element's.
    pub fn refuse_cut_elements(self, collective: Collective, sizes: &[Bytes]) -> Result<(), Refusal> {
        let element = self.element.bytes().0;
        let cut = sizes.iter().find(|size| !size.0.is_multiple_of(element));
        match cut {
            Some(size) if collective.is_reduction() => Err(Refusal::request(format!(
                "--size: {size} has no whole number of {} elements; write multiples of {element} bytes",
                self.element
            ))),
            _ => Ok(()),
        }
    }

    /// The operation on elements of the type.
    ///
    /// # Errors
    /// If MPI does not define it.
    pub fn new(operation: ReductionOperation, element: ElementType) -> Result<Self, UnknownOperands> {
        if element.has(operation) {
            return Ok(Self { operation, element });
        }
        let all = ReductionOperation::VARIANTS.iter();
        Err(UnknownOperands::NotDefined {
            operation,
            element,
            known: all.filter(|operation| element.has(**operation)).join(", "),
        })
    }

    /// The operation.
    pub fn operation(self) -> ReductionOperation {
        self.operation
    }

    /// Type of the elements.
    pub fn element(self) -> ElementType {
        self.element
    }
}

impl fmt::Display for ReductionOperands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.operation, self.element)
    }
}

impl FromStr for ReductionOperands {
    type Err = UnknownOperands;

    fn from_str(text: &str) -> Result<Self, UnknownOperands> {
        let words = text.split_once(':');
        let parsed =
            words.and_then(|(operation, element)| Some((operation.trim().parse().ok()?, element.trim().parse().ok()?)));
        let (operation, element) = parsed.ok_or_else(|| {
            let operations = ReductionOperation::VARIANTS.iter().join(", ");
            UnknownOperands::Text(text.to_owned(), operations, ElementType::VARIANTS.iter().join(", "))
        })?;
        Self::new(operation, element)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_those_that_mpi_defines_for_the_type() {
        let read = |text: &str| text.parse::<ReductionOperands>();
        for text in ["sum:double", "lxor:int", "bor:byte", "min:float", "prod:long"] {
            assert_eq!(read(text).unwrap().to_string(), text);
        }
        assert_eq!(read("sum:double").unwrap(), ReductionOperands::default());
        let refused = ["band:double", "sum:byte", "sum", "avg:int", "sum:real"];
        let lines = refused.map(|text| format!("{}\n", read(text).unwrap_err()));
        insta::assert_snapshot!(lines.concat());
    }
}
