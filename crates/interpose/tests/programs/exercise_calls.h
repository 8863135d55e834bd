/* One random collective, called twice on equal memory: as MPI_X and as PMPI_X. All memory,
 * gaps, send buffers and guard zones included, must be equal afterwards.
 * Properties that must be equal on all ranks are drawn from the call's key; the choices of a rank
 * (its datatypes, gaps, displacements) from the key and its rank.
 * With LARGE defined the large-count twins are called (MPI 4). */
#ifndef EXERCISE_CALLS_H
#define EXERCISE_CALLS_H

#include "exercise_types.h"
#include "exercise_traffic.h"

#ifdef LARGE
typedef MPI_Count count_t;
typedef MPI_Aint displ_t;
#define NAMED(prefix, f) prefix##f##_c
#else
typedef int count_t;
typedef int displ_t;
#define NAMED(prefix, f) prefix##f
#endif
#define CALL(native, f, ...) \
    ((native) ? NAMED(PMPI_, f)(__VA_ARGS__) : NAMED(MPI_, f)(__VA_ARGS__))

enum { ALLTOALL, ALLTOALLV, BCAST, SCATTER, GATHER, ALLGATHER, ALLGATHERV, GATHERV, SCATTERV, N_KINDS };
static const char *const kind_name[N_KINDS] = {"alltoall",  "alltoallv",  "bcast",   "scatter", "gather",
                                               "allgather", "allgatherv", "gatherv", "scatterv"};
static long calls_made[N_KINDS]; /* of MPI_X, by all threads of this rank */

static void counted(int kind)
{
    __atomic_fetch_add(&calls_made[kind], 1, __ATOMIC_RELAXED);
}

/* The send or the receive side. */
struct part {
    int on; /* significant here */
    int nblocks, owned;
    long m, count, first, last; /* elements first .. last-1 are touched */
    long *atoms_of;             /* atoms of each block, where they differ */
    count_t *counts;
    displ_t *displs;
    MPI_Datatype type;
    struct region r[2];
    char name[NAME_LEN];
};

struct call {
    MPI_Comm comm;
    uint64_t key;
    int kind, inter, side, rank, size, rsize, in_place, junk, atom, same_m, sparse, bottom, plain;
    int root, root_arg, is_root, is_leaf;
    long unit, amount; /* a block has unit * amount atoms; every m divides unit */
    struct part s, r;
    char text[480];
};

static int ident(const struct call *c, int other_side, int rank)
{
    return (c->inter && other_side ? !c->side : c->side) * 4096 + rank;
}

/* Atoms that go from one rank to another: known to both. In place it must be symmetric. */
static long atoms_between(const struct call *c, int from, int to)
{
    if (c->in_place && from > to) {
        int t = from;
        from = to;
        to = t;
    }
    struct rng g = {mix(c->key, 77 + (uint64_t)from * 100003u + (uint64_t)to)};
    struct rng all = {mix(c->key, 78)};
    int most = c->size > c->rsize ? c->size : c->rsize, zero = 0;
    int pick = (int)below(&all, most);
    long n = below(&g, c->amount + 1);

    switch (c->sparse) {
    case 0:
        n = c->amount;
        break;
    case 2:
        zero = chance(&g, 70);
        break;
    case 3:
        zero = from % 4096 != pick;
        break;
    case 4:
        zero = to % 4096 != pick;
        break;
    case 5:
        zero = from >= to;
        break;
    case 6: /* one much larger than all others */
        n = from % 4096 == pick && to % 4096 == most - 1 - pick ? c->amount : below(&g, 3);
        break;
    default:
        break;
    }
    return zero ? 0 : n * c->unit;
}

/* Atoms of the piece of a rank, where each rank has one. */
static long atoms_of_rank(const struct call *c, int rank)
{
    struct rng g = {mix(c->key, 79 + (uint64_t)rank * 100003u)};
    struct rng all = {mix(c->key, 80)};
    int pick = (int)below(&all, c->size > c->rsize ? c->size : c->rsize);
    long n = below(&g, c->amount + 1);

    switch (c->sparse) {
    case 0:
        n = c->amount;
        break;
    case 2:
        n = chance(&g, 70) ? 0 : n;
        break;
    case 3:
        n = rank % 4096 == pick ? n : 0;
        break;
    case 4: /* one much larger than all others */
        n = rank % 4096 == pick ? c->amount : below(&g, 3);
        break;
    default:
        break;
    }
    return n * c->unit;
}

/* 1 if a side has an array of numbers. */
static int has_array(int kind, int sending)
{
    return kind == ALLTOALLV || (sending ? kind == SCATTERV : kind == ALLGATHERV || kind == GATHERV);
}

