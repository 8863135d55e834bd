/* Distributed FFTs and transposes with FFTW.
 *
 * A complex matrix of NX x NY, distributed by rows, is transformed forward (output transposed) and
 * backward (input transposed) COUNT times. Then a real matrix of NX x NY vectors is transposed and
 * transposed back COUNT times. Each transform and each transpose exchanges all data once.
 *
 * Prints the time of each step (the slowest rank's), the error after the way back, and a checksum
 * of all ranks' bytes. */

#include <complex.h>
#include <fftw3-mpi.h>
#include <getopt.h>
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;

static uint64_t fnv1a(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ byte[i]) * 0x100000001b3u;
    return hash;
}

/* The checksum of every rank's bytes, by rank; on rank 0. */
static uint64_t checksum(const void *data, size_t bytes)
{
    const uint64_t basis = 0xcbf29ce484222325u;
    uint64_t hash = fnv1a(basis, data, bytes);
    uint64_t *all = malloc(ranks * sizeof *all);
    MPI_Gather(&hash, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    hash = rank == 0 ? fnv1a(basis, all, ranks * sizeof *all) : 0;
    free(all);
    return hash;
}

/* A number in [-1, 1) that depends on its place in the whole matrix only. */
static double value(uint64_t place)
{
    uint64_t z = (place + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-52 - 1;
}

static double slowest(double seconds)
{
    double most;
    MPI_Reduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return most;
}

static double largest_error(const double *data, size_t count, uint64_t first)
{
    double error = 0;
    for (size_t i = 0; i < count; i++)
        error = fmax(error, fabs(data[i] - value(first + i)));
    return slowest(error);
}

static void print(const char *step, double seconds, uint64_t hash)
{
    if (rank == 0)
        printf("%-20s %10.6f s  %016llx\n", step, seconds, (unsigned long long)hash);
}

static double step(fftw_plan plan)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    fftw_execute(plan);
    return slowest(MPI_Wtime() - start);
}

static void require(const void *pointer, const char *what)
{
    if (!pointer) {
        fprintf(stderr, "transpose: no %s\n", what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void transforms(ptrdiff_t nx, ptrdiff_t ny, int count, unsigned flags, int in_place)
{
    ptrdiff_t rows, row, columns, column;
    ptrdiff_t size = fftw_mpi_local_size_2d_transposed(nx, ny, MPI_COMM_WORLD, &rows, &row,
                                                       &columns, &column);
    fftw_complex *space = fftw_alloc_complex(size);
    fftw_complex *spectrum = in_place ? space : fftw_alloc_complex(size);
    require(space, "memory");
    require(spectrum, "memory");
    fftw_plan forward = fftw_mpi_plan_dft_2d(nx, ny, space, spectrum, MPI_COMM_WORLD, FFTW_FORWARD,
                                             flags | FFTW_MPI_TRANSPOSED_OUT);
    fftw_plan backward = fftw_mpi_plan_dft_2d(nx, ny, spectrum, space, MPI_COMM_WORLD,
                                              FFTW_BACKWARD, flags | FFTW_MPI_TRANSPOSED_IN);
    require(forward, "plan");
    require(backward, "plan");

    uint64_t first = 2 * (uint64_t)row * ny, numbers = 2 * (uint64_t)rows * ny;
    double *parts = (double *)space;
    for (uint64_t i = 0; i < numbers; i++)
        parts[i] = value(first + i);

    double there = 0, back = 0;
    uint64_t hash = 0;
    for (int i = 0; i < count; i++) {
        there += step(forward);
        hash = checksum(spectrum, columns * nx * sizeof *spectrum);
        back += step(backward);
        for (uint64_t j = 0; j < numbers; j++)
            parts[j] /= (double)nx * ny;
    }
    print("forward", there / count, hash);
    print("backward", back / count, checksum(space, rows * ny * sizeof *space));
    double error = largest_error(parts, numbers, first);
    if (rank == 0)
        printf("%-20s %10.3e\n", "error", error);

    fftw_destroy_plan(forward);
    fftw_destroy_plan(backward);
    fftw_free(space);
    if (!in_place)
        fftw_free(spectrum);
}

static void transposes(ptrdiff_t nx, ptrdiff_t ny, ptrdiff_t vector, int count, unsigned flags,
                       int in_place)
{
    ptrdiff_t rows, row, columns, column;
    ptrdiff_t n[2] = {nx, ny};
    ptrdiff_t size = fftw_mpi_local_size_many_transposed(
        2, n, vector, FFTW_MPI_DEFAULT_BLOCK, FFTW_MPI_DEFAULT_BLOCK, MPI_COMM_WORLD, &rows, &row,
        &columns, &column);
    double *matrix = fftw_alloc_real(size);
    double *transposed = in_place ? matrix : fftw_alloc_real(size);
    require(matrix, "memory");
    require(transposed, "memory");
    fftw_plan there = fftw_mpi_plan_many_transpose(nx, ny, vector, FFTW_MPI_DEFAULT_BLOCK,
                                                   FFTW_MPI_DEFAULT_BLOCK, matrix, transposed,
                                                   MPI_COMM_WORLD, flags);
    fftw_plan back = fftw_mpi_plan_many_transpose(ny, nx, vector, FFTW_MPI_DEFAULT_BLOCK,
                                                  FFTW_MPI_DEFAULT_BLOCK, transposed, matrix,
                                                  MPI_COMM_WORLD, flags);
    require(there, "plan");
    require(back, "plan");

    uint64_t first = (uint64_t)row * ny * vector, numbers = (uint64_t)rows * ny * vector;
    for (uint64_t i = 0; i < numbers; i++)
        matrix[i] = value(first + i);

    double there_time = 0, back_time = 0;
    uint64_t hash = 0;
    for (int i = 0; i < count; i++) {
        there_time += step(there);
        hash = checksum(transposed, columns * nx * vector * sizeof *transposed);
        back_time += step(back);
    }
    print("transpose", there_time / count, hash);
    print("transpose back", back_time / count, checksum(matrix, numbers * sizeof *matrix));
    double error = largest_error(matrix, numbers, first);
    if (rank == 0)
        printf("%-20s %10.3e\n", "error", error);

    fftw_destroy_plan(there);
    fftw_destroy_plan(back);
    fftw_free(matrix);
    if (!in_place)
        fftw_free(transposed);
}

static void usage(void)
{
    if (rank == 0)
        fprintf(stderr, "usage: transpose [-x NX] [-y NY] [-v VECTOR] [-n COUNT] [-i] "
                        "[-p estimate|measure|patient] [-w WISDOM]\n");
    MPI_Finalize();
    exit(2);
}

int main(int argc, char **argv)
{
    long nx = 512, ny = 512, vector = 2;
    int count = 10, in_place = 0, option;
    unsigned flags = FFTW_ESTIMATE;
    const char *wisdom = NULL;

    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    while ((option = getopt(argc, argv, "x:y:v:n:p:w:i")) != -1)
        switch (option) {
        case 'x': nx = atol(optarg); break;
        case 'y': ny = atol(optarg); break;
        case 'v': vector = atol(optarg); break;
        case 'n': count = atoi(optarg); break;
        case 'w': wisdom = optarg; break;
        case 'i': in_place = 1; break;
        case 'p':
            if (!strcmp(optarg, "estimate"))
                flags = FFTW_ESTIMATE;
            else if (!strcmp(optarg, "measure"))
                flags = FFTW_MEASURE;
            else if (!strcmp(optarg, "patient"))
                flags = FFTW_PATIENT;
            else
                usage();
            break;
        default: usage();
        }
    if (nx < 1 || ny < 1 || vector < 1 || count < 1)
        usage();

    /* Plans that may destroy their input exchange with MPI_Alltoall(v), others with MPI_Sendrecv. */
    if (!in_place)
        flags |= FFTW_DESTROY_INPUT;
    if (wisdom) {
        if (rank == 0)
            fftw_import_wisdom_from_filename(wisdom);
        fftw_mpi_broadcast_wisdom(MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%d ranks, %ld x %ld, vectors of %ld, %d times\n", ranks, nx, ny, vector, count);
    transforms(nx, ny, count, flags, in_place);
    transposes(nx, ny, vector, count, flags, in_place);
    if (wisdom) {
        fftw_mpi_gather_wisdom(MPI_COMM_WORLD);
        if (rank == 0 && !fftw_export_wisdom_to_filename(wisdom))
            fprintf(stderr, "transpose: cannot write %s\n", wisdom);
    }

    fftw_mpi_cleanup();
    MPI_Finalize();
    return 0;
}
