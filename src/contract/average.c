/* average.c - means over the sources of an entry, with the signs and phases that go with the shift of each to t = 0 */
#include "contract/average.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

/* C(t) of a source, as it lies on the lattice: item number `made` of the list, or, where that is negative, the
 * correlator that the solves of that source have. */
static naik_status value_of(const contraction_averager *w, const contraction_item *item, int made,
                            int source, naik_complex *out)
{
    const int times = w->input->lattice.size[3];
    if (made >= 0) {
        memcpy(out, w->values + (size_t)made * (size_t)times, (size_t)times * sizeof *out);
        return NAIK_OK;
    }
    NAIK_PASS(naik_propagator_file_read_correlators(w->file, source, item->mass[0], w->stored));
    const int parts = naik_propagator_file_parts(w->file, source);
    const double *from =
        w->stored + (size_t)contraction_place(w->input, item) * (size_t)(times * parts);
    for (int t = 0; t < times; t++) {
        out[t] = (naik_complex){from[parts * t], parts == 2 ? from[parts * t + 1] : 0};
    }
    return NAIK_OK;
}

/* The value of source number k of an item, shifted; `exact`: its exact one, number n of those. */
static naik_status shifted(const contraction_averager *w, const contraction_item *item, int k,
                           const int *exact, naik_complex *out)
{
    const int begin = item->source[item->anchor], times = w->input->lattice.size[3];
    const int *origin = w->input->solve[w->input->sources[begin].solve].origins.data[k];
    naik_complex *raw = w->raw;
    const int made =
        exact != NULL ? item->exact_first + *exact * item->step : item->first + k * item->step;
    NAIK_PASS(value_of(w, item, item->first < 0 ? -1 : made,
                       exact != NULL ? item->exact_source + *exact : item->source[0] + k, raw));
    for (int t = 0; t < times; t++) {
        const naik_complex factor =
            correlator_factor_of_shift(w->lattice, w->input, item, k, origin, t);
        out[t] = naik_cmul(factor, raw[(origin[3] + t) % times]);
    }
    return NAIK_OK;
}

/* Of numbers [n][T] at t; the sum runs in the order of the sources. */
static naik_complex mean_of(const naik_complex *part, int n, int times, int t)
{
    naik_complex mean = {0, 0};
    for (int k = 0; k < n; k++) {
        mean.re += part[k * times + t].re / n;
        mean.im += part[k * times + t].im / n;
    }
    return mean;
}

static naik_complex error_of(const naik_complex *part, int n, int times, int t)
{
    const naik_complex mean = mean_of(part, n, times, t);
    const double count = n > 1 ? (double)n * (n - 1) : 1; /* of one: 0 */
    naik_complex square = {0, 0};
    for (int k = 0; k < n; k++) {
        const double re = part[k * times + t].re - mean.re;
        const double im = part[k * times + t].im - mean.im;
        square.re += re * re;
        square.im += im * im;
    }
    return (naik_complex){sqrt(square.re / count), sqrt(square.im / count)};
}

/* The standard error of a corrected mean: average.h. sloppy [n][T], correction [subset->count][T] */
static naik_complex corrected_error(const naik_complex *sloppy, int n,
                                    const naik_complex *correction, const naik_ints *subset,
                                    int times, int t)
{
    const naik_complex s = mean_of(sloppy, n, times, t);
    const naik_complex d = mean_of(correction, subset->count, times, t);
    const double of_all = 1 / sqrt((double)n * (n - 1));
    const double of_some = 1 / sqrt((double)subset->count * (subset->count - 1));
    naik_complex square = {0, 0};
    for (int k = 0, next = 0; k < n; k++) {
        double re = of_all * (sloppy[k * times + t].re - s.re);
        double im = of_all * (sloppy[k * times + t].im - s.im);
        if (next < subset->count && subset->data[next] == k) {
            re += of_some * (correction[next * times + t].re - d.re);
            im += of_some * (correction[next * times + t].im - d.im);
            next++;
        }
        square.re += re * re;
        square.im += im * im;
    }
    return (naik_complex){sqrt(square.re), sqrt(square.im)};
}

