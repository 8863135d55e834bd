/* The program's own messages on the communicator of a collective: receives of any source and
 * any tag that are open while the collective runs, sends that wait for their receive.
 * A library that sends or receives on the program's communicator takes or gives one of them. */
#ifndef EXERCISE_TRAFFIC_H
#define EXERCISE_TRAFFIC_H

#include "exercise_types.h"

enum { MOST_MESSAGES = 8, MESSAGE_MAX = 80000 };

struct traffic {
    MPI_Comm comm;
    uint64_t key;
    int mode, shifts, rank, size, rsize, side, n_in, n_out;
    MPI_Request in[MOST_MESSAGES], out[MOST_MESSAGES];
    unsigned char *in_data[MOST_MESSAGES], *out_data[MOST_MESSAGES];
};

/* The side of this rank in an inter-communicator, kept by a keyval. */
static int side_keyval = MPI_KEYVAL_INVALID;

static int side_of(MPI_Comm comm)
{
    void *value;
    int found;
    PMPI_Comm_get_attr(comm, side_keyval, &value, &found);
    if (!found)
        die("an inter-communicator without its side");
    return (int)(intptr_t)value;
}

/* The k-th message of a sender: its tag, its length, its bytes. */
static struct rng message_rng(const struct traffic *t, int side, int from, int k)
{
    struct rng g = {mix(t->key, (uint64_t)(side * 4096 + from) * 16 + (uint64_t)k)};
    return g;
}

static int message(const struct traffic *t, int side, int from, int k, unsigned char *data, int *tag)
{
    struct rng g = message_rng(t, side, from, k);
    int len = 1 + (int)below(&g, chance(&g, 10) ? MESSAGE_MAX : 600);

    *tag = (int)below(&g, 30000);
    for (int i = 0; i < len; i++)
        data[i] = (unsigned char)draw(&g);
    data[0] = (unsigned char)k;
    return len;
}

static int target(const struct traffic *t, int from, int k, int n)
{
    struct rng g = {mix(t->key, 500 + (uint64_t)k)};
    return (int)((from + below(&g, 1 << 16)) % n);
}

static void traffic_send(struct traffic *t)
{
    for (int k = 0; k < t->shifts; k++) {
        int tag, len, n = t->n_out++;
        t->out_data[n] = malloc(MESSAGE_MAX);
        len = message(t, t->side, t->rank, k, t->out_data[n], &tag);
        MPI_Isend(t->out_data[n], len, MPI_BYTE, target(t, t->rank, k, t->rsize), tag, t->comm, &t->out[n]);
    }
}

static void traffic_receive(struct traffic *t)
{
    for (int k = 0; k < t->shifts; k++)
        for (int from = 0; from < t->rsize; from++)
            if (target(t, from, k, t->size) == t->rank && t->n_in < MOST_MESSAGES) {
                int n = t->n_in++;
                t->in_data[n] = malloc(MESSAGE_MAX);
                MPI_Irecv(t->in_data[n], MESSAGE_MAX, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, t->comm,
                          &t->in[n]);
            }
}

static void traffic_start(struct traffic *t, MPI_Comm comm, uint64_t key)
{
    struct rng g = {key};
    int inter;

    memset(t, 0, sizeof *t);
    t->comm = comm;
    t->key = key;
    t->mode = (int)below(&g, 5); /* 0, 4: none */
    if (t->mode == 0 || t->mode == 4) {
        t->mode = 0;
        return;
    }
    t->shifts = 1 + (int)below(&g, 2);
    PMPI_Comm_test_inter(comm, &inter);
    PMPI_Comm_rank(comm, &t->rank);
    PMPI_Comm_size(comm, &t->size);
    t->rsize = t->size;
    if (inter) {
        PMPI_Comm_remote_size(comm, &t->rsize);
        t->side = side_of(comm);
    }
#ifdef MPICH_VERSION
    /* Native fault of MPICH 4.0.2: with one process, an open receive of any source takes the
     * messages of a collective, which then hangs. */
    if (t->size == 1 && !inter)
        t->shifts = 0;
#endif
    if (t->shifts * (t->rsize / t->size + 1) > MOST_MESSAGES)
        t->shifts = 0; /* sides too unlike: both see it, as the sum below says */
    if (t->shifts * (t->size / t->rsize + 1) > MOST_MESSAGES)
        t->shifts = 0;
    if (t->mode != 3) /* 1: all before; 2: sends after the collective; 3: receives after it */
        traffic_receive(t);
    if (t->mode != 2)
        traffic_send(t);
}

static void traffic_finish(struct traffic *t, const char *where)
{
    if (t->mode == 0)
        return;
    if (t->mode == 3)
        traffic_receive(t);
    if (t->mode == 2)
        traffic_send(t);
    unsigned char *expected = malloc(MESSAGE_MAX);
    int inter;
    PMPI_Comm_test_inter(t->comm, &inter);
    for (int i = 0; i < t->n_in; i++) {
        MPI_Status st;
        int len, tag, want, k;
        MPI_Wait(&t->in[i], &st);
        MPI_Get_count(&st, MPI_BYTE, &len);
        k = t->in_data[i][0];
        want = k < t->shifts ? message(t, inter ? !t->side : 0, st.MPI_SOURCE, k, expected, &tag) : -1;
        if (want != len || tag != st.MPI_TAG || memcmp(expected, t->in_data[i], (size_t)len) != 0) {
            fprintf(stderr,
                    "exercise: %s: a receive of any source got %d bytes, tag %d from %d that the "
                    "program did not send\n",
                    where, len, st.MPI_TAG, st.MPI_SOURCE);
            die("foreign message");
        }
        free(t->in_data[i]);
    }
    free(expected);
    for (int i = 0; i < t->n_out; i++) {
        MPI_Wait(&t->out[i], MPI_STATUS_IGNORE);
        free(t->out_data[i]);
    }
    PMPI_Barrier(t->comm); /* no message of the next call may come into this one's receives */
}

#endif
