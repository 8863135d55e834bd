/* Random collectives, each called as MPI_X (which a preloaded library may replace) and as
 * PMPI_X on equal memory; all memory is compared byte by byte.
 *   exercise SEED SECONDS [threads]     SECONDS 0: a fixed small number of rounds
 * EXERCISE_FROM=n starts with round n (a round depends on the seed and its number only).
 * Exit 0 if all agreed; 9, through MPI_Abort, at the first difference; 9 on a hang. */
#include "exercise_comms.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#ifdef LARGE
#define PROGRAM "large"
#else
#define PROGRAM "exercise"
#endif

enum { HANG_SECONDS = 30 }; /* for one round of a few calls */
static char watch[2][700]; /* what each thread is doing, for the alarm */
static struct attribute on_world;
static int self_deleted;

static void hang(int signal)
{
    static const char head[] = PROGRAM ": HANG or too slow";
    static const char in[] = ", in ", outside[] = ", outside of a round's calls\n";

    (void)signal;
    if (write(2, head, sizeof head - 1) < 0 ||
        (!watch[0][0] && !watch[1][0] && write(2, outside, sizeof outside - 1) < 0))
        _exit(9);
    for (int i = 0; i < 2; i++)
        if (watch[i][0] && (write(2, in, sizeof in - 1) < 0 ||
                            write(2, watch[i], strnlen(watch[i], sizeof watch[i])) < 0))
            break;
    _exit(9);
}

/* MPI_Finalize first deletes the attributes of MPI_COMM_SELF; MPI still works then. */
static int self_delete_fn(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void)comm;
    (void)keyval;
    (void)value;
    (void)state;
    one_of_each(MPI_COMM_WORLD, MPI_SUCCESS);
    self_deleted++;
    return MPI_SUCCESS;
}

static void calls_on(MPI_Comm comm, uint64_t key, int n, const char *where, int thread)
{
    for (int i = 0; i < n; i++)
        run_call(comm, mix(key, 100 + (uint64_t)i), where, watch[thread], sizeof watch[thread]);
    watch[thread][0] = 0;
}

struct job {
    MPI_Comm comm;
    uint64_t key;
    const char *where;
};

static void *second_thread(void *arg)
{
    struct job *j = arg;
    calls_on(j->comm, j->key, 3, j->where, 1);
    return NULL;
}

static MPI_Comm thread_comm[2];

static void two_threads(struct rng *g, uint64_t key, const char *where)
{
    int new_ones = chance(g, 40);
    MPI_Comm c[2] = {thread_comm[0], thread_comm[1]};
    pthread_t thread;

    if (new_ones) {
        c[0] = dup_world();
        MPI_Comm_dup(pool[C_REVERSED], &c[1]);
    }
    struct job j = {c[1], mix(key, 8), where};
    if (pthread_create(&thread, NULL, second_thread, &j))
        die("no second thread");
    calls_on(c[0], mix(key, 9), 3, where, 0);
    pthread_join(thread, NULL);
    if (new_ones) {
        MPI_Comm_free(&c[0]);
        MPI_Comm_free(&c[1]);
    }
}

static void one_round(uint64_t seed, long number, int threads)
{
    static const char *const names[N_COMMS + 1] = {"world", "dup",        "parity", "reversed", "thirds",
                                                   "first", "self",       "inter",  "grid",     "fresh"};
    uint64_t key = mix(seed, 10000 + (uint64_t)number);
    struct rng g = {key};
    char where[160];
    int which = (int)below(&g, N_COMMS + 2), n = 1 + (int)below(&g, 3), is_fresh = which >= N_COMMS;

    if (threads && chance(&g, 35)) {
        snprintf(where, sizeof where, "seed %llu round %ld (two threads)", (unsigned long long)seed, number);
        two_threads(&g, key, where);
        return;
    }
    const char *name = names[is_fresh ? N_COMMS : which];
    MPI_Comm comm = is_fresh ? fresh(&g, &name) : pool[which];
    snprintf(where, sizeof where, "seed %llu round %ld on %s", (unsigned long long)seed, number, name);
    if (comm == MPI_COMM_NULL)
        return;
    calls_on(comm, key, n, where, 0);
    if (is_fresh)
        MPI_Comm_free(&comm);
}

#ifdef LARGE
static void check_large(void);
#endif

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    double seconds = argc > 2 ? atof(argv[2]) : 0;
    int threads = argc > 3 && strcmp(argv[3], "threads") == 0, provided = 0, world_key, self_key, on = 1;
    const char *from = getenv("EXERCISE_FROM");
    long number = from ? atol(from) : 0, rounds = 0, sum = 0;

    if (threads)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&argc, &argv);
    threads = threads && provided == MPI_THREAD_MULTIPLE;
    signal(SIGALRM, hang);
    alarm(HANG_SECONDS);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    MPI_Comm_create_keyval(copy_fn, delete_fn, &world_key, &on_world);
    MPI_Comm_set_attr(MPI_COMM_WORLD, world_key, &on_world);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, self_delete_fn, &self_key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, self_key, NULL);
    comms_open();
    thread_comm[0] = dup_world();
    thread_comm[1] = dup_world();
    check_attributes();
    check_errors();
#ifdef LARGE
    check_large();
#endif
    for (double start = MPI_Wtime();; number++, rounds++) {
        alarm(HANG_SECONDS);
        on = seconds > 0 ? MPI_Wtime() - start < seconds : rounds < 60;
        PMPI_Bcast(&on, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (!on)
            break;
        one_round(seed, number, threads);
        alarm(HANG_SECONDS);
        if (number % 100 == 99) {
            check_attributes();
            check_errors();
        }
        if (on_world.copied != world_dups || on_world.deleted != world_dups - 3)
            die("the attribute of MPI_COMM_WORLD was copied or deleted by other than the program");
    }
    MPI_Comm_free(&thread_comm[0]);
    MPI_Comm_free(&thread_comm[1]);
    comms_close();
    /* The duplicates' copies are gone, each once. */
    if (on_world.copied != world_dups || on_world.deleted != world_dups)
        die("attributes and duplicates of MPI_COMM_WORLD do not add up");
    for (int k = 0; k < N_KINDS; k++)
        sum += calls_made[k] + 1; /* and one more of each inside MPI_Finalize */
    if (world_rank == 0) {
        printf(PROGRAM ": %ld rounds, %ld calls", rounds, sum);
        for (int k = 0; k < N_KINDS; k++)
            printf(", %s %ld", kind_name[k], calls_made[k] + 1);
        printf("%s\n", threads ? ", with threads" : argc > 3 ? ", no threads provided" : "");
        fflush(stdout);
    }
    MPI_Finalize();
#if OMPI_MAJOR_VERSION >= 5
    world_dups--; /* Open MPI 5 leaves the attributes of MPI_COMM_WORLD */
#endif
    if (self_deleted != 1 || on_world.deleted != world_dups + 1) {
        fprintf(stderr,
                PROGRAM ": MPI_Finalize deleted the attributes of MPI_COMM_SELF %d times, of "
                        "MPI_COMM_WORLD %ld times\n",
                self_deleted, on_world.deleted - world_dups);
        return 9;
    }
    return 0;
}
