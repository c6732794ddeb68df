/* stored_run.c - the input is parsed from the file's own text and must still mean what it meant:
 * its canonical text is compared with the one that was stored beside it
 */
#include "stored/stored_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "io/gauge/same_links.h"

enum { MAX_OVERRIDES = 256 };

const char *stored_run_other_links(const stored_run *run, const char *now)
{
    const char *then = naik_propagator_reader_text(run->view, "gauge_checksum");
    return then == NULL ? "unknown" : !naik_same_links(then, now) ? then : NULL;
}

void stored_run_add_sums(const naik_solve_record *record, uint32_t sum[2])
{
    sum[0] = (sum[0] << 1 | sum[0] >> 31) ^ record->suma;
    sum[1] = (sum[1] << 1 | sum[1] >> 31) ^ record->sumb;
}

/* The last lines of the stored input, behind NAIK_INPUT_END where it has that, tell what replaced
 * keys on the command line; cuts them off and points at their overrides. */
static int take_overrides(char *text, const char *overrides[MAX_OVERRIDES])
{
    static const char set[] = "# --set ";
    int count = 0;
    char *block = text + strlen(text);
    for (char *at = block; at > text; at = block) {
        char *line = at - 1;
        while (line > text && line[-1] != '\n') {
            line--;
        }
        if (!naik_text_begins(line, set) && !naik_text_begins(line, "# NAIK_")) {
            break;
        }
        block = line;
    }
    for (char *line = block; line != NULL && *line != '\0' && count < MAX_OVERRIDES;) {
        char *end = strchr(line, '\n');
        if (end != NULL) {
            *end = '\0';
        }
        if (naik_text_begins(line, set)) {
            overrides[count++] = line + strlen(set);
        }
        if (line == block) {
            *line = '\0'; /* here the input ends; its overrides begin further on */
        }
        line = end != NULL ? end + 1 : NULL;
    }
    return count;
}

/* *own overrides on top of those that were stored, once the input is known to mean what it meant.
 */
static naik_status rebuild_input(stored_run *run, const char *const *own, int own_count,
                                 const naik_variables *known)
{
    naik_status status = NAIK_OK;
    naik_log *log = run->comm->log;
    const char *overrides[MAX_OVERRIDES];
    const char *stored = naik_propagator_reader_text(run->view, "input_text");
    const char *canonical = naik_propagator_reader_text(run->view, "canonical_input");
    char *text = stored != NULL && canonical != NULL ? strdup(stored) : NULL;
    if (stored != NULL && canonical != NULL && text == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the input of '%s'", run->path);
    }
    if (text == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "'%s' does not carry the input that made it, so that its sources cannot "
                         "be made again",
                         run->path);
    }
    int count = take_overrides(text, overrides);
    NAIK_TRY(naik_input_parse_stored(log, text, strlen(text), overrides, count, canonical, NULL,
                                     &run->input));
    if (strcmp(run->input->identity, canonical) != 0) {
        status = NAIK_FAIL(log, NAIK_ERR_INPUT,
                           "the input that '%s' carries does not mean to this version what it "
                           "meant to its writer, so that its sources cannot be made again",
                           run->path);
        goto done;
    }
    if (own_count > 0) {
        for (int i = 0; i < own_count && count < MAX_OVERRIDES; i++) {
            overrides[count++] = own[i];
        }
        naik_input_destroy(&run->input);
        NAIK_TRY(naik_input_parse_stored(log, text, strlen(text), overrides, count, canonical,
                                         known, &run->input));
        if (strcmp(run->input->identity, canonical) != 0) {
            status = NAIK_FAIL(log, NAIK_ERR_INPUT,
                               "--set would make other solves than those in '%s': only where files "
                               "lie may be changed",
                               run->path);
        }
    }
done:
    free(text);
    return status;
}

naik_status stored_run_read(naik_comm *comm, const char *path, const char *const *overrides,
                            int count, stored_run *out)
{
    naik_status status = NAIK_OK;
    naik_variables known = {.size = 0};
    *out = (stored_run){.comm = comm, .path = path};
    NAIK_TRY(naik_variables_read(comm, "", 0, overrides, count, &known));
    NAIK_TRY(naik_comm_agree(comm, naik_propagator_reader_open(comm->log, path, 0, 0, &out->view)));
    NAIK_TRY(naik_comm_agree(comm, rebuild_input(out, overrides, count, &known)));
done:
    naik_variables_clear(&known);
    return status;
}

naik_status stored_run_open(naik_comm *comm, const char *path, const naik_lattice *lattice,
                            const char *const *overrides, int count, stored_run *out)
{
    int precision;
    NAIK_PASS(stored_run_read(comm, path, overrides, count, out));
    naik_input_use_io(comm, out->input);
    if (lattice == NULL) {
        NAIK_PASS(naik_lattice_create(comm, out->view->size, NULL, &out->lattice));
        lattice = out->lattice;
    }
    NAIK_PASS(naik_propagator_file_open_finished(lattice, path, &out->file));
    if (!naik_propagator_file_stores(out->file, &precision)) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                         "'%s' holds correlators only: output.propagators was false", path);
    }
    if (naik_propagator_file_solves(out->file) != out->input->task_count) {
        return NAIK_FAIL(comm->log, NAIK_ERR_CORRUPT,
                         "'%s' holds %d solves, but its input asks for %d", path,
                         naik_propagator_file_solves(out->file), out->input->task_count);
    }
    return NAIK_OK;
}

void stored_run_close(stored_run *run)
{
    naik_propagator_file_close(&run->file);
    naik_lattice_destroy(&run->lattice);
    naik_input_destroy(&run->input);
    naik_propagator_reader_destroy(&run->view);
}
