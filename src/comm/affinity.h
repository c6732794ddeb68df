/* affinity.h - the processors of a rank, those nearest to a device, and which rank takes which
 * device
 *
 * Read from the system's files, on Linux; where it says nothing, ranks take the devices in order.
 */
#ifndef NAIK_COMM_AFFINITY_H
#define NAIK_COMM_AFFINITY_H

#include <stdbool.h>
#include <stddef.h>

enum { NAIK_AFFINITY_CPUS = 1024, NAIK_AFFINITY_DEVICES = 16, NAIK_AFFINITY_ADDRESS = 16 };

/* The processors that this process may run on; none where the system does not say. */
void naik_affinity_allowed(bool cpus[NAIK_AFFINITY_CPUS]);

/* "0-15,64-79" as processors; those beyond the array are left out. false: it is no such list. */
bool naik_affinity_parse(const char *text, bool cpus[NAIK_AFFINITY_CPUS]);

/* Of the device at a PCI address such as 0000:c1:00.0: its NUMA domain, -1 where the system does
 * not say; and the share, in thousandths, of the processors in `cpus` that are nearest to it. */
int naik_affinity_numa(const char *address);
int naik_affinity_share(const char *address, const bool cpus[NAIK_AFFINITY_CPUS]);

/* What a rank of a node may choose from. */
typedef struct naik_affinity_view {
    int count; /* devices visible to it */
    char address[NAIK_AFFINITY_DEVICES][NAIK_AFFINITY_ADDRESS];
    int share[NAIK_AFFINITY_DEVICES];
} naik_affinity_view;

/* choice[rank], an index into that rank's view, for the `ranks` ranks of a node in turn: the device
 * that fewest others took; among those the one nearest to its processors; among those number
 * rank mod count, or else the first. -1 where it sees none. */
void naik_affinity_assign(const naik_affinity_view *views, int ranks, int *choice);

#endif
