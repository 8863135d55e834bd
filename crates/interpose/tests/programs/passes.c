/* Measures the cost of an intercepted call, and the growth of memory.
 *   passes N [pass]    nanoseconds of MPI_X and PMPI_X, N calls of each, in alternating batches: MPI_Bcast
 *                      of 0 bytes on MPI_COMM_SELF and on MPI_COMM_WORLD, and of 8 bytes, for which a
 *                      decision is looked up; MPI_Allreduce of a double on MPI_COMM_SELF, and by an
 *                      operation that does not commute on MPI_COMM_WORLD
 *   passes N memory    N collectives of varied small sizes and roots: VmRSS on the way
 *   passes N reductions   N reductions and barriers of varied lengths, types and operations: the same
 *   passes N comms     N times: duplicate, call, free (a leak of communicators ends this) */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCH = 100 };

static int rank, size;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A call that is timed, by its MPI_ and its PMPI_ function. */
struct timed {
    const char *name, *function;
    MPI_Comm comm;
    int count;
    MPI_Op operation; /* of a reduction, else MPI_OP_NULL */
};

static void left(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type; /* always MPI_DOUBLE or MPI_INT, as below */
    memcpy(inout, in, (size_t)*count * sizeof(int));
}

static double batch(const struct timed *call, int native)
{
    double x[2] = {0, 0};
    int n = call->count;
    MPI_Comm comm = call->comm;
    MPI_Op op = call->operation;

    PMPI_Barrier(comm);
    double start = now();

    if (op != MPI_OP_NULL && native)
        for (int i = 0; i < BATCH; i++)
            PMPI_Allreduce(&x[0], &x[1], n, MPI_DOUBLE, op, comm);
    else if (op != MPI_OP_NULL)
        for (int i = 0; i < BATCH; i++)
            MPI_Allreduce(&x[0], &x[1], n, MPI_DOUBLE, op, comm);
    else if (native)
        for (int i = 0; i < BATCH; i++)
            PMPI_Bcast(x, n, MPI_BYTE, 0, comm);
    else
        for (int i = 0; i < BATCH; i++)
            MPI_Bcast(x, n, MPI_BYTE, 0, comm);
    return (now() - start) / BATCH;
}

static void cost(const struct timed *call, long n)
{
    long batches = (n + BATCH - 1) / BATCH;
    double *t[2], mean[2] = {0, 0}, median[2];

    for (int k = 0; k < 2; k++)
        t[k] = malloc((size_t)batches * sizeof(double));
    batch(call, 0);
    batch(call, 1);
    for (long b = 0; b < batches; b++)
        for (int k = 0; k < 2; k++) {
            int native = (b + k) % 2; /* who goes first alternates too */
            t[native][b] = batch(call, native);
        }
    for (int k = 0; k < 2; k++) {
        for (long b = 0; b < batches; b++)
            mean[k] += t[k][b] / (double)batches;
        qsort(t[k], (size_t)batches, sizeof(double), ascending);
        median[k] = t[k][batches / 2];
        free(t[k]);
    }
    if (rank == 0)
        printf("pass %s: MPI_%s median %.1f mean %.1f ns, PMPI_%s median %.1f mean %.1f ns, "
               "difference of medians %.1f ns\n",
               call->name, call->function, median[0], mean[0], call->function, median[1], mean[1],
               median[0] - median[1]);
}

static void costs(MPI_Op ordered, long n)
{
    const struct timed calls[] = {
        {"self", "Bcast", MPI_COMM_SELF, 0, MPI_OP_NULL},
        {"world", "Bcast", MPI_COMM_WORLD, 0, MPI_OP_NULL},
        {"world, 8 bytes", "Bcast", MPI_COMM_WORLD, 8, MPI_OP_NULL},
        {"sum of a double, self", "Allreduce", MPI_COMM_SELF, 1, MPI_SUM},
        {"operation that does not commute, world", "Allreduce", MPI_COMM_WORLD, 1, ordered},
    };

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        cost(&calls[i], n);
}

static long resident(void)
{
    char line[256];
    long kb = -1;
    FILE *f = fopen("/proc/self/status", "r");

    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmRSS: %ld kB", &kb) == 1)
            break;
    if (f)
        fclose(f);
    return kb;
}

static void report(long calls)
{
    long kb = resident(), most;

    PMPI_Reduce(&kb, &most, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("memory after %ld calls: VmRSS %ld kB on rank 0, at most %ld kB\n", calls, kb, most);
        fflush(stdout);
    }
}

enum { MOST = 500 };

