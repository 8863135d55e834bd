//! Calls that are passed on and counted: nonblocking and persistent collectives, and other collectives without
//! schedules. Arguments are words, which pass unchanged, whatever their types are.

use std::sync::atomic::{AtomicU64, Ordering};

use super::export;
use crate::handle::Word;

/// Counters with the names of their operations.
macro_rules! counters {
    ($($counter:ident $label:literal)+) => {
        $(static $counter: AtomicU64 = AtomicU64::new(0);)+

        /// The names of the operations, and the number of calls of each.
        pub fn counted() -> impl Iterator<Item = (&'static str, u64)> {
            let all = [$(($label, &$counter)),+];
            all.into_iter().map(|(name, calls)| (name, calls.load(Ordering::Relaxed)))
        }
    };
}

/// Functions that add to a counter.
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
            $counter.fetch_add(1, Ordering::Relaxed);
            pass()
        } }
    };
}

counters! {
    IALLTOALL "ialltoall"
    IALLTOALLV "ialltoallv"
    IBCAST "ibcast"
    ISCATTER "iscatter"
    IGATHER "igather"
    IALLGATHER "iallgather"
    IALLGATHERV "iallgatherv"
    IGATHERV "igatherv"
    ISCATTERV "iscatterv"
    ALLTOALLW "alltoallw"
    IALLREDUCE "iallreduce"
    IREDUCE "ireduce"
    IREDUCE_SCATTER "ireduce_scatter"
    IREDUCE_SCATTER_BLOCK "ireduce_scatter_block"
    IBARRIER "ibarrier"
    ALLTOALL_INIT "alltoall_init"
    ALLTOALLV_INIT "alltoallv_init"
    BCAST_INIT "bcast_init"
    SCATTER_INIT "scatter_init"
    GATHER_INIT "gather_init"
    ALLGATHER_INIT "allgather_init"
    ALLREDUCE_INIT "allreduce_init"
    REDUCE_INIT "reduce_init"
    REDUCE_SCATTER_INIT "reduce_scatter_init"
    REDUCE_SCATTER_BLOCK_INIT "reduce_scatter_block_init"
    BARRIER_INIT "barrier_init"
    ALLGATHERV_INIT "allgatherv_init"
    GATHERV_INIT "gatherv_init"
    SCATTERV_INIT "scatterv_init"
}

counted! {
    IALLTOALL: MPI_Ialltoall (a b c d e f g h);
    IALLTOALLV: MPI_Ialltoallv (a b c d e f g h i j);
    IBCAST: MPI_Ibcast (a b c d e f);
    ISCATTER: MPI_Iscatter (a b c d e f g h i);
    IGATHER: MPI_Igather (a b c d e f g h i);
    IALLGATHER: MPI_Iallgather (a b c d e f g h);
    ALLTOALLW: MPI_Alltoallw (a b c d e f g h i);
    IALLREDUCE: MPI_Iallreduce (a b c d e f g);
    IREDUCE: MPI_Ireduce (a b c d e f g h);
    IREDUCE_SCATTER: MPI_Ireduce_scatter (a b c d e f g);
    IREDUCE_SCATTER_BLOCK: MPI_Ireduce_scatter_block (a b c d e f g);
    IBARRIER: MPI_Ibarrier (a b);
}

#[cfg(large_counts)]
counted! {
    IALLTOALL: MPI_Ialltoall_c (a b c d e f g h);
    IALLTOALLV: MPI_Ialltoallv_c (a b c d e f g h i j);
    IBCAST: MPI_Ibcast_c (a b c d e f);
    ISCATTER: MPI_Iscatter_c (a b c d e f g h i);
    IGATHER: MPI_Igather_c (a b c d e f g h i);
    IALLGATHER: MPI_Iallgather_c (a b c d e f g h);
    ALLTOALLW: MPI_Alltoallw_c (a b c d e f g h i);
    IALLREDUCE: MPI_Iallreduce_c (a b c d e f g);
    IREDUCE: MPI_Ireduce_c (a b c d e f g h);
    IREDUCE_SCATTER: MPI_Ireduce_scatter_c (a b c d e f g);
    IREDUCE_SCATTER_BLOCK: MPI_Ireduce_scatter_block_c (a b c d e f g);
}

#[cfg(large_counts)]
counted! {
    ALLTOALL_INIT: MPI_Alltoall_init MPI_Alltoall_init_c (a b c d e f g h i);
    ALLTOALLV_INIT: MPI_Alltoallv_init MPI_Alltoallv_init_c (a b c d e f g h i j k);
    BCAST_INIT: MPI_Bcast_init MPI_Bcast_init_c (a b c d e f g);
    SCATTER_INIT: MPI_Scatter_init MPI_Scatter_init_c (a b c d e f g h i j);
    GATHER_INIT: MPI_Gather_init MPI_Gather_init_c (a b c d e f g h i j);
    ALLGATHER_INIT: MPI_Allgather_init MPI_Allgather_init_c (a b c d e f g h i);
    ALLREDUCE_INIT: MPI_Allreduce_init MPI_Allreduce_init_c (a b c d e f g h);
    REDUCE_INIT: MPI_Reduce_init MPI_Reduce_init_c (a b c d e f g h i);
    REDUCE_SCATTER_INIT: MPI_Reduce_scatter_init MPI_Reduce_scatter_init_c (a b c d e f g h);
    REDUCE_SCATTER_BLOCK_INIT: MPI_Reduce_scatter_block_init MPI_Reduce_scatter_block_init_c (a b c d e f g h);
    BARRIER_INIT: MPI_Barrier_init (a b c);
}

