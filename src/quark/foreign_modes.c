/* foreign_modes.c - vectors are read, turned to naik's phases and parity, measured, and only then believed
 *
 * Of a vector u of odd sites D_eo u has the length 2 lambda, beside which the roundings of u are large where
 * lambda is small. A polynomial of -D_eo D_oe, which changes no mode, takes them away again; but only from
 * vectors that are modes without it, since it would make low modes of anything.
 */
#include "quark/foreign_modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "comm/collective.h"
#include "io/vectors/vector_io.h"

enum { BLOCK = NAIK_MODES_BLOCK, REALS = 6, CLEAN_DEGREE = 40 };
static const double TOLERANCE_MOST = 0.1; /* vectors of other links have 0.3 and more */
static const double NOISE = 1e-5; /* of the largest eigenvalue: single precision of any code */
static const double NOISE_MOST =
    2e-3; /* the same of odd vectors; vectors of other links have 0.1 and more */
static const double GRAM_MOST = 1e-4;  /* |V^+ V - 1| */
static const double VALUE_MOST = 1e-3; /* by which an eigenvalue of the file may be off, relative */

/* v' = a v turns vectors of other staggered phases into those of naik's: a = (-1)^(sum of x_mu x_nu) over
 * the pairs of directions that the two codes take in different orders. naik and MILC: t, x, y, z. */
typedef struct phases {
    const char *name, *also;         /* whose they are on odd sites as well, where a is 1 */
    bool turned[NAIK_DIM][NAIK_DIM]; /* [mu][nu], mu < nu */
} phases;
static const phases conventions[] = {
    {"MILC", ", which are those of Grid and Chroma there", {{false}}},
    {"Grid and Chroma", "", {[0][3] = true, [1][3] = true, [2][3] = true}},
    {"TIFR", "", {[0][1] = true, [0][2] = true, [1][2] = true}}};
enum { CONVENTIONS = sizeof conventions / sizeof *conventions };

/* What the first vector, or the file, has told. */
typedef struct fit {
    const phases *phases;
    naik_parity parity;
    double lambda2, residual, misfit; /* misfit: residual over what is allowed */
} fit;

typedef struct importer {
    const naik_links *links;
    const naik_geometry *geometry;
    const naik_lattice *lattice;
    naik_comm *comm;
    naik_log *log;
    const char *path;
    naik_vector_file *file;
    naik_modes *modes;
    naik_modes_meter *meter;
    naik_modes_work *work;
    naik_field *even, *other; /* double, BLOCK rhs */
    naik_field *spare;        /* single, one rhs */
    naik_field *clean;        /* single, BLOCK rhs: room */
    naik_filter *filter;
    double *turned; /* [sites][6] */
    float *mode;    /* [volume_cb][6] */
    fit fit;
    double tolerance, high, gram;
    bool has_shift; /* eigenvalues are those of Grid: m^2 + lambda^2 */
    double shift;   /* m^2 */
} importer;

naik_status foreign_modes_recognise(naik_comm *comm, const char *path, bool *foreign)
{
    *foreign = comm->rank == 0 && naik_vector_file_begins(comm->log, path);
    return naik_comm_broadcast(comm, foreign, sizeof *foreign, 0);
}

static naik_status open_file(const naik_lattice *lattice, const char *path, naik_vector_file **out)
{
    naik_log *log = lattice->comm->log;
    NAIK_PASS(naik_vector_file_open(lattice->comm, path, out));
    NAIK_PASS(naik_lattice_expect(lattice, path, (*out)->size));
    if ((*out)->spin != 1) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "'%s' holds spinors, and low modes are colour vectors of staggered "
                         "quarks",
                         path);
    }
    if ((*out)->has_sources || (*out)->whole) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT, "'%s' holds propagators, and no eigenvectors", path);
    }
    return NAIK_OK;
}

