/* quark_attributes.c - the numbers of a quark as attributes of what was solved or made with it */
#include "io/prop/quark_attributes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS_MOST = 2048 }; /* far more than an entry has masses */

/* Kind, facts and twist, which all quarks of an entry share. */
static naik_status put_kind(naik_log *log, hid_t object, const naik_quark *quark)
{
    const naik_quark_kind *kind = quark->kind;
    if (naik_quark_twist(quark) != NULL) {
        NAIK_PASS(naik_h5_put_f64(log, object, "twist", quark->twist, NAIK_DIM - 1));
    }
    NAIK_PASS(naik_h5_put_text(log, object, "action", kind->name));
    for (int i = 0; i < kind->fact_count; i++) {
        NAIK_PASS(naik_h5_put_text(log, object, kind->facts[i].name, kind->facts[i].text));
    }
    return NAIK_OK;
}

naik_status naik_prop_put_quark(naik_log *log, hid_t object, const naik_quark *quark)
{
    const naik_quark_kind *kind = quark->kind;
    for (int i = 0; i < kind->number_count; i++) {
        if ((kind->numbers[i].uses & NAIK_NUMBER_FILE) != 0) {
            const double value = kind->numbers[i].value(quark);
            NAIK_PASS(naik_h5_put_f64(log, object, kind->numbers[i].name, &value, 0));
        }
    }
    return put_kind(log, object, quark);
}

naik_status naik_prop_put_quarks(naik_log *log, hid_t object, const naik_quark *quarks,
                                 const int *which, int count)
{
    naik_status status = NAIK_OK;
    const naik_quark *first = &quarks[which[0]];
    double *values = malloc((size_t)count * sizeof *values);
    if (values == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the masses of an entry");
    }
    for (int i = 0; i < first->kind->number_count; i++) {
        const naik_quark_number *number = &first->kind->numbers[i];
        if ((number->uses & NAIK_NUMBER_FILE) != 0) {
            for (int k = 0; k < count; k++) {
                values[k] = number->value(&quarks[which[k]]);
            }
            NAIK_TRY(naik_h5_put_f64(log, object, number->name, values, count));
        }
    }
    NAIK_TRY(put_kind(log, object, first));
done:
    free(values);
    return status;
}

naik_status naik_prop_put_hadron_quark(naik_log *log, hid_t object, const char *prefix,
                                       const naik_quark *quark)
{
    char name[NAIK_PROP_QUARK_NAME];
    for (int i = 0; i < quark->kind->number_count; i++) {
        const naik_quark_number *number = &quark->kind->numbers[i];
        if ((number->uses & NAIK_NUMBER_HADRON) != 0) {
            const double value = number->value(quark);
            snprintf(name, sizeof name, "%s%s", prefix, number->name);
            NAIK_PASS(naik_h5_put_f64(log, object, name, &value, 0));
        }
    }
    if (naik_quark_twist(quark) != NULL) {
        snprintf(name, sizeof name, "%stwist", prefix);
        NAIK_PASS(naik_h5_put_f64(log, object, name, quark->twist, NAIK_DIM - 1));
    }
    return NAIK_OK;
}

/* An attribute of one number (index < 0), or element `index` of one of several. False where there is none. It allocates
 * nothing, because a number that a lack of memory hides would be taken for none. */
static bool get_number(hid_t object, const char *name, int index, double *value)
{
    double all[NUMBERS_MOST];
    bool found = false;
    hsize_t count = 0;
    if (index < 0) {
        return naik_h5_get_f64(object, name, value, 0);
    }
    if (H5Aexists(object, name) <= 0) {
        return false;
    }
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), space = H5Aget_space(attribute);
    if (H5Sget_simple_extent_ndims(space) == 1) {
        H5Sget_simple_extent_dims(space, &count, NULL);
    }
    H5Sclose(space);
    H5Aclose(attribute);
    found = (hsize_t)index < count && count <= NUMBERS_MOST &&
            naik_h5_get_f64(object, name, all, (int)count);
    if (found) {
        *value = all[index];
    }
    return found;
}

void naik_prop_get_quark(hid_t object, const char *prefix, int index, naik_quark *quark)
{
    char name[NAIK_PROP_QUARK_NAME], action[NAIK_PROP_QUARK_NAME] = "";
    if (H5Aexists(object, "action") > 0) {
        naik_h5_get_text(object, "action", action, sizeof action);
        quark->kind = naik_quark_kind_of(action);
    }
    const naik_quark_kind *kind = quark->kind != NULL ? quark->kind : naik_quark_kinds[0];
    for (int i = 0; i < kind->number_count; i++) {
        const naik_quark_number *number = &kind->numbers[i];
        double value;
        snprintf(name, sizeof name, "%s%s", prefix, number->name);
        if (number->member != 0 && (number->uses & NAIK_NUMBER_FILE) != 0 &&
            get_number(object, name, index, &value)) {
            naik_quark_set(quark, number, value);
        }
    }
    snprintf(name, sizeof name, "%stwist", prefix);
    naik_h5_get_f64(object, name, quark->twist, NAIK_DIM - 1);
}

/* A number that quarks of the kind have in files, and that neither an input nor the operator knows. */
static bool is_idle(const naik_quark_number *number)
{
    return number->member != 0 && number->key == NULL && strcmp(number->name, "mass") != 0 &&
           (number->uses & (NAIK_NUMBER_OPERATOR | NAIK_NUMBER_LINKS)) == 0;
}

bool naik_prop_states_quark(hid_t object, const naik_quark *quark)
{
    const naik_quark_kind *kind = quark->kind;
    const naik_quark blank = {.kind = kind};
    bool good = kind != NULL;
    for (int i = 0; good && i < kind->number_count; i++) {
        const naik_quark_number *number = &kind->numbers[i];
        const double wanted = number->value(is_idle(number) ? &blank : quark);
        double value = NAN;
        good = (number->uses & NAIK_NUMBER_FILE) == 0 ||
               (naik_h5_get_f64(object, number->name, &value, 0) &&
                fabs(value - wanted) <= 1e-12 * fabs(wanted));
    }
    for (int i = 0; good && i < kind->fact_count; i++) {
        char text[NAIK_PROP_QUARK_NAME] = "";
        good = naik_h5_get_text(object, kind->facts[i].name, text, sizeof text) &&
               strcmp(text, kind->facts[i].text) == 0;
    }
    return good;
}
