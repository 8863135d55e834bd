/* An MPI program that knows nothing of netsig, for tests in the lab: ranks exchange blocks, check what
   they got and name their hosts in order. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#ifndef RANKS
#define RANKS 4
#define LENGTH 3000
#endif

static int sent[RANKS][LENGTH], got[RANKS][LENGTH];
static char names[RANKS][MPI_MAX_PROCESSOR_NAME];

static int expected(int origin, int target, int i) { return (origin * RANKS + target) * LENGTH + i; }

int main(int argc, char **argv) {
    int rank, size, length, wrong = 0, all_wrong;
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != RANKS) MPI_Abort(MPI_COMM_WORLD, 2);
    for (int to = 0; to < RANKS; to++)
        for (int i = 0; i < LENGTH; i++) sent[to][i] = expected(rank, to, i);
    MPI_Alltoall(sent, LENGTH, MPI_INT, got, LENGTH, MPI_INT, MPI_COMM_WORLD);
    for (int from = 0; from < RANKS; from++)
        for (int i = 0; i < LENGTH; i++) wrong += got[from][i] != expected(from, rank, i);
    MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Get_processor_name(name, &length);
    MPI_Gather(name, sizeof name, MPI_CHAR, names, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        for (int r = 0; r < RANKS; r++) printf("%s\n", names[r]);
        printf("%d wrong\n", all_wrong);
    }
    MPI_Finalize();
    return 0;
}
