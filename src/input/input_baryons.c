/* input_baryons.c - checks of baryons: which quarks and which sources have them */
#include <stdio.h>
#include <string.h>

#include "input/input_table.h"
#include "propagator/baryon.h"

enum { PATH_SIZE = 160 };

/* Noise of two sites has nothing in common, so that only displaced sources have the Delta of noise. */
static bool carries(int baryon, unsigned corners, bool noise, bool displaced)
{
    int corner[NAIK_DIM - 1];
    return naik_baryon_corner(baryon, corners, displaced, corner) &&
           (!noise || displaced || !naik_baryon_is_displaced(baryon));
}

bool naik_input_has_baryon(const naik_input *input, const naik_input_solve *solve, int baryon)
{
    bool has = naik_input_is_whole(solve) && naik_baryon_has(baryon, input->kind->spin > 1);
    const bool noise = naik_source_is_random(solve->source.type);
    for (int k = 0; k < naik_input_count_sources(solve) && has && input->kind->spin == 1; k++) {
        const naik_source source = naik_input_source_number(input, solve, k);
        has = baryon == (int)NAIK_NUCLEON ||
              carries(baryon, naik_source_corners(&source), noise, false);
    }
    return has;
}

/* A staggered baryon is summed over one corner of the hypercube, which all three sources must carry. */
static bool has_corner(const naik_input *input, const naik_input_baryon *baryon, int which)
{
    const bool displaced = naik_input_is_displaced(input, baryon);
    bool has = !displaced || naik_baryon_is_displaced(which);
    for (int k = 0; k < naik_input_count_sources(&input->solve[baryon->of[0]]); k++) {
        unsigned corners = ~0U;
        bool noise = false;
        for (int i = 0; i < 3; i++) {
            const naik_source source =
                naik_input_source_number(input, &input->solve[baryon->of[i]], k);
            corners &= naik_source_corners(&source);
            noise = noise || naik_source_is_random(source.type);
        }
        has = has && carries(which, corners, noise, displaced);
    }
    return has;
}

/* What a refusal says of the sources of a Delta. */
static const char *needed_by(int baryon)
{
    return naik_baryon_is_displaced(baryon)
               ? ": a Delta needs walls on the three neighbours of a corner, such as "
                 "evenandodd_wall, or sources with spin_taste G1-GX, G1-GY and G1-GZ"
               : "";
}

/* Whether an entry gives quarks to a baryon; no baryon: to those of output.baryons. */
static bool gives(const naik_input *input, int entry, const naik_input_baryon *baryon, int which)
{
    return baryon == NULL
               ? naik_input_has_baryon(input, &input->solve[entry], which)
               : baryon->of[0] == entry || baryon->of[1] == entry || baryon->of[2] == entry;
}

/* That these quarks have what is asked for, and links where a Delta needs them. */
static naik_status check_words(naik_log *log, const naik_input *input, const char *path,
                               const naik_ints *asked, const naik_input_baryon *baryon)
{
    for (int k = 0; k < asked->count; k++) {
        const char *name = naik_input_baryon_name(asked->data[k]);
        char words[NAIK_INPUT_SPIN_WORDS];
        const bool spin = input->kind->spin > 1;
        if (!naik_baryon_has(asked->data[k], spin)) {
            return naik_input_refuse(log, input, path, "'%s': %s is for %s quarks", path, name,
                                     spin ? "staggered" : naik_input_spin_words(words));
        }
        if (spin || !naik_baryon_is_displaced(asked->data[k])) {
            continue;
        }
        for (int i = 0; i < input->solve_count && asked->data[k] == (int)NAIK_DELTA; i++) {
            if (gives(input, i, baryon, NAIK_DELTA) && naik_input_twist(&input->solve[i]) != NULL) {
                return naik_input_refuse(log, input, path,
                                         "'%s': naik makes a delta with links only without a twist",
                                         path);
            }
        }
        NAIK_PASS(naik_input_check_smearing(log, input, path, name));
    }
    return NAIK_OK;
}

static naik_status check_baryon(naik_log *log, const naik_input *input, int index,
                                naik_input_baryon *baryon)
{
    char path[PATH_SIZE], operators[PATH_SIZE];
    NAIK_PASS(naik_input_check_name(log, input, "baryons", index, baryon->name));
    snprintf(path, sizeof path, "baryons.%d.quarks", index);
    if (baryon->quarks.count != 3) {
        return naik_input_refuse(log, input, path, "'%s' must be three names, not %d", path,
                                 baryon->quarks.count);
    }
    for (int i = 0; i < 3; i++) {
        NAIK_PASS(naik_input_find_entry(log, input, path, baryon->quarks.data[i], &baryon->of[i]));
        const naik_input_solve *one = &input->solve[baryon->of[0]];
        const naik_input_solve *solve = &input->solve[baryon->of[i]];
        const int its = naik_input_count_sources(solve);
        if (its != naik_input_count_sources(one)) {
            return naik_input_refuse(
                log, input, path,
                "'%s': %s has %d source%s and %s has %d: naik joins the sources in their order, so "
                "that all need the same number",
                path, solve->name, its, its == 1 ? "" : "s", one->name,
                naik_input_count_sources(one));
        }
    }
    for (int i = 1; i < 3; i++) {
        NAIK_PASS(naik_input_check_common(log, input, path, &input->solve[baryon->of[0]],
                                          &input->solve[baryon->of[i]]));
    }
    snprintf(operators, sizeof operators, "baryons.%d.operators", index);
    if (baryon->operators.count == 0) {
        return naik_input_refuse(log, input, operators, "'%s' names nothing", operators);
    }
    NAIK_PASS(check_words(log, input, operators, &baryon->operators, baryon));
    for (int k = 0; k < baryon->operators.count && input->kind->spin == 1; k++) {
        const int which = baryon->operators.data[k];
        if (!has_corner(input, baryon, which)) {
            return naik_input_refuse(log, input, path,
                                     "'%s': the three sources have no corner of the hypercube (x, "
                                     "y, z modulo 2) in common, where a %s could be summed%s",
                                     path, naik_input_baryon_name(which), needed_by(which));
        }
    }
    return NAIK_OK;
}

naik_status naik_input_check_asked_baryons(naik_log *log, const naik_input *input)
{
    const naik_ints *asked = &input->output.baryons;
    for (int k = 0; k < asked->count; k++) {
        bool any = false, whole = false;
        for (int i = 0; i < input->solve_count; i++) {
            any = any || naik_input_has_baryon(input, &input->solve[i], asked->data[k]);
            whole = whole || naik_input_is_whole(&input->solve[i]);
        }
        if (!whole) {
            return naik_input_refuse(log, input, "output.baryons",
                                     "'output.baryons' needs an entry of solve with all colours");
        }
        if (!any) {
            return naik_input_refuse(
                log, input, "output.baryons",
                "'output.baryons': no source of this input has a corner of the hypercube (x, y, z "
                "modulo 2) where a %s could be summed%s",
                naik_input_baryon_name(asked->data[k]), needed_by(asked->data[k]));
        }
    }
    return NAIK_OK;
}

naik_status naik_input_check_baryons(naik_log *log, naik_input *input)
{
    NAIK_PASS(check_words(log, input, "output.baryons", &input->output.baryons, NULL));
    for (int i = 0; i < input->baryon_count; i++) {
        NAIK_PASS(check_baryon(log, input, i, &input->baryons[i]));
    }
    return NAIK_OK;
}
