//! Reductions of the numbers of all ranks, with the result on all ranks.

use std::ffi::c_int;

use mpi::ffi;
use netsig_base::units::Procs;
use netsig_mpi::MpiError;

use crate::operation::CalledOperation;

/// A number with its MPI datatype.
pub trait MpiNumber: Copy + Default {
    /// The datatype.
    fn datatype() -> ffi::MPI_Datatype;
}

macro_rules! number {
    ($($number:ty: $datatype:ident)+) => {
        $(impl MpiNumber for $number {
            fn datatype() -> ffi::MPI_Datatype {
                // SAFETY: a constant of the MPI library.
                unsafe { ffi::$datatype }
            }
        })+
    };
}

number! { i64: RSMPI_INT64_T u64: RSMPI_UINT64_T f64: RSMPI_DOUBLE }

/// The largest of each number over all ranks.
///
/// # Errors
/// If MPI fails.
pub fn largest<T: MpiNumber, const N: usize>(values: [T; N], comm: ffi::MPI_Comm) -> Result<[T; N], MpiError> {
    // SAFETY: a constant of the MPI library.
    all_reduce(values, unsafe { ffi::RSMPI_MAX }, comm)
}

/// The sum of each number over all ranks.
///
/// # Errors
/// If MPI fails.
pub fn sum<T: MpiNumber, const N: usize>(values: [T; N], comm: ffi::MPI_Comm) -> Result<[T; N], MpiError> {
    // SAFETY: a constant of the MPI library.
    all_reduce(values, unsafe { ffi::RSMPI_SUM }, comm)
}

/// Reduces times in nanoseconds to seconds: the mean over all ranks, or, for a collective with a root, the longest
/// time, since a rank may end before others have begun.
///
/// # Errors
/// If MPI fails.
pub fn seconds<const N: usize>(
    values: [u64; N],
    operation: CalledOperation,
    procs: Procs,
    comm: ffi::MPI_Comm,
) -> Result<[f64; N], MpiError> {
    let (all, ranks) = if operation.has_root() {
        (largest(values, comm)?, 1.0)
    } else {
        (sum(values, comm)?, f64::from(procs.get()))
    };
    Ok(all.map(|time| time as f64 / ranks / 1e9))
}

fn all_reduce<T: MpiNumber, const N: usize>(
    values: [T; N],
    operation: ffi::MPI_Op,
    comm: ffi::MPI_Comm,
) -> Result<[T; N], MpiError> {
    let mut all = [T::default(); N];
    let count = c_int::try_from(N).unwrap_or(c_int::MAX);
    // SAFETY: both arrays have `count` numbers of this type.
    let code = unsafe {
        let (from, to) = (values.as_ptr().cast(), all.as_mut_ptr().cast());
        ffi::PMPI_Allreduce(from, to, count, T::datatype(), operation, comm)
    };
    MpiError::check(code).map(|()| all)
}
