//! Decisions of Open MPI 4.1 and 5.0 for reductions and barriers.
//!
//! Sizes are those of the whole vector; of `reduce_scatter_block` the bytes per process. Operations that do not commute have
//! tables of their own. The rules call all algorithms without segments, and chains with a fan-out of 0, which makes one
//! chain.
//!
//! # Source
//! The component `tuned`, the same from 4.1.0 to 5.0.10. Open MPI 4.1.4 called these functions in 1300 cases among 2 to 40
//! processes.

use super::{ANY_COUNT, ANY_SIZE, DecisionTable};

pub(super) const OPEN_MPI_ALLREDUCE: DecisionTable = &[
    (
        4,
        &[
            (8, "ring"),
            (4096, "recursive_doubling"),
            (8192, "ring"),
            (1 << 14, "recursive_doubling"),
            (1 << 16, "ring"),
            (1 << 18, "segmented_ring"),
            (ANY_SIZE, "rabenseifner"),
        ],
    ),
    (
        8,
        &[(16, "ring"), (8192, "recursive_doubling"), (ANY_SIZE, "rabenseifner")],
    ),
    (16, &[(8192, "recursive_doubling"), (ANY_SIZE, "rabenseifner")]),
    (
        32,
        &[
            (64, "segmented_ring"),
            (4096, "recursive_doubling"),
            (ANY_SIZE, "rabenseifner"),
        ],
    ),
    (64, &[(128, "segmented_ring"), (ANY_SIZE, "rabenseifner")]),
    (128, &[(1 << 18, "recursive_doubling"), (ANY_SIZE, "rabenseifner")]),
    (
        256,
        &[
            (1 << 17, "nonoverlapping"),
            (1 << 18, "recursive_doubling"),
            (ANY_SIZE, "rabenseifner"),
        ],
    ),
    (512, &[(4096, "nonoverlapping"), (ANY_SIZE, "rabenseifner")]),
    (
        2048,
        &[
            (2048, "nonoverlapping"),
            (1 << 14, "recursive_doubling"),
            (ANY_SIZE, "rabenseifner"),
        ],
    ),
    (
        4096,
        &[
            (2048, "nonoverlapping"),
            (4096, "segmented_ring"),
            (1 << 14, "recursive_doubling"),
            (ANY_SIZE, "rabenseifner"),
        ],
    ),
    (
        ANY_COUNT,
        &[
            (2048, "nonoverlapping"),
            (1 << 14, "segmented_ring"),
            (1 << 15, "recursive_doubling"),
            (ANY_SIZE, "rabenseifner"),
        ],
    ),
];

pub(super) const OPEN_MPI_ALLREDUCE_IN_ORDER: DecisionTable = &[
    (4, &[(1 << 17, "recursive_doubling"), (ANY_SIZE, "basic_linear")]),
    (8, &[(ANY_SIZE, "recursive_doubling")]),
    (16, &[(1 << 20, "recursive_doubling"), (ANY_SIZE, "nonoverlapping")]),
    (128, &[(ANY_SIZE, "recursive_doubling")]),
    (
        256,
        &[
            (1 << 17, "nonoverlapping"),
            (1 << 19, "recursive_doubling"),
            (ANY_SIZE, "nonoverlapping"),
        ],
    ),
    (
        512,
        &[
            (4096, "nonoverlapping"),
            (1 << 19, "recursive_doubling"),
            (ANY_SIZE, "nonoverlapping"),
        ],
    ),
    (ANY_COUNT, &[(2048, "nonoverlapping"), (ANY_SIZE, "recursive_doubling")]),
];

pub(super) const OPEN_MPI_REDUCE: DecisionTable = &[
    (
        4,
        &[
            (8, "rabenseifner"),
            (16, "binary"),
            (32, "pipeline"),
            (1 << 18, "linear"),
            (1 << 19, "pipeline"),
            (1 << 20, "chain"),
            (ANY_SIZE, "pipeline"),
        ],
    ),
    (
        8,
        &[
            (4096, "binary"),
            (1 << 16, "chain"),
            (1 << 18, "binomial"),
            (1 << 19, "linear"),
            (1 << 20, "binomial"),
            (ANY_SIZE, "linear"),
        ],
    ),
    (16, &[(8192, "binary"), (ANY_SIZE, "binomial")]),
    (32, &[(4096, "binary"), (ANY_SIZE, "binomial")]),
    (256, &[(ANY_SIZE, "binomial")]),
    (
        512,
        &[(8192, "binomial"), (1 << 14, "in-order_binary"), (ANY_SIZE, "binomial")],
    ),
    (2048, &[(ANY_SIZE, "binomial")]),
    (
        4096,
        &[
            (512, "binomial"),
            (1024, "in-order_binary"),
            (8192, "binomial"),
            (1 << 14, "in-order_binary"),
            (ANY_SIZE, "binomial"),
        ],
    ),
    (
        ANY_COUNT,
        &[
            (16, "binomial"),
            (32, "in-order_binary"),
            (1024, "binomial"),
            (2048, "in-order_binary"),
            (8192, "binomial"),
            (1 << 14, "in-order_binary"),
            (ANY_SIZE, "binomial"),
        ],
    ),
];

