/* For each size of the arguments: half a round trip from rank 0 to the last rank, after one to
   warm up, then an all-to-all that posts all messages at once. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int procs, rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &procs);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Request *requests = malloc(2 * procs * sizeof *requests);
  for (int i = 1; i < argc; i++) {
    int size = atoi(argv[i]), last = procs - 1, posted = 0;
    char *out = calloc(procs, size + 1), *in = calloc(procs, size + 1);
    double start, half = 0, took, longest;
    for (int round = 0; round < 2; round++) {
      start = MPI_Wtime();
      if (rank == 0) {
        MPI_Send(out, size, MPI_CHAR, last, 0, MPI_COMM_WORLD);
        MPI_Recv(in, size, MPI_CHAR, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else if (rank == last) {
        MPI_Recv(in, size, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(out, size, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
      }
      half = (MPI_Wtime() - start) / 2;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    for (int step = 1; step < procs; step++)
      MPI_Irecv(in + (size_t)step * size, size, MPI_CHAR, (rank + procs - step) % procs, 1,
                MPI_COMM_WORLD, &requests[posted++]);
    for (int step = 1; step < procs; step++)
      MPI_Isend(out + (size_t)step * size, size, MPI_CHAR, (rank + step) % procs, 1,
                MPI_COMM_WORLD, &requests[posted++]);
    MPI_Waitall(posted, requests, MPI_STATUSES_IGNORE);
    took = MPI_Wtime() - start;
    MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
      printf("%d %.9g %.9g\n", size, half, longest);
    free(out);
    free(in);
  }
  MPI_Finalize();
  return 0;
}