// The persistent collectives of Open MPI before version 5.
#[cfg(open_mpi)]
counted! {
    ALLTOALL_INIT: MPIX_Alltoall_init (a b c d e f g h i);
    ALLTOALLV_INIT: MPIX_Alltoallv_init (a b c d e f g h i j k);
    BCAST_INIT: MPIX_Bcast_init (a b c d e f g);
    SCATTER_INIT: MPIX_Scatter_init (a b c d e f g h i j);
    GATHER_INIT: MPIX_Gather_init (a b c d e f g h i j);
    ALLGATHER_INIT: MPIX_Allgather_init (a b c d e f g h i);
    ALLREDUCE_INIT: MPIX_Allreduce_init (a b c d e f g h);
    REDUCE_INIT: MPIX_Reduce_init (a b c d e f g h i);
    REDUCE_SCATTER_INIT: MPIX_Reduce_scatter_init (a b c d e f g h);
    REDUCE_SCATTER_BLOCK_INIT: MPIX_Reduce_scatter_block_init (a b c d e f g h);
    BARRIER_INIT: MPIX_Barrier_init (a b c);
}

// In Fortran, with the address of the error code as a further argument.
#[cfg(open_mpi)]
counted! {
    IALLTOALL: mpi_ialltoall mpi_ialltoall_ mpi_ialltoall__ MPI_IALLTOALL ompi_ialltoall_f (a b c d e f g h i);
    IALLTOALLV: mpi_ialltoallv mpi_ialltoallv_ mpi_ialltoallv__ MPI_IALLTOALLV ompi_ialltoallv_f (a b c d e f g h i j k);
    IBCAST: mpi_ibcast mpi_ibcast_ mpi_ibcast__ MPI_IBCAST ompi_ibcast_f (a b c d e f g);
    ISCATTER: mpi_iscatter mpi_iscatter_ mpi_iscatter__ MPI_ISCATTER ompi_iscatter_f (a b c d e f g h i j);
    IGATHER: mpi_igather mpi_igather_ mpi_igather__ MPI_IGATHER ompi_igather_f (a b c d e f g h i j);
    IALLGATHER: mpi_iallgather mpi_iallgather_ mpi_iallgather__ MPI_IALLGATHER ompi_iallgather_f (a b c d e f g h i);
    ALLTOALLW: mpi_alltoallw mpi_alltoallw_ mpi_alltoallw__ MPI_ALLTOALLW ompi_alltoallw_f (a b c d e f g h i j);
    IALLREDUCE: mpi_iallreduce mpi_iallreduce_ mpi_iallreduce__ MPI_IALLREDUCE ompi_iallreduce_f (a b c d e f g h);
    IREDUCE: mpi_ireduce mpi_ireduce_ mpi_ireduce__ MPI_IREDUCE ompi_ireduce_f (a b c d e f g h i);
    IREDUCE_SCATTER: mpi_ireduce_scatter mpi_ireduce_scatter_ mpi_ireduce_scatter__ MPI_IREDUCE_SCATTER ompi_ireduce_scatter_f (a b c d e f g h);
    IREDUCE_SCATTER_BLOCK: mpi_ireduce_scatter_block mpi_ireduce_scatter_block_ mpi_ireduce_scatter_block__ MPI_IREDUCE_SCATTER_BLOCK ompi_ireduce_scatter_block_f (a b c d e f g h);
    IBARRIER: mpi_ibarrier mpi_ibarrier_ mpi_ibarrier__ MPI_IBARRIER ompi_ibarrier_f (a b c);
}

// The collectives with a length for each rank.
counted! {
    IALLGATHERV: MPI_Iallgatherv (a b c d e f g h i);
    IGATHERV: MPI_Igatherv (a b c d e f g h i j);
    ISCATTERV: MPI_Iscatterv (a b c d e f g h i j);
}

#[cfg(large_counts)]
counted! {
    IALLGATHERV: MPI_Iallgatherv_c (a b c d e f g h i);
    IGATHERV: MPI_Igatherv_c (a b c d e f g h i j);
    ISCATTERV: MPI_Iscatterv_c (a b c d e f g h i j);
    ALLGATHERV_INIT: MPI_Allgatherv_init MPI_Allgatherv_init_c (a b c d e f g h i j);
    GATHERV_INIT: MPI_Gatherv_init MPI_Gatherv_init_c (a b c d e f g h i j k);
    SCATTERV_INIT: MPI_Scatterv_init MPI_Scatterv_init_c (a b c d e f g h i j k);
}

#[cfg(open_mpi)]
counted! {
    ALLGATHERV_INIT: MPIX_Allgatherv_init (a b c d e f g h i j);
    GATHERV_INIT: MPIX_Gatherv_init (a b c d e f g h i j k);
    SCATTERV_INIT: MPIX_Scatterv_init (a b c d e f g h i j k);
    IALLGATHERV: mpi_iallgatherv mpi_iallgatherv_ mpi_iallgatherv__ MPI_IALLGATHERV ompi_iallgatherv_f (a b c d e f g h i j);
    IGATHERV: mpi_igatherv mpi_igatherv_ mpi_igatherv__ MPI_IGATHERV ompi_igatherv_f (a b c d e f g h i j k);
    ISCATTERV: mpi_iscatterv mpi_iscatterv_ mpi_iscatterv__ MPI_ISCATTERV ompi_iscatterv_f (a b c d e f g h i j k);
}
