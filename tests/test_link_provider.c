/* test_link_provider.c - which inputs are warned about where links are in no gauge, and whose links are kept for
 * currents
 *
 * ranks: 1
 */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "naik/gauge.h"
#include "quark/link_provider.h"

static const char text[] =
    "lattice: {size: [4, 4, 4, 8]}\n"
    "gauge: {file: lat.h5}\n"
    "action: {type: hisq}\n"
    "solve:\n"
    "  - {name: a, masses: 0.1, source: {type: point, origin: [0, 0, 0, 0]}}\n"
    "  - {name: b, masses: 0.2, source: {type: point, origin: [0, 0, 0, 0]}}\n"
    "output: {file: out.h5, correlators: [pion5]}\n";

typedef struct heard {
    int lines, warnings;
} heard;

static void hear(void *data, bool warning, const char *said)
{
    heard *h = data;
    h->warnings += warning && strstr(said, "those of lat.h5 are not in it") != NULL;
    h->lines += !warning && strncmp(said, "Coulomb gauge: theta ", 21) == 0;
}

/* What an input says of links. */
static heard heard_of(check *t, const naik_gauge *gauge, const char *key, const char *other)
{
    const char *keys[] = {key, other};
    heard h = {0, 0};
    naik_input *input = NULL;
    naik_gauss *gauss = NULL, *hops = NULL;
    CHECK_OK(t, naik_input_parse(t->log, "input.yaml", text, strlen(text), keys,
                                 (key != NULL) + (other != NULL), NULL, NULL, &input));
    if (input != NULL) {
        naik_log_take(t->log, hear, &h);
        CHECK_OK(t, naik_link_provider_sources(gauge, input, &gauss, &hops));
        naik_log_take(t->log, NULL, NULL);
        naik_gauss_destroy(&gauss);
        naik_gauss_destroy(&hops);
    }
    naik_input_destroy(&input);
    return h;
}

/* Every type of source, and what pairs and baryons take from two places. */
static void what_adds_colours_of_several_sites_is_warned_about(check *t)
{
    static const struct {
        const char *key, *other;
        bool needs;
    } rows[] = {
        {NULL, NULL, false},
        {"solve.1.source={type: corner_wall, t0: 0}", NULL, true},
        {"solve.0.source={type: even_wall, t0: 0}", NULL, true},
        {"solve.1.source={type: evenandodd_wall, t0: 0}", NULL, true},
        {"solve.1.source={type: evenminusodd_wall, t0: 0}", NULL, true},
        {"solve.1.source={type: gaussian, origin: [0, 0, 0, 0], radius: 1}", NULL, true},
        {"solve.1.source={type: funnywall1, t0: 0}", NULL, true},
        {"solve.1.source={type: funnywall2, t0: 0}", NULL, true},
        {"solve.1.source={type: random_wall, t0: 0, seed: 1}", NULL, false},
        {"solve.1.source={type: random_volume, seed: 1}", NULL, false},
        {"solve.1.source={type: covariant_gaussian, origin: [0, 0, 0, 0], radius: 1, iterations: "
         "9}",
         NULL, false},
        {"solve.1.source={type: file, file: b.lime}", NULL, false},
        {"pairs=[{name: ab, quark: a, antiquark: b}]", NULL, false},
        {"pairs=[{name: ab, quark: a, antiquark: b, sink: wall}]", NULL, true},
        {"pairs=[{name: ab, quark: a, antiquark: b}]", "solve.1.source.origin=[0, 0, 2, 0]", true},
        {"solve=[{name: a, masses: 0.1, source: {type: file, file: a.lime}}, {name: b, masses: "
         "0.1, source: {type: point, origin: [0, 0, 2, 0]}}]",
         "pairs=[{name: ab, quark: a, antiquark: b}]", false},
        {"solve.0.source.origin=[[0, 0, 0, 0], [2, 0, 0, 4]]",
         "pairs=[{name: ab, quark: a, antiquark: a}]", false},
        {"solve=[{name: a, masses: 0.1, source: {type: point, origin: [[0, 0, 0, 0], [2, 0, 0, 4], "
         "[0, 0, 0, 2]]}}, {name: b, masses: 0.1, source: {type: point, origin: [[0, 0, 0, 0], [0, "
         "0, 2, 4], [0, 0, 0, 2]]}}]",
         "pairs=[{name: ab, quark: a, antiquark: b}]", true},
        {"solve.0.source={type: file, file: a.lime}", "output.baryons=[nucleon]", false},
        {"solve.0.source={type: file, file: a.lime}", "output.baryons=[nucleon, delta_coulomb]",
         true},
        {"solve=[{name: a, masses: [0.1, 0.2], source: {type: file, file: a.lime}}]",
         "baryons=[{name: n, quarks: [a, a, a], operators: [nucleon]}]", false},
        {"solve=[{name: a, masses: [0.1, 0.2], source: {type: file, file: a.lime}}]",
         "baryons=[{name: n, quarks: [a, a, a], operators: [nucleon, delta_coulomb]}]", true}};
    naik_lattice *lat = NULL;
    naik_gauge *gauge = NULL;
    CHECK_OK(t, naik_lattice_create(t->comm, (const int[]){4, 4, 4, 8}, NULL, &lat));
    CHECK_OK(t, naik_gauge_create(lat, &gauge));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int rough = 0; rough < 2; rough++) {
            naik_gauge_set_unit(gauge);
            if (rough) {
                naik_gauge_set_random(gauge, 5);
            }
            const heard h = heard_of(t, gauge, rows[i].key, rows[i].other);
            CHECK_INT(t, h.lines, rows[i].needs);
            if (!CHECK_INT(t, h.warnings, rows[i].needs && rough)) {
                fprintf(stderr, "    %s\n", rows[i].key);
            }
        }
    }
    naik_gauge_destroy(&gauge);
    naik_lattice_destroy(&lat);
}

