/* Random reductions and barriers, each called as MPI_X (which a preloaded library may replace) and as PMPI_X on equal
 * memory.
 *   reductions SEED SECONDS same|any [threads]     SECONDS 0: a fixed small number of rounds
 * same: all memory is equal byte by byte, also with NaN, zeros of both signs and denormals.
 * any: sums and products of floating-point numbers may differ in the last bits, but not between ranks or calls.
 * REDUCTIONS_FROM=n starts with round n. Exit 0 if all agreed; 9 at the first difference or on a hang. */
#include "exercise_comms.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

enum { HANG = 20, MOST_RANKS = 64 };
enum { ALLREDUCE, REDUCE, REDUCE_SCATTER, REDUCE_SCATTER_BLOCK, BARRIER, N_REDUCTIONS };
enum element { INTEGER, LOGICAL, BYTES, FLOATING, COMPLEX, PAIR, PAIR_OF_FLOATING, DERIVED };

struct type {
    MPI_Datatype type;
    enum element kind;
    size_t number; /* bytes of the number, at the start of an element */
    size_t extent;
    const char *name;
};

struct operation {
    MPI_Op op;
    int kinds; /* a bit for each kind of element */
    int rounds;
    const char *name;
};

static struct type types[40];
static struct operation operations[20];
static int n_types, n_operations, is_same;
static char doing[2][400];
static long made[N_REDUCTIONS];

static void sum_modulo(void *in, void *inout, int *count, MPI_Datatype *type)
{
    int bytes;
    MPI_Type_size(*type, &bytes);
    for (long i = 0; i < (long)*count * bytes / 4; i++)
        ((unsigned *)inout)[i] = (((unsigned *)in)[i] % 9973 + ((unsigned *)inout)[i] % 9973) % 9973;
}

static void left_one(void *in, void *inout, int *count, MPI_Datatype *type)
{
    MPI_Aint lower, extent;
    MPI_Type_get_extent(*type, &lower, &extent);
    memcpy(inout, in, (size_t)*count * (size_t)extent);
}

static void add_type(MPI_Datatype type, enum element kind, size_t number, size_t extent, const char *name)
{
    MPI_Aint lower, found;
    MPI_Type_get_extent(type, &lower, &found);
    if ((size_t)found != extent)
        die(name);
    types[n_types++] = (struct type){type, kind, number, extent, name};
}

static void add_operation(MPI_Op op, int kinds, int rounds, const char *name)
{
    operations[n_operations++] = (struct operation){op, kinds, rounds, name};
}

#define TYPE(t, kind, number, c) add_type(t, kind, number, sizeof(c), #t)
#define OPERATION(o, kinds, rounds) add_operation(o, kinds, rounds, #o)

static void make_tables(void)
{
    static MPI_Datatype two_ints;
    MPI_Op program_sum, first;
    int integers = 1 << INTEGER, numbers = integers | 1 << FLOATING, pairs = 1 << PAIR | 1 << PAIR_OF_FLOATING;

    TYPE(MPI_INT, INTEGER, 4, int);
    TYPE(MPI_LONG, INTEGER, 8, long);
    TYPE(MPI_SHORT, INTEGER, 2, short);
    TYPE(MPI_UNSIGNED_CHAR, INTEGER, 1, char);
    TYPE(MPI_UINT32_T, INTEGER, 4, int);
    TYPE(MPI_INT64_T, INTEGER, 8, long);
    TYPE(MPI_C_BOOL, LOGICAL, 1, bool);
    TYPE(MPI_BYTE, BYTES, 1, char);
    TYPE(MPI_FLOAT, FLOATING, 4, float);
    TYPE(MPI_DOUBLE, FLOATING, 8, double);
    TYPE(MPI_DOUBLE, FLOATING, 8, double);
    TYPE(MPI_C_FLOAT_COMPLEX, COMPLEX, 4, float complex);
    TYPE(MPI_C_DOUBLE_COMPLEX, COMPLEX, 8, double complex);
    TYPE(MPI_2INT, PAIR, 4, int[2]);
    TYPE(MPI_SHORT_INT, PAIR, 2, struct { short s; int i; });
    TYPE(MPI_LONG_INT, PAIR, 8, struct { long l; int i; });
    TYPE(MPI_FLOAT_INT, PAIR_OF_FLOATING, 4, struct { float f; int i; });
    TYPE(MPI_DOUBLE_INT, PAIR_OF_FLOATING, 8, struct { double d; int i; });
    MPI_Type_contiguous(2, MPI_INT, &two_ints);
    MPI_Type_commit(&two_ints);
    TYPE(two_ints, DERIVED, 4, int[2]);
    OPERATION(MPI_SUM, numbers | 1 << COMPLEX, 1);
    OPERATION(MPI_SUM, numbers | 1 << COMPLEX, 1);
    OPERATION(MPI_PROD, numbers | 1 << COMPLEX, 1);
    OPERATION(MPI_MAX, numbers, 0);
    OPERATION(MPI_MIN, numbers, 0);
    OPERATION(MPI_LAND, integers | 1 << LOGICAL, 0);
    OPERATION(MPI_LXOR, integers | 1 << LOGICAL, 0);
    OPERATION(MPI_BAND, integers | 1 << BYTES, 0);
    OPERATION(MPI_BOR, integers | 1 << BYTES, 0);
    OPERATION(MPI_BXOR, integers | 1 << BYTES, 0);
    OPERATION(MPI_MAXLOC, pairs, 0);
    OPERATION(MPI_MINLOC, pairs, 0);
    MPI_Op_create(sum_modulo, 1, &program_sum);
    MPI_Op_create(left_one, 0, &first);
    add_operation(program_sum, 1 << DERIVED, 0, "sum modulo");
    add_operation(first, integers | 1 << DERIVED, 0, "left");
}

