/* sessions.c - the runs that worked on a propagator file, a text each */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "io/prop/prop_file.h"
#include "io/provenance.h"

enum { COMPARED = 256 }; /* bytes of the longest line that later runs compare with theirs */

/* Rank 0: slot number `number`, read or written; *bytes: those of a slot, of which earlier versions had fewer. */
static naik_status move_slot(const naik_propagator_file *file, int number, char *in,
                             const char *out, size_t *bytes)
{
    naik_log *log = file->comm->log;
    naik_status status = NAIK_OK;
    const hsize_t start[1] = {(hsize_t)number}, count[1] = {1};
    hid_t type = naik_h5_string(NAIK_SESSION_BYTES), stored = -1;
    hid_t sessions = H5Dopen2(file->h5, "/metadata/sessions", H5P_DEFAULT);
    NAIK_H5_TRY(log, sessions, "opening the list of sessions");
    stored = H5Dget_type(sessions);
    *bytes = stored >= 0 ? H5Tget_size(stored) : 0;
    *bytes = *bytes > 0 && *bytes < NAIK_SESSION_BYTES ? *bytes : NAIK_SESSION_BYTES;
    if (in != NULL) {
        memset(in, 0, NAIK_SESSION_BYTES);
    }
    NAIK_TRY(in != NULL ? naik_h5_read_part(log, sessions, type, start, count, in)
                        : naik_h5_write_part(log, sessions, type, start, count, out));
done:
    naik_h5_release(stored);
    naik_h5_release(sessions);
    naik_h5_release(type);
    return status;
}

/* Adds `name=text` to a slot of so many bytes: whole, or not at all; what is longer than any line that is compared is
 * cut where there is no room, and ends in "...". */
static bool append(char slot[NAIK_SESSION_BYTES], size_t bytes, const char *name, const char *text)
{
    static const char dots[] = "...\n";
    const size_t used = strnlen(slot, bytes - 1), left = bytes - used;
    const int wanted = snprintf(slot + used, left, "%s=%s\n", name, text);
    if (wanted >= 0 && (size_t)wanted < left) {
        return true;
    }
    if (wanted > COMPARED && left > COMPARED) {
        memcpy(slot + bytes - sizeof dots, dots, sizeof dots);
        return true;
    }
    memset(slot + used, 0, left);
    return false;
}

/* Lines of names that `own` has not, of this run or of the run before it in the same slot: what earlier runs noted stays
 * known. Of each name the last line, so that what every run notes does not add up until the slot is full. */
static void take_over(char slot[NAIK_SESSION_BYTES], size_t bytes, const char *own,
                      const char *before)
{
    char name[NAIK_SESSION_BYTES], text[NAIK_SESSION_BYTES];
    for (size_t length; *before != '\0'; before += length + (before[length] == '\n')) {
        length = strcspn(before, "\n");
        const size_t key = strcspn(before, "=");
        if (key < length && length < NAIK_SESSION_BYTES) {
            snprintf(name, sizeof name, "%.*s", (int)key, before);
            snprintf(text, sizeof text, "%.*s", (int)(length - key - 1), before + key + 1);
            if (naik_line_value(own, name) == NULL &&
                naik_line_value(before + length, name) == NULL) {
                (void)append(slot, bytes, name, text);
            }
        }
    }
}

/* Rank 0: the text of this run into the first empty slot; the last slot serves all later runs. */
static naik_status write_session(naik_propagator_file *file, const char *text)
{
    char slot[NAIK_SESSION_BYTES] = "", before[NAIK_SESSION_BYTES + 1] = "";
    size_t bytes;
    file->session = 0;
    NAIK_PASS(move_slot(file, 0, before, NULL, &bytes));
    while (before[0] != '\0' && file->session < NAIK_SESSIONS - 1) {
        NAIK_PASS(move_slot(file, ++file->session, before, NULL, &bytes));
    }
    take_over(slot, bytes, "", text);
    take_over(slot, bytes, text, before);
    return move_slot(file, file->session, NULL, slot, &bytes);
}

/* Rank 0: adds a line to the slot of this run. */
static naik_status add_to_session(naik_propagator_file *file, const char *name, const char *text)
{
    char slot[NAIK_SESSION_BYTES];
    size_t bytes;
    NAIK_PASS(move_slot(file, file->session, slot, NULL, &bytes));
    if (!append(slot, bytes, name, text)) {
        naik_log_warn(file->comm->log,
                      "%s has no room for what this run notes of '%s': later runs cannot compare "
                      "theirs with it",
                      naik_prop_path(file), name);
        return NAIK_OK;
    }
    return move_slot(file, file->session, NULL, slot, &bytes);
}

