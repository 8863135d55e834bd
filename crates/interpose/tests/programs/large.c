/* The large-count twins of MPI 4 (MPI_Alltoall_c and so on): all that exercise.c does, with
 * them, and in addition counts and displacements that do not fit an int.
 *   large SEED SECONDS [threads]
 * Exit codes as exercise; 77 where MPI has no such functions (Open MPI 4). */
#include <mpi.h>
#include <stdio.h>

#if MPI_VERSION >= 4

#define LARGE
#include "exercise.c"

#include <sys/mman.h>

/* Bytes beyond 2 GiB of address, of which only few pages are ever touched. */
static unsigned char *wide(size_t len)
{
    void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        die("no address space");
    return p;
}

static void check_displacements(MPI_Comm comm, int native)
{
    enum { BLOCK = 700 };
    const MPI_Aint far = 0x80001000; /* as an int: negative */
    int n, me;
    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &me);
    unsigned char *s = wide((size_t)far + 100000), *r = wide((size_t)far + 100000);
    MPI_Count counts[n];
    MPI_Aint at[n];

    for (int i = 0; i < n; i++) {
        counts[i] = BLOCK;
        at[i] = (i % 2 ? 0 : far) + i * BLOCK;
        memset(s + at[i], 1 + me * n + i, BLOCK);
    }
    if (!native)
        counted(ALLTOALLV);
    CALL(native, Alltoallv, s, counts, at, MPI_BYTE, r, counts, at, MPI_BYTE, comm);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < BLOCK; k++)
            if (r[at[i] + k] != (unsigned char)(1 + i * n + me))
                die(native ? "PMPI_Alltoallv_c: wrong data at a far displacement"
                           : "MPI_Alltoallv_c: wrong data at a far displacement");
    munmap(s, (size_t)far + 100000);
    munmap(r, (size_t)far + 100000);
}

/* Three thousand million elements of no bytes. */
static void check_counts(MPI_Comm comm, int native)
{
    const MPI_Count many = 3000000000;
    int a = 1, b = 2, bad = 0;
    MPI_Datatype none;

    MPI_Type_contiguous(0, MPI_INT, &none);
    MPI_Type_commit(&none);
    for (int k = 0; k < N_KINDS; k++) {
        if (k == ALLTOALLV)
            continue;
        if (!native)
            counted(k);
        if (k == ALLTOALL)
            bad |= CALL(native, Alltoall, &a, many, none, &b, many, none, comm);
        else if (k == BCAST)
            bad |= CALL(native, Bcast, &a, many, none, 0, comm);
        else if (k == SCATTER)
            bad |= CALL(native, Scatter, &a, many, none, &b, many, none, 0, comm);
        else if (k == GATHER)
            bad |= CALL(native, Gather, &a, many, none, &b, many, none, 0, comm);
        else
            bad |= CALL(native, Allgather, &a, many, none, &b, many, none, comm);
    }
    MPI_Type_free(&none);
    if (bad || a != 1 || b != 2)
        die("many elements of no bytes");
}

static void check_large(void)
{
    for (int native = 1; native >= 0; native--) {
        check_displacements(pool[C_DUP], native);
        check_counts(pool[C_DUP], native);
    }
}

#else

int main(void)
{
    puts("large: this MPI has no large-count functions");
    return 77;
}

#endif
