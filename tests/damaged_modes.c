/* damaged_modes.c - low modes and the state of a search, written and read, for test_damage */
#include "damaged_modes.h"

#include <math.h>
#include <stdlib.h>

#include "backend/create.h"
#include "backend/halo.h"
#include "io/checksum.h"
#include "io/modes/modes_file.h"

void answer_add(answer *a, const void *bytes, size_t size_bytes)
{
    const uint32_t pair[2] = {a->crc, naik_crc32(bytes, size_bytes)};
    a->crc = naik_crc32(pair, sizeof pair);
}

enum { MODES = 3, WANTED = 8, KEPT = 24, SIZE = 40, KRYLOV = 48 };

typedef struct stage { /* one thread: a child of a process with several would wait for the others */
    naik_backend *backend;
    naik_geometry *geometry;
} stage;

static naik_status set_stage(const naik_lattice *lattice, stage *out)
{
    const naik_backend_options options = {.threads = 1};
    naik_status status = NAIK_OK;
    *out = (stage){NULL, NULL};
    NAIK_TRY(naik_backend_create(lattice->comm, "cpu", &options, &out->backend));
    NAIK_TRY(naik_geometry_create(out->backend, lattice, &out->geometry));
done:
    return status;
}

static void strike(stage *s)
{
    naik_geometry_destroy(&s->geometry);
    naik_backend_destroy(&s->backend);
}

static naik_modes_about about_modes(void)
{
    return (naik_modes_about){.action = "hisq",
                              .boundary_t = "antiperiodic",
                              .naik_epsilon = -0.25,
                              .fat = {1, 2},
                              .far = {3, 4},
                              .tolerance = 0.01,
                              .gram = 1e-7,
                              .seed = 5,
                              .report = {.krylov = KRYLOV, .degree = 4, .high = 20}};
}

/* Vectors, of which the checksums know nothing but their bytes. */
static naik_status fill_modes(const naik_lattice *lattice, const naik_modes *modes)
{
    naik_status status = NAIK_OK;
    double *v = malloc((size_t)lattice->sites * 6 * sizeof *v);
    for (int i = 0; i < modes->count; i++) {
        for (int k = 0; k < lattice->sites * 6; k++) {
            v[k] = sin(i + 0.1 * k);
        }
        NAIK_TRY(modes->geometry->backend->ops->field.from_host(
            modes->block[i / NAIK_MODES_BLOCK], NAIK_EVEN, i % NAIK_MODES_BLOCK, v));
        modes->lambda2[i] = 1 + i;
        modes->residual[i] = 1e-3 * (1 + i);
    }
done:
    free(v);
    return status;
}

static naik_status add_modes(const naik_modes *modes, int count, answer *out)
{
    naik_status status = NAIK_OK;
    const size_t bytes = (size_t)modes->geometry->lattice->sites * 6 * sizeof(double);
    double *v = calloc(1, bytes);
    for (int i = 0; i < count; i++) {
        NAIK_TRY(modes->geometry->backend->ops->field.to_host(modes->block[i / NAIK_MODES_BLOCK],
                                                              NAIK_EVEN, i % NAIK_MODES_BLOCK, v));
        answer_add(out, v, bytes);
    }
    answer_add(out, modes->lambda2, (size_t)count * sizeof(double));
    answer_add(out, modes->residual, (size_t)count * sizeof(double));
done:
    free(v);
    return status;
}

/* What stands at one site of the last mode. */
static naik_status spoil(const naik_lattice *lattice, const naik_modes *modes, double number,
                         bool at_end)
{
    const naik_field_ops *field = &modes->geometry->backend->ops->field;
    const int last = modes->count - 1;
    naik_field *block = modes->block[last / NAIK_MODES_BLOCK];
    double *v = malloc((size_t)lattice->sites * 6 * sizeof *v);
    naik_status status = NAIK_OK;
    NAIK_TRY(field->to_host(block, NAIK_EVEN, last % NAIK_MODES_BLOCK, v));
    v[at_end ? 6 * lattice->sites - 1 : 0] = number; /* of sites that are even */
    NAIK_TRY(field->from_host(block, NAIK_EVEN, last % NAIK_MODES_BLOCK, v));
done:
    free(v);
    return status;
}

