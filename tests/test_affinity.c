/* test_affinity.c - lists of processors, and which rank takes which device on the machines we know
 *
 * ranks: 1
 */
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "comm/affinity.h"
#include "comm/threads.h"

/* The places of OMP_PLACES as this test wants them; 0: there are none. */
static int place_count, place_size[2], places[2][CPU_SETSIZE + 1];

int omp_get_num_places(void)
{
    return place_count;
}
int omp_get_place_num_procs(int place)
{
    return place_size[place];
}
void omp_get_place_proc_ids(int place, int *processors)
{
    memcpy(processors, places[place], (size_t)place_size[place] * sizeof *processors);
}

static void lists_of_processors_are_read(check *t)
{
    bool cpus[NAIK_AFFINITY_CPUS];
    CHECK_TRUE(t, naik_affinity_parse("0-15,64-79\n", cpus));
    CHECK_TRUE(t, cpus[0] && cpus[15] && !cpus[16] && !cpus[63] && cpus[64] && cpus[79]);
    CHECK_TRUE(t, naik_affinity_parse("7", cpus) && cpus[7] && !cpus[0]);
    CHECK_TRUE(t, naik_affinity_parse("", cpus) && !cpus[7]);
    CHECK_TRUE(t, naik_affinity_parse("1000-2000", cpus) && cpus[1023]);
    CHECK_TRUE(t, !naik_affinity_parse("3-1", cpus));
    CHECK_TRUE(t, !naik_affinity_parse("a-b", cpus));
    CHECK_TRUE(t, !naik_affinity_parse("1;2", cpus));
}

/* Ranks of a node with `devices` devices; near[rank]: NUMA domain it is bound to, -1: unbound;
 * numa[device]. */
static void assign(check *t, int ranks, int devices, const int near[], const int numa[],
                   const int expected[])
{
    naik_affinity_view views[8];
    int choice[8];
    memset(views, 0, sizeof views);
    for (int r = 0; r < ranks; r++) {
        views[r].count = devices;
        for (int d = 0; d < devices; d++) {
            snprintf(views[r].address[d], sizeof views[r].address[d], "0000:%02x:00.0", d);
            views[r].share[d] = near[r] < 0 ? 250 : near[r] == numa[d] ? 1000 : 0;
        }
    }
    naik_affinity_assign(views, ranks, choice);
    for (int r = 0; r < ranks; r++) {
        CHECK_INT(t, choice[r], expected[r]);
    }
}

static void ranks_take_the_nearest_devices(check *t)
{
    /* Perlmutter: cores 0-15 are nearest to GPU 3 */
    assign(t, 4, 4, (int[]){0, 1, 2, 3}, (int[]){3, 2, 1, 0}, (int[]){3, 2, 1, 0});
    /* JUWELS Booster: ranks on NUMA 1, 3, 5, 7 with GPU 1, 0, 3, 2 */
    assign(t, 4, 4, (int[]){1, 3, 5, 7}, (int[]){3, 1, 7, 5}, (int[]){1, 0, 3, 2});
    /* LUMI-G: GCD 0..7 on NUMA 3,3,1,1,0,0,2,2, two ranks on each */
    assign(t, 8, 8, (int[]){3, 3, 1, 1, 0, 0, 2, 2}, (int[]){3, 3, 1, 1, 0, 0, 2, 2},
           (int[]){0, 1, 2, 3, 4, 5, 6, 7});
    /* bound nowhere: in order, and around where there are more ranks than devices */
    assign(t, 4, 4, (int[]){-1, -1, -1, -1}, (int[]){0, 0, 1, 1}, (int[]){0, 1, 2, 3});
    assign(t, 4, 2, (int[]){-1, -1, -1, -1}, (int[]){0, 1}, (int[]){0, 1, 0, 1});
    /* all bound to one domain: nobody shares while a device is free */
    assign(t, 4, 4, (int[]){0, 0, 0, 0}, (int[]){0, 0, 1, 1}, (int[]){0, 1, 2, 3});
}

