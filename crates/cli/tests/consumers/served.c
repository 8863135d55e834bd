/* Preloaded by tests of `netsig tune`: notes which function of Open MPI serves a collective first, with
   its segment size or its bound of requests, and counts the messages that MPICH hands to UCX. A function
   of the component `han` calls further ones for its parts. Every function takes at most twelve words,
   which are passed on as they are. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

const char *netsig_function = "none";
int netsig_setting = 0;
long netsig_sent = 0;

static void note(const char *function, int setting) {
    if (strcmp(netsig_function, "none")) return;
    netsig_function = function;
    netsig_setting = setting;
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
HAN(bcast_intra)
HAN(bcast_intra_simple)
HAN(scatter_intra)
HAN(scatter_intra_simple)
HAN(gather_intra)
HAN(gather_intra_simple)
HAN(allgather_intra)
HAN(allgather_intra_simple)
PASS(ucp_tag_send_nbx, netsig_sent++)
