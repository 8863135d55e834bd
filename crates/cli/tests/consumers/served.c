/* Preloaded by tests of `netsig tune`: notes which function of Open MPI serves a collective first, with
   its segment size or its bound of requests, notes the functions in the order of their calls, and counts
   the messages that MPICH hands to UCX. A function of the component `han` calls further ones for its parts.
   Every function takes at most twelve words, which are passed on as they are. With NETSIG_FIRST_ONLY, the
   linear reduce-scatter does nothing if another function calls it: so its vector needs no memory. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *netsig_function = "none";
int netsig_setting = 0;
long netsig_sent = 0;
char netsig_path[1024] = "";

static void note(const char *function, int setting) {
    size_t length = strlen(netsig_path);
    const char *before = length ? ">" : "";
    snprintf(netsig_path + length, sizeof netsig_path - length, "%s%s", before, function);
    if (strcmp(netsig_function, "none")) return;
    netsig_function = function;
    netsig_setting = setting;
}

/* Notes a function; true if another one called it and it is to do nothing. */
static int is_called(const char *function) {
    int is_first = !strcmp(netsig_function, "none");
    note(function, 0);
    return !is_first && getenv("NETSIG_FIRST_ONLY");
}

typedef long (*words)(long, long, long, long, long, long, long, long, long, long, long, long);

#define PASS(name, noted)                                                                         \
    long name(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j,     \
              long k, long l) {                                                                   \
        static words next;                                                                        \
        if (!next) next = (words)dlsym(RTLD_NEXT, #name);                                         \
        noted;                                                                                    \
        return next(a, b, c, d, e, f, g, h, i, j, k, l);                                          \
    }
#define SET(name, word) PASS(ompi_coll_base_##name, note(#name, (int)(word)))
#define NOTED(name) SET(name, 0)
#define FIRST(name) PASS(ompi_coll_base_##name, if (is_called(#name)) return 0)
#define HAN(name) PASS(mca_coll_han_##name, note("han_" #name, 0))

NOTED(alltoall_intra_basic_linear)
NOTED(alltoall_intra_pairwise)
NOTED(alltoall_intra_bruck)
SET(alltoall_intra_linear_sync, i)
NOTED(bcast_intra_basic_linear)
NOTED(bcast_intra_chain)
SET(bcast_intra_pipeline, g)
SET(bcast_intra_split_bintree, g)
SET(bcast_intra_bintree, g)
SET(bcast_intra_binomial, g)
SET(bcast_intra_knomial, g)
NOTED(bcast_intra_scatter_allgather)
NOTED(bcast_intra_scatter_allgather_ring)
NOTED(scatter_intra_basic_linear)
NOTED(scatter_intra_linear_nb)
NOTED(scatter_intra_binomial)
NOTED(gather_intra_basic_linear)
NOTED(gather_intra_binomial)
NOTED(gather_intra_linear_sync)
NOTED(allgather_intra_basic_linear)
NOTED(allgather_intra_bruck)
NOTED(allgather_intra_recursivedoubling)
NOTED(allgather_intra_ring)
NOTED(allgather_intra_neighborexchange)
NOTED(allreduce_intra_basic_linear)
NOTED(allreduce_intra_nonoverlapping)
NOTED(allreduce_intra_recursivedoubling)
NOTED(allreduce_intra_ring)
SET(allreduce_intra_ring_segmented, h)
NOTED(allreduce_intra_redscat_allgather)
NOTED(reduce_intra_basic_linear)
SET(reduce_intra_chain, i)
SET(reduce_intra_pipeline, i)
SET(reduce_intra_binary, i)
SET(reduce_intra_binomial, i)
SET(reduce_intra_in_order_binary, i)
NOTED(reduce_intra_redscat_gather)
NOTED(reduce_scatter_intra_nonoverlapping)
NOTED(reduce_scatter_intra_basic_recursivehalving)
NOTED(reduce_scatter_intra_ring)
NOTED(reduce_scatter_intra_butterfly)
FIRST(reduce_scatter_block_basic_linear)
NOTED(reduce_scatter_block_intra_recursivedoubling)
NOTED(reduce_scatter_block_intra_recursivehalving)
NOTED(reduce_scatter_block_intra_butterfly)
NOTED(barrier_intra_basic_linear)
NOTED(barrier_intra_doublering)
NOTED(barrier_intra_recursivedoubling)
NOTED(barrier_intra_bruck)
NOTED(barrier_intra_two_procs)
NOTED(barrier_intra_tree)
PASS(ompi_coll_base_reduce_generic, note((int)c == (int)j ? "whole" : "segments", 0))
HAN(bcast_intra)
HAN(bcast_intra_simple)
HAN(scatter_intra)
HAN(scatter_intra_simple)
HAN(gather_intra)
HAN(gather_intra_simple)
HAN(allgather_intra)
HAN(allgather_intra_simple)
PASS(ucp_tag_send_nbx, netsig_sent++)
