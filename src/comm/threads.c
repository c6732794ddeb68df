/* threads.c - the one place that calls OpenMP: it has no pragma for the number of threads of all
 * loops, and reads its environment before main begins
 */
#include "comm/threads.h"

#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

void naik_threads_use(int count)
{
    omp_set_num_threads(count);
}

int naik_threads_count(void)
{
    return omp_get_max_threads();
}

int naik_threads_index(void)
{
    return omp_get_thread_num();
}

naik_status naik_threads_check(naik_log *log, const char *name, int64_t count)
{
    enum { ALWAYS = 256, A_PROCESSOR = 16 };
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const int64_t most =
        processors * A_PROCESSOR > ALWAYS ? (int64_t)processors * A_PROCESSOR : ALWAYS;
    if (count > most) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "%s asks for %lld threads a rank, but this node has %ld processors: %lld "
                         "are the most",
                         name, (long long)count, processors, (long long)most);
    }
    return NAIK_OK;
}

void naik_threads_unbind(void)
{
    cpu_set_t all;
    CPU_ZERO(&all);
    for (int place = 0; place < omp_get_num_places(); place++) {
        const int count = omp_get_place_num_procs(place);
        int *processor = count > 0 ? malloc((size_t)count * sizeof *processor) : NULL;
        if (processor == NULL) {
            continue;
        }
        omp_get_place_proc_ids(place, processor);
        for (int i = 0; i < count; i++) {
            if (processor[i] < CPU_SETSIZE) {
                CPU_SET(processor[i], &all);
            }
        }
        free(processor);
    }
    if (CPU_COUNT(&all) > 0) {
        (void)sched_setaffinity(0, sizeof all, &all); /* else it stays where it is */
    }
}

/* One number a level of nesting, separated by commas; only the first level is used here. */
static naik_status check_environment(naik_log *log, const char *list)
{
    char word[32];
    int64_t first = 0;
    for (const char *at = list; at != NULL; at = strchr(at, ','), at += at != NULL) {
        int64_t count = 0;
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
        if (!naik_text_int64(word + strspn(word, " "), &count) || count < 1) {
            return NAIK_FAIL(log, NAIK_ERR_INPUT,
                             "OMP_NUM_THREADS is '%.80s', no number of threads", list);
        }
        first = first != 0 ? first : count;
    }
    return naik_threads_check(log, "OMP_NUM_THREADS", first);
}

naik_status naik_threads_guard(const naik_comm *comm)
{
    const char *told = getenv("OMP_NUM_THREADS");
    if (told == NULL || told[0] == '\0') {
        naik_threads_use(comm->cpus);
        return NAIK_OK;
    }
    return check_environment(comm->log, told);
}
