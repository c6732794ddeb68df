/* link_provider.c - the links that an input asks for, whichever way they come */
#include "quark/link_provider.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/timer.h"
#include "comm/boxes.h"
#include "comm/new.h"
#include "correlator/smearing.h"
#include "io/gauge/same_links.h"
#include "io/links/links_file.h"
#include "io/site_sums.h"
#include "lattice/boxes.h"
#include "lattice/source_kind.h"
#include "links/twist.h"
#include "propagator/baryon.h"

/* Links that were fixed in single precision have 1e-6 and less; without fixing it is of order 1. */
#define COULOMB_LIMIT 1e-3

const char *naik_input_boundary_name(const naik_input *input)
{
    return input->lattice.antiperiodic_t ? "antiperiodic" : "periodic";
}

/* Whether quark and antiquark of some pair lie at two places in space. */
static bool has_distant_pair(const naik_input *input)
{
    bool distant = false;
    for (int i = 0; i < input->pair_count; i++) {
        const naik_input_solve *a = &input->solve[input->pairs[i].of[0]];
        const naik_input_solve *b = &input->solve[input->pairs[i].of[1]];
        const bool placed = a->t0.count == 0 && b->t0.count == 0 &&
                            naik_source_kind_of(a->source.type)->made != NAIK_SOURCE_READ &&
                            naik_source_kind_of(b->source.type)->made != NAIK_SOURCE_READ;
        for (int k = 0; placed && k < a->origins.count && k < b->origins.count; k++) {
            distant = distant || memcmp(a->origins.data[k], b->origins.data[k],
                                        (NAIK_DIM - 1) * sizeof(int)) != 0;
        }
    }
    return distant;
}

static bool has_delta_without_links(const naik_input *input)
{
    bool any = false;
    for (int i = 0; i <= input->baryon_count; i++) {
        const naik_ints *asked = i == 0 ? &input->output.baryons : &input->baryons[i - 1].operators;
        for (int k = 0; k < asked->count; k++) {
            any = any || asked->data[k] == (int)NAIK_DELTA_COULOMB;
        }
    }
    return any;
}

/* Sources, sinks and pairs that add up colours of different sites without links between them. */
static bool needs_coulomb_gauge(const naik_input *input)
{
    for (int i = 0; i < input->pair_count; i++) {
        if (input->pairs[i].sink == NAIK_INPUT_SINK_WALL) {
            return true;
        }
    }
    if (has_distant_pair(input) || has_delta_without_links(input)) {
        return true;
    }
    for (int i = 0; i < input->solve_count; i++) {
        if (naik_source_kind_of(input->solve[i].source.type)->coulomb) {
            return true;
        }
    }
    return false;
}

static naik_status check_coulomb_gauge(const naik_input *input, const naik_gauge *thin)
{
    naik_log *log = thin->lattice->comm->log;
    double theta = 0;
    if (!needs_coulomb_gauge(input)) {
        return NAIK_OK;
    }
    NAIK_PASS(naik_gauge_coulomb_deviation(thin, &theta));
    naik_log_line(log,
                  "Coulomb gauge: theta %.3e (the squared divergence of the links; the gauge is "
                  "fixed if theta is below %.0e)",
                  theta, COULOMB_LIMIT);
    if (!(theta <= COULOMB_LIMIT)) {
        naik_log_warn(
            log,
            "walls, gaussian sources and pairs of points at two places need links in Coulomb "
            "gauge, and those of %s are not in it (theta %.2e, fixed links have less than %.0e): "
            "fix the gauge first (naik gauge fix)",
            input->gauge.file, theta, COULOMB_LIMIT);
    }
    return NAIK_OK;
}

/* Of the links in the file that this input uses, in its order. */
static naik_status identify_h5(const naik_lattice *lattice, const naik_input *input, char *text,
                               size_t text_size)
{
    int count = 0;
    void *epsilons = NULL;
    for (int i = 0; i < input->solve_count; i++) {
        count += input->solve[i].masses.count;
    }
    naik_status status =
        naik_alloc(lattice->comm->log, (size_t)count * sizeof(double), "Naik epsilons", &epsilons);
    NAIK_TRY(naik_comm_agree(lattice->comm, status));
    double *next = epsilons;
    for (int i = 0; i < input->solve_count; i++) { /* of each mass: this is in files */
        for (int m = 0; m < input->solve[i].masses.count; m++) {
            *next++ = naik_input_quark(input, i, m)->naik_epsilon;
        }
    }
    NAIK_TRY(naik_links_h5_identity(input->action.file, lattice, epsilons, count,
                                    naik_input_boundary_name(input), text, text_size));
done:
    naik_free(epsilons);
    return status;
}

