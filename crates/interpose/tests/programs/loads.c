/* Loads module.so, whose Fortran library of MPI is then visible to it alone, as Python loads its modules.
 * Exit 0 if the results are right. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int wrong = 1;

    MPI_Init(&argc, &argv);
    void *module = dlopen("./module.so", RTLD_NOW | RTLD_LOCAL);
    void (*exchange)(int *) = module ? (void (*)(int *))dlsym(module, "exchange_") : NULL;
    if (exchange)
        exchange(&wrong);
    else
        fprintf(stderr, "%s\n", dlerror());
    if (wrong)
        MPI_Abort(MPI_COMM_WORLD, 9);
    MPI_Finalize();
    return 0;
}
