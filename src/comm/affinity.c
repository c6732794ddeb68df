/* affinity.c - what the system says about processors and devices, and a fair division of the latter
 *
 * A rank bound to the processors of one NUMA domain has all of them near the domain's devices and
 * none near the others; a rank that may run anywhere has equal shares near all of them, so that
 * order decides.
 */
#include "comm/affinity.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void naik_affinity_allowed(bool cpus[NAIK_AFFINITY_CPUS])
{
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    (void)sched_getaffinity(0, sizeof allowed, &allowed); /* on failure: none */
    for (int cpu = 0; cpu < NAIK_AFFINITY_CPUS; cpu++) {
        cpus[cpu] = cpu < CPU_SETSIZE && CPU_ISSET(cpu, &allowed);
    }
}

bool naik_affinity_parse(const char *text, bool cpus[NAIK_AFFINITY_CPUS])
{
    memset(cpus, 0, NAIK_AFFINITY_CPUS * sizeof *cpus);
    for (const char *at = text; *at != '\0' && *at != '\n';) {
        char *end = NULL;
        long first = strtol(at, &end, 10), last = first;
        if (end == at || first < 0) {
            return false;
        }
        if (*end == '-') {
            at = end + 1;
            last = strtol(at, &end, 10);
            if (end == at || last < first) {
                return false;
            }
        }
        for (long cpu = first; cpu <= last && cpu < NAIK_AFFINITY_CPUS; cpu++) {
            cpus[cpu] = true;
        }
        if (*end != ',' && *end != '\0' && *end != '\n') {
            return false;
        }
        at = end + (*end == ',');
    }
    return true;
}

/* The first line of a file about a device; false where there is none. */
static bool read_line(const char *address, const char *name, char *line, size_t line_size)
{
    char path[96];
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/%s", address, name);
    FILE *file = address[0] != '\0' ? fopen(path, "r") : NULL;
    bool read = file != NULL && fgets(line, (int)line_size, file) != NULL;
    if (file != NULL) {
        fclose(file);
    }
    return read;
}

int naik_affinity_numa(const char *address)
{
    char line[64];
    int numa = -1;
    return read_line(address, "numa_node", line, sizeof line) && sscanf(line, "%d", &numa) == 1
               ? numa
               : -1;
}

int naik_affinity_share(const char *address, const bool cpus[NAIK_AFFINITY_CPUS])
{
    char line[4096];
    bool near[NAIK_AFFINITY_CPUS];
    int all = 0, both = 0;
    if (!read_line(address, "local_cpulist", line, sizeof line) ||
        !naik_affinity_parse(line, near)) {
        return 0;
    }
    for (int cpu = 0; cpu < NAIK_AFFINITY_CPUS; cpu++) {
        all += cpus[cpu];
        both += cpus[cpu] && near[cpu];
    }
    return all > 0 ? 1000 * both / all : 0;
}

/* How many of the ranks before this one took the device at an address. */
static int count_takers(const naik_affinity_view *views, int ranks, const int *choice,
                        const char *address)
{
    int takers = 0;
    for (int r = 0; r < ranks; r++) {
        takers += choice[r] >= 0 && strcmp(views[r].address[choice[r]], address) == 0;
    }
    return takers;
}

void naik_affinity_assign(const naik_affinity_view *views, int ranks, int *choice)
{
    for (int rank = 0; rank < ranks; rank++) {
        const naik_affinity_view *view = &views[rank];
        int best = -1, best_takers = 0;
        for (int i = 0; i < view->count; i++) {
            /* the one in turn first, then the others from the first on */
            const int own = rank % view->count;
            const int device = i == 0 ? own : i <= own ? i - 1 : i;
            const int takers = count_takers(views, rank, choice, view->address[device]);
            if (best < 0 || takers < best_takers ||
                (takers == best_takers && view->share[device] > view->share[best])) {
                best = device;
                best_takers = takers;
            }
        }
        choice[rank] = best;
    }
}
