/* stored_modes.c - a block is read, measured, compared, multiplied with those before it, and rounded */
#include "quark/stored_modes.h"

#include <math.h>
#include <stdlib.h>

#include "comm/new.h"
#include "quark/link_provider.h"

static const double BRICKS = 5e-5; /* what rounding to bricks changes of a mode, at most */

naik_modes_about stored_modes_about(const naik_input *input, double naik_epsilon)
{
    return (naik_modes_about){.action = input->kind->name,
                              .boundary_t = naik_input_boundary_name(input),
                              .naik_epsilon = naik_epsilon};
}

typedef struct reading {
    const char *path;
    const naik_lanczos_report *search;
    bool bricks; /* in the file */
    naik_modes *modes;
    naik_field *room; /* of a block in single precision; NULL: modes are in it themselves */
    naik_modes_meter *meter;
    naik_log *log;
    double gram;
} reading;

/* What the file's numbers alone tell, before they are compared with anything. */
static naik_status check_numbers(const reading *r)
{
    const naik_modes *modes = r->modes;
    const double last = modes->lambda2[modes->count - 1], low = r->search->low;
    if (!naik_modes_numbers_hold(modes->lambda2, modes->residual, modes->count, r->search->high)) {
        return NAIK_FAIL(r->log, NAIK_ERR_CORRUPT,
                         "'%s' is damaged: its eigenvalues and residuals are none of low modes, "
                         "whatever their checksums say",
                         r->path);
    }
    if (low > 0 && last > low) {
        return NAIK_FAIL(
            r->log, NAIK_ERR_INPUT,
            "'%s' holds modes up to 4 lambda^2 = %.4g, but its search set apart only what "
            "lies below %.4g: they are not the lowest. Remove the file and find them anew",
            r->path, last, low);
    }
    return NAIK_OK;
}

/* What a mode leaves of |-DD v - lambda2 v| when it is measured again: single precision, or bricks, whose
 * eigenvalue and residual are those of before they were rounded. */
static bool agrees(const reading *r, int i, double lambda2, double residual)
{
    const double noise = 1e-5 * r->search->high, rounded = r->bricks ? BRICKS : 0;
    return fabs(lambda2 - r->modes->lambda2[i]) <=
               (1e-6 + rounded) * fabs(r->modes->lambda2[i]) + 1e-3 * noise &&
           residual <= 1.01 * r->modes->residual[i] + 1e-3 * noise + rounded * r->search->high;
}

/* Products of the vectors measured last with those of their block and of the blocks before. */
static naik_status multiply(reading *r, int b, naik_field *block, int used)
{
    const int first = b * NAIK_MODES_BLOCK;
    if (b > 0) {
        NAIK_PASS(
            naik_modes_meter_products(r->meter, r->modes->block, first, first, used, &r->gram));
    }
    NAIK_PASS(naik_modes_meter_products(r->meter, &block, used, 0, used, &r->gram));
    if (!(r->gram <= NAIK_LANCZOS_GRAM_MOST)) {
        return NAIK_FAIL(r->log, NAIK_ERR_INPUT,
                         "the modes of '%s' are not orthonormal: |V^+ V - 1| is %.3g", r->path,
                         r->gram);
    }
    return NAIK_OK;
}

/* Whether modes are read to where they stay, and are widened into the room. */
static bool keeps(const reading *r)
{
    return r->bricks && r->room != NULL;
}

static naik_status take(void *data, int b)
{
    naik_status status = NAIK_OK;
    reading *r = data;
    naik_modes *modes = r->modes;
    naik_timer *timer = modes->geometry->backend->timer;
    const int first = b * NAIK_MODES_BLOCK, left = modes->count - first;
    const int used = left < NAIK_MODES_BLOCK ? left : NAIK_MODES_BLOCK;
    naik_field *block = r->room != NULL ? r->room : modes->block[b];
    double lambda2[NAIK_MODES_BLOCK], residual[NAIK_MODES_BLOCK];
    naik_timer_start(timer, "measure modes");
    if (b == 0) {
        NAIK_TRY(check_numbers(r));
    }
    if (keeps(r)) {
        NAIK_TRY(naik_modes_copy_block(block, modes->block[b]));
    }
    NAIK_TRY(naik_modes_meter_values(r->meter, block, used, lambda2, residual));
    for (int c = 0; c < used; c++) {
        if (!agrees(r, first + c, lambda2[c], residual[c])) {
            status = NAIK_FAIL(r->log, NAIK_ERR_INPUT,
                               "'%s' holds modes of other links: mode %d has lambda2 %.9g and "
                               "residual %.3g with these, %.9g and %.3g in the file",
                               r->path, first + c, lambda2[c], residual[c],
                               modes->lambda2[first + c], modes->residual[first + c]);
            goto done;
        }
    }
    NAIK_TRY(multiply(r, b, block, used));
    if (r->room != NULL && !keeps(r)) {
        NAIK_TRY(naik_modes_copy_block(modes->block[b], block));
        /* the last block may have fewer, which leave the others 0 */
        NAIK_TRY(modes->geometry->backend->ops->field.zero(block, NULL, NAIK_RHS_IDLE));
    }
done:
    naik_timer_stop(timer, "measure modes");
    return status;
}

naik_status stored_modes_read(const naik_links *links, const char *path,
                              const naik_modes_about *about, int count, naik_precision precision,
                              naik_modes **out)
{
    naik_status status = NAIK_OK;
    const naik_geometry *geometry = links->geometry;
    naik_field **into = NULL;
    reading r = {.path = path,
                 .search = &about->report,
                 .bricks = about->bricks,
                 .log = geometry->backend->log};
    const naik_modes_taker taker = {.data = &r, .take = take};
    NAIK_TRY(naik_modes_create(geometry, precision, count, out));
    r.modes = *out;
    NAIK_TRY(naik_modes_meter_create(links, count, &r.meter));
    if (precision != NAIK_SINGLE) {
        NAIK_TRY(naik_field_create_bare(geometry, NAIK_SINGLE, NAIK_MODES_BLOCK, &r.room));
    }
    NAIK_TRY(naik_new(geometry->backend->comm, (size_t)r.modes->blocks * sizeof *into,
                      "modes of a file", (void **)&into));
    for (int b = 0; b < r.modes->blocks; b++) {
        into[b] = r.room != NULL && !keeps(&r) ? r.room : r.modes->block[b];
    }
    NAIK_TRY(naik_modes_file_read(geometry, path, count, into, r.modes->lambda2, r.modes->residual,
                                  &taker));
done:
    free(into);
    naik_field_destroy(&r.room);
    naik_modes_meter_destroy(&r.meter);
    if (status != NAIK_OK) {
        naik_modes_destroy(out);
    }
    return status;
}