naik_status foreign_modes_count(const naik_geometry *geometry, const char *path, int *count)
{
    naik_vector_file *file = NULL;
    const naik_status status = open_file(geometry->lattice, path, &file);
    *count = status == NAIK_OK ? file->count : 0;
    naik_vector_file_close(&file);
    return status;
}

/* im->turned = a v. */
static void turn(importer *im, const phases *p, const double *v)
{
    const naik_lattice *lat = im->lattice;
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[NAIK_DIM], odd = 0;
        naik_lattice_coords(lat, site, x);
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            for (int nu = mu + 1; nu < NAIK_DIM; nu++) {
                odd += p->turned[mu][nu] && x[mu] % 2 != 0 && x[nu] % 2 != 0;
            }
        }
        const double sign = odd % 2 != 0 ? -1 : 1;
        for (int i = 0; i < REALS; i++) {
            im->turned[REALS * (int64_t)site + i] = sign * v[REALS * (int64_t)site + i];
        }
    }
}

/* Rhs `irhs` of im->even or, of odd sites, of im->other. */
static naik_status put(importer *im, const fit *f, const double *v, int irhs)
{
    turn(im, f->phases, v);
    return im->geometry->backend->ops->field.from_host(
        f->parity == NAIK_EVEN ? im->even : im->other, f->parity, irhs, im->turned);
}

/* Vectors of odd sites in im->other become those of even ones in im->even. */
static naik_status to_even(importer *im)
{
    return naik_dslash_plain(im->links, im->other, NAIK_EVEN, im->even);
}

/* Takes roundings out of the vectors in im->even, whose largest eigenvalue is `last`. */
static naik_status clean_up(importer *im, double last)
{
    const naik_field_ops *ops = &im->geometry->backend->ops->field;
    if (last > im->high / 8) { /* these lose little */
        return NAIK_OK;
    }
    im->filter->low = fmax(2 * last, im->high / 50);
    im->filter->high = im->high;
    im->filter->degree = CLEAN_DEGREE;
    NAIK_PASS(ops->copy(im->clean, im->even, NULL, NAIK_RHS_IDLE));
    NAIK_PASS(naik_filter_apply(im->filter, im->clean));
    return ops->copy(im->even, im->clean, NULL, NAIK_RHS_IDLE);
}

/* im->even has vectors: eigenvalues and residuals of the first `used`. The meter wants modes in single precision. */
static naik_status measure(importer *im, int used, double *norm2, double *lambda2, double *residual)
{
    const naik_field_ops *ops = &im->geometry->backend->ops->field;
    NAIK_PASS(naik_modes_norms(im->work, im->even, norm2));
    NAIK_PASS(ops->copy(im->clean, im->even, NULL, NAIK_RHS_IDLE));
    return naik_modes_meter_values(im->meter, im->clean, used, lambda2, residual);
}

/* The largest residual of a mode. */
static double allowed(const importer *im, double lambda2)
{
    return fmax(im->tolerance * lambda2, NOISE * im->high);
}

/* The same of a vector as the file has it: of odd sites before it is cleaned. */
static double allowed_raw(const importer *im, naik_parity parity, double lambda2)
{
    const double lost = parity == NAIK_ODD && lambda2 > 0 ? 0.1 * sqrt(im->high / lambda2) : 1;
    return fmax(allowed(im, lambda2), fmin(NOISE * fmax(lost, 1), NOISE_MOST) * im->high);
}

