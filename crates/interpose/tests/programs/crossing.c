/* Two threads of rank 0 communicate on two communicators, in which rank 1 calls the other way round: a
 * call of one may never wait for a call of the other. The thread that goes on waits longer than the
 * interval of the report. The first call on each communicator moves nothing.
 * Exit 0; 77 where MPI serves no threads; killed by SIGALRM if a thread waits for the other. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static MPI_Comm comms[2];

static int receive(MPI_Comm comm)
{
    int x = 0;
    MPI_Bcast(&x, 1, MPI_INT, 1, comm);
    return x;
}

static void *late(void *result)
{
    *(int *)result = receive(comms[0]);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, rank, first, second, last = 0, none[2] = {0};
    pthread_t thread;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE)
        return 77;
    alarm(20);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        MPI_Alltoallv(&first, none, none, MPI_INT, &second, none, none, MPI_INT, comms[i]);
    }
    if (rank == 0) {
        pthread_create(&thread, NULL, late, &last);
        usleep(200000);
        first = receive(comms[1]);
        usleep(1300000);
        second = receive(comms[1]);
        pthread_join(thread, NULL);
        if (first != 1 || second != 2 || last != 3)
            MPI_Abort(MPI_COMM_WORLD, 9);
    } else {
        usleep(400000);
        for (int x = 1; x <= 3; x++)
            MPI_Bcast(&x, 1, MPI_INT, 1, comms[x < 3]);
    }
    MPI_Finalize();
    return 0;
}