static void keep_plain(contraction_averager *w, int n, const naik_complex *part)
{
    const int times = w->input->lattice.size[3];
    for (int t = 0; t < times; t++) {
        w->family[t] = mean_of(part, n, times, t);
        w->family[times + t] = error_of(part, n, times, t);
    }
}

static naik_status plain(contraction_averager *w, const contraction_item *item, int n,
                         naik_complex *part)
{
    const int times = w->input->lattice.size[3];
    for (int k = 0; k < n; k++) {
        NAIK_PASS(shifted(w, item, k, NULL, part + k * times));
    }
    keep_plain(w, n, part);
    return NAIK_OK;
}

static double size_of(naik_complex c)
{
    return hypot(c.re, c.im);
}

/* Keeps the most of what a correction does to an average, over all its correlators. */
static void judge(contraction_averager *w, int index, const contraction_item *item)
{
    enum { ROUNDING = 40 }; /* below 2^-40 of the correlator there is no error to compare with */
    const int times = w->input->lattice.size[3];
    const naik_complex *at[6];
    contraction_verdict *v = &w->verdict[item->average - w->input->averages];
    double largest = 0;
    for (int i = 0; i < 6; i++) {
        at[i] = w->family + i * times;
    }
    for (int t = 0; t < times; t++) {
        largest = fmax(largest, size_of(at[0][t]));
    }
    for (int t = 0; t < times; t++) {
        const double sloppy = size_of(at[3][t]), error = size_of(at[5][t]);
        const double floor = ldexp(largest, -ROUNDING);
        if (sloppy > floor) {
            v->correction = fmax(v->correction, size_of(at[4][t]) / sloppy);
        }
        if (error > floor && !(error <= v->ratio * sloppy)) {
            v->ratio = sloppy > 0 ? error / sloppy : HUGE_VAL;
            v->item = index;
            v->t = t;
        }
    }
}

/* sloppy: [n][T], then [n][T] for corrections */
static naik_status truncated(contraction_averager *w, int index, const contraction_item *item,
                             int n, naik_complex *sloppy)
{
    const int times = w->input->lattice.size[3];
    const naik_ints *subset = &item->average->subset;
    naik_complex *correction = sloppy + (size_t)n * (size_t)times;
    for (int k = 0; k < n; k++) {
        NAIK_PASS(shifted(w, item, k, NULL, sloppy + k * times));
    }
    for (int i = 0; i < subset->count; i++) {
        const naik_complex *own = sloppy + subset->data[i] * times;
        naik_complex *difference = correction + i * times;
        NAIK_PASS(shifted(w, item, subset->data[i], &i, difference));
        for (int t = 0; t < times; t++) {
            difference[t].re -= own[t].re;
            difference[t].im -= own[t].im;
        }
    }
    for (int t = 0; t < times; t++) {
        const naik_complex s = mean_of(sloppy, n, times, t);
        const naik_complex d = mean_of(correction, subset->count, times, t);
        w->family[t] = (naik_complex){s.re + d.re, s.im + d.im};
        w->family[times + t] = corrected_error(sloppy, n, correction, subset, times, t);
        w->family[2 * times + t] = s;
        w->family[3 * times + t] = error_of(sloppy, n, times, t);
        w->family[4 * times + t] = d;
        w->family[5 * times + t] = error_of(correction, subset->count, times, t);
    }
    judge(w, index, item);
    return NAIK_OK;
}

/* What an average of low modes needs, once. */
static naik_status ready_low(contraction_averager *w, const naik_input_average *average)
{
    low_average *low = &w->low[average - w->input->averages];
    return low->count > 0 ? NAIK_OK
                          : low_average_make(w->low_kit, w->input, average, &w->held, low);
}

/* Places in what low modes give. */
typedef struct low_place {
    int mass, place;
} low_place;

static low_place place_in_low(const naik_input *input, const contraction_item *item)
{
    const naik_input_solve *solve = &input->solve[item->average->of];
    int loop = 0;
    if (item->average->pair >= 0) {
        return (low_place){item->mass[0] * solve->masses.count + item->mass[1], item->momentum};
    }
    if (item->kind->what != CONTRACT_LOOP) {
        return (low_place){item->mass[0], contraction_place(input, item)};
    }
    while (input->output.loops.data[loop] != item->meson) {
        loop++;
    }
    return (low_place){item->mass[0], loop * solve->momenta.count + item->momentum};
}