/* The i-th call of a fixed sequence, on any communicator of all ranks. */
static void small_call(MPI_Comm comm, long i, char *s, char *r, int *counts, int *at)
{
    int n = (int)(i * 37 % MOST), root = (int)(i / 7 % size);

    switch (i % 6) {
    case 0:
    case 1:
        MPI_Alltoall(s, n, MPI_BYTE, r, n, MPI_BYTE, comm);
        break;
    case 2:
        MPI_Bcast(s, n, MPI_BYTE, root, comm);
        break;
    case 3:
        for (int p = 0; p < size; p++) { /* symmetric, so that both sides agree */
            counts[p] = (int)((i + (long)(p + 1) * (rank + 1) * 13) % MOST);
            at[p] = p * MOST;
        }
        MPI_Alltoallv(s, counts, at, MPI_BYTE, r, counts, at, MPI_BYTE, comm);
        break;
    case 4:
        if (i / 6 % 2)
            MPI_Gather(s, n, MPI_BYTE, r, n, MPI_BYTE, root, comm);
        else
            MPI_Scatter(s, n, MPI_BYTE, r, n, MPI_BYTE, root, comm);
        break;
    default:
        MPI_Allgather(s, n, MPI_BYTE, r, n, MPI_BYTE, comm);
    }
}

/* The memory of MPICH 4.0.2 itself grows with operations that do not commute, by up to 2 MB in 10^6 reductions. */
#ifdef MPICH_VERSION
enum { OPERATIONS = 5 };
#else
enum { OPERATIONS = 6 };
#endif

/* The operations of the program: a sum, and one that does not commute. */
struct operations {
    MPI_Op sum, ordered;
};

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int k = 0; k < *count; k++)
        ((int *)inout)[k] += ((int *)in)[k];
}

/* The i-th reduction of a fixed sequence; `s` and `r` have room for MOST elements of 8 bytes of each rank. */
static void small_reduction(long i, char *s, char *r, int *counts, struct operations of_program)
{
    const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_FLOAT, MPI_LONG};
    const MPI_Op predefined[] = {MPI_SUM, MPI_MAX, MPI_MIN, MPI_PROD};
    int n = (int)(i * 37 % MOST), root = (int)(i / 7 % size), choice = (int)(i / 5 % OPERATIONS);
    MPI_Datatype type = choice < 4 ? types[i / 30 % 4] : MPI_INT;
    MPI_Op op = choice < 4 ? predefined[choice] : choice == 4 ? of_program.sum : of_program.ordered;
    const void *from = i / 3 % 2 ? MPI_IN_PLACE : s;

    switch (i % 5) {
    case 0:
        MPI_Allreduce(from, r, n, type, op, MPI_COMM_WORLD);
        break;
    case 1:
        /* MPICH 4.0.2 crashes in place on roots other than 0 */
        MPI_Reduce(rank == 0 && root == 0 ? from : s, rank == root ? r : NULL, n, type, op, root, MPI_COMM_WORLD);
        break;
    case 2:
        for (int p = 0; p < size; p++)
            counts[p] = (int)((i + 13 * p) % MOST);
        MPI_Reduce_scatter(from, r, counts, type, op, MPI_COMM_WORLD);
        break;
    case 3:
        MPI_Reduce_scatter_block(from, r, n, type, op, MPI_COMM_WORLD);
        break;
    default:
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void reductions(long n, struct operations of_program)
{
    enum { LONGEST_ELEMENT = 8 };
    size_t bytes = (size_t)size * MOST * LONGEST_ELEMENT;
    char *s = malloc(bytes), *r = malloc(bytes);
    int *counts = malloc((size_t)size * sizeof *counts);

    for (long i = 1; i <= n; i++) {
        memset(s, 0, bytes); /* products and sums of results would overflow */
        memset(r, 0, bytes);
        small_reduction(i, s, r, counts, of_program);
        if (i == 1000 || i == 10000 || i == 100000 || i == n)
            report(i);
    }
    free(s);
    free(r);
    free(counts);
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 10000;
    const char *mode = argc > 2 ? argv[2] : "pass";

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char *s = calloc((size_t)size, MOST), *r = calloc((size_t)size, MOST);
    int *counts = calloc((size_t)size, sizeof *counts), *at = calloc((size_t)size, sizeof *at);
    struct operations of_program;

    MPI_Op_create(add, 1, &of_program.sum);
    MPI_Op_create(left, 0, &of_program.ordered);

    if (strcmp(mode, "pass") == 0) {
        costs(of_program.ordered, n);
    } else if (strcmp(mode, "reductions") == 0) {
        reductions(n, of_program);
    } else if (strcmp(mode, "memory") == 0) {
        for (long i = 1; i <= n; i++) {
            small_call(MPI_COMM_WORLD, i, s, r, counts, at);
            if (i % 1000 == 0) /* roots run ahead of slow ranks: no queue of theirs may count */
                PMPI_Barrier(MPI_COMM_WORLD);
            if (i == 1000 || i == 10000 || i == 100000 || i == n)
                report(i);
        }
    } else if (strcmp(mode, "comms") == 0) {
        for (long i = 1; i <= n; i++) {
            MPI_Comm c;
            MPI_Comm_dup(MPI_COMM_WORLD, &c);
            for (int k = 0; k < 6; k++)
                small_call(c, i + k, s, r, counts, at);
            MPI_Comm_free(&c);
            if (i == 1000 || i == 10000 || i == n)
                report(i * 6);
        }
    } else {
        if (rank == 0)
            fprintf(stderr, "usage: passes N pass|memory|reductions|comms\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Op_free(&of_program.sum);
    MPI_Op_free(&of_program.ordered);
    free(s);
    free(r);
    free(counts);
    free(at);
    MPI_Finalize();
    return 0;
}
