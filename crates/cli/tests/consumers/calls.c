/* An MPI program for tests of `netsig tune`: makes the calls COLLECTIVE:BYTES of its arguments and
   prints, for each, the return class, the function of the library that the preloaded `served`
   saw first with its setting, and the number of messages that rank 0 sent. BYTES are for each
   process. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int call(const char *name, char *out, char *in, int bytes) {
    MPI_Comm all = MPI_COMM_WORLD;
    if (!strcmp(name, "alltoall")) return MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, all);
    if (!strcmp(name, "allgather")) return MPI_Allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, all);
    if (!strcmp(name, "bcast")) return MPI_Bcast(out, bytes, MPI_BYTE, 0, all);
    if (!strcmp(name, "scatter")) return MPI_Scatter(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, all);
    if (!strcmp(name, "gather")) return MPI_Gather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, all);
    if (!strcmp(name, "allreduce")) return MPI_Allreduce(out, in, bytes, MPI_BYTE, MPI_BOR, all);
    if (!strcmp(name, "barrier")) return MPI_Barrier(all);
    return MPI_ERR_OTHER;
}

int main(int argc, char **argv) {
    int rank, ranks, class;
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    const char **function = dlsym(RTLD_DEFAULT, "netsig_function");
    const int *setting = dlsym(RTLD_DEFAULT, "netsig_setting");
    const long *sent = dlsym(RTLD_DEFAULT, "netsig_sent");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Get_library_version(version, &class);
    if (rank == 0) printf("library %.20s\n", version);
    for (int i = 1; i < argc; i++) {
        char name[32] = "";
        int bytes = 0;
        sscanf(argv[i], "%31[^:]:%d", name, &bytes);
        char *out = calloc((size_t)bytes * ranks + 1, 1), *in = calloc((size_t)bytes * ranks + 1, 1);
        long before = sent ? *sent : 0;
        if (function) *function = "none";
        MPI_Error_class(call(name, out, in, bytes), &class);
        if (rank == 0)
            printf("%s %d %s %s %d %ld\n", name, bytes,
                   class == MPI_SUCCESS ? "done" : class == MPI_ERR_ARG ? "argument" : "failed",
                   function ? *function : "none", setting ? *setting : 0, sent ? *sent - before : 0);
        fflush(stdout);
        free(out);
        free(in);
    }
    MPI_Finalize();
    return 0;
}