/* Mean and error of an average with low modes: of all sites, and of n rests beside what they are the rest of. */
static void keep_low(contraction_averager *w, const contraction_item *item, const naik_complex *all,
                     int n, const naik_complex *rest)
{
    const int times = w->input->lattice.size[3];
    const naik_complex *whole = rest + (size_t)n * (size_t)times;
    contraction_verdict *v = &w->verdict[item->average - w->input->averages];
    for (int t = 0; t < times; t++) {
        const naik_complex r = mean_of(rest, n, times, t), error = error_of(rest, n, times, t);
        const double alone = size_of(error_of(whole, n, times, t));
        w->family[t] = naik_cadd(all[t], r);
        w->family[times + t] = error;
        w->family[2 * times + t] = all[t];
        w->family[3 * times + t] = r;
        if (alone > 0) {
            const double ratio = size_of(error) / alone;
            v->least = v->most > 0 ? fmin(v->least, ratio) : ratio;
            v->most = fmax(v->most, ratio);
        }
    }
}

/* Loops of each noise field: the sum over its parts; those of an average without what low modes give of it, then with.
 * fields [2][hits][T], zeros before */
static naik_status of_fields(contraction_averager *w, const contraction_item *item,
                             const naik_input_solve *solve, naik_complex *fields)
{
    const int times = w->input->lattice.size[3], hits = solve->hits;
    const size_t whole = item->average != NULL ? (size_t)hits * (size_t)times : 0;
    for (int k = 0; k < solve->origins.count; k++) {
        naik_complex *field = fields + whole + naik_input_noise_field(solve, k) * times;
        const naik_complex *part =
            w->values + (size_t)(item->first + k * item->step) * (size_t)times;
        for (int t = 0; t < times; t++) {
            field[t] = naik_cadd(field[t], part[t]);
        }
    }
    if (item->average == NULL) {
        keep_plain(w, hits, fields);
        return NAIK_OK;
    }
    const low_average *low = &w->low[item->average - w->input->averages];
    const low_place at = place_in_low(w->input, item);
    NAIK_PASS(ready_low(w, item->average));
    for (int k = 0; k < hits; k++) {
        const naik_complex *own =
            low_average_of(low, w->input, item->average, k, at.mass, at.place);
        for (int t = 0; t < times; t++) {
            fields[k * times + t] = naik_csub(fields[whole + (size_t)(k * times + t)], own[t]);
        }
    }
    const naik_complex *all = low_average_of(low, w->input, item->average, -1, at.mass, at.place);
    for (int t = 0; t < times && item->statistic == CONTRACTION_FIELD; t++) {
        w->family[t] = naik_cadd(all[t], fields[item->field * times + t]);
    }
    if (item->statistic != CONTRACTION_FIELD) {
        keep_low(w, item, all, hits, fields);
    }
    return NAIK_OK;
}

static naik_status with_low_modes(contraction_averager *w, const contraction_item *item, int n,
                                  naik_complex *rest)
{
    const int times = w->input->lattice.size[3];
    const low_place at = place_in_low(w->input, item);
    naik_complex *whole = rest + (size_t)n * (size_t)times;
    const low_average *low = &w->low[item->average - w->input->averages];
    NAIK_PASS(ready_low(w, item->average));
    for (int k = 0; k < n; k++) {
        const naik_complex *own =
            low_average_of(low, w->input, item->average, k, at.mass, at.place);
        const int *origin = w->input->solve[item->average->of].origins.data[k];
        NAIK_PASS(shifted(w, item, k, NULL, whole + k * times));
        for (int t = 0; t < times; t++) {
            const naik_complex part =
                naik_cmul(correlator_factor_of_shift(w->lattice, w->input, item, k, origin, t),
                          own[(origin[3] + t) % times]);
            rest[k * times + t] = naik_csub(whole[k * times + t], part);
        }
    }
    keep_low(w, item, low_average_of(low, w->input, item->average, -1, at.mass, at.place), n, rest);
    return NAIK_OK;
}