/* What the link files hold; those with a long one beside are SciDAC's. */
static naik_status identify(const naik_lattice *lattice, const naik_input *input, char *text,
                            size_t text_size)
{
    const char *long_file = input->action.long_file;
    return long_file != NULL
               ? naik_links_scidac_identity(input->action.file, long_file, lattice, text, text_size)
               : identify_h5(lattice, input, text, text_size);
}

/* naik's own file holds both kinds, of any number of epsilons; SciDAC's one kind, of one. */
static naik_status check_link_files(const naik_lattice *lattice, const naik_input *input)
{
    naik_comm *comm = lattice->comm;
    naik_status status = NAIK_OK;
    const char *file = input->action.file, *long_file = input->action.long_file;
    bool is_scidac = false;
    NAIK_PASS(naik_links_scidac_recognise(comm, file, &is_scidac));
    if (is_scidac && long_file == NULL) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                           "'%s' is a SciDAC file, which holds fat links only: give the long ones "
                           "as action.long_file",
                           file);
    } else if (!is_scidac && long_file != NULL) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                           "'%s' is no SciDAC file of fat links, as action.long_file needs; naik's "
                           "own file holds the long links too",
                           file);
    }
    for (int i = 0; i < input->task_count && is_scidac && status == NAIK_OK; i++) {
        const naik_quark *first = &input->quarks[0], *quark = naik_input_task_quark(input, i);
        if (!naik_quark_shares_links(quark, first)) {
            char its[32], other[32];
            naik_text_print_real(quark->naik_epsilon, its, sizeof its);
            naik_text_print_real(first->naik_epsilon, other, sizeof other);
            status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                               "the SciDAC files of action.file and action.long_file hold the "
                               "links of one naik_epsilon, but %s asks for %s beside "
                               "%s: use one input for each",
                               input->solve[input->tasks[i].solve].name, its, other);
        }
    }
    return status;
}

/* What smears with these links, NULL where nothing is smeared. */
static naik_status make_smearing(const naik_gauge *thin, const naik_input *input,
                                 naik_gauss **gauss, naik_gauss **hops)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = thin->lattice->comm;
    naik_log *log = comm->log;
    bool *slices = NULL;
    status = naik_alloc(log, (size_t)input->lattice.size[3] * sizeof *slices, "time slices",
                        (void **)&slices);
    NAIK_TRY(naik_comm_agree(comm, status));
    if (smearing_slices(input, slices)) {
        NAIK_TRY(naik_gauss_create(thin, input->kind->stride, slices, gauss));
    }
    if (smearing_funny_slices(input, slices)) {
        NAIK_TRY(naik_gauss_create(thin, 1, slices, hops));
    }
done:
    naik_free(slices);
    return status;
}

naik_status naik_link_provider_sources(const naik_gauge *thin, const naik_input *input,
                                       naik_gauss **gauss, naik_gauss **hops)
{
    NAIK_PASS(check_coulomb_gauge(input, thin));
    return make_smearing(thin, input, gauss, hops);
}

void naik_link_provider_turn(const naik_input *input, naik_gauge *thin)
{
    if (input->kind->links == NAIK_QUARK_FATTENED) {
        naik_gauge_apply_phases(thin, input->lattice.antiperiodic_t);
    } else if (input->lattice.antiperiodic_t) {
        naik_gauge_apply_boundary(thin);
    }
}

/* The configuration of the input, or a copy of links in memory, verified in the same way. */
static naik_status load_thin(const naik_gauge *thin, naik_link_provider *out)
{
    const naik_input *input = out->input;
    const naik_gauge_load_options options = {.warn_only = input->gauge.warn_only,
                                             .reunitarise = input->gauge.reunitarise,
                                             .max_unitarity_deviation =
                                                 input->gauge.max_unitarity_deviation};
    NAIK_PASS(naik_gauge_create(out->lattice, &out->thin));
    if (thin == NULL) {
        NAIK_PASS(naik_gauge_file_read(input->gauge.file, out->thin, &out->file));
    } else {
        out->file = naik_gauge_file_of_memory(out->lattice);
        NAIK_PASS(naik_gauge_copy(thin, out->thin));
    }
    NAIK_PASS(naik_site_sums_of(out->lattice, out->thin->link, NAIK_DIM * sizeof *out->thin->link,
                                out->links_sum));
    return naik_gauge_accept(input->gauge.file, &options, out->thin, &out->file, &out->checks);
}

