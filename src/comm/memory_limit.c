/* memory_limit.c - the limits of control groups, from that of the process up to the outermost */
#include "comm/memory_limit.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 4096 };

/* How a version of control groups says it. */
typedef struct version {
    const char *before; /* the path, in a line of /proc/self/cgroup */
    const char *folder, *limit, *usage, *of_files;
} version;
static const version versions[] = {
    {"0::", "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "},
    {":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
     "total_inactive_file "}};

/* The number after `key` at the beginning of a line of DIR/NAME, `otherwise` where there is none. */
static size_t number_in(const char *dir, const char *name, const char *key, size_t otherwise)
{
    char path[PATH_BYTES + 64], line[256];
    size_t number = otherwise;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *digits = line + strlen(key);
        if (strncmp(line, key, strlen(key)) == 0 && *digits >= '0' && *digits <= '9') {
            number = strtoull(digits, NULL, 10);
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return number;
}

static size_t left_of(const version *v, const char *dir)
{
    const size_t limit = number_in(dir, v->limit, "", SIZE_MAX);
    const size_t usage = number_in(dir, v->usage, "", 0);
    const size_t files = number_in(dir, "memory.stat", v->of_files, 0);
    const size_t taken = usage > files ? usage - files : 0;
    return limit == SIZE_MAX ? SIZE_MAX : limit > taken ? limit - taken : 0;
}

/* Of the group `group` and all above it; the folder itself is the outermost that can be seen. */
static size_t least_of(const version *v, const char *root, char *group)
{
    char dir[PATH_BYTES];
    size_t least = SIZE_MAX;
    group[strcspn(group, "\n")] = '\0';
    for (char *end = group + strlen(group); end != NULL; end = strrchr(group, '/')) {
        *end = '\0';
        if ((size_t)snprintf(dir, sizeof dir, "%s%s%s", root, v->folder, group) < sizeof dir) {
            const size_t left = left_of(v, dir);
            least = left < least ? left : least;
        }
    }
    return least;
}

size_t naik_memory_limit_left(const char *root)
{
    char path[PATH_BYTES], line[PATH_BYTES];
    size_t least = SIZE_MAX;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
            char *group = strstr(line, versions[i].before);
            if (group != NULL) {
                const size_t left =
                    least_of(&versions[i], root, group + strlen(versions[i].before));
                least = left < least ? left : least;
                break;
            }
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return least;
}