/* Blocks in a random order with gaps, apart from each other unless may_overlap. */
static void place_blocks(struct part *p, struct rng *g, int may_overlap, int plain)
{
    int n = p->nblocks, order[n > 0 ? n : 1];
    long pos = chance(g, 30) && !plain ? -below(g, 40) : below(g, 4);
    int gaps = chance(g, 60), permute = chance(g, 60), any = 0;

    p->counts = calloc((size_t)n + 1, sizeof *p->counts);
    p->displs = calloc((size_t)n + 1, sizeof *p->displs);
    p->first = p->last = 0;
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int i = n - 1; permute && i > 0; i--) {
        int j = (int)below(g, i + 1), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    for (int i = 0; i < n; i++) {
        int b = order[i];
        long count = p->atoms_of[b] / p->m;
        p->counts[b] = (count_t)count;
        if (count == 0) { /* a displacement that nobody may use */
            p->displs[b] = (displ_t)(chance(g, 50) ? pos : 1 << 20);
            continue;
        }
        if (gaps)
            pos += below(g, 4);
        p->displs[b] = (displ_t)pos;
        if (!any || pos < p->first)
            p->first = pos;
        if (!any || pos + count > p->last)
            p->last = pos + count;
        any = 1;
        pos += may_overlap ? below(g, count + 1) : count;
    }
}

static const int divisors[6] = {1, 2, 3, 4, 6, 12};

static void prepare(struct call *c, struct part *p, int sending)
{
    struct rng g = {mix(c->key, 1000 + (uint64_t)ident(c, 0, c->rank) * 2 + (uint64_t)sending)};
    struct rng all = {mix(c->key, 999)};
    struct rng *of_m = c->same_m ? &all : &g;
    long lo, hi, span;

    if (!p->on)
        return;
    do
        p->m = divisors[below(of_m, 6)];
    while (c->unit % p->m);
    if (has_array(c->kind, sending)) {
        p->atoms_of = calloc((size_t)p->nblocks, sizeof *p->atoms_of);
        for (int i = 0; i < p->nblocks; i++) {
            int me = ident(c, 0, c->rank), peer = ident(c, 1, i);
            p->atoms_of[i] = c->kind != ALLTOALLV ? atoms_of_rank(c, peer)
                             : sending            ? atoms_between(c, me, peer)
                                                  : atoms_between(c, peer, me);
        }
        place_blocks(p, &g, c->kind == ALLTOALLV && sending && chance(&g, 50), c->plain);
    } else {
        p->count = (c->kind >= ALLGATHERV ? atoms_of_rank(c, ident(c, 0, c->rank)) : c->amount * c->unit) / p->m;
        p->first = 0;
        p->last = p->count * p->nblocks;
    }
    span = p->last - p->first;
    p->type = draw_type(&g, c->atom, (int)p->m, span, c->plain, &p->owned, p->name);
    reach(p->type, p->first, p->last, &lo, &hi);
    if (hi - lo > 6000000) {
        if (p->owned)
            MPI_Type_free(&p->type);
        p->type = draw_type(&g, c->atom, (int)p->m, span, 1, &p->owned, p->name);
        reach(p->type, p->first, p->last, &lo, &hi);
    }
    for (int i = 0; i < 2; i++)
        region_open(&p->r[i], lo, hi, mix(c->key, 31 + (uint64_t)ident(c, 0, c->rank) * 2 + (uint64_t)sending));
    if (p->last == p->first && chance(&g, 50)) { /* nothing to send or receive: any address will do */
        p->r[0].base = p->r[1].base = NULL;
    }
}