naik_status naik_link_provider_open(const naik_lattice *lattice, const naik_input *input,
                                    const naik_gauge *thin, naik_backend *backend,
                                    naik_timer *timer, naik_link_provider *out)
{
    naik_status status = NAIK_OK;
    *out = (naik_link_provider){
        .input = input, .lattice = lattice, .backend = backend, .timer = timer};
    if (input->kind->links == NAIK_QUARK_STORED) {
        status = check_link_files(lattice, input);
        return status != NAIK_OK ? status
                                 : identify(lattice, input, out->content, sizeof out->content);
    }
    naik_timer_start(timer, "read configuration");
    NAIK_TRY(load_thin(thin, out));
    naik_timer_count(timer, 0, 4 * 18.0 * (double)lattice->volume * out->file.precision / 8);
    NAIK_TRY(naik_link_provider_sources(out->thin, input, &out->gauss, &out->hops));
    if (smearing_shifts(input)) {
        NAIK_TRY(naik_shifts_create(out->thin, input->lattice.antiperiodic_t, &out->shifts));
    }
    naik_link_provider_turn(input, out->thin);
done:
    naik_timer_stop(timer, "read configuration");
    if (status != NAIK_OK) {
        naik_link_provider_close(out);
    }
    return status;
}

/* The boxes of `from`, whose ranks are all, into those of `to`, whose ranks are a group of them. */
static naik_status divide_links(const naik_gauge *from, naik_gauge *to)
{
    naik_status status = NAIK_OK;
    naik_comm *job = from->lattice->comm;
    const naik_box mine[2] = {naik_lattice_box(from->lattice), naik_lattice_box(to->lattice)};
    naik_box *boxes = NULL;
    NAIK_TRY(
        naik_new(job, 2 * (size_t)job->size * sizeof *boxes, "a list of boxes", (void **)&boxes));
    NAIK_TRY(naik_boxes_gather(job, &mine[0], boxes));
    NAIK_TRY(naik_boxes_gather(job, &mine[1], boxes + job->size));
    NAIK_TRY(naik_boxes_move(job, boxes, boxes + job->size, NAIK_DIM * sizeof *from->link,
                             from->link, to->link));
done:
    free(boxes);
    return status;
}

naik_status naik_link_provider_divide(naik_link_provider *whole, const naik_lattice *lattice,
                                      naik_backend *backend, naik_link_provider *out)
{
    naik_status status = NAIK_OK;
    naik_comm *job = whole->lattice->comm;
    const naik_input *input = whole->input;
    *out = (naik_link_provider){.input = input,
                                .lattice = lattice,
                                .backend = backend,
                                .timer = whole->timer,
                                .file = whole->file,
                                .checks = whole->checks,
                                .links_sum = {whole->links_sum[0], whole->links_sum[1]}};
    memset(&whole->file, 0, sizeof whole->file); /* what it owned is out's */
    naik_timer_start(whole->timer, "divide configuration");
    naik_link_provider_turn(input, whole->thin); /* as it was read */
    NAIK_TRY(naik_comm_agree(job, naik_gauge_create(lattice, &out->thin)));
    NAIK_TRY(divide_links(whole->thin, out->thin));
    naik_link_provider_turn(input, whole->thin);
    if (whole->gauss != NULL || whole->hops != NULL) {
        NAIK_TRY(naik_comm_agree(job, make_smearing(out->thin, input, &out->gauss, &out->hops)));
    }
    if (whole->shifts != NULL) {
        NAIK_TRY(naik_comm_agree(
            job, naik_shifts_create(out->thin, input->lattice.antiperiodic_t, &out->shifts)));
    }
    naik_link_provider_turn(input, out->thin);
done:
    naik_timer_stop(whole->timer, "divide configuration");
    if (status != NAIK_OK) {
        naik_link_provider_close(out);
    }
    return status;
}