naik_status contraction_average(contraction_averager *w, const contraction_list *list, int index,
                                naik_complex *out)
{
    naik_status status = NAIK_OK;
    const contraction_item *item = &list->item[index];
    const int times = w->input->lattice.size[3];
    const int place = item->statistic == CONTRACTION_FIELD
                          ? 0
                          : (int)item->statistic - (int)contraction_first(item);
    const int begin = item->source[item->anchor];
    const int n = w->input->solve[w->input->sources[begin].solve].origins.count;
    naik_complex *part = NULL;
    if (place == 0) {
        status = naik_alloc(w->lattice->comm->log, 2 * (size_t)n * (size_t)times * sizeof *part,
                            "averages", (void **)&part);
        NAIK_TRY(naik_comm_agree(w->lattice->comm, status));
        NAIK_TRY(item->kind->what == CONTRACT_LOOP
                     ? of_fields(w, item, &w->input->solve[w->input->sources[begin].solve], part)
                 : item->average == NULL ? plain(w, item, n, part)
                 : item->average->type == NAIK_INPUT_TRUNCATED_SOLVES
                     ? truncated(w, index, item, n, part)
                     : with_low_modes(w, item, n, part));
    }
    memcpy(out, w->family + place * times, (size_t)times * sizeof *out);
done:
    naik_free(part);
    return status;
}

naik_status contraction_averager_create(naik_log *log, contraction_averager *w)
{
    const size_t times = (size_t)w->input->lattice.size[3];
    size_t stored = 0;
    for (int i = 0; i < w->input->solve_count; i++) {
        const naik_input_solve *solve = &w->input->solve[i];
        const size_t own = (size_t)solve->correlators.count * (size_t)solve->momenta.count;
        stored = 2 * own > stored ? 2 * own : stored;
    }
    NAIK_PASS(naik_alloc(log, (stored + 1) * times * sizeof *w->stored, "correlators",
                         (void **)&w->stored));
    NAIK_PASS(naik_alloc(log, times * sizeof *w->raw, "averages", (void **)&w->raw));
    NAIK_PASS(naik_alloc(log, CONTRACTION_STATISTICS * times * sizeof *w->family, "averages",
                         (void **)&w->family));
    NAIK_PASS(naik_alloc(log, ((size_t)w->input->average_count + 1) * sizeof *w->verdict,
                         "averages", (void **)&w->verdict)); /* zeroed */
    NAIK_PASS(naik_alloc(log, ((size_t)w->input->average_count + 1) * sizeof *w->low, "averages",
                         (void **)&w->low)); /* zeroed */
    return NAIK_OK;
}

void contraction_averager_clear(contraction_averager *w)
{
    naik_free(w->stored);
    naik_free(w->raw);
    naik_free(w->family);
    naik_free(w->verdict);
    for (int i = 0; w->low != NULL && i < w->input->average_count; i++) {
        low_average_clear(&w->low[i]);
    }
    naik_free(w->low);
    low_held_clear(&w->held);
}

static void print_truncated(const naik_input_average *average, const contraction_verdict *v,
                            const contraction_list *list, naik_log *log)
{
    enum { LAST_WORD = 5 }; /* "/mean" */
    const char *path = list->spec[v->item].path + strlen("/corr/");
    char where[NAIK_CONTRACTION_PATH + 32] = "";
    if (v->ratio > 0) {
        snprintf(where, sizeof where, " (%.*s, t = %d)", (int)strlen(path) - LAST_WORD, path, v->t);
    }
    naik_log_line(
        log,
        "averages: %s: the correction is at most %.2g times the error of the sloppy mean, "
        "and the error of the correction at most %.2g times%s: tolerance_sloppy %g is %s",
        average->name, v->correction, v->ratio, where, average->tolerance_sloppy,
        v->ratio <= CONTRACTION_GOOD ? "good enough" : "too large, or exact_sources too few");
}

/* Exact solves that did not become as exact as they are meant to be. */
static int count_unconverged(const contraction_averager *w, const naik_input_average *average)
{
    int count = 0;
    for (int i = 0; i < naik_propagator_file_solves(w->file); i++) {
        const naik_solve_record *r = naik_propagator_file_record(w->file, i);
        count += w->input->sources[r->source].solve == average->exact &&
                 r->state == NAIK_SOLVE_NOT_CONVERGED;
    }
    return count;
}