pub(super) const OPEN_MPI_REDUCE_IN_ORDER: DecisionTable = &[
    (4, &[(8, "in-order_binary"), (ANY_SIZE, "linear")]),
    (8, &[(ANY_SIZE, "linear")]),
    (
        16,
        &[
            (1024, "in-order_binary"),
            (8192, "linear"),
            (1 << 14, "in-order_binary"),
            (1 << 18, "linear"),
            (ANY_SIZE, "in-order_binary"),
        ],
    ),
    (128, &[(ANY_SIZE, "in-order_binary")]),
    (
        256,
        &[
            (512, "in-order_binary"),
            (1024, "linear"),
            (ANY_SIZE, "in-order_binary"),
        ],
    ),
    (ANY_COUNT, &[(ANY_SIZE, "in-order_binary")]),
];

pub(super) const OPEN_MPI_REDUCE_SCATTER: DecisionTable = &[
    (4, &[(1 << 16, "ring"), (1 << 17, "butterfly"), (ANY_SIZE, "ring")]),
    (
        8,
        &[
            (8, "non-overlapping"),
            (1 << 18, "recursive_halving"),
            (ANY_SIZE, "ring"),
        ],
    ),
    (32, &[(1 << 18, "recursive_halving"), (ANY_SIZE, "ring")]),
    (
        64,
        &[
            (64, "non-overlapping"),
            (2048, "recursive_halving"),
            (1 << 19, "butterfly"),
            (ANY_SIZE, "ring"),
        ],
    ),
    (
        128,
        &[
            (256, "non-overlapping"),
            (512, "recursive_halving"),
            (2048, "butterfly"),
            (4096, "recursive_halving"),
            (ANY_SIZE, "butterfly"),
        ],
    ),
    (
        256,
        &[
            (256, "non-overlapping"),
            (512, "recursive_halving"),
            (ANY_SIZE, "butterfly"),
        ],
    ),
    (
        512,
        &[
            (256, "non-overlapping"),
            (1024, "recursive_halving"),
            (ANY_SIZE, "butterfly"),
        ],
    ),
    (
        1024,
        &[
            (512, "non-overlapping"),
            (2048, "recursive_halving"),
            (8192, "butterfly"),
            (1 << 14, "recursive_halving"),
            (ANY_SIZE, "butterfly"),
        ],
    ),
    (
        2048,
        &[
            (512, "non-overlapping"),
            (4096, "recursive_halving"),
            (1 << 14, "butterfly"),
            (1 << 15, "recursive_halving"),
            (ANY_SIZE, "butterfly"),
        ],
    ),
    (
        4096,
        &[
            (512, "non-overlapping"),
            (4096, "recursive_halving"),
            (ANY_SIZE, "butterfly"),
        ],
    ),
    (
        ANY_COUNT,
        &[
            (1024, "non-overlapping"),
            (8192, "recursive_halving"),
            (ANY_SIZE, "butterfly"),
        ],
    ),
];

pub(super) const OPEN_MPI_REDUCE_SCATTER_IN_ORDER: DecisionTable = &[(ANY_COUNT, &[(ANY_SIZE, "non-overlapping")])];

pub(super) const OPEN_MPI_REDUCE_SCATTER_BLOCK: DecisionTable = &[
    (
        4,
        &[
            (4, "recursive_doubling"),
            (8, "butterfly"),
            (16, "recursive_halving"),
            (128, "butterfly"),
            (256, "recursive_halving"),
            (4096, "butterfly"),
            (8192, "recursive_halving"),
            (1 << 17, "butterfly"),
            (ANY_SIZE, "basic_linear"),
        ],
    ),
    (
        8,
        &[
            (8, "recursive_halving"),
            (32, "recursive_doubling"),
            (256, "butterfly"),
            (8192, "recursive_halving"),
            (1 << 14, "butterfly"),
            (1 << 20, "recursive_halving"),
            (ANY_SIZE, "basic_linear"),
        ],
    ),
    (
        16,
        &[
            (4, "basic_linear"),
            (32, "recursive_halving"),
            (128, "butterfly"),
            (1 << 19, "recursive_halving"),
            (1 << 22, "basic_linear"),
            (ANY_SIZE, "butterfly"),
        ],
    ),
    (
        32,
        &[
            (32, "basic_linear"),
            (1 << 19, "recursive_halving"),
            (1 << 21, "basic_linear"),
            (1 << 22, "recursive_halving"),
            (ANY_SIZE, "butterfly"),
        ],
    ),
    (
        ANY_COUNT,
        &[
            (4, "recursive_halving"),
            (16, "basic_linear"),
            (1 << 16, "butterfly"),
            (1 << 18, "basic_linear"),
            (ANY_SIZE, "butterfly"),
        ],
    ),
];

pub(super) const OPEN_MPI_REDUCE_SCATTER_BLOCK_IN_ORDER: DecisionTable = &[(ANY_COUNT, &[(ANY_SIZE, "basic_linear")])];

pub(super) const OPEN_MPI_BARRIER: DecisionTable = &[
    (4, &[(ANY_SIZE, "recursive_doubling")]),
    (8, &[(ANY_SIZE, "linear")]),
    (64, &[(ANY_SIZE, "recursive_doubling")]),
    (256, &[(ANY_SIZE, "bruck")]),
    (512, &[(ANY_SIZE, "tree")]),
    (1024, &[(ANY_SIZE, "bruck")]),
    (4096, &[(ANY_SIZE, "tree")]),
    (ANY_COUNT, &[(ANY_SIZE, "bruck")]),
];