void naik_link_provider_close(naik_link_provider *source)
{
    naik_gauge_destroy(&source->thin);
    naik_fattener_destroy(&source->fattener);
    naik_gauss_destroy(&source->gauss);
    naik_gauss_destroy(&source->hops);
    naik_shifts_destroy(&source->shifts);
    source_current_clear(&source->current);
    naik_fatlong_destroy(&source->ready);
    naik_gauge_file_clear(&source->file);
}

/* Fattens at the first call: a run that has nothing left to solve never does. */
static naik_status fatten(naik_link_provider *source, double naik_epsilon, naik_fatlong **out)
{
    const naik_input *input = source->input;
    if (source->fattener == NULL) {
        NAIK_PASS(naik_fattener_create(source->thin, input->kind->smearing, input->action.u0,
                                       naik_backend_device(source->backend), &source->fattener));
        naik_gauge_destroy(&source->thin);
    }
    return naik_fattener_links(source->fattener, naik_epsilon, out);
}

/* Hours may lie between two readings of a file that was identified once: what it holds behind the
 * reading must be what it held then, so that no set comes from another configuration. */
static naik_status read_links(const naik_link_provider *source, double naik_epsilon,
                              naik_fatlong **out)
{
    naik_status status = NAIK_OK;
    const naik_input *input = source->input;
    naik_comm *comm = source->lattice->comm;
    char now[sizeof source->content];
    if (input->action.long_file != NULL) {
        const naik_links_boundary expected = {.name = naik_input_boundary_name(input),
                                              .given = input->lattice.boundary_given};
        NAIK_TRY(naik_links_scidac_read(input->action.file, input->action.long_file,
                                        source->lattice, naik_epsilon, &expected, out));
    } else {
        NAIK_TRY(naik_links_h5_read(input->action.file, source->lattice, naik_epsilon,
                                    naik_input_boundary_name(input), out));
    }
    NAIK_TRY(identify(source->lattice, input, now, sizeof now));
    if (strcmp(now, source->content) != 0) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                           "'%s' was replaced while this run was at work: then %s, now %s: put the "
                           "former back and run again",
                           input->action.file, source->content, now);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
done:
    if (status != NAIK_OK) {
        naik_fatlong_destroy(out);
    }
    return status;
}

naik_status naik_link_provider_ready(naik_link_provider *source)
{
    const naik_input *input = source->input;
    if (input->kind->links != NAIK_QUARK_STORED || input->action.long_file == NULL ||
        source->ready != NULL) {
        return NAIK_OK;
    }
    naik_timer_start(source->timer, "build links");
    const naik_status status = read_links(source, input->quarks[0].naik_epsilon, &source->ready);
    naik_timer_stop(source->timer, "build links");
    return status;
}

/* Those that were read ahead, or links from the file. */
static naik_status take_links(naik_link_provider *source, double naik_epsilon, naik_fatlong **out)
{
    if (source->ready == NULL || source->ready->naik_epsilon != naik_epsilon) {
        return read_links(source, naik_epsilon, out);
    }
    *out = source->ready;
    source->ready = NULL;
    return NAIK_OK;
}

naik_status naik_link_provider_links(naik_link_provider *source, double naik_epsilon,
                                     const double *twist, naik_fatlong **out)
{
    char twisted[NAIK_TWIST_TEXT], rare[80] = "";
    naik_status status = NAIK_OK;
    const naik_quark_kind *kind = source->input->kind;
    const double start_s = naik_time_s();
    if (kind->links == NAIK_QUARK_THIN) {
        return NAIK_FAIL(source->lattice->comm->log, NAIK_ERR_INPUT,
                         "%s quarks have no fat and long links", kind->name);
    }
    naik_timer_start(source->timer, "build links");
    NAIK_TRY(kind->links == NAIK_QUARK_STORED ? take_links(source, naik_epsilon, out)
                                              : fatten(source, naik_epsilon, out));
    if (twist != NULL) {
        NAIK_TRY(naik_fatlong_twist(*out, twist));
    }
    naik_twist_text(twist, twisted);
    if ((*out)->svd_count > 0) {
        snprintf(rare, sizeof rare, "; the projection of %lld links needed singular values",
                 (long long)(*out)->svd_count);
    }
    naik_log_line(source->lattice->comm->log, "links: %s, naik_epsilon %.10g%s, ready in %.2f s%s",
                  kind->name, naik_epsilon, twisted, naik_time_s() - start_s, rare);
done:
    if (status != NAIK_OK) {
        naik_fatlong_destroy(out);
    }
    naik_timer_stop(source->timer, "build links");
    return status;
}