static double number(struct rng *g, int specials)
{
    static const double special[] = {NAN, -NAN, 0.0, -0.0, INFINITY, -INFINITY, 5e-324, -1e-40, 1.0};
    if (specials && chance(g, 20))
        return special[below(g, specials == 1 ? 2 : 9)];
    return ldexp((double)(long)below(g, 1 << 30) / (1 << 29) - 1, (int)below(g, 21) - 10);
}

static void fill(char *at, const struct type *t, long count, struct rng *g, int specials)
{
    for (long i = 0; i < count; i++) {
        char *element = at + (size_t)i * t->extent;
        memset(element, 0xa5, t->extent);
        if (t->kind == FLOATING || t->kind == COMPLEX || t->kind == PAIR_OF_FLOATING) {
            size_t step = t->kind == COMPLEX ? t->number : t->extent;
            for (size_t place = 0; place < t->extent; place += step) {
                double value = number(g, specials);
                float single = (float)value;
                memcpy(element + place, t->number == 8 ? (void *)&value : (void *)&single, t->number);
            }
        } else if (t->kind == LOGICAL) {
            element[0] = (char)below(g, 2);
        } else {
            /* Open MPI's sums of short integers saturate or wrap, as a vector is cut. */
            int is_small = t->kind == PAIR || (t->number < 4 && !is_same);
            uint64_t value = (uint64_t)below(g, is_small ? 4 : 1l << 40);
            memcpy(element, &value, t->number);
        }
        if (t->kind == PAIR || t->kind == PAIR_OF_FLOATING || t->kind == DERIVED) {
            int place = (int)below(g, 1000);
            memcpy(element + (t->number < 4 ? 4 : t->number), &place, 4);
        }
    }
}

struct reduction {
    MPI_Comm comm;
    int kind, root, rank, size, in_place, rounds, inter;
    long count;
    int counts[MOST_RANKS];
    const struct type *t;
    const struct operation *o;
};

static int call(const struct reduction *r, int native, void *send, void *receive)
{
    const void *s = r->in_place ? MPI_IN_PLACE : send;
    MPI_Datatype t = r->t->type;
    MPI_Op o = r->o->op;
    int n = (int)r->count;

    if (r->in_place)
        memcpy(receive, send, (size_t)r->count * r->t->extent);
    switch (r->kind) {
    case ALLREDUCE:
        return native ? PMPI_Allreduce(s, receive, n, t, o, r->comm) : MPI_Allreduce(s, receive, n, t, o, r->comm);
    case REDUCE:
        return native ? PMPI_Reduce(s, receive, n, t, o, r->root, r->comm)
                      : MPI_Reduce(s, receive, n, t, o, r->root, r->comm);
    case REDUCE_SCATTER:
        return native ? PMPI_Reduce_scatter(s, receive, r->counts, t, o, r->comm)
                      : MPI_Reduce_scatter(s, receive, r->counts, t, o, r->comm);
    case REDUCE_SCATTER_BLOCK:
        return native ? PMPI_Reduce_scatter_block(s, receive, r->counts[0], t, o, r->comm)
                      : MPI_Reduce_scatter_block(s, receive, r->counts[0], t, o, r->comm);
    default:
        return native ? PMPI_Barrier(r->comm) : MPI_Barrier(r->comm);
    }
}

