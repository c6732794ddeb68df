/* waves.cpp - blocks of fibers in waves of 64 lanes
 *
 * A lane runs until it meets others: at a barrier of the block, or at what all lanes of a wave do
 * together (shuffles). Then the next lane runs, and when all lanes of a wave wait, the next wave.
 * What one lane reads of another's without having met it in between is wrong in some order of the
 * lanes and waves: WAVE64_SEED=n, other than 0, shuffles these and the blocks. Shared memory is
 * filled with rubbish before a block, so that what nobody has written is not zero.
 *
 * Ends the program: something that all lanes do together and not all 64 have come to; lanes of a
 * wave at different places that wait for each other; threads that never end.
 */
#include "waves.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

#include <algorithm>
#include <vector>

enum { STACK_BYTES = 128 << 10, RUBBISH = 0xcd };
enum state { RUNS, AT_BARRIER, MEETS, ENDED };

struct fiber {
    wave64_place place;
    jmp_buf context;
    ucontext_t birth;
    enum state state;
    const void *site; /* of the call that it waits in */
    wave64_kind kind;
    uint64_t mine, result;
    int lane; /* whose value it wants, or how far away */
};

const wave64_place *wave64_here;
static fiber *fibers; /* [WAVE64_THREADS], made once */
static fiber *current;
static jmp_buf scheduler;
static const std::function<void()> *body;
static const char *running;
static uint64_t seed, lanes_state; /* of shuffles; 0: none */

extern char __start_wave64_shared[] __attribute__((weak));
extern char __stop_wave64_shared[] __attribute__((weak));

[[noreturn]] static void stop(const char *why)
{
    const wave64_place &at = current->place;
    fprintf(stderr, "wave64: %s: kernel %s, block (%u %u %u), thread (%u %u %u) of (%u %u %u)\n",
            why, running, at.block.x, at.block.y, at.block.z, at.thread.x, at.thread.y, at.thread.z,
            at.block_dim.x, at.block_dim.y, at.block_dim.z);
    abort();
}

static uint64_t draw(uint64_t &state, uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

/* 0 .. n - 1, shuffled where there is a seed. */
static std::vector<int> order(int n, uint64_t &state)
{
    std::vector<int> list((size_t)n);
    for (int i = 0; i < n; i++) {
        list[(size_t)i] = i;
    }
    for (int i = n - 1; seed != 0 && i > 0; i--) {
        std::swap(list[(size_t)i], list[(size_t)draw(state, (uint64_t)i + 1)]);
    }
    return list;
}

/* The same on every rank, and block 0 first: a block may wait for what its like on another rank
 * sends, or the first one of the launch, which a GPU begins with, while blocks here take turns. */
static std::vector<int> order_of_blocks(int n)
{
    uint64_t state = seed + (uint64_t)n;
    for (const char *c = running; *c != '\0'; c++) {
        state = (state ^ (uint64_t)(unsigned char)*c) * UINT64_C(0x100000001b3);
    }
    std::vector<int> list = order(n, state);
    std::swap(list[0], *std::find(list.begin(), list.end(), 0));
    return list;
}

/* ---- one fiber */

static void go_back()
{
    if (_setjmp(current->context) == 0) {
        _longjmp(scheduler, 1);
    }
}

static void live()
{
    for (;;) { /* born once, used for every block */
        (*body)();
        current->state = ENDED;
        go_back();
    }
}

static void run(fiber *f)
{
    current = f;
    wave64_here = &f->place;
    if (_setjmp(scheduler) == 0) {
        _longjmp(f->context, 1);
    }
}

static void bear(fiber *f)
{
    const size_t page = 4096;
    char *stack = (char *)mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED || mprotect(stack, page, PROT_NONE) != 0) {
        fprintf(stderr, "wave64: no memory for stacks\n");
        abort();
    }
    getcontext(&f->birth);
    f->birth.uc_stack.ss_sp = stack + page;
    f->birth.uc_stack.ss_size = STACK_BYTES - page;
    f->birth.uc_link = NULL;
    makecontext(
        &f->birth,
        []() {
            go_back();
            live();
        },
        0);
    current = f;
    if (_setjmp(scheduler) == 0) {
        setcontext(&f->birth);
    }
}

static void open_fibers()
{
    const char *text = getenv("WAVE64_SEED");
    seed = text != NULL ? UINT64_C(0x9e3779b97f4a7c15) * strtoull(text, NULL, 10) : 0;
    lanes_state = seed;
    fibers = new fiber[WAVE64_THREADS];
    for (int i = 0; i < WAVE64_THREADS; i++) {
        bear(&fibers[i]);
    }
}

/* ---- what fibers call */

void wave64_barrier()
{
    current->state = AT_BARRIER;
    current->site = __builtin_return_address(0);
    go_back();
}

