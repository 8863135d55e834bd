/* The exchange of an integer sort on any number of ranks, as large as class W of NPB's IS.
 *
 *   mpirun -np 12 ./integer_sort
 *
 * 2^20 keys below 2^16, each a sum of four uniform numbers, lie on the ranks in equal parts. One iteration without
 * timing and ten with it follow. In each, every rank sorts its keys into 2^10 buckets, and MPI_Allreduce adds the
 * sizes of the buckets. Each rank gets adjacent buckets, so that all ranks have about as many keys. MPI_Alltoall sends
 * the numbers of keys, and MPI_Alltoallv the keys, in pieces of slightly different sizes.
 *
 * Prints the seconds inside MPI_Alltoallv, the sum of the slowest rank, and a checksum of all received data. */

#include <inttypes.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEYS = 1 << 20,
    MOST = 1 << 16,
    BUCKETS = 1 << 10,
    BUCKET_KEYS = MOST / BUCKETS,
    ITERATIONS = 10
};

static int rank, ranks;

/* Uniform in [0, MOST / 4): the high bits of a linear congruential generator (Knuth's MMIX). */
static int uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (int)(*state >> 50);
}

static void *allocated(size_t bytes)
{
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (memory == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return memory;
}

/* The first key of a rank. */
static int first(int of)
{
    return (int)((int64_t)KEYS * of / ranks);
}

/* The keys of this rank; all keys are the same on any number of ranks. */
static int *generated(void)
{
    int *keys = allocated((size_t)(first(rank + 1) - first(rank)) * sizeof(int));
    uint64_t state = 314159265;
    for (int i = 0; i < first(rank + 1); i++) {
        int key = 0;
        for (int term = 0; term < 4; term++)
            key += uniform(&state);
        if (i >= first(rank))
            keys[i - first(rank)] = key;
    }
    return keys;
}

/* Sorts keys by bucket and counts them. */
static void sort(const int *keys, int count, int *sorted, int sizes[BUCKETS])
{
    int place[BUCKETS], before = 0;
    memset(sizes, 0, BUCKETS * sizeof(int));
    for (int i = 0; i < count; i++)
        sizes[keys[i] / BUCKET_KEYS]++;
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
        place[bucket] = before;
        before += sizes[bucket];
    }
    for (int i = 0; i < count; i++)
        sorted[place[keys[i] / BUCKET_KEYS]++] = keys[i];
}

/* Gives buckets to the ranks: each rank begins at the end of the previous rank. */
static void share(const int totals[BUCKETS], int *ends)
{
    int owner = 0, sum = 0;
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
        sum += totals[bucket];
        while (owner < ranks && sum >= first(owner + 1))
            ends[owner++] = bucket + 1;
    }
}

/* Places of pieces that lie one after the other; returns their sum. */
static int placed(const int *counts, int *places)
{
    int sum = 0;
    for (int other = 0; other < ranks; other++) {
        places[other] = sum;
        sum += counts[other];
    }
    return sum;
}

/* Depends on every bit and on the order; aborts on a key of another rank's buckets. */
static uint64_t hashed(uint64_t hash, const int *keys, int count, const int *ends)
{
    int least = rank > 0 ? ends[rank - 1] : 0;
    for (int i = 0; i < count; i++) {
        int bucket = keys[i] / BUCKET_KEYS;
        if (bucket < least || bucket >= ends[rank]) {
            fprintf(stderr, "rank %d has the key %d of another\n", rank, keys[i]);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        hash = (hash ^ (uint64_t)keys[i]) * 0x100000001b3u;
    }
    return hash;
}

/* One exchange of all keys; returns the seconds inside MPI_Alltoallv. */
static double exchange(const int *keys, uint64_t *hash)
{
    static int sizes[BUCKETS], totals[BUCKETS];
    int count = first(rank + 1) - first(rank);
    int *sorted = allocated((size_t)count * sizeof(int));
    int *lists = calloc(5 * (size_t)ranks, sizeof(int));
    if (lists == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    int *ends = lists, *sent = lists + ranks, *from = lists + 2 * ranks;
    int *received = lists + 3 * ranks, *to = lists + 4 * ranks;

    sort(keys, count, sorted, sizes);
    MPI_Allreduce(sizes, totals, BUCKETS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    share(totals, ends);
    for (int owner = 0, bucket = 0; owner < ranks; owner++)
        for (; bucket < ends[owner]; bucket++)
            sent[owner] += sizes[bucket];
    MPI_Alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, MPI_COMM_WORLD);
    placed(sent, from);
    int all = placed(received, to);
    int *mine = allocated((size_t)all * sizeof(int));

    double start = MPI_Wtime();
    MPI_Alltoallv(sorted, sent, from, MPI_INT, mine, received, to, MPI_INT, MPI_COMM_WORLD);
    double seconds = MPI_Wtime() - start;

    *hash = hashed(*hash, mine, all, ends);
    free(mine);
    free(lists);
    free(sorted);
    return seconds;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > BUCKETS) {
        fprintf(stderr, "there are more ranks than buckets\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }

    int *keys = generated();
    uint64_t hash = (uint64_t)rank + 1, all;
    double seconds = 0, slowest;
    for (int iteration = 0; iteration <= ITERATIONS; iteration++) {
        /* Other keys in every iteration. */
        if (rank == 0) {
            keys[iteration] = iteration;
            keys[iteration + ITERATIONS + 1] = MOST - 1 - iteration;
        }
        double inside = exchange(keys, &hash);
        if (iteration > 0)
            seconds += inside;
    }
    MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&hash, &all, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("integer sort: %d ranks, %d keys, %d iterations: MPI_Alltoallv %.6f s  checksum %016" PRIx64 "\n",
               ranks, KEYS, ITERATIONS, slowest, all);
    free(keys);
    MPI_Finalize();
}
