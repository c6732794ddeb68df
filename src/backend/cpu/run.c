/* run.c - cells shared out among threads, and the sums of all threads
 *
 * Each thread has a contiguous piece of the cells, which it takes in turns; one that is done early,
 * because its processor was less disturbed, helps its neighbours with theirs. Sums are exact, so
 * nobody sees who did what. The kernels (backend/cpu/kernels.c) know nothing of threads.
 */
#include "backend/cpu/cpu.h"
#include "backend/cpu/sums.h"

/* Cells of a thread that are taken together: few enough that threads end at the same time, many
 * enough to stream. */
enum { TURN_CELLS = 32, TURNS_MOST = 16, HELPED = 4 };

/* The turns that are left of what is thread `whose`'s. */
static void take_turns(cpu_turn *turn, int64_t threads, int64_t whose, int32_t count,
                       cpu_range body, void *context, cpu_sums *sums)
{
    const int64_t first = count * whose / threads, cells = count * (whose + 1) / threads - first;
    int64_t turns = cells / TURN_CELLS;
    turns = turns < 1 ? 1 : turns > TURNS_MOST ? TURNS_MOST : turns;
    while (atomic_load_explicit(&turn[whose].next, memory_order_relaxed) < turns) {
        const int64_t k = atomic_fetch_add_explicit(&turn[whose].next, 1, memory_order_relaxed);
        if (k < turns) {
            body(context, (int32_t)(first + cells * k / turns),
                 (int32_t)(first + cells * (k + 1) / turns), sums);
        }
    }
}

naik_status cpu_run(naik_backend *backend, int32_t count, int summed, naik_exactsum *sums,
                    cpu_range body, void *context)
{
    const cpu_state *state = backend->state;
    cpu_turn *turn = state->turn;
    const int64_t threads = cpu_threads(backend);
    for (int64_t t = 0; t < threads; t++) {
        atomic_store_explicit(&turn[t].next, 0, memory_order_relaxed);
    }
#pragma omp parallel for num_threads(cpu_threads(backend)) schedule(static)
    for (int64_t piece = 0; piece < threads; piece++) {
        cpu_sums *mine = sums != NULL ? state->sums + piece * 2 * NAIK_MAX_RHS : NULL;
        for (int c = 0; mine != NULL && c < summed; c++) {
            cpu_sums_begin(&mine[c]);
        }
        for (int64_t other = 0; other < threads && other <= HELPED; other++) {
            take_turns(turn, threads, (piece + other) % threads, count, body, context, mine);
        }
        for (int c = 0; mine != NULL && c < summed; c++) {
#pragma omp critical(naik_cpu_sums)
            cpu_sums_end(&mine[c], &sums[c]);
        }
    }
    return NAIK_OK;
}