/* number: what one of them is made; NULL: they are as they should be. */
static naik_status write_modes(const naik_lattice *lattice, const char *path, const double *number,
                               int way)
{
    naik_status status = NAIK_OK;
    stage s;
    naik_modes *modes = NULL;
    naik_modes_about about = about_modes();
    about.bricks = way & 2;
    lattice->comm->io.writers = way >> 2;
    NAIK_TRY(set_stage(lattice, &s));
    NAIK_TRY(naik_modes_create(s.geometry, NAIK_SINGLE, MODES, &modes));
    NAIK_TRY(fill_modes(lattice, modes));
    if (number != NULL) {
        NAIK_TRY(spoil(lattice, modes, *number, way & 1));
    }
    NAIK_TRY(naik_modes_file_write(s.geometry, path, modes, &about));
done:
    lattice->comm->io.writers = 0;
    naik_modes_destroy(&modes);
    strike(&s);
    return status;
}

naik_status damaged_write_modes_with(const naik_lattice *lattice, const char *path, double number,
                                     int way)
{
    return write_modes(lattice, path, &number, way);
}

naik_status damaged_write_modes(const naik_lattice *lattice, const char *path)
{
    return write_modes(lattice, path, NULL, 0);
}

naik_status damaged_read_modes(const naik_lattice *lattice, const char *path, answer *out)
{
    naik_status status = NAIK_OK;
    stage s;
    naik_modes *modes = NULL;
    naik_modes_about about = about_modes();
    int count = 0;
    NAIK_TRY(set_stage(lattice, &s));
    NAIK_TRY(naik_modes_file_look(s.geometry, path, &about, &count));
    answer_add(out, &count, sizeof count);
    answer_add(out, about.fat, sizeof about.fat);
    answer_add(out, about.far, sizeof about.far);
    const double numbers[] = {about.tolerance, about.gram, about.report.high,
                              (double)about.report.degree};
    answer_add(out, numbers, sizeof numbers);
    NAIK_TRY(naik_modes_create(s.geometry, NAIK_SINGLE, count, &modes));
    NAIK_TRY(naik_modes_file_read(modes->geometry, path, modes->count, modes->block, modes->lambda2,
                                  modes->residual, NULL));
    NAIK_TRY(add_modes(modes, count, out));
done:
    naik_modes_destroy(&modes);
    strike(&s);
    return status;
}

naik_status damaged_write_search(const naik_lattice *lattice, const char *path)
{
    naik_status status = NAIK_OK;
    stage s;
    naik_modes *modes = NULL;
    naik_modes_about about = about_modes();
    NAIK_TRY(set_stage(lattice, &s));
    NAIK_TRY(naik_modes_create(s.geometry, NAIK_SINGLE, SIZE, &modes));
    NAIK_TRY(fill_modes(lattice, modes));
    naik_complex *t = calloc((size_t)SIZE * KRYLOV, sizeof *t);
    for (int i = 0; i < SIZE * KRYLOV; i++) {
        t[i] = (naik_complex){cos(i), sin(2 * i)};
    }
    about.state = (naik_lanczos_state){.cycle = 2,
                                       .kept = KEPT,
                                       .size = SIZE,
                                       .t = t,
                                       .krylov = KRYLOV,
                                       .degree = 4,
                                       .randoms = 3,
                                       .low = 0.5,
                                       .high = 20,
                                       .applications = 100,
                                       .ritz = modes->lambda2,
                                       .basis = modes->block};
    status = naik_modes_file_write(s.geometry, path, NULL, &about);
    free(t);
done:
    naik_modes_destroy(&modes);
    strike(&s);
    return status;
}

/* A search that is not taken up begins again, which is as good as a refusal. */
naik_status damaged_read_search(const naik_lattice *lattice, const char *path, answer *out)
{
    naik_status status = NAIK_OK;
    stage s;
    naik_modes *modes = NULL;
    const naik_modes_about about = about_modes();
    naik_complex *t = NULL;
    bool found = false;
    NAIK_TRY(set_stage(lattice, &s));
    NAIK_TRY(naik_modes_create(s.geometry, NAIK_SINGLE, SIZE, &modes));
    t = calloc((size_t)KRYLOV * KRYLOV, sizeof *t);
    naik_lanczos_state state = {
        .ritz = modes->lambda2, .basis = modes->block, .t = t, .krylov = KRYLOV, .wanted = WANTED};
    NAIK_TRY(naik_modes_search_read(s.geometry, path, &about, &state, &found));
    if (!found) {
        status = NAIK_FAIL(lattice->comm->log, NAIK_ERR_CORRUPT, "no search goes on");
        goto done;
    }
    const double numbers[] = {state.cycle,  state.starts,  state.kept,
                              state.degree, state.randoms, state.converged,
                              state.low,    state.high,    (double)state.applications};
    answer_add(out, numbers, sizeof numbers);
    answer_add(out, t, (size_t)KRYLOV * KRYLOV * sizeof *t);
    NAIK_TRY(add_modes(modes, SIZE, out));
done:
    free(t);
    naik_modes_destroy(&modes);
    strike(&s);
    return status;
}