static void draw_call(struct call *c, MPI_Comm comm, uint64_t key)
{
    struct rng g = {mix(key, 1)};
    long bytes, cls = below(&g, 100), most;

    memset(c, 0, sizeof *c);
    c->comm = comm;
    c->key = key;
    PMPI_Comm_test_inter(comm, &c->inter);
    PMPI_Comm_rank(comm, &c->rank);
    PMPI_Comm_size(comm, &c->size);
    c->rsize = c->size;
    if (c->inter) {
        PMPI_Comm_remote_size(comm, &c->rsize);
        c->side = side_of(comm);
    }
    c->kind = (int)below(&g, N_KINDS);
    c->atom = (int)below(&g, N_ATOMS);
    c->unit = divisors[below(&g, 6)];
    c->junk = chance(&g, 50);
    c->sparse = (int)below(&g, 7);
    c->in_place = chance(&g, 25) && !c->inter && c->kind != BCAST;
    most = cls < 60 ? 256 : cls < 85 ? 8192 : cls < 97 ? 65536 : 200000;
    bytes = below(&g, most + 1);
#ifdef MPICH_VERSION
    /* MPICH 4.0.2 over UCX reports a truncated message where a fragment of some 8 kB ends
     * inside an element of a type with gaps and elements of unlike size, even for a plain
     * MPI_Recv: keep all that may travel together below that. */
    if (c->atom == A_DOUBLE_INT || c->atom == A_MIXED)
        bytes %= 8000 / (c->size + c->rsize);
    /* Between groups it chooses algorithms of gather and scatter by the count, not by the bytes. */
    if (c->inter && (c->kind == GATHER || c->kind == SCATTER))
        c->same_m = 1;
    /* Its allgatherv cuts pieces by each rank's own extent, and writes outside of the buffer where displacements are
     * negative. Between groups it counts pieces in elements of one rank. */
    c->plain = c->kind == ALLGATHERV;
    if (c->plain || (c->inter && c->kind > ALLGATHERV))
        c->same_m = 1;
#endif
    c->amount = chance(&g, 6) ? 0 : bytes / (c->unit * atom_bytes[c->atom]);
    c->bottom = chance(&g, 20) && c->kind == BCAST;
#ifdef OPEN_MPI
    /* Open MPI cuts a long broadcast or gather by each rank's own type size: not the same
     * pieces on all ranks unless these sizes agree (a fault of Open MPI, not tested here). */
    if ((c->kind == BCAST || c->kind == GATHER) && bytes > 1000) {
        c->same_m = 1;
        c->bottom = 0;
    }
    /* It chooses an algorithm of allgatherv by each rank's own type sizes, and hangs where ranks choose differently.
     * Between groups it counts all pieces in elements of one rank. */
    if (c->kind == ALLGATHERV || (c->inter && c->kind > ALLGATHERV))
        c->same_m = 1;
#endif
    long root = below(&g, 1 << 20);
    if (c->inter) {
        int root_side = (int)below(&g, 2), mine = root_side == c->side;
        c->root = (int)(root % (mine ? c->size : c->rsize));
        c->is_root = mine && c->rank == c->root;
        c->is_leaf = !mine;
        c->root_arg = !mine ? c->root : c->is_root ? MPI_ROOT : MPI_PROC_NULL;
    } else {
        c->root = c->root_arg = (int)(root % c->size);
        c->is_root = c->rank == c->root;
        c->is_leaf = 1;
    }
    int place = c->in_place, at_root = place && c->is_root;
    int scatters = c->kind == SCATTER || c->kind == SCATTERV;
    c->s.nblocks = c->kind == ALLTOALL || c->kind == ALLTOALLV || scatters ? c->rsize : 1;
    c->r.nblocks = c->kind == BCAST || scatters ? 1 : c->rsize;
    switch (c->kind) {
    case BCAST:
        c->s.on = c->is_root || c->is_leaf;
        break;
    case SCATTER:
    case SCATTERV:
        c->s.on = c->is_root;
        c->r.on = c->is_leaf && !at_root;
        break;
    case GATHER:
    case GATHERV:
        c->s.on = c->is_leaf && !at_root;
        c->r.on = c->is_root;
        break;
    default:
        c->s.on = !place;
        c->r.on = 1;
    }
    prepare(c, &c->s, 1);
    prepare(c, &c->r, 0);
    snprintf(c->text, sizeof c->text,
             "%s%s%s rank %d of %d+%d root %d amount %ld x %ld %s sparse %d junk %d%s; "
             "send %s %dx%ld (%s) elements %ld..%ld; receive %s %dx%ld (%s) elements %ld..%ld",
             c->inter ? "inter " : "", kind_name[c->kind], c->in_place ? " in place" : "", c->rank,
             c->size, c->inter ? c->rsize : 0, c->root, c->amount, c->unit, atom_name[c->atom],
             c->sparse, c->junk, c->bottom ? " bottom" : "", c->s.on ? "on" : "off", c->s.nblocks,
             c->s.count, c->s.name, c->s.first, c->s.last, c->r.on ? "on" : "off", c->r.nblocks,
             c->r.count, c->r.name, c->r.first, c->r.last);
}

static int bcast_from_bottom(struct call *c, int native, int copy)
{
    MPI_Aint at;
    int rc, one = (int)c->s.count;
    MPI_Datatype t;

    MPI_Get_address(c->s.r[copy].base, &at);
    MPI_Type_create_hindexed(1, &one, &at, c->s.type, &t);
    MPI_Type_commit(&t);
    rc = CALL(native, Bcast, MPI_BOTTOM, 1, t, c->root_arg, c->comm);
    MPI_Type_free(&t);
    return rc;
}

