/* gauge.c - the links that `naik bench` measures on: random ones, or those of a file */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "bench/bench.h"
#include "comm/new.h"
#include "lattice/su3.h"
#include "naik/gauge_io.h"

/* Links in direction t of all slices but the last become 1. */
static void fix_temporal_gauge(naik_gauge *links)
{
    const naik_lattice *lat = links->lattice;
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[NAIK_DIM];
        naik_lattice_coords(lat, site, x);
        if (x[3] + lat->origin[3] != lat->size[3] - 1) {
            links->link[(int64_t)site * NAIK_DIM + 3] = naik_mat_unit();
        }
    }
}

/* With long links, (1/24) e^{i angle} V with V in SU(3), fat ones that are no group elements; else
 * naive ones in SU(3). */
static naik_status make_random_links(const naik_lattice *lat, bool with_long, naik_fatlong *links)
{
    NAIK_PASS(naik_gauge_create(lat, &links->fat));
    naik_gauge_set_random(links->fat, 11);
    for (int64_t i = 0; with_long && i < (int64_t)lat->sites * NAIK_DIM; i++) {
        links->fat->link[i] = naik_mat_scale(0.7, &links->fat->link[i]);
        links->fat->link[i].e[0][0].re += 0.1;
    }
    if (with_long) {
        links->long_scale = 1.0 / 24;
        NAIK_PASS(naik_gauge_create(lat, &links->long_links));
        naik_gauge_set_random(links->long_links, 12);
    }
    for (int32_t site = 0; with_long && site < lat->sites; site++) {
        int x[NAIK_DIM];
        naik_lattice_coords(lat, site, x);
        naik_rng rng = naik_rng_at(13, 0, (uint64_t)naik_lattice_global(lat, x));
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            const double angle = 6.283185307179586 * naik_rng_uniform(&rng);
            const naik_complex phase = {cos(angle) / 24, sin(angle) / 24};
            naik_complex *e = &links->long_links->link[(int64_t)site * NAIK_DIM + mu].e[0][0];
            for (int i = 0; i < 9; i++) {
                e[i] = naik_cmul(phase, e[i]);
            }
        }
    }
    return NAIK_OK;
}

/* The configuration of --gauge, verified as `naik solve` does, with its plaquette. */
static naik_status read_gauge(bench *b)
{
    naik_status status = NAIK_OK;
    const char *path = b->options->gauge;
    naik_gauge_file file = {0};
    naik_gauge_checks checks;
    naik_gauge_verdict verdict;
    NAIK_TRY(naik_gauge_file_read(path, b->thin, &file));
    NAIK_TRY(naik_gauge_measure(b->thin, &checks));
    NAIK_TRY(naik_gauge_judge(b->thin, &file, &checks, 0, &verdict));
    b->plaquette = checks.plaquette / 3;
    if (verdict.count > 0) {
        status = NAIK_FAIL(b->comm->log, verdict.status, "'%s' %s: %s", path, verdict.what,
                           verdict.text);
    }
done:
    naik_gauge_file_clear(&file);
    return status;
}

naik_status bench_gauge_size(naik_comm *comm, bench_options *o)
{
    naik_status status = NAIK_OK;
    naik_gauge_file file = {0};
    NAIK_TRY(naik_gauge_file_probe_sized(comm, o->gauge, o->size[0] > 0 ? o->size : NULL, &file));
    if (o->size[0] > 0 && memcmp(o->size, file.size, sizeof file.size) != 0) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                           "naik bench: --size %d,%d,%d,%d is not the size of '%s', %d,%d,%d,%d: "
                           "leave --size out",
                           o->size[0], o->size[1], o->size[2], o->size[3], o->gauge, file.size[0],
                           file.size[1], file.size[2], file.size[3]);
        goto done;
    }
    memcpy(o->size, file.size, sizeof file.size);
done:
    naik_gauge_file_clear(&file);
    return status;
}

naik_status bench_make_links(bench *b)
{
    naik_status status = NAIK_OK;
    const bench_options *o = b->options;
    const bool built = strcmp(b->what, "dslash") == 0 || strcmp(b->what, "cg") == 0 ||
                       strcmp(b->what, "modes") == 0;
    naik_fattener *fattener = NULL;
    if (built && o->gauge == NULL && o->links == BENCH_RANDOM && !bench_of_spinors(o)) {
        NAIK_TRY(naik_new(b->comm, sizeof *b->source, "the links", (void **)&b->source));
        NAIK_TRY(make_random_links(b->lattice, o->action != NAIK_NAIVE, b->source));
        if (o->temporal_gauge) {
            fix_temporal_gauge(b->source->fat);
        }
        return NAIK_OK;
    }
    if (strcmp(b->what, "halo") == 0) {
        return NAIK_OK;
    }
    NAIK_TRY(naik_gauge_create(b->lattice, &b->thin));
    if (o->gauge != NULL) {
        NAIK_TRY(read_gauge(b));
    } else if (o->links == BENCH_UNIT) {
        naik_gauge_set_unit(b->thin);
    } else {
        naik_gauge_set_random(b->thin, 11);
    }
    if (o->temporal_gauge) {
        fix_temporal_gauge(b->thin);
    }
    if (bench_of_spinors(o)) {
        naik_gauge_apply_boundary(b->thin);
    } else if (strcmp(b->what, "io") != 0) {
        naik_gauge_apply_phases(b->thin, true);
    }
    if (built && !bench_of_spinors(o)) {
        NAIK_TRY(naik_fattener_create(b->thin, (naik_action_type)o->action, 1.0,
                                      naik_backend_device(b->backend), &fattener));
        NAIK_TRY(naik_fattener_links(fattener, 0, &b->source));
    }
done:
    naik_fattener_destroy(&fattener);
    return status;
}
