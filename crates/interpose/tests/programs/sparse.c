/* Moves MIBS MiB in one call between two ranks: elements of 1 MiB in memory that is zero on most pages.
 * Bytes at the ends, in the middle and around 2 GiB are known.
 *   sparse MIBS COLLECTIVE...     bcast, alltoall, allgather, alltoallv; MIBS is even
 * Prints "ok COLLECTIVE" on rank 0 for each; exit 9, through MPI_Abort, at wrong bytes; killed by SIGALRM if a call
 * hangs. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MIB = 1 << 20, HANG_SECONDS = 240 };

static int rank, whole, half;

static unsigned char *room(void)
{
    void *p = mmap(NULL, (size_t)whole * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        MPI_Abort(MPI_COMM_WORLD, 9);
    return p;
}

/* Known places of a piece, of which the last two lie about 2 GiB. */
static int places(int mibs, size_t at[6])
{
    size_t bytes = (size_t)mibs * MIB;
    at[0] = 0;
    at[1] = 4095;
    at[2] = bytes / 2;
    at[3] = bytes - 1;
    at[4] = 0x7fffffff;
    at[5] = 0x80000000;
    return bytes > at[5] ? 6 : 4;
}

static void mark(unsigned char *piece, int mibs, int key)
{
    size_t at[6];
    for (int i = places(mibs, at) - 1; i >= 0; i--)
        piece[at[i]] = (unsigned char)(key * 16 + i + 1);
}

static void check(const unsigned char *piece, int mibs, int key, const char *name)
{
    size_t at[6];
    for (int i = places(mibs, at) - 1; i >= 0; i--)
        if (piece[at[i]] != (unsigned char)(key * 16 + i + 1) || piece[at[i] ^ 0x10000] != 0) {
            fprintf(stderr, "sparse: %s: wrong bytes at %zu on rank %d\n", name, at[i], rank);
            MPI_Abort(MPI_COMM_WORLD, 9);
        }
}

/* Pieces are marked with a number of the sender and the receiver. */
static void call(const char *name, MPI_Datatype mib)
{
    int other = 1 - rank;
    unsigned char *send = room(), *receive = room();

    if (strcmp(name, "bcast") == 0) {
        unsigned char *all = rank == 0 ? send : receive;
        if (rank == 0)
            mark(all, whole, 1);
        MPI_Bcast(all, whole, mib, 0, MPI_COMM_WORLD);
        check(all, whole, 1, name);
    } else if (strcmp(name, "alltoall") == 0) {
        for (int to = 0; to < 2; to++)
            mark(send + (size_t)to * (size_t)half * MIB, half, 2 * rank + to);
        MPI_Alltoall(send, half, mib, receive, half, mib, MPI_COMM_WORLD);
        for (int from = 0; from < 2; from++)
            check(receive + (size_t)from * (size_t)half * MIB, half, 2 * from + rank, name);
    } else if (strcmp(name, "allgather") == 0) {
        mark(send, half, rank);
        MPI_Allgather(send, half, mib, receive, half, mib, MPI_COMM_WORLD);
        for (int from = 0; from < 2; from++)
            check(receive + (size_t)from * (size_t)half * MIB, half, from, name);
    } else if (strcmp(name, "alltoallv") == 0) {
        int to_other[2] = {0, 0}, to_me[2] = {0, 0}, at[2] = {0, 0};
        to_other[other] = rank == 0 ? whole : 1;
        to_me[other] = rank == 0 ? 1 : whole;
        mark(send, to_other[other], rank);
        MPI_Alltoallv(send, to_other, at, mib, receive, to_me, at, mib, MPI_COMM_WORLD);
        check(receive, to_me[other], other, name);
    } else {
        MPI_Abort(MPI_COMM_WORLD, 9);
    }
    munmap(send, (size_t)whole * MIB);
    munmap(receive, (size_t)whole * MIB);
}

int main(int argc, char **argv)
{
    MPI_Datatype mib;

    MPI_Init(&argc, &argv);
    alarm(HANG_SECONDS);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    whole = atoi(argv[1]);
    half = whole / 2;
    MPI_Type_contiguous(MIB, MPI_BYTE, &mib);
    MPI_Type_commit(&mib);
    for (int i = 2; i < argc; i++) {
        call(argv[i], mib);
        if (rank == 0)
            printf("ok %s\n", argv[i]);
        fflush(stdout);
    }
    MPI_Type_free(&mib);
    MPI_Finalize();
    return 0;
}
