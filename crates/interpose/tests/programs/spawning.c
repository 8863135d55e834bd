/* Collectives of parents, in which the library is preloaded, with spawned children, in which it is not:
 * the parents must not expect messages of the library from the children.
 * Exit 0 if the results are right; 77 where MPI cannot spawn, as Debian's MPICH. */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Comm parent, between, all;
    int n, me, x = 0, bad = 0;

    MPI_Init(&argc, &argv);
    alarm(30);
    MPI_Comm_get_parent(&parent);
    int is_child = parent != MPI_COMM_NULL;

    if (is_child) {
        between = parent;
    } else {
        char *arguments[] = {"-u", "LD_PRELOAD", argv[0], NULL};
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        if (MPI_Comm_spawn("env", arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between, MPI_ERRCODES_IGNORE)) {
            MPI_Finalize();
            return 77;
        }
    }
    MPI_Intercomm_merge(between, is_child, &all);
    MPI_Comm_size(all, &n);
    MPI_Comm_rank(all, &me);
    int from[n], to[n];

    for (int i = 0; i < n; i++)
        from[i] = 100 * me + i;
    MPI_Alltoall(from, 1, MPI_INT, to, 1, MPI_INT, all);
    for (int i = 0; i < n; i++)
        bad |= to[i] != 100 * i + me;
    x = me == 0 ? 7 : 0;
    MPI_Bcast(&x, 1, MPI_INT, 0, all);
    if (bad || x != 7)
        MPI_Abort(MPI_COMM_WORLD, 9);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&between);
    MPI_Finalize();
    return 0;
}