/* Every convention with the vector of one parity; the best one is kept. */
static naik_status try_parity(importer *im, naik_parity parity, const double *v, bool *seen)
{
    double norm2[BLOCK], lambda2[BLOCK], residual[BLOCK];
    const naik_field_ops *ops = &im->geometry->backend->ops->field;
    fit each = {.parity = parity};
    NAIK_PASS(ops->zero(im->even, NULL, NAIK_RHS_IDLE));
    NAIK_PASS(ops->zero(im->other, NULL, NAIK_RHS_IDLE));
    for (int c = 0; c < CONVENTIONS; c++) {
        each.phases = &conventions[c];
        NAIK_PASS(naik_comm_agree(im->comm, put(im, &each, v, c)));
    }
    if (parity == NAIK_ODD) {
        NAIK_PASS(to_even(im));
    }
    NAIK_PASS(measure(im, CONVENTIONS, norm2, lambda2, residual));
    if (!isfinite(norm2[0])) {
        return NAIK_FAIL(im->log, NAIK_ERR_INPUT,
                         "vector 0 of '%s' has numbers that are too large for a norm, as in "
                         "another order of bytes",
                         im->path);
    }
    *seen = norm2[0] > 0;
    for (int c = 0; c < CONVENTIONS && *seen; c++) {
        each = (fit){&conventions[c], parity, lambda2[c], residual[c],
                     residual[c] / allowed_raw(im, parity, lambda2[c])};
        /* Of vectors that fit on both parities the even sites are nearer to modes. */
        const bool settled = im->fit.parity != parity && im->fit.misfit <= 1;
        if (im->fit.phases == NULL || (!settled && each.misfit < im->fit.misfit)) {
            im->fit = each;
        }
    }
    return NAIK_OK;
}

/* What the file says of the parity holds. */
static naik_status check_parity(const importer *im, const bool seen[2])
{
    const int said = im->file->parity;
    if (!seen[NAIK_EVEN] && !seen[NAIK_ODD]) {
        return NAIK_FAIL(im->log, NAIK_ERR_INPUT,
                         "vector 0 of '%s' is 0 everywhere, or its numbers are too small for a "
                         "norm, as in another order of bytes",
                         im->path);
    }
    if (said >= 0 && !im->file->halved && seen[1 - said]) {
        return NAIK_FAIL(im->log, NAIK_ERR_CORRUPT,
                         "'%s' says that its vectors are on %s sites, but vector 0 is not 0 on %s "
                         "ones",
                         im->path, said == NAIK_EVEN ? "even" : "odd",
                         said == NAIK_EVEN ? "odd" : "even");
    }
    return NAIK_OK;
}

/* Parity and phases, from vector 0. */
static naik_status find_fit(importer *im)
{
    naik_status status = NAIK_OK;
    naik_vector_file *file = im->file;
    const bool open = file->halved && file->parity < 0;
    double *v = NULL;
    bool seen[2] = {false, false};
    NAIK_TRY(naik_comm_agree(im->comm, naik_alloc(im->log, naik_lattice_vector_bytes(im->lattice),
                                                  "a vector", (void **)&v)));
    for (int parity = NAIK_EVEN; parity <= (int)NAIK_ODD; parity++) {
        if (file->halved && !open && file->parity != parity) {
            continue;
        }
        if (open) {
            file->parity = parity;
        }
        NAIK_TRY(naik_vector_file_read(file, im->lattice, NAIK_VECTOR_SOLUTION, 0, v));
        NAIK_TRY(try_parity(im, (naik_parity)parity, v, &seen[parity]));
    }
    if (open) {
        file->parity = (int)im->fit.parity;
    }
    NAIK_TRY(check_parity(im, seen));
    if (!(im->fit.misfit <= 1)) {
        status = NAIK_FAIL(
            im->log, NAIK_ERR_INPUT,
            "vector 0 of '%s' is no eigenvector with these links, with no staggered phases that "
            "naik knows: its residual |DD v + a v| is %.2g for a = %.6g, and may be %.2g; compare "
            "gauge.file, action, naik_epsilon and lattice.boundary_t with those that made it",
            im->path, im->fit.residual, im->fit.lambda2,
            allowed_raw(im, im->fit.parity, im->fit.lambda2));
        goto done;
    }
    naik_log_line(im->log,
                  "modes: the vectors of %s are on %s sites, with the staggered phases of %s%s",
                  im->path, im->fit.parity == NAIK_EVEN ? "even" : "odd", im->fit.phases->name,
                  im->fit.parity == NAIK_EVEN ? "" : im->fit.phases->also);
done:
    naik_free(v);
    return status;
}