static int issue(struct call *c, int native, int copy)
{
    struct part *s = &c->s, *r = &c->r;
    int place = c->in_place && (c->kind == ALLTOALL || c->kind == ALLTOALLV ||
                                c->kind == ALLGATHER || c->kind == ALLGATHERV || c->is_root);
    int in_r = place && (c->kind == SCATTER || c->kind == SCATTERV), in_s = place && !in_r;
    /* Arguments that are not significant: junk or harmless values. */
    MPI_Datatype none = c->junk ? MPI_DATATYPE_NULL : MPI_INT;
    count_t no_count = c->junk ? -7 : 0;
    void *none_at = c->junk ? (void *)16 : NULL;
    count_t *s_counts = s->on ? s->counts : none_at, *r_counts = r->on ? r->counts : none_at;
    displ_t *s_displs = s->on ? s->displs : none_at, *r_displs = r->on ? r->displs : none_at;
    void *sbuf = s->on ? s->r[copy].base : in_s ? MPI_IN_PLACE : NULL;
    void *rbuf = r->on ? r->r[copy].base : in_r ? MPI_IN_PLACE : NULL;
    MPI_Datatype st = s->on ? s->type : none, rt = r->on ? r->type : none;
    count_t sc = s->on ? (count_t)s->count : no_count, rc = r->on ? (count_t)r->count : no_count;

    if (!native)
        counted(c->kind);
    switch (c->kind) {
    case ALLTOALL:
        return CALL(native, Alltoall, sbuf, sc, st, rbuf, rc, rt, c->comm);
    case ALLTOALLV:
        return CALL(native, Alltoallv, sbuf, s->counts, s->displs, st, rbuf, r->counts, r->displs,
                    rt, c->comm);
    case BCAST:
        if (s->on && c->bottom && s->count > 0)
            return bcast_from_bottom(c, native, copy);
        return CALL(native, Bcast, sbuf, s->on ? sc : 0, s->on ? st : MPI_INT, c->root_arg, c->comm);
    case SCATTER:
        return CALL(native, Scatter, sbuf, sc, st, rbuf, rc, rt, c->root_arg, c->comm);
    case GATHER:
        return CALL(native, Gather, sbuf, sc, st, rbuf, rc, rt, c->root_arg, c->comm);
    case ALLGATHERV:
        return CALL(native, Allgatherv, sbuf, sc, st, rbuf, r_counts, r_displs, rt, c->comm);
    case GATHERV:
        return CALL(native, Gatherv, sbuf, sc, st, rbuf, r_counts, r_displs, rt, c->root_arg, c->comm);
    case SCATTERV:
        return CALL(native, Scatterv, sbuf, s_counts, s_displs, st, rbuf, rc, rt, c->root_arg, c->comm);
    default:
        return CALL(native, Allgather, sbuf, sc, st, rbuf, rc, rt, c->comm);
    }
}

static void compare(const struct call *c, const struct part *p, const char *side, const char *where)
{
    const struct region *a = &p->r[0], *b = &p->r[1];
    size_t i = 0, n = 0, at = 0, last = 0;
    int world;

    if (!p->on || memcmp(a->mem, b->mem, a->len) == 0)
        return;
    for (i = 0; i < a->len; i++)
        if (a->mem[i] != b->mem[i]) {
            if (n++ == 0)
                at = i;
            last = i;
        }
    PMPI_Comm_rank(MPI_COMM_WORLD, &world);
    fprintf(stderr,
            "exercise: DIFFERENCE on world rank %d, %s\n  %s\n  %s buffer: %zu bytes differ, "
            "first at %ld, last at %ld of the buffer's address (region %ld..%ld): MPI gave %02x, PMPI gave %02x\n",
            world, where, c->text, side, n, (long)(at - (size_t)(a->base ? a->base - a->mem : 0)),
            (long)(last - (size_t)(a->base ? a->base - a->mem : 0)),
            a->base ? (long)(a->mem - a->base) + GUARD : 0,
            a->base ? (long)(a->len) - (long)(a->base - a->mem) - GUARD : 0, a->mem[at], b->mem[at]);
    die("results differ");
}

static void part_close(struct part *p)
{
    if (p->on && p->owned)
        MPI_Type_free(&p->type);
    region_close(&p->r[0]);
    region_close(&p->r[1]);
    free(p->atoms_of);
    free(p->counts);
    free(p->displs);
}

/* watch: where to leave a description for the case that this call hangs. */
static void run_call(MPI_Comm comm, uint64_t key, const char *where, char *watch, size_t watch_len)
{
    struct rng g = {mix(key, 2)};
    int native_first = chance(&g, 50);
    struct call c;
    struct traffic t;

    draw_call(&c, comm, key);
    snprintf(watch, watch_len, "%s\n  %s\n", where, c.text);
    traffic_start(&t, comm, mix(key, 3));
    for (int i = 0; i < 2; i++) {
        int native = i == 0 ? native_first : !native_first;
        if (issue(&c, native, native) != MPI_SUCCESS)
            die("a collective returned an error");
    }
    traffic_finish(&t, where);
    compare(&c, &c.s, "send", where);
    compare(&c, &c.r, "receive", where);
    part_close(&c.s);
    part_close(&c.r);
}

#endif
