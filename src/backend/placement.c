/* placement.c - read from the system by each rank, printed by rank 0 */
#include "backend/placement.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/affinity.h"
#include "comm/collective.h"
#include "comm/new.h"

typedef struct place {
    char host[64], device[256], cpus[160];
    int numa;
} place;

void naik_placement_ranges(const bool *set, int count, char *text, size_t text_size)
{
    static const char more[] = ",...";
    size_t used = 0;
    text[0] = '\0';
    for (int first = 0; first < count; first++) {
        int last = first;
        char range[32];
        if (!set[first]) {
            continue;
        }
        while (last + 1 < count && set[last + 1]) {
            last++;
        }
        const char *comma = used > 0 ? "," : "";
        int n = last > first ? snprintf(range, sizeof range, "%s%d-%d", comma, first, last)
                             : snprintf(range, sizeof range, "%s%d", comma, first);
        if (used + (size_t)n + sizeof more > text_size) {
            snprintf(text + used, text_size - used, "%s", more);
            return;
        }
        used += (size_t)snprintf(text + used, text_size - used, "%s", range);
        first = last;
    }
}

bool naik_placement_address(const char *description, char *address)
{
    static const char shape[] = "xxxx:xx:xx.x";
    const size_t length = sizeof shape - 1;
    address[0] = '\0';
    for (const char *at = description; strlen(at) >= length; at++) {
        size_t i = 0;
        while (i < length &&
               (shape[i] == 'x' ? isxdigit((unsigned char)at[i]) != 0 : at[i] == shape[i])) {
            address[i] = (char)tolower((unsigned char)at[i]);
            i++;
        }
        if (i == length) {
            address[length] = '\0';
            return true;
        }
    }
    address[0] = '\0';
    return false;
}

static void find_place(const naik_backend *backend, place *out)
{
    char address[16];
    bool cpus[NAIK_AFFINITY_CPUS];
    memset(out, 0, sizeof *out);
    snprintf(out->host, sizeof out->host, "%s", backend->comm->host);
    backend->ops->describe(backend, out->device, sizeof out->device);
    naik_placement_address(out->device, address);
    out->numa = naik_affinity_numa(address);
    naik_affinity_allowed(cpus);
    naik_placement_ranges(cpus, NAIK_AFFINITY_CPUS, out->cpus, sizeof out->cpus);
}

naik_status naik_placement_print(naik_backend *backend)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = backend->comm;
    place mine, *all = NULL;
    find_place(backend, &mine);
    NAIK_TRY(naik_new(comm, (size_t)comm->size * sizeof *all, "the list of ranks", (void **)&all));
    NAIK_TRY(naik_comm_gather(comm, &mine, sizeof mine, all));
    for (int rank = 0; comm->rank == 0 && rank < comm->size; rank++) {
        naik_log_line(comm->log, "rank %d: host %s, %s, numa %d, cpus %s", rank, all[rank].host,
                      all[rank].device, all[rank].numa, all[rank].cpus);
    }
done:
    free(all);
    return status;
}