/* The eigenvalue that the file gives vector i is the measured one: 4 lambda^2 of MILC, or m^2 + lambda^2 of Grid with the
 * same m for all. */
static naik_status check_value(importer *im, int i, double lambda2)
{
    const double said = naik_vector_file_value(im->file, i), noise = 1e-6 * im->high;
    if (isnan(said)) {
        return NAIK_OK;
    }
    if (i == 0 && !(fabs(said - lambda2) <= VALUE_MOST * lambda2 + noise) &&
        said >= lambda2 / 4 - noise) {
        im->has_shift = true;
        im->shift = said - lambda2 / 4 > noise ? said - lambda2 / 4 : 0;
    }
    const double expected = im->has_shift ? im->shift + lambda2 / 4 : lambda2;
    if (!(fabs(said - expected) <= VALUE_MOST * expected + noise)) {
        return NAIK_FAIL(im->log, NAIK_ERR_INPUT,
                         "the eigenvalue of vector %d in '%s' is %.9g, but with these links the "
                         "vector has %.9g%s",
                         i, im->path, said, expected,
                         im->has_shift ? ", if vector 0 tells the mass in them" : "");
    }
    return NAIK_OK;
}

static naik_status check_residual(const importer *im, int i, double lambda2, double residual,
                                  double most)
{
    return residual <= most
               ? NAIK_OK
               : NAIK_FAIL(im->log, NAIK_ERR_INPUT,
                           "vector %d of '%s' is no eigenvector with these links: its residual "
                           "|DD v + a v| is %.2g for a = %.6g, and may be %.2g",
                           i, im->path, residual, lambda2, most);
}

/* The first `used` vectors of im->even, as the file has them, are modes first, ...; *last: the largest eigenvalue. */
static naik_status check_vectors(importer *im, int first, int used, double *last)
{
    double norm2[BLOCK], lambda2[BLOCK], residual[BLOCK];
    NAIK_PASS(measure(im, used, norm2, lambda2, residual));
    *last = 0;
    for (int c = 0; c < used; c++) {
        if (!(norm2[c] > 0) || !isfinite(norm2[c])) {
            return NAIK_FAIL(im->log, NAIK_ERR_INPUT, "vector %d of '%s' is 0 on %s sites",
                             first + c, im->path, im->fit.parity == NAIK_EVEN ? "even" : "odd");
        }
        NAIK_PASS(check_residual(im, first + c, lambda2[c], residual[c],
                                 allowed_raw(im, im->fit.parity, lambda2[c])));
        NAIK_PASS(check_value(im, first + c, lambda2[c]));
        *last = fmax(*last, lambda2[c]);
    }
    return NAIK_OK;
}

/* Rhs c of im->even, normalised, as mode i. */
static naik_status keep(importer *im, int c, int i, double norm2)
{
    const naik_lattice *lat = im->lattice;
    const naik_backend_ops *ops = im->geometry->backend->ops;
    const double scale = 1 / sqrt(norm2);
    NAIK_PASS(ops->field.to_host(im->even, NAIK_EVEN, c, im->turned));
#pragma omp parallel for schedule(static)
    for (int32_t cb = 0; cb < lat->volume_cb; cb++) {
        const double *from = im->turned + REALS * (int64_t)naik_lattice_site_of(lat, NAIK_EVEN, cb);
        for (int k = 0; k < REALS; k++) {
            im->mode[REALS * (int64_t)cb + k] = (float)(scale * from[k]);
        }
    }
    return ops->modes.from_host(im->modes->block[i / BLOCK], i % BLOCK, im->mode);
}

