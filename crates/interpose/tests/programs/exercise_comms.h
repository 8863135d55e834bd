/* The communicators of exercise.c, and two checks of properties that a library between program and MPI must keep:
 * attributes (only the program's own calls run its callbacks) and error handlers (errors reach the handler of the
 * program's communicator, once). */
#ifndef EXERCISE_COMMS_H
#define EXERCISE_COMMS_H

#include "exercise_calls.h"

enum { C_WORLD, C_DUP, C_PARITY, C_REVERSED, C_THIRDS, C_FIRST, C_SELF, C_INTER, C_GRID, N_COMMS };
static MPI_Comm pool[N_COMMS];
static int world_rank, world_size;
static long world_dups; /* copies of MPI_COMM_WORLD, and of these, this program made */

/* Attribute callbacks. The state points to counters. */
struct attribute {
    long copied, deleted;
};

static int copy_fn(MPI_Comm comm, int keyval, void *state, void *in, void *out, int *flag)
{
    (void)comm;
    (void)keyval;
    ((struct attribute *)state)->copied++;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete_fn(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void)comm;
    (void)keyval;
    (void)value;
    ((struct attribute *)state)->deleted++;
    return MPI_SUCCESS;
}

static MPI_Comm dup_world(void)
{
    MPI_Comm c;
    MPI_Comm_dup(MPI_COMM_WORLD, &c);
    world_dups++;
    return c;
}

static MPI_Comm split(int color, int key)
{
    MPI_Comm c;
    MPI_Comm_split(MPI_COMM_WORLD, color, key, &c);
    return c;
}

static MPI_Comm between_halves(void)
{
    MPI_Comm half, inter;
    int low = world_size / 2, side = world_rank >= low;

    if (world_size < 2)
        return MPI_COMM_NULL;
    half = split(side, world_rank);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, side ? 0 : low, 4711, &inter);
    MPI_Comm_set_attr(inter, side_keyval, (void *)(intptr_t)side);
    MPI_Comm_free(&half);
    return inter;
}

static void comms_open(void)
{
    int n = world_size, dims[2] = {0, 0}, periods[2] = {1, 0};

    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &side_keyval, NULL);
    pool[C_WORLD] = MPI_COMM_WORLD;
    pool[C_DUP] = dup_world();
    pool[C_PARITY] = split(world_rank % 2, world_rank);
    pool[C_REVERSED] = split(0, n - world_rank);
    pool[C_THIRDS] = split(world_rank / 3, world_rank);
    pool[C_FIRST] = split(world_rank < 3 ? 0 : MPI_UNDEFINED, (world_rank + 1) % 3);
    pool[C_SELF] = MPI_COMM_SELF;
    pool[C_INTER] = between_halves();
    MPI_Dims_create(n, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &pool[C_GRID]);
}

static void comms_close(void)
{
    for (int i = 0; i < N_COMMS; i++)
        if (i != C_WORLD && i != C_SELF && pool[i] != MPI_COMM_NULL)
            MPI_Comm_free(&pool[i]);
    MPI_Comm_free_keyval(&side_keyval);
}

/* A communicator that lives for one round only. */
static MPI_Comm fresh(struct rng *g, const char **name)
{
    MPI_Comm c = MPI_COMM_NULL;
    MPI_Group all, part;
    int range[1][3] = {{0, world_size - 1, 1}}, ranks = 1 << 8, colors = 0;

    switch (below(g, 5)) {
    case 0:
        *name = "fresh dup";
        return dup_world();
    case 1:
        *name = "fresh random split";
        for (int i = 0; i <= world_rank; i++) {
            colors = (int)below(g, 2);
            ranks = (int)below(g, 1 << 8);
        }
        return split(colors, ranks);
    case 2:
        *name = "fresh dup of inter";
        if (pool[C_INTER] != MPI_COMM_NULL)
            MPI_Comm_dup(pool[C_INTER], &c);
        return c;
    case 3:
        *name = "fresh merge of inter";
        if (pool[C_INTER] != MPI_COMM_NULL)
            MPI_Intercomm_merge(pool[C_INTER], world_rank < world_size / 2, &c);
        return c;
    default:
        *name = "fresh group without rank 0";
        if (world_size < 2)
            return c;
        range[0][0] = 1;
        MPI_Comm_group(MPI_COMM_WORLD, &all);
        MPI_Group_range_incl(all, 1, range, &part);
        MPI_Comm_create(MPI_COMM_WORLD, part, &c);
        MPI_Group_free(&part);
        MPI_Group_free(&all);
        return c;
    }
}

