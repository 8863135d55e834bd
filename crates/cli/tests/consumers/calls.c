/* An MPI program for tests of `netsig tune`: makes the calls COLLECTIVE:BYTES or COLLECTIVE:BYTES:ELEMENTS of its
   arguments. For each it prints the return class, `wrong` after a wrong product of matrices, the function of the library
   that the preloaded `served` saw first with its setting, the number of messages that rank 0 sent, the functions in the
   order of their calls, and the number of messages that all ranks sent. BYTES are for each process, of a reduction those of
   the vector, of equal blocks those of a block. The elements of a reduction are bytes, or `doubles`, complex numbers of
   long doubles (`longest`), or 2×2 matrices (`matrices`), whose product does not commute. */
#define _GNU_SOURCE
#include <complex.h>
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    unsigned at[4];
} matrix;

static int rank, ranks;
static MPI_Datatype matrices;
static MPI_Op product;

static matrix times(matrix a, matrix b) {
    matrix c = {{a.at[0] * b.at[0] + a.at[1] * b.at[2], a.at[0] * b.at[1] + a.at[1] * b.at[3],
                 a.at[2] * b.at[0] + a.at[3] * b.at[2], a.at[2] * b.at[1] + a.at[3] * b.at[3]}};
    return c;
}

static void multiply(void *left, void *right, int *count, MPI_Datatype *type) {
    matrix *a = left, *b = right;
    (void)type;
    for (int i = 0; i < *count; i++) b[i] = times(a[i], b[i]);
}

/* Element i of a rank. */
static matrix operand(int of, int i) {
    matrix a = {{1, of + 2, i % 7 + 1, of * i + 3}};
    return a;
}

static void fill(matrix *out, int count) {
    for (int i = 0; i < count; i++) out[i] = operand(rank, i);
}

/* The first of `count` results is that of element `first`. */
static int is_right(const matrix *in, int first, int count) {
    for (int i = 0; i < count; i++) {
        matrix all = operand(0, first + i);
        for (int of = 1; of < ranks; of++) all = times(all, operand(of, first + i));
        if (memcmp(&all, in + i, sizeof all)) return 0;
    }
    return 1;
}

static int reduce(const char *name, void *out, void *in, int count, MPI_Datatype type, MPI_Op op) {
    MPI_Comm all = MPI_COMM_WORLD;
    if (!strcmp(name, "reduce")) return MPI_Reduce(out, in, count, type, op, 0, all);
    if (!strcmp(name, "allreduce")) return MPI_Allreduce(out, in, count, type, op, all);
    if (!strcmp(name, "reduce-scatter-block")) return MPI_Reduce_scatter_block(out, in, count, type, op, all);
    int counts[ranks];
    for (int of = 0; of < ranks; of++) counts[of] = count / ranks + (of < count % ranks);
    return MPI_Reduce_scatter(out, in, counts, type, op, all);
}

/* A reduction, and whether the rank has the right product of matrices. */
static int reduced(const char *name, const char *elements, void *out, void *in, int bytes, int *right) {
    if (!strcmp(elements, "doubles")) return reduce(name, out, in, bytes / 8, MPI_DOUBLE, MPI_SUM);
    if (!strcmp(elements, "longest")) return reduce(name, out, in, bytes / 32, MPI_C_LONG_DOUBLE_COMPLEX, MPI_SUM);
    if (strcmp(elements, "matrices")) return reduce(name, out, in, bytes, MPI_BYTE, MPI_BOR);
    int count = bytes / (int)sizeof(matrix), each = count / ranks, further = count % ranks;
    int is_block = !strcmp(name, "reduce-scatter-block"), is_scatter = !strcmp(name, "reduce-scatter");
    fill(out, is_block ? count * ranks : count);
    int result = reduce(name, out, in, count, matrices, product);
    int first = is_block ? rank * count : is_scatter ? rank * each + (rank < further ? rank : further) : 0;
    int own = is_scatter ? each + (rank < further) : rank && !strcmp(name, "reduce") ? 0 : count;
    *right = result != MPI_SUCCESS || is_right(in, first, own);
    return result;
}

static int call(const char *name, const char *elements, void *out, void *in, int bytes, int *right) {
    MPI_Comm all = MPI_COMM_WORLD;
    if (!strcmp(name, "alltoall")) return MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, all);
    if (!strcmp(name, "allgather")) return MPI_Allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, all);
    if (!strcmp(name, "bcast")) return MPI_Bcast(out, bytes, MPI_BYTE, 0, all);
    if (!strcmp(name, "scatter")) return MPI_Scatter(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, all);
    if (!strcmp(name, "gather")) return MPI_Gather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, all);
    if (!strcmp(name, "barrier")) return MPI_Barrier(all);
    if (strstr(name, "reduce")) return reduced(name, elements, out, in, bytes, right);
    return MPI_ERR_OTHER;
}

/* The sum over all ranks at rank 0, without a collective. */
static long sum(long value) {
    long other;
    if (rank) MPI_Send(&value, 1, MPI_LONG, 0, 1, MPI_COMM_WORLD);
    for (int of = 1; of < ranks && !rank; of++) {
        MPI_Recv(&other, 1, MPI_LONG, of, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        value += other;
    }
    return value;
}

int main(int argc, char **argv) {
    int class;
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    const char **function = dlsym(RTLD_DEFAULT, "netsig_function");
    const int *setting = dlsym(RTLD_DEFAULT, "netsig_setting");
    const long *sent = dlsym(RTLD_DEFAULT, "netsig_sent");
    char *path = dlsym(RTLD_DEFAULT, "netsig_path");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Type_contiguous(4, MPI_UNSIGNED, &matrices);
    MPI_Type_commit(&matrices);
    MPI_Op_create(multiply, 0, &product);
    MPI_Get_library_version(version, &class);
    if (rank == 0) printf("library %.20s\n", version);
    for (int i = 1; i < argc; i++) {
        char name[32] = "", elements[32] = "bytes";
        int bytes = 0, right = 1;
        sscanf(argv[i], "%31[^:]:%d:%31s", name, &bytes, elements);
        char *out = calloc((size_t)bytes * ranks + 1, 1), *in = calloc((size_t)bytes * ranks + 1, 1);
        long before = sent ? *sent : 0;
        if (function) *function = "none";
        if (path) *path = 0;
        MPI_Error_class(call(name, elements, out, in, bytes, &right), &class);
        long own = sent ? *sent - before : 0, wrong = sum(!right), all = sum(own);
        if (rank == 0)
            printf("%s %d %s %s %d %ld %s %ld\n", name, bytes,
                   wrong ? "wrong" : class == MPI_SUCCESS ? "done" : class == MPI_ERR_ARG ? "argument" : "failed",
                   function ? *function : "none", setting ? *setting : 0, own, path && *path ? path : "none", all);
        fflush(stdout);
        free(out);
        free(in);
    }
    MPI_Finalize();
    return 0;
}