/* Block b from host vectors v [used][sites][6]. */
static naik_status take_block(importer *im, int b, int used, const double *v)
{
    const naik_field_ops *ops = &im->geometry->backend->ops->field;
    naik_field *block = im->modes->block[b];
    double *lambda2 = im->modes->lambda2 + b * BLOCK, *residual = im->modes->residual + b * BLOCK;
    double norm2[BLOCK], last = 0;
    NAIK_PASS(ops->zero(im->even, NULL, NAIK_RHS_IDLE));
    NAIK_PASS(ops->zero(im->other, NULL, NAIK_RHS_IDLE));
    for (int c = 0; c < used; c++) {
        NAIK_PASS(naik_comm_agree(
            im->comm, put(im, &im->fit, v + (size_t)c * REALS * (size_t)im->lattice->sites, c)));
    }
    if (im->fit.parity == NAIK_ODD) {
        NAIK_PASS(to_even(im));
    }
    NAIK_PASS(check_vectors(im, b * BLOCK, used, &last));
    if (im->fit.parity == NAIK_ODD) {
        NAIK_PASS(clean_up(im, last));
    }
    NAIK_PASS(naik_modes_norms(im->work, im->even, norm2));
    for (int c = 0; c < used; c++) {
        NAIK_PASS(naik_comm_agree(im->comm, keep(im, c, b * BLOCK + c, norm2[c])));
    }
    NAIK_PASS(naik_modes_meter_values(im->meter, block, used, lambda2, residual));
    for (int c = 0; c < used; c++) {
        NAIK_PASS(
            check_residual(im, b * BLOCK + c, lambda2[c], residual[c], allowed(im, lambda2[c])));
    }
    NAIK_PASS(naik_modes_meter_products(im->meter, im->modes->block, b * BLOCK + used, b * BLOCK,
                                        used, &im->gram));
    if (!(im->gram <= GRAM_MOST)) {
        return NAIK_FAIL(im->log, NAIK_ERR_INPUT,
                         "vectors %d to %d of '%s' are not orthogonal to each other and to those "
                         "before them: |v_i^+ v_j| is up to %.3g, and may be %.0e",
                         b * BLOCK, b * BLOCK + used - 1, im->path, im->gram, GRAM_MOST);
    }
    return NAIK_OK;
}

/* A little above the largest eigenvalue. */
static naik_status find_largest(importer *im)
{
    const naik_lattice *lat = im->lattice;
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[NAIK_DIM];
        naik_lattice_coords(lat, site, x);
        naik_rng rng = naik_rng_at(1, 0, (uint64_t)naik_lattice_global(lat, x));
        for (int i = 0; i < REALS; i++) {
            im->turned[REALS * (int64_t)site + i] = naik_rng_uniform(&rng) - 0.5;
        }
    }
    NAIK_PASS(naik_comm_agree(im->comm, im->geometry->backend->ops->field.from_host(
                                            im->clean, NAIK_EVEN, 0, im->turned)));
    return naik_filter_largest(im->filter, im->clean, &im->high);
}

/* How many vectors are read at once: a block, or those side by side that a quarter of the memory holds. */
static naik_status read_at_once(const importer *im, int *count)
{
    const size_t each = naik_lattice_vector_bytes(im->lattice);
    double most = (double)naik_memory_available() / 4 / im->comm->size / (double)each;
    const int beside = naik_vector_file_beside(im->file, 0);
    const naik_status status = naik_comm_min_f64(im->comm, &most, 1);
    most = fmin(most, fmin(beside, im->modes->count));
    *count = most > BLOCK ? (int)most / BLOCK * BLOCK : BLOCK;
    return status;
}

/* Vectors first to first + count - 1 into v. */
static naik_status read_some(importer *im, int first, int count, double *v)
{
    const size_t each = REALS * (size_t)im->lattice->sites;
    for (int i = 0; i < count;) {
        const int beside = naik_vector_file_beside(im->file, first + i);
        const int n = beside < count - i ? beside : count - i;
        NAIK_PASS(naik_vector_file_read_beside(im->file, im->lattice, first + i, n,
                                               v + (size_t)i * each));
        i += n;
    }
    return NAIK_OK;
}