static void differ(const struct reduction *r, const char *what, const char *where)
{
    fprintf(stderr, "reductions: %s: %s, kind %d, %ld of %s, %s, root %d%s, rank %d of %d\n", where, what, r->kind,
            r->count, r->t->name, r->o->name, r->root, r->in_place ? ", in place" : "", r->rank, r->size);
    MPI_Abort(MPI_COMM_WORLD, 9);
}

/* The numbers of two results, which may differ by rounding. */
static int is_near(const struct type *t, const char *a, const char *b, size_t bytes)
{
    for (size_t place = 0; place < bytes; place += t->number) {
        double x, y;
        float f, g;
        memcpy(&x, a + place, 8 * (t->number == 8));
        memcpy(&y, b + place, 8 * (t->number == 8));
        if (t->number == 4) {
            memcpy(&f, a + place, 4);
            memcpy(&g, b + place, 4);
            x = f;
            y = g;
        }
        if (!(fabs(x - y) <= (t->number == 8 ? 1e-9 : 0.05) * (1 + fabs(x) + fabs(y))) && isfinite(x) && isfinite(y))
            return 0;
    }
    return 1;
}

static void run(struct reduction *r, struct rng *g, struct rng *local, const char *where)
{
    int specials = is_same && chance(g, 30) ? 1 + (int)below(g, 2) : 0;
    size_t vector = (size_t)r->count * r->t->extent, room = vector + 2 * GUARD;
    char *send = malloc(room), *results[3];
    int bytes;
    long own = r->kind == REDUCE_SCATTER || r->kind == REDUCE_SCATTER_BLOCK ? r->counts[r->rank] : r->count;
    /* What follows a block in place is undefined. */
    size_t seen = r->in_place ? GUARD + (size_t)own * r->t->extent : room;

    memset(send, 0x77, room);
    fill(send + GUARD, r->t, r->count, local, specials);
    for (int i = 0; i < 3; i++) {
        results[i] = malloc(room);
        memset(results[i], 0x33, room);
        if (call(r, i == 1, send + GUARD, results[i] + GUARD) != MPI_SUCCESS)
            differ(r, "an error", where);
        if (i != 1)
            __atomic_fetch_add(&made[r->kind], 1, __ATOMIC_RELAXED);
    }
    int may_round = !is_same && r->o->rounds && (r->t->kind == FLOATING || r->t->kind == COMPLEX);
    if (memcmp(results[0], results[2], seen))
        differ(r, "two calls have other bits", where);
    if (!may_round && memcmp(results[0], results[1], seen))
        differ(r, "other bits than the library's", where);
    if (may_round && r->kind != REDUCE &&
        !is_near(r->t, results[0] + GUARD, results[1] + GUARD, (size_t)own * r->t->extent))
        differ(r, "another result than the library's", where);
    PMPI_Type_size(r->t->type, &bytes);
    if (r->kind == ALLREDUCE && !r->inter && !specials && (size_t)bytes == r->t->extent) {
        memcpy(results[1], results[0], room);
        PMPI_Bcast(results[1], (int)room, MPI_BYTE, 0, r->comm);
        if (memcmp(results[0], results[1], room))
            differ(r, "other bits than on rank 0", where);
    }
    if (memcmp(results[0] + GUARD + vector, results[2] + GUARD + vector, GUARD) ||
        memcmp(send, send + GUARD + vector, GUARD))
        differ(r, "memory beside the vectors has changed", where);
    for (int i = 0; i < 3; i++)
        free(results[i]);
    free(send);
}

static long some_count(struct rng *g)
{
    switch (below(g, 6)) {
    case 0:
        return (long)below(g, 4);
    case 1:
        return (long)below(g, 20);
    case 2:
        return 1000; /* often the same, so that decisions and orders are known */
    default:
        return (long)below(g, 1ull << below(g, 13));
    }
}

