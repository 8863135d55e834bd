//! Operation and element type of the reductions in a table, as far as the output states them.

use std::collections::BTreeSet;

use itertools::Itertools as _;

use crate::algorithm::{ElementType, ReductionOperands, ReductionOperation};
use crate::units::Bytes;

/// Names in MPI of an operation and of the type of its elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StatedOperands<'t> {
    /// Such as `MPI_SUM`.
    pub operation: Option<&'t str>,
    /// Such as `MPI_FLOAT`.
    pub element: Option<&'t str>,
}

impl StatedOperands<'_> {
    /// Bytes of an element; 1 if the type is unknown or a character.
    pub fn element_bytes(self) -> Bytes {
        self.element_type().map_or(Bytes(1), ElementType::bytes)
    }

    /// The operation and type.
    ///
    /// # Errors
    /// If one of them is not stated, or netsig does not know them.
    pub fn known(self) -> Result<ReductionOperands, String> {
        let (Some(operation), Some(element)) = (self.operation, self.element) else {
            return Err("the output states no operation and type of its reductions, so the data name none".to_owned());
        };
        let known_operation: Option<ReductionOperation> = without_prefix(operation).parse().ok();
        let operands = known_operation
            .zip(self.element_type())
            .and_then(|(operation, element)| ReductionOperands::new(operation, element).ok());
        operands.ok_or_else(|| {
            format!("netsig knows no {operation} of {element}, so the data name no operation and type of reductions")
        })
    }

    fn element_type(self) -> Option<ElementType> {
        without_prefix(self.element?).parse().ok()
    }
}

/// The operands of all reductions in the data, with `None` for unknown ones.
///
/// # Errors
/// If they differ.
pub(super) fn common(all: &BTreeSet<Option<ReductionOperands>>) -> Result<Option<ReductionOperands>, String> {
    if all.len() <= 1 {
        return Ok(all.first().copied().flatten());
    }
    let name = |one: &Option<ReductionOperands>| one.map_or("unknown".to_owned(), |known| known.to_string());
    let names = all.iter().map(name).join(", ");
    Err(format!(
        "the reductions differ in operation or type ({names}), so the data name neither; import them into several files"
    ))
}

/// The name in lower case, without `MPI_`.
fn without_prefix(name: &str) -> String {
    name.trim().trim_start_matches("MPI_").to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_mpi_become_operands() {
        let operands = |operation, element| StatedOperands { operation, element };
        let known = |operation, element| operands(Some(operation), Some(element)).known();
        assert_eq!(known("MPI_SUM", "MPI_FLOAT").unwrap().to_string(), "sum:float");
        assert_eq!(known("MPI_BOR", "MPI_BYTE").unwrap().to_string(), "bor:byte");
        for (operation, element, size) in [
            (Some("MPI_SUM"), Some("MPI_CHAR"), 1),
            (Some("MPI_SUM"), Some("MPI_BYTE"), 1),
            (Some("MPI_SUM"), None, 1),
            (None, Some("MPI_DOUBLE"), 8),
        ] {
            let stated = operands(operation, element);
            assert!(stated.known().is_err(), "{stated:?}");
            assert_eq!(stated.element_bytes(), Bytes(size), "{stated:?}");
        }
    }

    #[test]
    fn operands_that_differ_are_none_of_all_data() {
        let sum: Option<ReductionOperands> = Some("sum:float".parse().unwrap());
        assert_eq!(common(&BTreeSet::new()), Ok(None));
        assert_eq!(common(&BTreeSet::from([None])), Ok(None));
        assert_eq!(common(&BTreeSet::from([sum])), Ok(sum));
        let refused = common(&BTreeSet::from([sum, None])).unwrap_err();
        assert!(refused.contains("(unknown, sum:float)"), "{refused}");
    }
}