void contraction_averages_print(const contraction_averager *w, const contraction_list *list,
                                naik_log *log)
{
    for (int i = 0; i < w->input->average_count; i++) {
        const naik_input_average *average = &w->input->averages[i];
        const contraction_verdict *v = &w->verdict[i];
        const int unconverged = count_unconverged(w, average);
        if (unconverged > 0) {
            naik_log_warn(log,
                          "averages: %s: %d of its exact solves did not reach their tolerance, so "
                          "its mean is biased and nothing judges tolerance_sloppy %g",
                          average->name, unconverged, average->tolerance_sloppy);
        } else if (average->type == NAIK_INPUT_TRUNCATED_SOLVES) {
            print_truncated(average, v, list, log);
        } else if (naik_input_averages_loops(w->input, average) &&
                   w->input->solve[average->of].hits == 1) {
            naik_log_line(
                log,
                "averages: %s: one noise field gives no error: set source.hits of %s to 2 "
                "or more",
                average->name, average->solve);
        } else {
            naik_log_line(
                log,
                "averages: %s: the error of the mean is %.2g to %.2g times the error of the "
                "%s alone",
                average->name, v->least, v->most,
                naik_input_averages_loops(w->input, average) ? "noise" : "solves");
        }
    }
}

/* values: [count][T], as the file has them; out: [T]. *moved counts those that were others. */
static naik_status make_anew(contraction_averager *w, const contraction_list *list,
                             naik_complex *values, naik_complex *out, int *moved)
{
    const size_t times = (size_t)w->input->lattice.size[3];
    for (int i = 0; i < list->count; i++) {
        naik_complex *before = values + (size_t)i * times;
        if (!contraction_follows(&list->item[i])) {
            continue;
        }
        NAIK_PASS(contraction_average(w, list, i, out));
        bool differs = memcmp(before, out, times * sizeof *out) != 0;
        NAIK_PASS(naik_comm_broadcast(w->lattice->comm, &differs, sizeof differs, 0));
        if (differs) {
            NAIK_PASS(naik_propagator_file_contract(w->file, i, 1, NULL, &out->re));
            ++*moved;
        }
    }
    return NAIK_OK;
}

naik_status contraction_averages_again(const naik_lattice *lattice, const naik_input *input,
                                       naik_propagator_file *file)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = lattice->comm;
    contraction_list list = {.count = 0};
    contraction_averager w = {.lattice = lattice, .input = input, .file = file};
    const size_t times = (size_t)input->lattice.size[3];
    naik_complex *values = NULL;
    bool whole = true;
    int moved = 0;
    NAIK_TRY(naik_comm_agree(comm, contraction_list_create(comm->log, input, &list)));
    status = naik_alloc(comm->log, ((size_t)list.count + 1) * times * sizeof *values, "correlators",
                        (void **)&values);
    status = status == NAIK_OK ? contraction_averager_create(comm->log, &w) : status;
    NAIK_TRY(naik_comm_agree(comm, status));
    w.values = values;
    for (int i = 0; i < list.count && whole; i++) {
        naik_complex *own = &values[(size_t)i * times];
        bool there = false;
        NAIK_TRY(naik_propagator_file_contraction(file, i, &own->re, &there));
        if (!there) { /* of a kill between its numbers and their checksum: no numbers, which differ from any */
            memset(own, -1, times * sizeof *own);
        }
        whole = there || contraction_follows(&list.item[i]);
    }
    if (whole) { /* else the file is damaged, which its end tells */
        NAIK_TRY(make_anew(&w, &list, values, values + (size_t)list.count * times, &moved));
    }
    if (moved > 0) {
        naik_log_line(comm->log,
                      "averages: naik makes %d average%s anew, because the file had %s of other "
                      "correlators",
                      moved, moved == 1 ? "" : "s", moved == 1 ? "one" : "some");
    }
done:
    contraction_averager_clear(&w);
    contraction_list_clear(&list);
    naik_free(values);
    return status;
}