/* One valid small call of each kind. */
static void one_of_each(MPI_Comm comm, int expect)
{
    int n, me, bad = 0;

    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &me);
    int *a = calloc((size_t)n * 2, sizeof *a), *b = a + n;
    count_t counts[n];
    displ_t displs[n];

    for (int i = 0; i < n; i++) {
        a[i] = me * 1000 + i;
        counts[i] = 1;
        displs[i] = i;
    }
    for (int k = 0; k < N_KINDS; k++) {
        int scatters = k == SCATTER || k == SCATTERV, gathers = k == GATHER || k == GATHERV;
        int rc = MPI_SUCCESS, x = scatters ? -1 : me * 1000, y = -1;
        memset(b, 0xff, (size_t)n * sizeof *b);
        counted(k);
        if (k == ALLTOALL)
            rc = CALL(0, Alltoall, a, 1, MPI_INT, b, 1, MPI_INT, comm);
        else if (k == ALLTOALLV)
            rc = CALL(0, Alltoallv, a, counts, displs, MPI_INT, b, counts, displs, MPI_INT, comm);
        else if (k == BCAST)
            rc = CALL(0, Bcast, &x, 1, MPI_INT, n - 1, comm);
        else if (k == SCATTER)
            rc = CALL(0, Scatter, a, 1, MPI_INT, &y, 1, MPI_INT, n - 1, comm);
        else if (k == GATHER)
            rc = CALL(0, Gather, &x, 1, MPI_INT, b, 1, MPI_INT, n - 1, comm);
        else if (k == ALLGATHERV)
            rc = CALL(0, Allgatherv, &x, 1, MPI_INT, b, counts, displs, MPI_INT, comm);
        else if (k == GATHERV)
            rc = CALL(0, Gatherv, &x, 1, MPI_INT, b, counts, displs, MPI_INT, n - 1, comm);
        else if (k == SCATTERV)
            rc = CALL(0, Scatterv, a, counts, displs, MPI_INT, &y, 1, MPI_INT, n - 1, comm);
        else
            rc = CALL(0, Allgather, &x, 1, MPI_INT, b, 1, MPI_INT, comm);
        bad |= rc != expect;
        for (int i = 0; i < n && k != BCAST && !scatters; i++)
            bad |= b[i] != (gathers && me != n - 1 ? -1 : i * 1000 + (k == ALLTOALL || k == ALLTOALLV ? me : 0));
        bad |= k == BCAST && x != (n - 1) * 1000;
        bad |= scatters && y != (n - 1) * 1000 + me;
        if (bad) {
            fprintf(stderr, "exercise: a plain %s on %d ranks\n", kind_name[k], n);
            die("wrong result or return code");
        }
    }
    free(a);
}

static void check_attributes(void)
{
    struct attribute at = {0, 0};
    MPI_Comm c = dup_world(), d;
    int key;

    MPI_Comm_create_keyval(copy_fn, delete_fn, &key, &at);
    MPI_Comm_set_attr(c, key, &at);
    one_of_each(c, MPI_SUCCESS);
    if (at.copied != 0 || at.deleted != 0)
        die("a collective ran attribute callbacks");
    MPI_Comm_dup(c, &d);
    world_dups++; /* what the program hung on the world came along */
    one_of_each(d, MPI_SUCCESS);
    one_of_each(c, MPI_SUCCESS);
    if (at.copied != 1 || at.deleted != 0)
        die("attribute copies are not as many as duplicates");
    MPI_Comm_free(&c); /* the older one first */
    if (at.copied != 1 || at.deleted != 1)
        die("freeing a communicator did not delete its attribute once");
    one_of_each(d, MPI_SUCCESS);
    MPI_Comm_free(&d);
    if (at.copied != 1 || at.deleted != 2)
        die("freeing the duplicate did not delete its attribute once");
    MPI_Comm_free_keyval(&key);
}

static long handled;
static MPI_Comm handled_comm;

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)code;
    handled++;
    handled_comm = *comm;
}

enum { SEND_COUNT = 5, RECEIVE_TYPE, RECEIVE_IN_PLACE, N_FAULTS }; /* one side only is wrong */

