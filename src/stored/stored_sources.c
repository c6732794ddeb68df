/* stored_sources.c - the sources of a stored run, compared with what they were solved for */
#include "stored/stored_sources.h"

#include <string.h>

#include "correlator/smearing.h"
#include "quark/link_provider.h"

/* Files of sources must hold what they held when they were solved for. What the file says of guesses
 * follows their lines. */
static naik_status check_sources(stored_sources *sources)
{
    const stored_run *run = sources->run;
    const char *then = naik_propagator_reader_text(run->view, "source_checksums");
    NAIK_PASS(source_file_identify(run->lattice, run->input, &sources->sums));
    NAIK_PASS(sequential_open(run->lattice, run->input,
                              naik_propagator_reader_text(run->view, "gauge_checksum"), then,
                              &sources->sums, &sources->stored, &sources->sequential));
    const char *now = sources->sums.text;
    if (now != NULL && (then == NULL || strncmp(now, then, strlen(now)) != 0)) {
        return NAIK_FAIL(run->comm->log, NAIK_ERR_INPUT,
                         "'%s' was made with other sources: then %.*s, now %.*s", run->path,
                         then != NULL ? (int)strcspn(then, "\n") : 7,
                         then != NULL ? then : "unknown", (int)strcspn(now, "\n"), now);
    }
    return NAIK_OK;
}

/* The links that sources are smeared with, of the configuration that the file was made from. */
static naik_status load_smearing(stored_sources *sources)
{
    const stored_run *run = sources->run;
    char now[512];
    NAIK_PASS(naik_link_provider_open(run->lattice, run->input, NULL, NULL, NULL, &sources->links));
    naik_link_provider_identity(&sources->links, now, sizeof now);
    const char *then = stored_run_other_links(run, now);
    if (then != NULL) {
        return NAIK_FAIL(run->comm->log, NAIK_ERR_INPUT,
                         "the sources of '%s' were made with other links: then %s, now %s",
                         run->path, then, now);
    }
    if (!source_current_any(run->input)) {
        naik_gauge_destroy(&sources->links.thin); /* nothing needs it any more */
    }
    return NAIK_OK;
}

naik_status stored_sources_open(const stored_run *run, stored_sources *out)
{
    *out = (stored_sources){.run = run};
    NAIK_PASS(check_sources(out));
    if (smearing_of_sources(run->input)) {
        NAIK_PASS(load_smearing(out));
    }
    return NAIK_OK;
}

void stored_sources_close(stored_sources *sources)
{
    sequential_close(&sources->sequential);
    stored_runs_close(&sources->stored);
    source_file_sums_clear(&sources->sums);
    naik_link_provider_close(&sources->links);
}

naik_status stored_sources_make(stored_sources *sources, const naik_input_source *source,
                                int column, double *out)
{
    const stored_run *run = sources->run;
    const source_kit kit = {.lattice = run->lattice,
                            .input = run->input,
                            .sums = &sources->sums,
                            .gauss = sources->links.gauss,
                            .hops = sources->links.hops,
                            .own = run->file,
                            .sequential = &sources->sequential,
                            .shifts = sources->links.shifts,
                            .links = &sources->links};
    return make_source(&kit, source, column, NULL, out);
}
