/* One rank, which the argument names, receives with MPI_ANY_TAG from all others. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAG = 7 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, procs, wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    int to = atoi(argv[1]);
    if (rank != to)
        MPI_Send(&rank, 1, MPI_INT, to, TAG, MPI_COMM_WORLD);
    for (int i = 1; rank == to && i < procs; i++) {
        int from;
        MPI_Status status;
        MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        wrong += status.MPI_TAG != TAG || status.MPI_SOURCE != from;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (wrong && rank == 0)
        fprintf(stderr, "%d messages are not the program's\n", wrong);
    MPI_Finalize();
    return wrong != 0;
}
