/* Measures the cost of an intercepted call, and the growth of memory.
 *   passes N [pass]    nanoseconds of MPI_Bcast and PMPI_Bcast, N calls of each, in alternating
 *                      batches: of 0 bytes on MPI_COMM_SELF and on MPI_COMM_WORLD, and of 8 bytes,
 *                      for which a decision is looked up
 *   passes N memory    N collectives of varied small sizes and roots: VmRSS on the way
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

static double batch(MPI_Comm comm, int bytes, int native)
{
    char x[8] = {0};

    PMPI_Barrier(comm);
    double start = now();

    if (native)
        for (int i = 0; i < BATCH; i++)
            PMPI_Bcast(x, bytes, MPI_BYTE, 0, comm);
    else
        for (int i = 0; i < BATCH; i++)
            MPI_Bcast(x, bytes, MPI_BYTE, 0, comm);
    return (now() - start) / BATCH;
}

static void cost(const char *name, MPI_Comm comm, int bytes, long n)
{
    long batches = (n + BATCH - 1) / BATCH;
    double *t[2], mean[2] = {0, 0}, median[2];

    for (int k = 0; k < 2; k++)
        t[k] = malloc((size_t)batches * sizeof(double));
    batch(comm, bytes, 0);
    batch(comm, bytes, 1);
    for (long b = 0; b < batches; b++)
        for (int k = 0; k < 2; k++) {
            int native = (b + k) % 2; /* who goes first alternates too */
            t[native][b] = batch(comm, bytes, native);
        }
    for (int k = 0; k < 2; k++) {
        for (long b = 0; b < batches; b++)
            mean[k] += t[k][b] / (double)batches;
        qsort(t[k], (size_t)batches, sizeof(double), ascending);
        median[k] = t[k][batches / 2];
        free(t[k]);
    }
    if (rank == 0)
        printf("pass %s: MPI_Bcast median %.1f mean %.1f ns, PMPI_Bcast median %.1f mean %.1f ns, "
               "difference of medians %.1f ns\n",
               name, median[0], mean[0], median[1], mean[1], median[0] - median[1]);
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

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 10000;
    const char *mode = argc > 2 ? argv[2] : "pass";

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char *s = calloc((size_t)size, MOST), *r = calloc((size_t)size, MOST);
    int *counts = calloc((size_t)size, sizeof *counts), *at = calloc((size_t)size, sizeof *at);

    if (strcmp(mode, "pass") == 0) {
        cost("self", MPI_COMM_SELF, 0, n);
        cost("world", MPI_COMM_WORLD, 0, n);
        cost("world, 8 bytes", MPI_COMM_WORLD, 8, n);
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
            fprintf(stderr, "usage: passes N pass|memory|comms\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    free(s);
    free(r);
    free(counts);
    free(at);
    MPI_Finalize();
    return 0;
}
