/* quark.c - what is asked of a quark, of two, and of a kind by its name */
#include "operator/quark.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

const naik_quark_kind *naik_quark_kind_of(const char *name)
{
    for (int i = 0; naik_quark_kinds[i] != NULL; i++) {
        const naik_quark_kind *kind = naik_quark_kinds[i];
        if (strcmp(kind->name, name) == 0) {
            return kind;
        }
        if (kind->su3 != NULL && strcmp(kind->su3->name, name) == 0) {
            return kind->su3;
        }
    }
    return NULL;
}

void naik_quark_set(naik_quark *quark, const naik_quark_number *number, double value)
{
    memcpy((char *)quark + number->member, &value, sizeof value);
}

const naik_quark_number *naik_quark_number_of(const naik_quark_kind *kind, const char *name)
{
    for (int i = 0; i < kind->number_count; i++) {
        if (strcmp(kind->numbers[i].name, name) == 0) {
            return &kind->numbers[i];
        }
    }
    return NULL;
}

/* Whether all numbers with one of the bits `uses` are the same, and the kinds. */
static bool agrees(const naik_quark *a, const naik_quark *b, unsigned uses)
{
    bool same = a->kind == b->kind;
    for (int i = 0; i < a->kind->number_count && same; i++) {
        const naik_quark_number *number = &a->kind->numbers[i];
        same = (number->uses & uses) == 0 || number->value(a) == number->value(b);
    }
    return same;
}

bool naik_quark_shares_links(const naik_quark *a, const naik_quark *b)
{
    return agrees(a, b, NAIK_NUMBER_LINKS);
}

bool naik_quark_shares_operator(const naik_quark *a, const naik_quark *b)
{
    return agrees(a, b, NAIK_NUMBER_OPERATOR) && naik_twist_same(a->twist, b->twist);
}

bool naik_quark_is(const naik_quark *a, const naik_quark *b)
{
    /* the mass first: most quarks of an input differ in it */
    return a->mass == b->mass && agrees(a, b, ~0U) && naik_twist_same(a->twist, b->twist);
}

int naik_quark_first_of_links(const naik_quark *quarks, int q)
{
    int first = 0;
    while (!naik_quark_shares_links(&quarks[first], &quarks[q])) {
        first++;
    }
    return first;
}

/* Digits that a number of an input keeps on its way to a mass and back, and those of tables. */
enum { EXACT = 15, BESIDE = 8 };

double naik_quark_kappa(const naik_quark *quark)
{
    char text[32];
    const naik_quark_number *kappa =
        quark->kind != NULL ? naik_quark_number_of(quark->kind, "kappa") : NULL;
    if (kappa == NULL) {
        return 0;
    }
    snprintf(text, sizeof text, "%.*g", EXACT, kappa->value(quark));
    return naik_text_strtod(text, NULL);
}

/* How many digits a number has, of EXACT. */
static int digits_of(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.*e", EXACT - 1, value);
    const char *end = strchr(text, 'e');
    int digits = EXACT;
    while (digits > 1 && *--end == '0') {
        digits--;
    }
    return digits;
}

/* Not a mass of 0, which the kappa of free quarks gives. */
static bool is_by_mass(const naik_quark *quark)
{
    return quark->mass != 0 && digits_of(quark->mass) < digits_of(naik_quark_kappa(quark));
}

void naik_quark_text(const naik_quark *quark, const char *between, int digits,
                     char text[NAIK_QUARK_TEXT])
{
    const naik_quark_kind *kind = quark->kind;
    const bool by_kappa = naik_quark_kappa(quark) > 0 && !is_by_mass(quark);
    const naik_quark_number *first = by_kappa ? naik_quark_number_of(kind, "kappa") : NULL;
    text[0] = '\0';
    for (int i = first != NULL ? -1 : 0; i < kind->number_count; i++) {
        const naik_quark_number *number = i < 0 ? first : &kind->numbers[i];
        if ((number->uses & NAIK_NUMBER_TOLD) != 0 && (i < 0 || number != first)) {
            naik_text_append(text, NAIK_QUARK_TEXT, "%s%s %.*g", text[0] != '\0' ? between : "",
                             number->name, digits, number->value(quark));
        }
    }
}

const char *naik_quark_kappa_text(const naik_quark *quark, char text[NAIK_QUARK_NAME])
{
    const double kappa = naik_quark_kappa(quark);
    snprintf(text, NAIK_QUARK_NAME, "%.*g", is_by_mass(quark) ? BESIDE : EXACT, kappa);
    return kappa > 0 ? text : strcpy(text, "");
}

/* `is` between name and number, `between` two of these. */
static const char *name(const naik_quark *quark, const char *prefix, const char *is,
                        const char *between, int digits, char text[NAIK_QUARK_NAME])
{
    const double kappa = naik_quark_kappa(quark);
    if (kappa == 0) {
        snprintf(text, NAIK_QUARK_NAME, "%smass%s%.*g", prefix, is, digits, quark->mass);
        return text;
    }
    const bool by_mass = is_by_mass(quark);
    snprintf(text, NAIK_QUARK_NAME, "%s%s%s%.*g%s%s%s%s%.*g", prefix, by_mass ? "mass" : "kappa",
             is, EXACT, by_mass ? quark->mass : kappa, between, prefix, by_mass ? "kappa" : "mass",
             is, digits, by_mass ? kappa : quark->mass);
    return text;
}

const char *naik_quark_fields(const naik_quark *quark, const char *prefix, int digits,
                              char text[NAIK_QUARK_NAME])
{
    return name(quark, prefix, "=", " ", digits, text);
}

const char *naik_quark_phrase(const naik_quark *quark, int digits, char text[NAIK_QUARK_NAME])
{
    return name(quark, "", " ", ", ", digits, text);
}

void naik_quark_report(naik_report *report, const naik_quark *quark)
{
    naik_report_real(report, "mass", quark->mass);
    if (naik_quark_kappa(quark) > 0) {
        naik_report_real(report, "kappa", naik_quark_kappa(quark));
    }
}
