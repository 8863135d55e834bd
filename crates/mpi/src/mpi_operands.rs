//! MPI's handles of an operation and the type of its elements.

use mpi::ffi;
use netsig_base::algorithm::{ElementType, ReductionOperands, ReductionOperation};
use netsig_mpi::LocalOperation;

/// The operation on elements of its type. A byte is an unsigned integer of 8 bits, whose bits MPI combines as those of
/// `MPI_BYTE`.
pub fn local_operation(operands: ReductionOperands) -> LocalOperation {
    // SAFETY: constants of the MPI library.
    let (operation, datatype) = unsafe {
        let operation = match operands.operation() {
            ReductionOperation::Sum => ffi::RSMPI_SUM,
            ReductionOperation::Prod => ffi::RSMPI_PROD,
            ReductionOperation::Max => ffi::RSMPI_MAX,
            ReductionOperation::Min => ffi::RSMPI_MIN,
            ReductionOperation::Land => ffi::RSMPI_LAND,
            ReductionOperation::Lor => ffi::RSMPI_LOR,
            ReductionOperation::Lxor => ffi::RSMPI_LXOR,
            ReductionOperation::Band => ffi::RSMPI_BAND,
            ReductionOperation::Bor => ffi::RSMPI_BOR,
            ReductionOperation::Bxor => ffi::RSMPI_BXOR,
        };
        let datatype = match operands.element() {
            ElementType::Double => ffi::RSMPI_DOUBLE,
            ElementType::Float => ffi::RSMPI_FLOAT,
            ElementType::Int => ffi::RSMPI_INT32_T,
            ElementType::Long => ffi::RSMPI_INT64_T,
            ElementType::Byte => ffi::RSMPI_UINT8_T,
        };
        (operation, datatype)
    };
    LocalOperation {
        operation,
        datatype,
        element: usize::try_from(operands.element().bytes().0).expect("elements are short"),
    }
}