/* Rank 0: the line of that name in the slots up to this run's, the last one first. */
static naik_status find_note(naik_propagator_file *file, const char *name, char *text,
                             size_t text_size)
{
    char slot[NAIK_SESSION_BYTES + 1] = "";
    size_t bytes;
    for (int i = file->session; i >= 0 && text[0] == '\0'; i--) {
        NAIK_PASS(move_slot(file, i, slot, NULL, &bytes));
        for (const char *line = naik_line_value(slot, name); line != NULL;
             line = naik_line_value(line, name)) { /* the last one counts */
            snprintf(text, text_size, "%.*s", (int)strcspn(line, "\n"), line);
        }
    }
    return NAIK_OK;
}

naik_status naik_propagator_file_noted(naik_propagator_file *file, const char *name, char *text,
                                       size_t text_size)
{
    naik_comm *comm = file->comm;
    naik_status status = NAIK_OK;
    memset(text, 0, text_size);
    if (comm->rank == 0 && !file->complete && !file->broken) {
        status = find_note(file, name, text, text_size);
    }
    NAIK_PASS(naik_comm_agree(comm, status));
    return naik_comm_broadcast(comm, text, text_size, 0);
}

naik_status naik_propagator_file_note(naik_propagator_file *file, const char *name,
                                      const char *text)
{
    naik_comm *comm = file->comm;
    naik_status status = NAIK_OK;
    if (file->complete || file->broken) {
        return NAIK_OK;
    }
    if (comm->rank == 0) {
        status = add_to_session(file, name, text);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(naik_h5_flush(comm, file->h5));
done:
    file->broken = file->broken || status == NAIK_ERR_IO;
    return status;
}

naik_status naik_prop_begin_session(naik_propagator_file *file, const naik_propagator_spec *spec)
{
    naik_comm *comm = file->comm;
    naik_status status = NAIK_OK;
    char now[NAIK_TIME_TEXT], libraries[320], text[NAIK_SESSION_BYTES];
    NAIK_PASS(naik_utc_now(comm, now));
    naik_library_versions(libraries, sizeof libraries);
    snprintf(text, sizeof text, "time=%s\npid=%ld\nlibraries=%s\n", now, (long)getpid(), libraries);
    for (int i = 0; i < spec->session_count; i++) {
        (void)append(text, sizeof text, spec->session[i].name,
                     spec->session[i].text != NULL ? spec->session[i].text : "");
    }
    if (comm->rank == 0) {
        status = write_session(file, text);
    }
    NAIK_PASS(naik_comm_agree(comm, status));
    NAIK_PASS(naik_comm_broadcast(comm, &file->session, sizeof file->session, 0));
    return naik_h5_flush(comm, file->h5);
}

naik_status naik_prop_read_sessions(naik_log *log, hid_t h5, naik_prop_session *each, void *context)
{
    naik_status status = NAIK_OK;
    const hsize_t count[1] = {NAIK_SESSIONS};
    hsize_t start[1] = {0}, dims[1] = {0};
    hid_t type = naik_h5_string(NAIK_SESSION_BYTES);
    hid_t dataset = naik_prop_open_object(h5, "metadata/sessions");
    hid_t space = dataset >= 0 && H5Iget_type(dataset) == H5I_DATASET ? H5Dget_space(dataset) : -1;
    char *slots = calloc(NAIK_SESSIONS, NAIK_SESSION_BYTES);
    if (slots == NULL) {
        status = NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the sessions of a file");
        goto done;
    }
    if (space >= 0 && H5Sget_simple_extent_ndims(space) == 1 &&
        H5Sget_simple_extent_dims(space, dims, NULL) == 1 && dims[0] == NAIK_SESSIONS &&
        naik_h5_read_part(log, dataset, type, start, count, slots) == NAIK_OK) {
        for (int i = 0; i < NAIK_SESSIONS && slots[i * NAIK_SESSION_BYTES] != '\0'; i++) {
            slots[(i + 1) * NAIK_SESSION_BYTES - 1] = '\0';
            NAIK_TRY(each(context, i, slots + i * NAIK_SESSION_BYTES));
        }
    } else {
        naik_log_clear(log);
    }
done:
    free(slots);
    naik_h5_release(type);
    naik_h5_release(space);
    naik_prop_release_object(dataset);
    return status;
}