/* Links of the last quark whose sources want them, so that they are not made twice. */
static void links_of_a_current_are_those_of_the_last_quark(check *t)
{
    static const char entries[] =
        "solve=[{name: a, masses: [0.1, 0.2], source: {type: point, origin: [0, 0, 0, 0], "
        "spin_taste: conserved_vector_t}}, {name: b, masses: 0.1, naik_epsilon: 0.25, source: "
        "{type: point, "
        "origin: [0, 0, 0, 0], spin_taste: conserved_vector_t}}, {name: c, masses: 0.1, "
        "naik_epsilon: 0.5, "
        "source: {type: point, origin: [0, 0, 0, 0]}}]";
    /* each quark whose links come by, and whose are kept then: entry and mass, -1: none's */
    static const struct {
        int solve, mass, kept_solve;
        bool has_links;
    } rows[] = {{2, 0, -1, true}, {0, 0, -1, false}, {0, 0, 0, true}, {0, 1, 0, true},
                {2, 0, 0, true},  {1, 0, 1, true},   {0, 0, 0, true}};
    const char *key = entries;
    source_current c = {.of = NULL};
    naik_input *input = NULL;
    naik_lattice *lat = NULL;
    naik_fatlong fat = {.fat = NULL};
    CHECK_OK(
        t, naik_input_parse(t->log, "input.yaml", text, strlen(text), &key, 1, NULL, NULL, &input));
    CHECK_OK(t, naik_lattice_create(t->comm, (const int[]){4, 4, 4, 8}, NULL, &lat));
    CHECK_OK(t, naik_gauge_create(lat, &fat.fat));
    CHECK_REQUIRE(t, input != NULL && fat.fat != NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const naik_quark *kept =
            rows[i].kept_solve < 0 ? NULL : naik_input_quark(input, rows[i].kept_solve, 0);
        naik_gauge_set_random(fat.fat, i);
        CHECK_OK(t, source_current_keep(&c, input,
                                        naik_input_quark(input, rows[i].solve, rows[i].mass),
                                        rows[i].has_links ? &fat : NULL));
        CHECK_TRUE(t, c.of == kept && (c.hops.one != NULL) == (kept != NULL));
        if (i == 2 || i > 4) { /* of this quark, and new */
            CHECK_INT(t, memcmp(&c.hops.one->link[7], &fat.fat->link[7], sizeof(naik_matrix)), 0);
        }
    }
    source_current_clear(&c);
    CHECK_TRUE(t, c.of == NULL && c.hops.one == NULL);
    naik_gauge_destroy(&fat.fat);
    naik_lattice_destroy(&lat);
    naik_input_destroy(&input);
}

CHECK_MAIN(CHECK(links_of_a_current_are_those_of_the_last_quark),
           CHECK(what_adds_colours_of_several_sites_is_warned_about))
