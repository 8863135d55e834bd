/* Many threads in collectives at once, each on a communicator of its own or on a duplicate that comes and goes:
 * all six, of changing sizes and roots, whose bytes are known.
 *   threads THREADS ROUNDS
 * Prints "ok N calls" with the calls of one rank. Exit 77 where MPI serves no threads; 9, through MPI_Abort, at wrong
 * bytes; killed by SIGALRM if a call hangs. */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum kind { ALLTOALL, ALLTOALLV, BCAST, SCATTER, GATHER, ALLGATHER, KINDS };
enum { MOST_RANKS = 8, MOST_BYTES = 5000, UNTOUCHED = 0xEE, HANG_SECONDS = 240 };

struct worker {
    pthread_t thread;
    MPI_Comm comm;
    int number, rounds;
    long calls;
    unsigned char sent[MOST_RANKS * MOST_BYTES], got[MOST_RANKS * MOST_BYTES + 1];
};

static uint32_t mix(uint32_t a, uint32_t b)
{
    uint32_t x = (a ^ (b + 0x9E3779B9u + (a << 6) + (a >> 2))) * 2654435761u;
    return x ^ (x >> 15);
}

/* Lengths near the length of segments, and random lengths. */
static int length(uint32_t key)
{
    static const int some[] = {1, 99, 100, 101, 1000, 4096};
    return key % 2 ? some[key / 2 % 6] : 1 + (int)(key / 2 % (MOST_BYTES - 1));
}

static unsigned char byte(uint32_t key, int i)
{
    return (unsigned char)(((key + (uint32_t)i) * 2654435761u) >> 24);
}

static void fill(unsigned char *to, int len, uint32_t key)
{
    for (int i = 0; i < len; i++)
        to[i] = byte(key, i);
}

static void check(const struct worker *w, const unsigned char *at, int len, uint32_t key, const char *call, int round)
{
    for (int i = 0; i < len; i++)
        if (at[i] != byte(key, i)) {
            fprintf(stderr, "threads: thread %d, round %d: %s: byte %d of %d is wrong\n", w->number, round, call, i, len);
            MPI_Abort(MPI_COMM_WORLD, 9);
        }
}

static void call(struct worker *w, MPI_Comm comm, int round, enum kind kind)
{
    static const char *const names[] = {"alltoall", "alltoallv", "bcast", "scatter", "gather", "allgather"};
    uint32_t key = mix(mix((uint32_t)w->number, (uint32_t)round), kind);
    int n, me, len = length(key), total = 0;
    int counts[2][MOST_RANKS], at[2][MOST_RANKS], places[2] = {0, 0};

    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &me);
    int root = (int)(mix(key, 7) % (uint32_t)n);
    int is_to_all = kind == ALLTOALL || kind == ALLTOALLV || kind == SCATTER;
    for (int i = 0; i < n; i++) {
        uint32_t pairs[2] = {mix(mix(key, me), i), mix(mix(key, i), me)};
        for (int side = 0; side < 2; side++) {
            counts[side][i] = kind != ALLTOALLV ? len : pairs[side] % 4 == 0 ? 0 : length(mix(pairs[side], 1));
            at[side][i] = places[side];
            places[side] += counts[side][i];
        }
        fill(w->sent + at[0][i], counts[0][i], is_to_all ? pairs[0] : mix(key, me));
    }
    memset(w->got, UNTOUCHED, sizeof w->got);
    switch (kind) {
    case ALLTOALL:
        MPI_Alltoall(w->sent, len, MPI_BYTE, w->got, len, MPI_BYTE, comm);
        break;
    case ALLTOALLV:
        MPI_Alltoallv(w->sent, counts[0], at[0], MPI_BYTE, w->got, counts[1], at[1], MPI_BYTE, comm);
        break;
    case BCAST:
        if (me == root)
            memcpy(w->got, w->sent, (size_t)len);
        MPI_Bcast(w->got, len, MPI_BYTE, root, comm);
        break;
    case SCATTER:
        MPI_Scatter(w->sent, len, MPI_BYTE, w->got, len, MPI_BYTE, root, comm);
        break;
    case GATHER:
        MPI_Gather(w->sent, len, MPI_BYTE, w->got, len, MPI_BYTE, root, comm);
        break;
    default:
        MPI_Allgather(w->sent, len, MPI_BYTE, w->got, len, MPI_BYTE, comm);
    }
    w->calls++;
    for (int from = 0; from < n; from++) {
        int is_received = kind == BCAST || kind == SCATTER ? from == root : kind != GATHER || me == root;
        if (!is_received)
            continue;
        check(w, w->got + total, counts[1][from], is_to_all ? mix(mix(key, from), me) : mix(key, from), names[kind],
              round);
        total += counts[1][from];
    }
    if (w->got[total] != UNTOUCHED) {
        fprintf(stderr, "threads: thread %d, round %d: %s wrote too far\n", w->number, round, names[kind]);
        MPI_Abort(MPI_COMM_WORLD, 9);
    }
}

static void *work(void *own)
{
    struct worker *w = own;
    for (int round = 0; round < w->rounds; round++) {
        int is_new = (w->number + round) % 3 == 0;
        MPI_Comm comm = w->comm;
        if (is_new)
            MPI_Comm_dup(w->comm, &comm);
        for (int k = 0; k < KINDS; k++)
            call(w, comm, round, (enum kind)((w->number + round + k) % KINDS));
        if (is_new)
            MPI_Comm_free(&comm);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, rank, n, threads = atoi(argv[1]);
    long calls = 0;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE)
        return 77;
    alarm(HANG_SECONDS);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    struct worker *all = calloc((size_t)threads, sizeof *all);
    if (n > MOST_RANKS || !all)
        MPI_Abort(MPI_COMM_WORLD, 9);
    for (int i = 0; i < threads; i++) {
        all[i].number = i;
        all[i].rounds = atoi(argv[2]);
        MPI_Comm_split(MPI_COMM_WORLD, 0, i % 2 ? rank : -rank, &all[i].comm);
    }
    for (int i = 0; i < threads; i++)
        if (pthread_create(&all[i].thread, NULL, work, &all[i]))
            MPI_Abort(MPI_COMM_WORLD, 9);
    for (int i = 0; i < threads; i++) {
        pthread_join(all[i].thread, NULL);
        MPI_Comm_free(&all[i].comm);
        calls += all[i].calls;
    }
    free(all);
    if (rank == 0)
        printf("ok %ld calls\n", calls);
    MPI_Finalize();
    return 0;
}