naik_status naik_link_provider_hops(void *provider, const naik_quark *quark, naik_hops *out)
{
    naik_status status = NAIK_OK;
    naik_link_provider *source = provider;
    naik_fatlong *fat = NULL;
    const double *twist = naik_quark_twist(quark);
    *out = (naik_hops){.one = NULL};
    if (quark->kind->links == NAIK_QUARK_THIN) {
        return twist != NULL ? naik_gauge_twist(source->thin, twist, 1, &out->one)
                             : naik_gauge_bring(source->thin, NULL, &out->one);
    }
    NAIK_TRY(naik_link_provider_links(source, quark->naik_epsilon, twist, &fat));
    NAIK_TRY(naik_hops_of(fat, out));
done:
    naik_fatlong_destroy(&fat);
    return status;
}

naik_status naik_link_provider_packed(void *provider, const naik_quark *quark,
                                      const naik_geometry *geometry, naik_links **out)
{
    enum { ALL_NUMBERS = 18 };
    naik_status status = NAIK_OK;
    naik_fatlong *fat = NULL;
    NAIK_TRY(
        naik_link_provider_links(provider, quark->naik_epsilon, naik_quark_twist(quark), &fat));
    naik_fatlong there = *fat;
    naik_device *device = naik_backend_device(geometry->backend);
    there.fat = NULL;
    there.long_links = NULL;
    status = naik_gauge_bring(fat->fat, device, &there.fat);
    if (status == NAIK_OK && fat->long_links != NULL) {
        status = naik_gauge_bring(fat->long_links, device, &there.long_links);
    }
    if (status == NAIK_OK) {
        status = naik_links_create(geometry, &there, NAIK_DOUBLE, ALL_NUMBERS, out);
    }
    naik_gauge_destroy(&there.fat);
    naik_gauge_destroy(&there.long_links);
done:
    naik_fatlong_destroy(&fat);
    return status;
}

naik_status naik_link_provider_operators(naik_link_provider *source, const naik_geometry *geometry,
                                         const naik_quark *quark, const naik_set_storage *storage,
                                         naik_fatlong **canonical, naik_operator_set *out)
{
    naik_status status = NAIK_OK;
    naik_fatlong *fat = NULL;
    if (quark->kind->links != NAIK_QUARK_THIN) {
        NAIK_TRY(
            naik_link_provider_links(source, quark->naik_epsilon, naik_quark_twist(quark), &fat));
    }
    NAIK_TRY(source_current_keep(&source->current, source->input, quark, fat));
    const double start_s = naik_time_s();
    naik_timer_start(source->timer, "pack links");
    NAIK_TRY(naik_operator_set_create(geometry, quark, fat, source->thin, storage, out));
    naik_timer_stop(source->timer, "pack links");
    if (fat == NULL) {
        char numbers[NAIK_QUARK_TEXT], twisted[NAIK_TWIST_TEXT], rare[64] = "";
        if (out->pivoted > 0) {
            snprintf(rare, sizeof rare, "; %lld clover blocks were inverted with pivots",
                     (long long)out->pivoted);
        }
        naik_quark_text(quark, ", ", 10, numbers);
        naik_twist_text(naik_quark_twist(quark), twisted);
        naik_log_line(geometry->backend->log, "quarks: %s, %s%s, ready in %.2f s%s",
                      quark->kind->name, numbers, twisted, naik_time_s() - start_s, rare);
    }
    if (canonical != NULL) {
        *canonical = fat;
        fat = NULL;
    }
done:
    naik_fatlong_destroy(&fat);
    return status;
}

void naik_link_provider_identity(const naik_link_provider *source, char *text, size_t text_size)
{
    const naik_gauge_file *file = &source->file;
    if (source->input->kind->links == NAIK_QUARK_STORED) {
        snprintf(text, text_size, "%s", source->content);
        return;
    }
    snprintf(text, text_size,
             "plaquette %.17g %.17g link_trace %.17g (%s %x %x" NAIK_LINKS_SUM "%x %x",
             source->checks.plaquette_s, source->checks.plaquette_t, source->checks.link_trace,
             file->checksum_kind, file->checksum_computed[0], file->checksum_computed[1],
             source->links_sum[0], source->links_sum[1]);
}
