/* about.c - what a file of near-null vectors says of itself, to and from its attributes */
#include "io/multigrid/about.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/h5/numbers.h"
#include "io/prop/quark_attributes.h"
#include "io/sites.h"

/* The whole numbers of a setup. */
static const struct {
    const char *name;
    size_t offset;
    int least, most;
} whole[] = {
    {"vectors", offsetof(naik_multigrid_parameters, vectors), 1, NAIK_MG_VECTORS_MOST},
    {"start", offsetof(naik_multigrid_parameters, start), 0, INT32_MAX},
    {"cycles", offsetof(naik_multigrid_parameters, cycles), 0, INT32_MAX},
    {"smoother", offsetof(naik_multigrid_parameters, smoother), 1, INT32_MAX},
    {"coarse_space", offsetof(naik_multigrid_parameters, coarse_space), 1, INT32_MAX},
    {"precision", offsetof(naik_multigrid_parameters, precision), 16, 32},
};
enum { WHOLE = sizeof whole / sizeof *whole };

static int *number(naik_multigrid_parameters *parameters, int i)
{
    return (int *)((char *)parameters + whole[i].offset);
}

static int value(const naik_multigrid_parameters *parameters, int i)
{
    return *(const int *)((const char *)parameters + whole[i].offset);
}

static void print_extents(const naik_multigrid_parameters *p, char text[NAIK_MULTIGRID_NUMBER])
{
    snprintf(text, NAIK_MULTIGRID_NUMBER, "[%d, %d, %d, %d]", p->aggregate[0], p->aggregate[1],
             p->aggregate[2], p->aggregate[3]);
}

const char *naik_multigrid_difference(const naik_multigrid_parameters *a,
                                      const naik_multigrid_parameters *b,
                                      char its[NAIK_MULTIGRID_NUMBER],
                                      char other[NAIK_MULTIGRID_NUMBER])
{
    for (int i = 0; i < WHOLE; i++) {
        if (value(a, i) != value(b, i)) {
            snprintf(its, NAIK_MULTIGRID_NUMBER, "%d", value(a, i));
            snprintf(other, NAIK_MULTIGRID_NUMBER, "%d", value(b, i));
            return whole[i].name;
        }
    }
    if (memcmp(a->aggregate, b->aggregate, sizeof a->aggregate) != 0) {
        print_extents(a, its);
        print_extents(b, other);
        return "aggregate";
    }
    if (a->coarse_tolerance != b->coarse_tolerance) {
        snprintf(its, NAIK_MULTIGRID_NUMBER, "%.10g", a->coarse_tolerance);
        snprintf(other, NAIK_MULTIGRID_NUMBER, "%.10g", b->coarse_tolerance);
        return "coarse_tolerance";
    }
    if (a->seed != b->seed) {
        snprintf(its, NAIK_MULTIGRID_NUMBER, "%" PRIu64, a->seed);
        snprintf(other, NAIK_MULTIGRID_NUMBER, "%" PRIu64, b->seed);
        return "seed";
    }
    return NULL;
}

naik_status naik_multigrid_about_put(naik_log *log, hid_t file, const naik_multigrid_about *about)
{
    const naik_multigrid_parameters *p = &about->parameters;
    const int64_t seed = (int64_t)p->seed;
    NAIK_PASS(naik_prop_put_quark(log, file, &about->quark));
    NAIK_PASS(naik_h5_put_text(log, file, "boundary_t", about->boundary_t));
    NAIK_PASS(naik_h5_put_text(log, file, "links", about->links));
    for (int i = 0; i < WHOLE; i++) {
        const int64_t its = value(p, i);
        NAIK_PASS(naik_h5_put_i64(log, file, whole[i].name, &its, 0));
    }
    NAIK_PASS(naik_h5_put_ints(log, file, "aggregate", p->aggregate, NAIK_DIM));
    NAIK_PASS(naik_h5_put_f64(log, file, "coarse_tolerance", &p->coarse_tolerance, 0));
    return naik_h5_put_i64(log, file, "seed", &seed, 0);
}

/* All attributes; false where one is missing, cannot be what naik writes, or contradicts another. */
static bool get_attributes(hid_t file, naik_multigrid_about *about)
{
    naik_multigrid_parameters *p = &about->parameters;
    int64_t extent[NAIK_DIM] = {0}, seed = 0;
    *about = (naik_multigrid_about){.quark = {.mass = NAN}};
    naik_prop_get_quark(file, "", -1, &about->quark);
    bool good = isfinite(about->quark.mass) && naik_prop_states_quark(file, &about->quark);
    good = naik_h5_get_text(file, "boundary_t", about->boundary_t, sizeof about->boundary_t) &&
           naik_h5_get_text(file, "links", about->links, sizeof about->links) && good;
    for (int i = 0; i < WHOLE; i++) {
        int64_t its = -1;
        naik_h5_get_i64(file, whole[i].name, &its, 0);
        good = good && its >= whole[i].least && its <= whole[i].most;
        *number(p, i) = good ? (int)its : 0;
    }
    good = naik_h5_get_i64(file, "aggregate", extent, NAIK_DIM) &&
           naik_h5_get_f64(file, "coarse_tolerance", &p->coarse_tolerance, 0) &&
           naik_h5_get_i64(file, "seed", &seed, 0) && good;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        good = good && extent[mu] > 0 && extent[mu] <= INT32_MAX;
        p->aggregate[mu] = good ? (int)extent[mu] : 0;
    }
    p->seed = (uint64_t)seed;
    return good;
}

