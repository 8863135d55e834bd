//! Calls that are passed on and counted: nonblocking and persistent collectives, and those that no schedule
//! runs. Arguments are words, which pass unchanged, whatever their types are.

use std::ffi::c_int;
use std::sync::atomic::{AtomicU64, Ordering};

use super::export;
use crate::handle::Word;

/// Functions with their counters; a Fortran program's calls have counters of their own functions.
macro_rules! counted {
    ($($counter:ident $label:literal: $($name:ident)+ ($($argument:ident)+);)+) => {
        $(
            static $counter: AtomicU64 = AtomicU64::new(0);
            counted!(@each $counter ($($argument)+) $($name)+);
        )+

        /// The names of the operations, and how often each was called.
        pub fn counted() -> impl Iterator<Item = (&'static str, u64)> {
            let all = [$(($label, &$counter)),+];
            all.into_iter().map(|(name, calls)| (name, calls.load(Ordering::Relaxed)))
        }
    };
    (@each $counter:ident $arguments:tt $($name:ident)+) => {
        $(counted!(@one $counter $name $arguments);)+
    };
    (@one $counter:ident $name:ident ($($argument:ident)+)) => {
        export! { $name($($argument: Word),+) |pass, $($argument),+| {
            let _ = ($($argument),+);
            count(&$counter, pass)
        } }
    };
}

fn count(calls: &AtomicU64, pass: &mut dyn FnMut() -> c_int) -> c_int {
    calls.fetch_add(1, Ordering::Relaxed);
    pass()
}

counted! {
    IALLTOALL "ialltoall": MPI_Ialltoall (a b c d e f g h);
    IALLTOALLV "ialltoallv": MPI_Ialltoallv (a b c d e f g h i j);
    IBCAST "ibcast": MPI_Ibcast (a b c d e f);
    ISCATTER "iscatter": MPI_Iscatter (a b c d e f g h i);
    IGATHER "igather": MPI_Igather (a b c d e f g h i);
    IALLGATHER "iallgather": MPI_Iallgather (a b c d e f g h);
    ALLTOALLW "alltoallw": MPI_Alltoallw (a b c d e f g h i);
    ALLREDUCE "allreduce": MPI_Allreduce (a b c d e f);
    ALLTOALL_INIT "alltoall_init": MPI_Alltoall_init MPIX_Alltoall_init (a b c d e f g h i);
    ALLTOALLV_INIT "alltoallv_init": MPI_Alltoallv_init MPIX_Alltoallv_init (a b c d e f g h i j k);
    BCAST_INIT "bcast_init": MPI_Bcast_init MPIX_Bcast_init (a b c d e f g);
    SCATTER_INIT "scatter_init": MPI_Scatter_init MPIX_Scatter_init (a b c d e f g h i j);
    GATHER_INIT "gather_init": MPI_Gather_init MPIX_Gather_init (a b c d e f g h i j);
    ALLGATHER_INIT "allgather_init": MPI_Allgather_init MPIX_Allgather_init (a b c d e f g h i);
}

#[cfg(open_mpi)]
mod fortran {
    //! The same in Fortran, with the address of the error code as a further argument.

    use super::{count, export};
    use crate::handle::Word;

    macro_rules! counted {
        ($($counter:ident: $($name:ident)+ ($($argument:ident)+);)+) => {
            $(counted!(@each $counter ($($argument)+) $($name)+);)+
        };
        (@each $counter:ident $arguments:tt $($name:ident)+) => {
            $(counted!(@one $counter $name $arguments);)+
        };
        (@one $counter:ident $name:ident ($($argument:ident)+)) => {
            export! { $name($($argument: Word),+) |pass, $($argument),+| {
                let _ = ($($argument),+);
                count(&super::$counter, pass)
            } }
        };
    }

    counted! {
        IALLTOALL: mpi_ialltoall mpi_ialltoall_ mpi_ialltoall__ MPI_IALLTOALL ompi_ialltoall_f (a b c d e f g h i);
        IALLTOALLV: mpi_ialltoallv mpi_ialltoallv_ mpi_ialltoallv__ MPI_IALLTOALLV ompi_ialltoallv_f (a b c d e f g h i j k);
        IBCAST: mpi_ibcast mpi_ibcast_ mpi_ibcast__ MPI_IBCAST ompi_ibcast_f (a b c d e f g);
        ISCATTER: mpi_iscatter mpi_iscatter_ mpi_iscatter__ MPI_ISCATTER ompi_iscatter_f (a b c d e f g h i j);
        IGATHER: mpi_igather mpi_igather_ mpi_igather__ MPI_IGATHER ompi_igather_f (a b c d e f g h i j);
        IALLGATHER: mpi_iallgather mpi_iallgather_ mpi_iallgather__ MPI_IALLGATHER ompi_iallgather_f (a b c d e f g h i);
        ALLTOALLW: mpi_alltoallw mpi_alltoallw_ mpi_alltoallw__ MPI_ALLTOALLW ompi_alltoallw_f (a b c d e f g h i j);
        ALLREDUCE: mpi_allreduce mpi_allreduce_ mpi_allreduce__ MPI_ALLREDUCE ompi_allreduce_f (a b c d e f g);
    }
}