static void one_reduction(MPI_Comm comm, uint64_t key, const char *where, int thread)
{
    struct rng g = {key}, local;
    struct reduction r = {.comm = comm};
    const struct type *t;
    const struct operation *o;

    MPI_Comm_rank(comm, &r.rank);
    MPI_Comm_size(comm, &r.size);
    MPI_Comm_test_inter(comm, &r.inter);
    r.kind = (int)below(&g, N_REDUCTIONS);
    if (r.inter && r.kind != ALLREDUCE)
        return;
    do {
        t = &types[below(&g, (uint64_t)n_types)];
        o = &operations[below(&g, (uint64_t)n_operations)];
    } while (!(o->kinds >> t->kind & 1));
    r.t = t;
    r.o = o;
    r.root = (int)(draw(&g) % (uint64_t)r.size); /* draws also in a group of one rank */
    r.count = r.kind == BARRIER ? 0 : some_count(&g);
    local.s = mix(key, 500 + (uint64_t)world_rank);
    if (r.kind == REDUCE_SCATTER_BLOCK) {
        for (int i = 0; i < r.size; i++)
            r.counts[i] = (int)(r.count / r.size);
        r.count = (long)r.counts[0] * r.size;
    } else if (r.kind == REDUCE_SCATTER) {
        long left = r.count, shape = (long)below(&g, 3);
        for (int i = 0; i < r.size; i++) {
            long share = shape == 0 ? (r.count / r.size) + (i < r.count % r.size) : i == r.size - 1 ? left : (long)below(&g, (uint64_t)left + 1);
            if (shape == 2 && i < r.size - 1 && chance(&g, 40))
                share = 0;
            r.counts[i] = (int)share;
            left -= share;
        }
    }
    r.in_place = !r.inter && r.kind != BARRIER && chance(&g, 25) && (r.kind != REDUCE || r.rank == r.root);
#ifndef OPEN_MPI
    r.in_place = r.in_place && (r.kind != REDUCE || r.root == 0); /* MPICH 4.0.2 itself crashes */
#endif
    snprintf(doing[thread], sizeof doing[thread], "%s: kind %d, %ld of %s, %s, rank %d of %d, blocks of %d %d %d\n", where,
             r.kind, r.count, t->name, o->name, r.rank, r.size, r.counts[0], r.counts[1], r.counts[2]);
    run(&r, &g, &local, where);
    doing[thread][0] = 0;
}

struct thread_job {
    MPI_Comm comm;
    uint64_t key;
    const char *where;
};

static void *other_thread(void *argument)
{
    struct thread_job *job = argument;
    for (uint64_t i = 0; i < 4; i++)
        one_reduction(job->comm, mix(job->key, i), job->where, 1);
    return NULL;
}

static void hang(int signal)
{
    (void)signal;
    for (int i = 0; i < 2; i++)
        if (write(2, doing[i], strnlen(doing[i], sizeof doing[i])) < 0)
            break;
    static const char text[] = "reductions: HANG\n";
    if (write(2, text, sizeof text - 1) < 0)
        _exit(8);
    _exit(9);
}

static void round_of_calls(uint64_t seed, long number, MPI_Comm *of_threads)
{
    uint64_t key = mix(seed, 4000 + (uint64_t)number);
    struct rng g = {key};
    char where[80];
    const char *name = "";
    int which = (int)below(&g, N_COMMS + 2), is_fresh = which >= N_COMMS, calls = 1 + (int)below(&g, 4);

    snprintf(where, sizeof where, "seed %llu round %ld", (unsigned long long)seed, number);
    if (of_threads && chance(&g, 30)) {
        pthread_t thread;
        struct thread_job job = {of_threads[1], mix(key, 7), where};
        if (pthread_create(&thread, NULL, other_thread, &job))
            die("no second thread");
        for (uint64_t i = 0; i < 4; i++)
            one_reduction(of_threads[0], mix(key, 50 + i), where, 0);
        pthread_join(thread, NULL);
        return;
    }
    MPI_Comm comm = is_fresh ? fresh(&g, &name) : pool[which];
    if (comm == MPI_COMM_NULL)
        return;
    for (int i = 0; i < calls; i++)
        one_reduction(comm, mix(key, 100 + (uint64_t)i), where, 0);
    if (is_fresh)
        MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    uint64_t seed = strtoull(argv[1], NULL, 10);
    double seconds = atof(argv[2]);
    int threads = argc > 4, provided = MPI_THREAD_SINGLE, on = 1;
    const char *from = getenv("REDUCTIONS_FROM");
    MPI_Comm of_threads[2];

    is_same = !strcmp(argv[3], "same");
    if (threads)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&argc, &argv);
    signal(SIGALRM, hang);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    comms_open();
    make_tables();
    MPI_Comm_dup(MPI_COMM_WORLD, &of_threads[0]);
    MPI_Comm_dup(pool[C_REVERSED], &of_threads[1]);
    double start = MPI_Wtime();
    for (long number = from ? atol(from) : 0;; number++) {
        alarm(HANG);
        on = seconds > 0 ? MPI_Wtime() - start < seconds : number < 80;
        PMPI_Bcast(&on, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (!on)
            break;
        round_of_calls(seed, number, provided == MPI_THREAD_MULTIPLE ? of_threads : NULL);
    }
    if (world_rank == 0)
        printf("reductions: %ld %ld %ld %ld %ld\n", made[0], made[1], made[2], made[3], made[4]);
    MPI_Finalize();
    return 0;
}
