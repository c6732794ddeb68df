/* apart.c - names are compared, then devices and inodes: links and ./ hide nothing */
#include "apart.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_SIZE = 4096 };

static const char as_input[] = "read as input";

static bool same_file(const char *a, const char *b)
{
    struct stat first, second;
    return strcmp(a, b) == 0 || (stat(a, &first) == 0 && stat(b, &second) == 0 &&
                                 first.st_dev == second.st_dev && first.st_ino == second.st_ino);
}

naik_status apart_check(naik_log *log, const char *key, const char *path, const char *other,
                        const char *what)
{
    char part[PATH_SIZE];
    if (path == NULL || other == NULL) {
        return NAIK_OK;
    }
    snprintf(part, sizeof part, "%s.part", path);
    if (same_file(path, other) || same_file(part, other)) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT, "'%s' is '%s', which is %s", key, path, what);
    }
    return NAIK_OK;
}

static naik_status check_inputs(naik_log *log, const char *key, const char *path,
                                const naik_input *input, const char *input_path)
{
    naik_status status = NAIK_OK;
    NAIK_TRY(apart_check(log, key, path, input_path, as_input));
    NAIK_TRY(apart_check(log, key, path, input->gauge.file, as_input));
    NAIK_TRY(apart_check(log, key, path, input->action.file, as_input));
    NAIK_TRY(apart_check(log, key, path, input->action.long_file, as_input));
    for (int i = 0; i < input->solve_count; i++) {
        NAIK_TRY(apart_check(log, key, path, input->solve[i].source_file, as_input));
    }
done:
    return status;
}

naik_status apart_from_inputs(naik_comm *comm, const char *key, const char *path,
                              const naik_input *input, const char *input_path)
{
    return naik_comm_agree(
        comm, comm->rank != 0 ? NAIK_OK : check_inputs(comm->log, key, path, input, input_path));
}

static naik_status check_all(naik_log *log, const naik_input *input, const char *input_path)
{
    naik_status status = NAIK_OK;
    const char *const keys[] = {"output.file", "run.events", "run.tune_cache"};
    const char *const paths[] = {input->output.file, input->run.events, input->run.tune_cache};
    char part[PATH_SIZE];
    snprintf(part, sizeof part, "%s.part", input->output.file);
    for (int i = 0; i < 3; i++) {
        NAIK_TRY(check_inputs(log, keys[i], paths[i], input, input_path));
        if (i > 0) {
            NAIK_TRY(apart_check(log, keys[i], paths[i], input->output.file, "the output"));
            NAIK_TRY(apart_check(log, keys[i], paths[i], part, "the unfinished output"));
        }
    }
done:
    return status;
}

naik_status apart_from_all(naik_comm *comm, const naik_input *input, const char *input_path)
{
    return naik_comm_agree(comm,
                           comm->rank != 0 ? NAIK_OK : check_all(comm->log, input, input_path));
}