static naik_status take_all(importer *im)
{
    naik_status status = NAIK_OK;
    const int all = im->modes->count;
    const size_t each = REALS * (size_t)im->lattice->sites;
    int at_once = BLOCK;
    double *v = NULL;
    NAIK_TRY(read_at_once(im, &at_once));
    NAIK_TRY(naik_comm_agree(im->comm, naik_alloc(im->log, (size_t)at_once * each * sizeof *v,
                                                  "vectors of a file", (void **)&v)));
    for (int first = 0; first < all; first += at_once) {
        const int count = at_once < all - first ? at_once : all - first;
        NAIK_TRY(read_some(im, first, count, v));
        for (int i = 0; i < count; i += BLOCK) {
            NAIK_TRY(take_block(im, (first + i) / BLOCK, count - i < BLOCK ? count - i : BLOCK,
                                v + (size_t)i * each));
        }
    }
    NAIK_TRY(naik_modes_sort(im->modes, im->spare));
done:
    naik_free(v);
    return status;
}

static naik_status prepare(importer *im, const naik_links *single, int count, naik_modes **out)
{
    naik_status status = NAIK_OK;
    NAIK_PASS(naik_modes_create(im->geometry, NAIK_SINGLE, count, out));
    im->modes = *out;
    NAIK_PASS(naik_modes_meter_create(im->links, im->modes->blocks * BLOCK, &im->meter));
    NAIK_PASS(naik_modes_work_create(im->geometry, BLOCK, BLOCK, &im->work));
    NAIK_PASS(naik_field_create(im->geometry, NAIK_DOUBLE, BLOCK, &im->even));
    NAIK_PASS(naik_field_create(im->geometry, NAIK_DOUBLE, BLOCK, &im->other));
    NAIK_PASS(naik_field_create_bare(im->geometry, NAIK_SINGLE, 1, &im->spare));
    NAIK_PASS(naik_field_create(im->geometry, NAIK_SINGLE, BLOCK, &im->clean));
    NAIK_PASS(naik_filter_create(single, im->work, BLOCK, &im->filter));
    status = naik_alloc(im->log, naik_lattice_vector_bytes(im->lattice), "a vector",
                        (void **)&im->turned);
    if (status == NAIK_OK) {
        status = naik_alloc(im->log, REALS * (size_t)im->lattice->volume_cb * sizeof *im->mode,
                            "a mode", (void **)&im->mode);
    }
    return naik_comm_agree(im->comm, status);
}

static void clear(importer *im)
{
    naik_vector_file_close(&im->file);
    naik_modes_meter_destroy(&im->meter);
    naik_modes_work_destroy(&im->work);
    naik_field_destroy(&im->even);
    naik_field_destroy(&im->other);
    naik_field_destroy(&im->spare);
    naik_field_destroy(&im->clean);
    naik_filter_destroy(&im->filter);
    naik_free(im->turned);
    naik_free(im->mode);
}

naik_status foreign_modes_read(const naik_links *links, const naik_links *single, const char *path,
                               int count, double tolerance, naik_modes **out, double *gram,
                               naik_lanczos_report *report)
{
    naik_status status = NAIK_OK;
    const naik_geometry *geometry = links->geometry;
    importer im = {.links = links,
                   .geometry = geometry,
                   .lattice = geometry->lattice,
                   .comm = geometry->lattice->comm,
                   .log = geometry->backend->log,
                   .path = path,
                   .tolerance = fmin(tolerance, TOLERANCE_MOST)};
    *out = NULL;
    NAIK_TRY(open_file(im.lattice, path, &im.file));
    NAIK_TRY(prepare(&im, single, count, out));
    NAIK_TRY(find_largest(&im));
    NAIK_TRY(find_fit(&im));
    NAIK_TRY(take_all(&im));
    *gram = im.gram;
    *report = (naik_lanczos_report){.converged = count, .high = im.high, .gram = im.gram};
    if (im.has_shift) {
        naik_log_line(im.log, "modes: the eigenvalues in %s are m^2 + lambda^2 of a mass m = %.6g",
                      path, sqrt(im.shift));
    }
done:
    clear(&im);
    if (status != NAIK_OK) {
        naik_modes_destroy(out);
    }
    return status;
}
