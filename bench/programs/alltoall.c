/* Times all-to-alls of given sizes.
 *
 *   mpirun -np 8 ./alltoall REPETITIONS SIZE...
 *
 * SIZE is the bytes of a piece. Every call sends other data, the same in every run. Prints for each size the
 * seconds inside its calls, the sum of the slowest rank, and a checksum of all received data. Only the calls
 * synchronise the ranks, so that the sums of all ranks are about the same. */

#include <inttypes.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;

/* Depends on every bit and on the order. */
static uint64_t hashed(uint64_t hash, const unsigned char *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        size_t left = bytes - i;
        memcpy(&word, data + i, left < sizeof word ? left : sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

/* The pieces of a call; only the first byte of each piece differs between calls. */
static void fill(unsigned char *send, size_t size, long call)
{
    for (int to = 0; to < ranks; to++) {
        unsigned char *piece = send + to * size;
        if (call == 0)
            for (size_t i = 0; i < size; i++)
                piece[i] = (unsigned char)(i * 31 + i / 256 + 7 * (size_t)rank + 13 * (size_t)to);
        if (size > 0)
            piece[0] = (unsigned char)(call + rank + 3 * to);
    }
}

static void *allocated(size_t bytes)
{
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (memory == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return memory;
}

static void exchange(size_t size, long repetitions)
{
    unsigned char *send = allocated(size * ranks), *receive = allocated(size * ranks);
    uint64_t hash = (uint64_t)rank + 1, all;
    double seconds = 0, slowest;

    MPI_Barrier(MPI_COMM_WORLD);
    for (long call = 0; call < repetitions; call++) {
        fill(send, size, call);
        double start = MPI_Wtime();
        MPI_Alltoall(send, (int)size, MPI_BYTE, receive, (int)size, MPI_BYTE, MPI_COMM_WORLD);
        seconds += MPI_Wtime() - start;
        hash = hashed(hash, receive, size * ranks);
    }
    MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&hash, &all, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%8zu B  %ld calls  %10.6f s  checksum %016" PRIx64 "\n", size, repetitions, slowest, all);
    free(send);
    free(receive);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    long repetitions = argc > 2 ? atol(argv[1]) : 0;
    if (repetitions < 1) {
        if (rank == 0)
            fprintf(stderr, "usage: alltoall REPETITIONS SIZE...\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    /* Connects all ranks, by a name that a preloaded library does not see. */
    unsigned char *bytes = allocated(2 * (size_t)ranks);
    memset(bytes, 0, ranks);
    PMPI_Alltoall(bytes, 1, MPI_BYTE, bytes + ranks, 1, MPI_BYTE, MPI_COMM_WORLD);
    free(bytes);
    for (int i = 2; i < argc; i++)
        exchange(strtoull(argv[i], NULL, 10), repetitions);
    MPI_Finalize();
}
