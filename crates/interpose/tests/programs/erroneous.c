/* One erroneous call, as the argument names it; every rank prints the class of its error. With a second argument
   "own" the call is on a communicator that returns errors, while MPI_COMM_WORLD keeps the handler that ends the job;
   with "return" MPI_COMM_WORLD returns errors, too. With EXCHANGE_BEFORE the ranks exchange messages first, as many as
   the library under test does, after which Open MPI 5 may miss the error of a call. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1000, PIECE = 20000, RANKS = 8 };

static int rank, procs;
static int a[MOST], b[MOST];
static char sent[RANKS * PIECE], received[RANKS * PIECE];

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

/* Receivers allow for `room` bytes of each piece, of which half of PIECE is sent. */
static int exchange(MPI_Comm comm, int room)
{
    int m[RANKS], n[RANKS], at[RANKS];

    for (int j = 0; j < procs; j++) {
        m[j] = PIECE / 2;
        n[j] = j == rank ? m[j] : room;
        at[j] = j * PIECE;
    }
    return MPI_Alltoallv(sent, m, at, MPI_BYTE, received, n, at, MPI_BYTE, comm);
}

static int call(const char *what, MPI_Comm comm)
{
    int r = rank;

    if (strcmp(what, "bcast-long") == 0) /* receivers expect more than is sent */
        return MPI_Bcast(a, r ? 10 : 1, MPI_INT, 0, comm);
    if (strcmp(what, "bcast-short") == 0) /* receivers have less room */
        return MPI_Bcast(a, r ? 1 : 10, MPI_INT, 0, comm);
    if (strcmp(what, "later") == 0) { /* the second call, of the same class of sizes */
        int code = MPI_Bcast(a, 11, MPI_INT, 0, comm);
        return code ? code : MPI_Bcast(a, r ? 10 : 11, MPI_INT, 0, comm);
    }
    if (strcmp(what, "gather") == 0)
        return MPI_Gather(a, 10, MPI_INT, b, r ? 10 : 1, MPI_INT, 0, comm);
    if (strcmp(what, "gather-others") == 0)
        return MPI_Gather(a, r ? 10 : 1, MPI_INT, b, 1, MPI_INT, 0, comm);
    if (strcmp(what, "scatter") == 0)
        return MPI_Scatter(b, 10, MPI_INT, a, r ? 1 : 10, MPI_INT, 0, comm);
    if (strcmp(what, "allgather") == 0)
        return MPI_Allgather(a, r ? 10 : 1, MPI_INT, b, r ? 10 : 1, MPI_INT, comm);
    if (strcmp(what, "alltoall") == 0)
        return MPI_Alltoall(a, r ? 10 : 1, MPI_INT, b, r ? 10 : 1, MPI_INT, comm);
    if (strcmp(what, "count-root") == 0) /* one rank's argument is refused */
        return MPI_Bcast(a, r ? 1 : -1, MPI_INT, 0, comm);
    if (strcmp(what, "count-other") == 0)
        return MPI_Bcast(a, r == 1 ? -1 : 1, MPI_INT, 0, comm);
    if (strcmp(what, "alias") == 0)
        return MPI_Gather(a, 1, MPI_INT, r ? NULL : a, 1, MPI_INT, 0, comm);
    if (strcmp(what, "allreduce-long") == 0) /* one rank has more elements */
        return MPI_Allreduce(a, b, r == 1 ? 900 : 10, MPI_INT, MPI_SUM, comm);
    if (strcmp(what, "allreduce-types") == 0)
        return MPI_Allreduce(a, b, 10, r ? MPI_INT : MPI_LONG, MPI_SUM, comm);
    if (strcmp(what, "allreduce-later") == 0) { /* the second call, of the same class of sizes */
        int code = MPI_Allreduce(a, b, 11, MPI_INT, MPI_SUM, comm);
        return code ? code : MPI_Allreduce(a, b, r ? 11 : 10, MPI_INT, MPI_SUM, comm);
    }
    if (strcmp(what, "allreduce-operation") == 0) /* not defined for the type */
        return MPI_Allreduce(a, b, 10, MPI_DOUBLE, MPI_BAND, comm);
    if (strcmp(what, "allreduce-null") == 0)
        return MPI_Allreduce(a, b, 10, MPI_INT, MPI_OP_NULL, comm);
    if (strcmp(what, "allreduce-alias") == 0)
        return MPI_Allreduce(a, a, 10, MPI_INT, MPI_SUM, comm);
    if (strcmp(what, "reduce-root") == 0)
        return MPI_Reduce(a, b, 10, MPI_INT, MPI_SUM, procs, comm);
    if (strcmp(what, "reduce-count") == 0)
        return MPI_Reduce(a, b, r == 1 ? -1 : 10, MPI_INT, MPI_SUM, 0, comm);
    if (strcmp(what, "reduce-scatter-count") == 0) {
        int counts[RANKS] = {10, -5, 10};
        return MPI_Reduce_scatter(a, b, counts, MPI_INT, MPI_SUM, comm);
    }
    if (strcmp(what, "allreduce-freed") == 0) {
        MPI_Op op, freed;
        MPI_Op_create(add, 1, &op);
        freed = op;
        MPI_Op_free(&op);
        return MPI_Allreduce(a, b, 10, MPI_INT, freed, comm);
    }
    if (strcmp(what, "exchange") == 0)
        return exchange(comm, PIECE);
    if (strcmp(what, "exchange-later") == 0) {
        for (int i = 0; i < 3; i++)
            exchange(comm, PIECE / 2);
        return exchange(comm, PIECE);
    }
    return MPI_ERR_OTHER;
}

static void exchange_before(void)
{
    long mine = rank, most;

    MPI_Bcast(a, 80, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &most, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length, class = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &procs);
    if (argc > 2) {
        if (strcmp(argv[2], "own") == 0)
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    }
    if (getenv("EXCHANGE_BEFORE"))
        exchange_before();
    int code = call(argv[1], comm);
    if (code) {
        MPI_Error_class(code, &class);
        MPI_Error_string(code, text, &length);
        fprintf(stderr, "rank %d: %s\n", rank, text);
    }
    printf("rank %d: %s\n", rank, class == MPI_ERR_TRUNCATE ? "truncated" : code ? "another error" : "done");
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