bool naik_multigrid_file_is_whole(hid_t file)
{
    char state[32] = "";
    naik_h5_get_text(file, "state", state, sizeof state);
    return strcmp(state, "complete") == 0;
}

/* Its extents, 0 where it has none. */
static void get_size(hid_t file, int size[NAIK_DIM])
{
    int64_t dims[NAIK_DIM] = {0};
    naik_h5_get_i64(file, "dims", dims, NAIK_DIM);
    const bool possible = naik_sites_possible(dims);
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        size[mu] = possible ? (int)dims[mu] : 0;
    }
}

/* Whether /multigrid/v has so many vectors of a lattice of these extents. */
static bool holds_vectors(hid_t file, const int size[NAIK_DIM], int vectors)
{
    hsize_t dims[NAIK_DIM + 1] = {0};
    hid_t dataset = H5Dopen2(file, "multigrid/v", H5P_DEFAULT);
    hid_t space = dataset >= 0 ? H5Dget_space(dataset) : -1;
    bool holds = space >= 0 && H5Sget_simple_extent_ndims(space) == NAIK_DIM + 1 &&
                 H5Sget_simple_extent_dims(space, dims, NULL) == NAIK_DIM + 1 &&
                 dims[0] == (hsize_t)vectors;
    int64_t bytes = (int64_t)vectors * NAIK_MG_SITE_BYTES;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        holds = holds && dims[NAIK_DIM - mu] == (hsize_t)size[mu];
        bytes *= size[mu];
    }
    holds = holds && naik_h5_layout_holds(dataset, bytes);
    naik_h5_release(space);
    naik_h5_release(dataset);
    return holds;
}

naik_status naik_multigrid_about_get(naik_log *log, hid_t file, const char *path,
                                     naik_multigrid_about *about, int size[NAIK_DIM])
{
    get_size(file, size);
    if (!naik_multigrid_file_is_whole(file) || !get_attributes(file, about) ||
        !holds_vectors(file, size, about->parameters.vectors)) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                         "'%s' is damaged: its vectors are cut short, or what describes them is "
                         "missing or contradicts itself",
                         path);
    }
    return NAIK_OK;
}

naik_status naik_multigrid_vectors_open(naik_comm *comm, hid_t file, naik_multigrid_vectors *out)
{
    *out = (naik_multigrid_vectors){.dataset = H5Dopen2(file, "multigrid/v", H5P_DEFAULT),
                                    .type = naik_h5_spinor(32)};
    out->field = (naik_h5_field){.dataset = out->dataset,
                                 .type = out->type,
                                 .bits = 32,
                                 .reals = NAIK_MG_SITE_REALS,
                                 .writers = comm->io.writers};
    return naik_h5_is_stored_as(out->dataset, out->type)
               ? NAIK_OK
               : NAIK_FAIL(comm->log, NAIK_ERR_CORRUPT, "/multigrid/v is missing or damaged");
}

void naik_multigrid_vectors_close(naik_multigrid_vectors *vectors)
{
    naik_h5_release(vectors->dataset);
    naik_h5_release(vectors->type);
    *vectors = (naik_multigrid_vectors){.dataset = -1, .type = -1};
}

naik_status naik_multigrid_numbers_get(naik_log *log, hid_t file, const char *path, int count,
                                       uint32_t (*sum)[2], double *near_null)
{
    static const char *const names[2] = {"multigrid/suma", "multigrid/sumb"};
    uint32_t word[NAIK_MG_VECTORS_MOST];
    for (int k = 0; k < 2; k++) {
        NAIK_PASS(naik_h5_numbers_get(log, file, names[k], H5T_NATIVE_UINT32, 4, count, word));
        for (int i = 0; i < count; i++) {
            sum[i][k] = word[i];
        }
    }
    NAIK_PASS(naik_h5_numbers_get(log, file, "multigrid/near_null", H5T_NATIVE_DOUBLE, 8, count,
                                  near_null));
    bool good = naik_h5_numbers_agree(file, "near_null_crc", near_null, count);
    for (int i = 0; i < count; i++) {
        good = good && near_null[i] >= 0 && isfinite(near_null[i]);
    }
    if (!good) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                         "/multigrid/near_null of '%s' disagrees with its checksum", path);
    }
    return NAIK_OK;
}

naik_status naik_multigrid_vectors_verify(const naik_lattice *lattice, hid_t file, int count,
                                          uint32_t (*sum)[2], int *damaged, int *first)
{
    naik_status status = NAIK_OK;
    naik_multigrid_vectors v;
    *damaged = *first = 0;
    NAIK_TRY(naik_comm_agree(lattice->comm, naik_multigrid_vectors_open(lattice->comm, file, &v)));
    for (int i = 0; i < count; i++) {
        uint32_t found[2];
        v.field.lead = i;
        NAIK_TRY(naik_h5_field_read(lattice, &v.field, NULL, found));
        if (found[0] != sum[i][0] || found[1] != sum[i][1]) {
            *first = *damaged == 0 ? i : *first;
            ++*damaged;
        }
    }
done:
    naik_multigrid_vectors_close(&v);
    return status;
}
