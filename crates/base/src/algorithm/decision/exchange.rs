//! Decisions for all-to-alls, by process count and bytes per destination. For an alltoallv Open MPI decides by the number
//! of processes alone, because the sizes of the pieces are not the same at all ranks; MPICH always runs one algorithm.

use super::{ANY_COUNT, ANY_SIZE, DecisionTable};

pub(super) const OPEN_MPI_ALLTOALL: DecisionTable = &[
    (3, &[(ANY_SIZE, "linear")]),
    (
        8,
        &[(1 << 19, "linear_sync"), (1 << 20, "pairwise"), (ANY_SIZE, "linear")],
    ),
    (16, &[(1 << 18, "linear_sync"), (ANY_SIZE, "linear")]),
    (
        32,
        &[(4, "linear_sync"), (512, "modified_bruck"), (ANY_SIZE, "linear_sync")],
    ),
    (64, &[(512, "modified_bruck"), (ANY_SIZE, "linear")]),
    (
        256,
        &[(1024, "modified_bruck"), (1 << 18, "linear"), (ANY_SIZE, "pairwise")],
    ),
    (
        512,
        &[(1024, "modified_bruck"), (1 << 15, "linear"), (ANY_SIZE, "pairwise")],
    ),
    (
        1024,
        &[(512, "modified_bruck"), (1 << 18, "linear"), (ANY_SIZE, "pairwise")],
    ),
    (2048, &[(512, "modified_bruck"), (ANY_SIZE, "linear")]),
    (4096, &[(1024, "modified_bruck"), (ANY_SIZE, "linear")]),
    (ANY_COUNT, &[(2048, "modified_bruck"), (ANY_SIZE, "linear")]),
];

pub(super) const MPICH_ALLTOALL: DecisionTable = &[
    (8, &[(32769, "scattered"), (ANY_SIZE, "pairwise")]),
    (
        ANY_COUNT,
        &[(257, "brucks"), (32769, "scattered"), (ANY_SIZE, "pairwise")],
    ),
];

pub(super) const OPEN_MPI_ALLTOALLV: DecisionTable = &[
    (4, &[(ANY_SIZE, "pairwise")]),
    (64, &[(ANY_SIZE, "basic_linear")]),
    (128, &[(ANY_SIZE, "pairwise")]),
    (256, &[(ANY_SIZE, "basic_linear")]),
    (1024, &[(ANY_SIZE, "pairwise")]),
    (ANY_COUNT, &[(ANY_SIZE, "basic_linear")]),
];

pub(super) const MPICH_ALLTOALLV: DecisionTable = &[(ANY_COUNT, &[(ANY_SIZE, "scattered")])];
