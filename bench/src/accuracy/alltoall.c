/* For each size of the arguments: half a round trip between two ranks, after one that lets both
   leave the barrier, then the all-to-all. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int procs, rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &procs);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 1; i < argc; i++) {
    int size = atoi(argv[i]);
    char *out = calloc(procs, size), *in = calloc(procs, size);
    double start, half, took, last;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int round = 0; round < 2; round++) {
      start = MPI_Wtime();
      if (rank == 0) {
        MPI_Send(out, size, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(in, size, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else if (rank == 1) {
        MPI_Recv(in, size, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(out, size, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
      }
      half = (MPI_Wtime() - start) / 2;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    MPI_Alltoall(out, size, MPI_CHAR, in, size, MPI_CHAR, MPI_COMM_WORLD);
    took = MPI_Wtime() - start;
    MPI_Reduce(&took, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
      printf("%d %.9g %.9g\n", size, half, last);
    free(out);
    free(in);
  }
  MPI_Finalize();
  return 0;
}
