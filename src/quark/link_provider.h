/* link_provider.h - from an input to the fat and long links of its solves
 *
 * Reads and verifies the configuration, puts the phases in and fattens once, when first asked; or
 * opens the file that action.type links names. Then gives out one set of links for each Naik
 * epsilon asked for.
 */
#ifndef NAIK_QUARK_LINK_PROVIDER_H
#define NAIK_QUARK_LINK_PROVIDER_H

#include "backend/backend.h"
#include "base/timer.h"
#include "input/input.h"
#include "links/smear.h"
#include "naik/gauge_io.h"
#include "operator/set.h"
#include "propagator/current.h"
#include "propagator/gauss_smear.h"
#include "propagator/spin_taste.h"
#include "quark/source_current.h"

typedef struct naik_link_provider {
    const naik_input *input;     /* borrowed */
    const naik_lattice *lattice; /* borrowed */
    naik_backend *backend;       /* borrowed, may be NULL; where links are built */
    naik_timer *timer;           /* borrowed, may be NULL */
    naik_gauge *thin;            /* phased links, until they are fattened */
    naik_fattener *fattener;     /* NULL where the links come from a file */
    naik_gauss *gauss;           /* of what the input smears; NULL: nothing */
    naik_gauss *hops;            /* of its funny walls; NULL: none */
    naik_shifts *shifts;         /* of its correlators with links; NULL: none */
    source_current current;      /* of its sources */
    naik_gauge_file file;     /* the configuration's; format "" where the links come from a file */
    naik_gauge_checks checks; /* of the links as stored */
    uint32_t links_sum[2];    /* of the links as stored, in double precision */
    char content[128];        /* checksums of a file of fat and long links; "" otherwise */
    naik_fatlong *ready;      /* read ahead; NULL: nothing */
} naik_link_provider;

/* Prints the configuration's checks. `thin`: links in memory in place of gauge.file, of this lattice,
 * without phases, only read; NULL: those of the file. Collective.
 * NAIK_ERR_INPUT, NAIK_ERR_CORRUPT, NAIK_ERR_IO as naik_gauge_load; NAIK_ERR_MEMORY, NAIK_ERR_MPI
 */
naik_status naik_link_provider_open(const naik_lattice *lattice, const naik_input *input,
                                    const naik_gauge *thin, naik_backend *backend,
                                    naik_timer *timer, naik_link_provider *out);
/* A provider for a group of the ranks that opened `whole`: the configuration goes to the boxes of `lattice`, and
 * what was found out about it to *out. `whole`, whose lattice is the job's, serves contractions. Collective over
 * the job. As naik_link_provider_open, which serves fat and long links from files. */
naik_status naik_link_provider_divide(naik_link_provider *whole, const naik_lattice *lattice,
                                      naik_backend *backend, naik_link_provider *out);
void naik_link_provider_close(naik_link_provider *source);

/* What sources and sinks of an input need of thin links without phases: a warning where these are not in
 * the gauge that they want, and what smears (gauss_smear.h, funny_wall.h), NULL where nothing is smeared.
 * Collective. NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_link_provider_sources(const naik_gauge *thin, const naik_input *input,
                                       naik_gauss **gauss, naik_gauss **hops);
/* Phases and boundary of the input's quarks into thin links, or out of them again. Local. */
void naik_link_provider_turn(const naik_input *input, naik_gauge *thin);

/* Reads links of other codes now and keeps them for the first that asks, so that what is refused of
 * them is refused before an output is begun. Of other links nothing is to be found out here.
 * Collective. As naik_link_provider_links. */
naik_status naik_link_provider_ready(naik_link_provider *source);

/* New links for this Naik epsilon, where they were built or, from a file, on the host; one line on
 * the log. twist: of twist.h, NULL: none. Release with naik_fatlong_destroy.
 * Collective. NAIK_ERR_INPUT where a link file no longer holds what it held when it was opened. */
naik_status naik_link_provider_links(naik_link_provider *source, double naik_epsilon,
                                     const double *twist, naik_fatlong **out);

/* New links of D of a quark on the host, for conserved currents (current.h); naik_hops_clear releases them.
 * provider: a naik_link_provider. Collective. As naik_link_provider_links */
naik_status naik_link_provider_hops(void *provider, const naik_quark *quark, naik_hops *out);

/* New links of D of a quark in double, packed for a geometry of the provider's lattice; release with
 * naik_links_destroy. provider: a naik_link_provider. Collective. As naik_link_provider_links and naik_links_create */
naik_status naik_link_provider_packed(void *provider, const naik_quark *quark,
                                      const naik_geometry *geometry, naik_links **out);

/* The operators of a quark; one line on the log. canonical: the fat and long links that they were packed from, for the
 * caller to release, NULL of other quarks; may be NULL. Collective. As naik_link_provider_links and
 * naik_operator_set_create. */
naik_status naik_link_provider_operators(naik_link_provider *source, const naik_geometry *geometry,
                                         const naik_quark *quark, const naik_set_storage *storage,
                                         naik_fatlong **canonical, naik_operator_set *out);

/* One line that identifies the content of the configuration or of the link files, for resume: never
 * a path, but checksums, plaquette, link trace. io/gauge/same_links.h compares such lines. */
void naik_link_provider_identity(const naik_link_provider *source, char *text, size_t text_size);

/* "antiperiodic", "periodic" */
const char *naik_input_boundary_name(const naik_input *input);

#endif