/* The same wrong call on all ranks; returns the error's class, 0 if there was none. */
static int wrong_call(int native, int kind, int fault, MPI_Comm comm)
{
    static int a[64], b[64];
    static count_t counts[64];
    static displ_t displs[64];
    int n, rc, cls = 0;

    MPI_Comm_size(comm, &n);
    MPI_Comm cm = fault == 3 ? MPI_COMM_NULL : comm;
    MPI_Datatype t = fault == 2 ? MPI_DATATYPE_NULL : MPI_INT;
    int root = fault == 0 ? n : fault == 4 ? n + 7 : 0, count = fault == 1 ? -1 : 1;
    int sent = fault == SEND_COUNT ? -1 : count;
    MPI_Datatype rt = fault == RECEIVE_TYPE ? MPI_DATATYPE_NULL : t;
    void *to = fault == RECEIVE_IN_PLACE ? MPI_IN_PLACE : b;

    for (int i = 0; i < 64; i++) {
        counts[i] = 1;
        displs[i] = 0;
    }
    counts[0] = count;
    if (!native)
        counted(kind);
    if (kind == ALLTOALL)
        rc = CALL(native, Alltoall, a, sent, t, to, count, rt, cm);
    else if (kind == ALLTOALLV)
        rc = CALL(native, Alltoallv, a, counts, displs, t, to, counts, displs, rt, cm);
    else if (kind == BCAST)
        rc = CALL(native, Bcast, a, count, t, root, cm);
    else if (kind == SCATTER)
        rc = CALL(native, Scatter, a, count, t, b, count, t, root, cm);
    else if (kind == GATHER)
        rc = CALL(native, Gather, a, count, t, b, count, t, root, cm);
    else if (kind == ALLGATHERV)
        rc = CALL(native, Allgatherv, a, sent, t, to, counts, displs, rt, cm);
    else if (kind == GATHERV)
        rc = CALL(native, Gatherv, a, count, t, b, counts, displs, t, root, cm);
    else if (kind == SCATTERV)
        rc = CALL(native, Scatterv, a, counts, displs, t, b, count, t, root, cm);
    else
        rc = CALL(native, Allgather, a, sent, t, to, count, rt, cm);
    if (rc != MPI_SUCCESS)
        MPI_Error_class(rc, &cls);
    return cls;
}

static void check_errors(void)
{
    MPI_Comm c = dup_world();
    MPI_Errhandler own;

    if (world_size > 64)
        return;
    MPI_Comm_create_errhandler(handler, &own);
    for (int with_own = 0; with_own < 2; with_own++) {
        MPI_Errhandler h = with_own ? own : MPI_ERRORS_RETURN;
        MPI_Comm_set_errhandler(c, h);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, h); /* for calls with no communicator */
        MPI_Comm_set_errhandler(MPI_COMM_SELF, h);
        for (int kind = 0; kind < N_KINDS; kind++)
            for (int fault = 0; fault < N_FAULTS; fault++) {
                int rooted = kind == BCAST || kind == SCATTER || kind == GATHER || kind == GATHERV || kind == SCATTERV;
                if (!rooted && (fault == 0 || fault == 4))
                    continue;
                if (fault >= SEND_COUNT && (rooted || (fault == SEND_COUNT && kind == ALLTOALLV)))
                    continue;
#ifdef OPEN_MPI
                if (fault == 3 && (kind == ALLGATHER || kind == ALLGATHERV))
                    continue; /* Open MPI 4.1.4 itself crashes here */
#endif
                handled = 0;
                handled_comm = MPI_COMM_NULL;
                int native = wrong_call(1, kind, fault, c);
                long native_handled = handled;
                MPI_Comm native_comm = handled_comm;
                handled = 0;
                handled_comm = MPI_COMM_NULL;
                int cls = wrong_call(0, kind, fault, c);
                if (native == 0 || cls != native || handled != native_handled ||
                    handled_comm != native_comm ||
                    (with_own && fault != 3 && fault < SEND_COUNT && (handled != 1 || handled_comm != c))) {
                    fprintf(stderr,
                            "exercise: %s with fault %d: error class %d, handler ran %ld times%s; "
                            "natively class %d, %ld times\n",
                            kind_name[kind], fault, cls, handled,
                            handled && handled_comm != native_comm ? " with another communicator" : "",
                            native, native_handled);
                    die("error handling differs");
                }
                if (fault == 0)
                    one_of_each(c, MPI_SUCCESS); /* and all goes on */
            }
    }
    MPI_Errhandler_free(&own);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_free(&c);
}

#endif
