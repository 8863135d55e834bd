/* Reductions by handles that come and go: operations and communicators are created and freed between the calls, and one
   rank alone renames a predefined type. Results are checked. Exit 9 if one is wrong. */

#include <mpi.h>
#include <stdio.h>

enum { COUNT = 50, ROUNDS = 300 };

static int rank, procs;

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void left_one(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] = ((int *)in)[i];
}

static void must(int is_right, const char *what, int round)
{
    if (is_right)
        return;
    fprintf(stderr, "rank %d: %s in round %d\n", rank, what, round);
    MPI_Abort(MPI_COMM_WORLD, 9);
}

/* A third of the operations does not commute, and may have the handle of one that does. */
static void by_new_operation(int round)
{
    int a[COUNT], b[COUNT], commutes = round % 3 != 0;
    MPI_Op op;

    MPI_Op_create(commutes ? add : left_one, commutes, &op);
    for (int i = 0; i < COUNT; i++)
        a[i] = rank * 100 + i + round;
    MPI_Allreduce(a, b, COUNT, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    for (int i = 0; i < COUNT; i++) {
        int sum = procs * (procs - 1) / 2 * 100 + procs * (i + round);
        must(b[i] == (commutes ? sum : i + round), "a new operation", round);
    }
}

static void on_new_communicator(int round)
{
    double a[COUNT], b[COUNT];
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < COUNT; i++)
        a[i] = rank + i;
    for (int call = 0; call < 8; call++) {
        MPI_Allreduce(a, b, COUNT, MPI_DOUBLE, MPI_SUM, comm);
        for (int i = 0; i < COUNT; i++)
            must(b[i] == procs * (procs - 1) / 2 + procs * i, "a new communicator", round);
    }
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
}

/* The first call of the collective shows nothing of the type. */
static void of_renamed_type(void)
{
    float a = 1, b = 0;
    int c = 1, d = 0;
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Allreduce(&c, &d, 1, MPI_INT, MPI_SUM, comm);
    if (rank == 1)
        MPI_Type_set_name(MPI_FLOAT, "temperature");
    for (int call = 0; call < 200; call++) {
        MPI_Allreduce(&a, &b, 1, MPI_FLOAT, MPI_SUM, comm);
        must(b == procs, "a renamed type", call);
    }
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    of_renamed_type();
    for (int round = 0; round < ROUNDS; round++) {
        by_new_operation(round);
        on_new_communicator(round);
    }
    if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
