/* modes_beside.c - a file of modes that is not there, and the one beside it that was meant */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "io/files.h"
#include "io/lock.h"
#include "quark/stored_modes.h"

/* Letters that are mistyped, missing, too many or swapped. Two of them make other short names. */
enum { MISTYPED = 1 };

static bool ends_with(const char *name, const char *end)
{
    const size_t n = strlen(name), m = strlen(end);
    return n >= m && strcmp(name + n - m, end) == 0;
}

/* Of those files that naik keeps beside a file of modes none is one. */
static bool is_a_candidate(const char *name, const char *wanted)
{
    static const char *const ends[] = {".lock", ".part", ".search", ".journal", ".state", NULL};
    bool good = strcmp(name, wanted) != 0;
    for (int i = 0; ends[i] != NULL; i++) {
        good = good && !ends_with(name, ends[i]);
    }
    return good;
}

/* A name in the folder that is so near to that of `path`, with the folder before it; "" where none is.
 * On one rank. */
static void near_file(const char *path, char out[NAIK_PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const size_t length = (size_t)(name - path);
    char folder[NAIK_PATH_MAX];
    out[0] = '\0';
    naik_file_folder(path, folder);
    DIR *at = opendir(folder);
    for (struct dirent *e = at != NULL ? readdir(at) : NULL; e != NULL; e = readdir(at)) {
        if (naik_text_distance(name, e->d_name) <= MISTYPED && is_a_candidate(e->d_name, name) &&
            length + strlen(e->d_name) < NAIK_PATH_MAX) {
            memcpy(out, path, length);
            strcpy(out + length, e->d_name);
        }
    }
    if (at != NULL) {
        closedir(at);
    }
}

/* That file, if it holds modes that such quarks may have: how many, or 0. */
static naik_status look(const naik_geometry *geometry, const char *path, naik_modes_about *there,
                        char near[NAIK_PATH_MAX], int *count)
{
    naik_comm *comm = geometry->lattice->comm;
    *count = 0;
    near[0] = '\0';
    if (comm->rank == 0) {
        near_file(path, near);
    }
    NAIK_PASS(naik_comm_broadcast(comm, near, NAIK_PATH_MAX, 0));
    if (near[0] != '\0' && naik_modes_file_look(geometry, near, there, count) != NAIK_OK) {
        naik_log_clear(comm->log); /* another kind of file */
        *count = 0;
    }
    return NAIK_OK;
}

naik_status modes_beside_refuse(const naik_geometry *geometry, const char *path, int wanted,
                                const naik_modes_about *about)
{
    naik_comm *comm = geometry->lattice->comm;
    naik_modes_about there = *about;
    char near[NAIK_PATH_MAX];
    int count = 0;
    NAIK_PASS(look(geometry, path, &there, near, &count));
    if (count > 0 && count >= wanted && naik_modes_of_same_links(&there, about)) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                         "deflation.file '%s' is not there, and '%s' beside it holds %d modes of "
                         "these links: name that file, or make another one with naik modes",
                         path, near, count);
    }
    return NAIK_OK;
}

naik_status modes_beside_tidy(naik_comm *comm, const char *path)
{
    char turn[NAIK_PATH_MAX];
    NAIK_PASS(naik_path_append(comm->log, path, STORED_MODES_TURN, turn));
    NAIK_PASS(naik_lock_sweep(comm, turn));
    return naik_lock_sweep(comm, path);
}

naik_status modes_beside_suspect(const naik_input *input, const naik_geometry *geometry, int wanted,
                                 int q, bool *mistyped)
{
    naik_comm *comm = geometry->lattice->comm;
    naik_modes_about there = stored_modes_about(input, input->quarks[q].naik_epsilon);
    char path[NAIK_PATH_MAX], search[NAIK_PATH_MAX + 8], near[NAIK_PATH_MAX];
    int64_t filed = -1, begun = -1;
    int count = 0;
    *mistyped = false;
    if (wanted < 1 || input->deflation.import != NULL || !naik_input_deflates(input, q) ||
        naik_input_first_deflated(input, q) != q) {
        return NAIK_OK;
    }
    naik_input_modes_path(input, there.naik_epsilon, path);
    snprintf(search, sizeof search, "%s.search", path);
    NAIK_PASS(naik_file_size(comm, path, &filed));
    NAIK_PASS(naik_file_size(comm, search, &begun));
    if (filed < 0 && begun < 0) {
        NAIK_PASS(look(geometry, path, &there, near, &count));
        *mistyped = count >= wanted;
    }
    return NAIK_OK;
}

naik_status modes_beside_refuse_of(const naik_input *input, const naik_geometry *geometry,
                                   int wanted, naik_fatlong *links)
{
    naik_modes_about about = stored_modes_about(input, links->naik_epsilon);
    char path[NAIK_PATH_MAX];
    naik_input_modes_path(input, links->naik_epsilon, path);
    NAIK_PASS(naik_fatlong_to_host(links));
    NAIK_PASS(naik_modes_identify_links(links, &about));
    return modes_beside_refuse(geometry, path, wanted, &about);
}