/* Where the launcher hides all but one device from each rank, number 0 is another one for each. */
static void hidden_devices_are_told_apart(check *t)
{
    naik_affinity_view views[3];
    int choice[3];
    memset(views, 0, sizeof views);
    for (int r = 0; r < 2; r++) {
        views[r].count = 1;
        snprintf(views[r].address[0], sizeof views[r].address[0], "0000:0%d:00.0", r);
    }
    naik_affinity_assign(views, 3, choice);
    CHECK_INT(t, choice[0], 0);
    CHECK_INT(t, choice[1], 0);
    CHECK_INT(t, choice[2], -1); /* sees none */
}

/* 16 threads a processor, and at least 256. */
static void as_many_threads_as_the_node_bears_are_taken(check *t)
{
    char told[2][64];
    const long processors = sysconf(_SC_NPROCESSORS_ONLN),
               most = processors > 16 ? 16 * processors : 256;
    CHECK_OK(t, naik_threads_check(t->comm->log, "x", most));
    CHECK_STATUS(t, naik_threads_check(t->comm->log, "x", most + 1), NAIK_ERR_INPUT);
    snprintf(told[0], sizeof told[0], "%ld, %ld", most, most + 1); /* the first level counts */
    snprintf(told[1], sizeof told[1], "%ld,1", most + 1);
    char *before = getenv("OMP_NUM_THREADS") != NULL ? strdup(getenv("OMP_NUM_THREADS")) : NULL;
    for (int i = 0; i < 2; i++) {
        setenv("OMP_NUM_THREADS", told[i], 1);
        const naik_status status = naik_threads_guard(t->comm);
        CHECK_STATUS(t, status, i == 0 ? NAIK_OK : NAIK_ERR_INPUT);
    }
    setenv("OMP_NUM_THREADS", "1,x", 1);
    CHECK_STATUS(t, naik_threads_guard(t->comm), NAIK_ERR_INPUT);
    if (before != NULL) {
        setenv("OMP_NUM_THREADS", before, 1);
    } else {
        unsetenv("OMP_NUM_THREADS");
    }
    free(before);
}

/* Half of the processors are of either place, beside one that no set can have; bound to the first of them, a thread
 * gets all again. */
static void a_thread_beside_has_the_processors_of_all_places(check *t)
{
    bool before[NAIK_AFFINITY_CPUS], after[NAIK_AFFINITY_CPUS];
    cpu_set_t first;
    int count = 0;
    naik_affinity_allowed(before);
    CPU_ZERO(&first);
    for (int cpu = 0; cpu < NAIK_AFFINITY_CPUS; cpu++) {
        if (before[cpu] && cpu < CPU_SETSIZE) {
            CPU_SET(cpu, &first);
            count++;
            break;
        }
    }
    CHECK_REQUIRE(t, count == 1 && sched_setaffinity(0, sizeof first, &first) == 0);
    naik_threads_unbind(); /* without places it stays where it is */
    naik_affinity_allowed(after);
    for (int cpu = 0; cpu < NAIK_AFFINITY_CPUS; cpu++) {
        CHECK_INT(t, after[cpu], cpu < CPU_SETSIZE && CPU_ISSET(cpu, &first));
    }
    place_size[0] = 1;
    places[0][0] = CPU_SETSIZE;
    count = 0;
    for (int cpu = 0; cpu < NAIK_AFFINITY_CPUS; cpu++) {
        const int place = count % 2;
        if (before[cpu]) {
            places[place][place_size[place]++] = cpu;
            count++;
        }
    }
    place_count = 2;
    naik_threads_unbind();
    naik_affinity_allowed(after);
    for (int cpu = 0; cpu < NAIK_AFFINITY_CPUS; cpu++) {
        CHECK_INT(t, after[cpu], before[cpu]);
    }
    place_count = 0;
}

CHECK_MAIN(CHECK(a_thread_beside_has_the_processors_of_all_places),
           CHECK(as_many_threads_as_the_node_bears_are_taken), CHECK(lists_of_processors_are_read),
           CHECK(ranks_take_the_nearest_devices), CHECK(hidden_devices_are_told_apart))
