/* Random numbers, guarded memory and random datatypes for exercise.c and large.c.
 * A datatype is drawn for a given signature: m times an atom. Two types drawn with the same
 * atom and m (or with counts that make up for another m) match, however they lie in memory.
 * No receive type drawn here overlaps itself, so every collective has one right outcome. */
#ifndef EXERCISE_TYPES_H
#define EXERCISE_TYPES_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* splitmix64 */
struct rng {
    uint64_t s;
};

static inline uint64_t scramble(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline uint64_t mix(uint64_t a, uint64_t b)
{
    return scramble(a * 0x9e3779b97f4a7c15u + scramble(b + 0x632be59bd9b4e019u));
}

static inline uint64_t draw(struct rng *g)
{
    return scramble(g->s += 0x9e3779b97f4a7c15u);
}

/* 0 .. n-1 */
static inline long below(struct rng *g, long n)
{
    return n > 1 ? (long)(draw(g) % (uint64_t)n) : 0;
}

static inline int chance(struct rng *g, int percent)
{
    return below(g, 100) < percent;
}

static void die(const char *what)
{
    int rank;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fprintf(stderr, "exercise: world rank %d: %s\n", rank, what);
    fflush(NULL);
    MPI_Abort(MPI_COMM_WORLD, 9);
    exit(9);
}

/* Memory in which the bytes lo .. hi-1 from base may be used, between two guard zones. */
enum { GUARD = 96 };

struct region {
    unsigned char *mem, *base;
    size_t len;
};

static void region_open(struct region *r, long lo, long hi, uint64_t fill)
{
    struct rng g = {fill};
    long before = GUARD;

    if (lo < 0)
        before += (-lo + 15) / 16 * 16;
    r->len = (size_t)(before + (hi > 0 ? hi : 0) + GUARD);
    r->mem = malloc(r->len + 8);
    if (!r->mem)
        die("out of memory");
    for (size_t i = 0; i < r->len; i += 8) {
        uint64_t w = draw(&g);
        memcpy(r->mem + i, &w, 8);
    }
    r->base = r->mem + before;
}

static void region_close(struct region *r)
{
    free(r->mem);
    memset(r, 0, sizeof *r);
}

/* The atoms. The two last ones have several layouts for one signature. */
enum { A_INT, A_DOUBLE, A_BYTE, A_DOUBLE_INT, A_MIXED, N_ATOMS };

static const int atom_bytes[N_ATOMS] = {4, 8, 1, 12, 15};
static const char *const atom_name[N_ATOMS] = {"int", "double", "byte", "double+int", "int+3byte+double"};

#define NAME_LEN 72

static void note(char *name, const char *word)
{
    size_t n = strlen(name);
    snprintf(name + n, NAME_LEN - n, "%s%s", n ? "." : "", word);
}

static MPI_Datatype struct_of(int n, const int *len, const MPI_Aint *at, const MPI_Datatype *part)
{
    MPI_Datatype t;
    MPI_Type_create_struct(n, len, at, part, &t);
    return t;
}

/* One atom; *own tells whether the caller has to free it. */
static MPI_Datatype atom_type(struct rng *g, int atom, int *own, char *name)
{
    *own = 1;
    switch (atom) {
    case A_INT:
        *own = 0;
        return MPI_INT;
    case A_DOUBLE: {
        MPI_Datatype t = MPI_DOUBLE;
        *own = 0;
        if (chance(g, 20)) {
            MPI_Type_create_f90_real(15, 307, &t); /* may not be freed */
            note(name, "f90_real");
        }
        return t;
    }
    case A_BYTE:
        *own = 0;
        return MPI_BYTE;
    case A_DOUBLE_INT: {
        static const MPI_Aint ats[3][2] = {{0, 8}, {8, 0}, {4, 20}};
        const int len[2] = {1, 1};
        const MPI_Datatype part[2] = {MPI_DOUBLE, MPI_INT};
        long k = below(g, 4);
        if (k == 3) {
            *own = 0;
            note(name, "DOUBLE_INT");
            return MPI_DOUBLE_INT;
        }
        note(name, k == 0 ? "d,i" : k == 1 ? "i,d" : ".d,i");
        return struct_of(2, len, ats[k], part);
    }
    default: {
        static const MPI_Aint ats[4][3] = {{0, 4, 8}, {16, 8, 0}, {0, 4, 7}, {8, -5, 16}};
        const int len[3] = {1, 3, 1};
        const MPI_Datatype part[3] = {MPI_INT, MPI_BYTE, MPI_DOUBLE};
        long k = below(g, 4);
        note(name, k == 0 ? "ibd" : k == 1 ? "dbi" : k == 2 ? "ibd-packed" : "b..i.d");
        return struct_of(3, len, ats[k], part);
    }
    }
}

static MPI_Aint extent_of(MPI_Datatype t)
{
    MPI_Aint lb, extent;
    MPI_Type_get_extent(t, &lb, &extent);
    return extent;
}

/* Bytes that count elements of t touch, from the buffer's address. */
static void reach(MPI_Datatype t, long first, long last, long *lo, long *hi)
{
    MPI_Aint lb, extent, tlb, text;

    *lo = *hi = 0;
    if (last <= first)
        return;
    MPI_Type_get_extent(t, &lb, &extent);
    MPI_Type_get_true_extent(t, &tlb, &text);
    *lo = first * extent + tlb;
    *hi = (last - 1) * extent + tlb + text;
}

/* m blocks of one unit from high to low addresses: the type map's order is not memory's. */
static MPI_Datatype descending(struct rng *g, MPI_Datatype unit, int m)
{
    int len[16], at[16], n = 0;
    int pos = 2 * m + 4 - (chance(g, 40) ? (int)below(g, 2 * m + 8) : 0);
    MPI_Datatype t;

    for (int left = m; left > 0; n++) {
        len[n] = n == 15 ? left : 1 + (int)below(g, left < 3 ? left : 3);
        pos -= len[n] + (int)below(g, 2);
        at[n] = pos;
        left -= len[n];
    }
    MPI_Type_indexed(n, len, at, unit, &t);
    return t;
}

/* A part as a contiguous run high up, the rest as a vector with gaps below it. */
static MPI_Datatype mixture(struct rng *g, MPI_Datatype unit, int m)
{
    const int len[2] = {1, 1};
    MPI_Aint e = extent_of(unit), at[2];
    MPI_Datatype part[2], t;
    int k = 1 + (int)below(g, m);

    MPI_Type_contiguous(k, unit, &part[0]);
    at[0] = (2 * (m - k) + 2) * e;
    if (k == m) {
        t = struct_of(1, len, at, part);
    } else {
        MPI_Type_vector(m - k, 1, 2, unit, &part[1]);
        at[1] = chance(g, 50) ? 0 : -3 * e;
        t = struct_of(2, len, at, part);
        MPI_Type_free(&part[1]);
    }
    MPI_Type_free(&part[0]);
    return t;
}

static MPI_Datatype sub_array(struct rng *g, MPI_Datatype unit, int m)
{
    int a = 1 + (int)below(g, m), sizes[2], sub[2], start[2];
    MPI_Datatype t;

    while (m % a)
        a--;
    sub[0] = a;
    sub[1] = m / a;
    for (int i = 0; i < 2; i++) {
        int more = (int)below(g, 3);
        sizes[i] = sub[i] + more;
        start[i] = (int)below(g, more + 1);
    }
    MPI_Type_create_subarray(2, sizes, sub, start,
                             chance(g, 50) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, unit, &t);
    return t;
}

static void replace(MPI_Datatype *t, int *own, MPI_Datatype by)
{
    if (*own)
        MPI_Type_free(t);
    *t = by;
    *own = 1;
}

static void contiguous(int m, MPI_Datatype unit, MPI_Datatype *t)
{
#ifdef LARGE
    MPI_Type_contiguous_c(m, unit, t);
#else
    MPI_Type_contiguous(m, unit, t);
#endif
}

/* A committed type of m atoms, to be freed if *owned. span: how many elements, gaps between blocks included, the
 * buffer will hold (a column of a matrix with that row length interleaves them). */
static MPI_Datatype draw_type(struct rng *g, int atom, int m, long span, int plain, int *owned,
                              char *name)
{
    int own, unit_own, size;
    MPI_Datatype unit, t;
    MPI_Aint lb, e, tlb, text;

    name[0] = 0;
    *owned = 1;
    unit = atom_type(g, atom, &unit_own, name);
    long kind = plain || chance(g, 15) ? 0 : below(g, 10);
    if (kind >= 8 && (m == 1 || m * span > 4000))
        kind = 1;
    switch (kind) {
    case 0:
        if (m == 1 && !unit_own && chance(g, 75)) {
            note(name, "itself");
            *owned = 0;
            return unit;
        } else if (m == 1) {
            MPI_Type_dup(unit, &t);
            note(name, "single");
        } else {
            contiguous(m, unit, &t);
            note(name, "contiguous");
        }
        break;
    case 1:
        MPI_Type_vector(m, 1, 2 + (int)below(g, 2), unit, &t);
        note(name, "vector");
        break;
    case 2:
        MPI_Type_vector(m, 1, -2, unit, &t);
        note(name, "backvector");
        break;
    case 3:
    case 4:
        t = descending(g, unit, m);
        note(name, "descending");
        break;
    case 5:
        t = mixture(g, unit, m);
        note(name, "struct");
        break;
    case 6:
        t = sub_array(g, unit, m);
        note(name, "subarray");
        break;
    case 7: {
        int k = m % 3 == 0 ? 3 : m % 2 == 0 ? 2 : 1;
        MPI_Datatype inner = descending(g, unit, m / k);
        MPI_Type_create_hvector(k, 1, (extent_of(inner) + 8) / 8 * 8 + 8, inner, &t);
        MPI_Type_free(&inner);
        note(name, "nested");
        break;
    }
    default: {
        MPI_Datatype column;
        MPI_Type_get_extent(unit, &lb, &e);
        MPI_Type_vector(m, 1, (int)span + 1, unit, &column);
        MPI_Type_create_resized(column, lb, e, &t);
        MPI_Type_free(&column);
        note(name, "column");
        plain = 1;
    }
    }
    if (unit_own)
        MPI_Type_free(&unit);
    own = 1;
    if (!plain && chance(g, 40)) {
        MPI_Datatype r;
        MPI_Type_get_extent(t, &lb, &e);
        MPI_Type_get_true_extent(t, &tlb, &text);
        long kind2 = below(g, 3);
        MPI_Aint grow = 8 * below(g, 4);
        if (kind2 == 0) { /* longer */
            MPI_Type_create_resized(t, lb, e + grow, &r);
        } else if (kind2 == 1) { /* starts before its bytes */
            MPI_Type_create_resized(t, lb - 8 - grow, e + 8 + grow, &r);
        } else { /* bounds far from its bytes, the extent just enough */
            MPI_Type_create_resized(t, 40, (text + 7) / 8 * 8, &r);
        }
        note(name, kind2 == 0 ? "longer" : kind2 == 1 ? "lower" : "shifted");
        replace(&t, &own, r);
    }
    if (chance(g, 20)) {
        MPI_Datatype d;
        MPI_Type_dup(t, &d);
        replace(&t, &own, d);
        note(name, "dup");
    }
    MPI_Type_commit(&t);
    MPI_Type_size(t, &size);
    if (size != m * atom_bytes[atom])
        die("exercise drew a type of a wrong size");
    return t;
}

#endif