uint64_t wave64_meet(wave64_kind kind, uint64_t mine, int lane)
{
    current->state = MEETS;
    current->site = __builtin_return_address(0);
    current->kind = kind;
    current->mine = mine;
    current->lane = lane;
    go_back();
    return current->result;
}

/* The state stays RUNS: others are asked first. Who is waited for may need this processor. */
void wave64_pause()
{
    static unsigned pauses;
    if (++pauses % 64 == 0) {
        const timespec while_ns = {0, 20000};
        nanosleep(&while_ns, NULL);
    }
    go_back();
}

unsigned long long wave64_clock()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (unsigned long long)now.tv_sec * 100000000 + (unsigned long long)now.tv_nsec / 10;
}

/* ---- waves and blocks */

static int count_in(const fiber *wave, int lanes, enum state state)
{
    int count = 0;
    for (int i = 0; i < lanes; i++) {
        count += wave[i].state == state;
    }
    return count;
}

/* All lanes meet: gives each what it wants. */
static void exchange(fiber *wave, int lanes)
{
    current = wave;
    for (int i = 0; i < lanes; i++) {
        if (wave[i].state == MEETS) {
            current = &wave[i];
        }
    }
    if (count_in(wave, lanes, MEETS) != WAVE64_LANES) {
        stop("not all 64 lanes take part in what all of a wave must");
    }
    for (int i = 0; i < lanes; i++) {
        if (wave[i].kind != wave[0].kind || wave[i].site != wave[0].site) {
            stop("lanes of a wave meet from different places");
        }
        const int from = wave[i].kind == WAVE64_XOR ? i ^ wave[i].lane : wave[i].lane;
        wave[i].result = wave[from % WAVE64_LANES].mine;
    }
    for (int i = 0; i < lanes; i++) {
        wave[i].state = RUNS;
    }
}

/* Until all its lanes wait for other waves, or some of them pause. */
static void run_wave(fiber *wave, int lanes)
{
    for (;;) {
        for (int i : order(lanes, lanes_state)) {
            if (wave[i].state == RUNS) {
                run(&wave[i]);
            }
        }
        if (count_in(wave, lanes, RUNS) > 0 || count_in(wave, lanes, MEETS) == 0) {
            return;
        }
        exchange(wave, lanes);
    }
}

/* Whether the lanes of a wave that wait at a barrier do so at the same one. */
static void check_barrier(fiber *wave, int lanes)
{
    const void *site = NULL;
    for (int i = 0; i < lanes; i++) {
        if (wave[i].state == AT_BARRIER) {
            current = &wave[i];
            if (site != NULL && wave[i].site != site) {
                stop("lanes of a wave wait at different barriers");
            }
            site = wave[i].site;
        }
    }
}

static void fill_with_rubbish()
{
    if (__start_wave64_shared != NULL) {
        memset(__start_wave64_shared, RUBBISH,
               (size_t)(__stop_wave64_shared - __start_wave64_shared));
    }
}

static void run_block(int threads)
{
    const int waves = (threads + WAVE64_LANES - 1) / WAVE64_LANES;
    for (;;) {
        for (int w : order(waves, lanes_state)) {
            const int first = w * WAVE64_LANES, left = threads - first;
            run_wave(&fibers[first], left < WAVE64_LANES ? left : (int)WAVE64_LANES);
        }
        const int ended = count_in(fibers, threads, ENDED);
        if (ended == threads) {
            return;
        }
        if (count_in(fibers, threads, RUNS) > 0) {
            continue;
        }
        for (int first = 0; first < threads; first += WAVE64_LANES) {
            const int left = threads - first;
            check_barrier(&fibers[first], left < WAVE64_LANES ? left : (int)WAVE64_LANES);
        }
        for (int i = 0; i < threads; i++) {
            fibers[i].state = fibers[i].state == AT_BARRIER ? RUNS : fibers[i].state;
        }
    }
}

void wave64_run(const char *name, dim3 grid, dim3 block, const std::function<void()> &thread)
{
    const int threads = (int)(block.x * block.y * block.z);
    const int blocks = (int)(grid.x * grid.y * grid.z);
    if (fibers == NULL) {
        open_fibers();
    }
    body = &thread;
    running = name;
    fill_with_rubbish();
    for (int b : order_of_blocks(blocks)) {
        const unsigned at = (unsigned)b;
        if (seed != 0 && draw(lanes_state, 8) == 0) { /* takes as long as a small block */
            fill_with_rubbish();
        }
        for (int i = 0; i < threads; i++) {
            const unsigned t = (unsigned)i;
            wave64_place &place = fibers[i].place;
            place.thread = dim3(t % block.x, t / block.x % block.y, t / block.x / block.y);
            place.block = dim3(at % grid.x, at / grid.x % grid.y, at / grid.x / grid.y);
            place.block_dim = block;
            place.grid_dim = grid;
            fibers[i].state = RUNS;
        }
        run_block(threads);
    }
}
