//! Decisions for broadcasts, by process count and size; those of MPICH also by whether the count is a power of two. The
//! `chain` of Open MPI's rules stands here as `pipeline`: it is called with a fan-out of 0, which makes one chain.

use super::{ANY_COUNT, ANY_SIZE, DecisionTable};

/// Without segments: `pipeline` passes on the whole message, and so does `chain`, which the rules call with one
/// chain.
pub(super) const OPEN_MPI_BCAST: DecisionTable = &[
    (
        4,
        &[
            (32, "pipeline"),
            (256, "binary_tree"),
            (512, "pipeline"),
            (1024, "knomial"),
            (32 << 10, "basic_linear"),
            (128 << 10, "binary_tree"),
            (256 << 10, "pipeline"),
            (512 << 10, "basic_linear"),
            (1 << 20, "binomial"),
            (ANY_SIZE, "binary_tree"),
        ],
    ),
    (
        8,
        &[
            (64, "binary_tree"),
            (128, "binomial"),
            (2048, "binary_tree"),
            (8192, "binomial"),
            (1 << 20, "basic_linear"),
            (ANY_SIZE, "pipeline"),
        ],
    ),
    (
        16,
        &[
            (8, "knomial"),
            (64, "binary_tree"),
            (4096, "knomial"),
            (16 << 10, "binary_tree"),
            (32 << 10, "binomial"),
            (ANY_SIZE, "basic_linear"),
        ],
    ),
    (
        32,
        &[
            (4096, "knomial"),
            (1 << 20, "binomial"),
            (ANY_SIZE, "scatter_allgather"),
        ],
    ),
    (64, &[(2048, "binomial"), (ANY_SIZE, "knomial")]),
    (128, &[(ANY_SIZE, "knomial")]),
    (
        256,
        &[
            (2, "binomial"),
            (16 << 10, "binary_tree"),
            (32 << 10, "basic_linear"),
            (64 << 10, "binary_tree"),
            (ANY_SIZE, "knomial"),
        ],
    ),
    (
        1024,
        &[
            (16 << 10, "knomial"),
            (32 << 10, "split_binary_tree"),
            (ANY_SIZE, "knomial"),
        ],
    ),
    (2048, &[(512 << 10, "knomial"), (ANY_SIZE, "scatter_allgather")]),
    (4096, &[(256 << 10, "knomial"), (ANY_SIZE, "scatter_allgather")]),
    (
        ANY_COUNT,
        &[
            (8 << 10, "knomial"),
            (16 << 10, "binary_tree"),
            (256 << 10, "knomial"),
            (ANY_SIZE, "scatter_allgather"),
        ],
    ),
];

pub(super) const MPICH_BCAST: DecisionTable = &[
    (8, &[(ANY_SIZE, "binomial")]),
    (ANY_COUNT, &[(12289, "binomial"), (ANY_SIZE, "scatter_ring_allgather")]),
];

/// Rules for powers of two.
pub(super) const MPICH_BCAST_POWERS_OF_TWO: DecisionTable = &[
    (8, &[(ANY_SIZE, "binomial")]),
    (
        ANY_COUNT,
        &[
            (12289, "binomial"),
            ((512 << 10) + 1, "scatter_recursive_doubling_allgather"),
            (ANY_SIZE, "scatter_ring_allgather"),
        ],
    ),
];
