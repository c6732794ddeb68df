/* waves.cpp - blocks of fibers in waves of 64 lanes
 *
 * A lane runs until it meets others: at a barrier of the block, or at what all lanes of a wave do
 * together (shuffles). Then the next lane runs, and when all lanes of a wave wait, the next wave.
 * What one lane reads of another's without having met it in between is wrong in some order of the
 * lanes and waves: WAVE64_SEED=n, other than 0, shuffles these and the blocks, differently on every
 * rank, and lets ranks get out of step. Shared memory is filled with rubbish before a block, so that
 * what nobody has written is not zero.
 *
 * A block runs to its end, or until some of its lanes pause because they wait for another block or
 * another rank. Then the others run: all blocks of a launch are on the device together, as far as
 * there are fibers, so that any order of them must do.
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

/* Each stack takes two of the 65530 mappings that a process may have. */
enum { STACK_BYTES = 128 << 10, RUBBISH = 0xcd, FIBERS = 24000, OUT_OF_STEP_US = 300 };
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

/* A block on the device: its fibers, and its shared memory while another block runs. */
struct crew {
    int capacity, threads;
    bool begins;
    fiber *fibers; /* [capacity] */
    char *shared;  /* [shared_bytes()] */
};

const wave64_place *wave64_here;
static std::vector<crew *> idle;
static int fibers_made;
static crew *on_stage; /* whose shared memory lies where the code looks for it; NULL: nobody's */
static fiber *current;
static jmp_buf scheduler;
static const std::function<void()> *body;
static const char *running;
static bool opened;
static uint64_t seed, lanes_state; /* of shuffles; 0: none */

char wave64_dynamic_shared[WAVE64_DYNAMIC] __attribute__((section("wave64_shared"), aligned(16)));
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

static size_t shared_bytes()
{
    return (size_t)(__stop_wave64_shared - __start_wave64_shared);
}

/* NULL: the device is full. */
static crew *take_crew(int threads)
{
    for (size_t i = 0; i < idle.size(); i++) {
        if (idle[i]->capacity >= threads) {
            crew *found = idle[i];
            idle.erase(idle.begin() + (long)i);
            return found;
        }
    }
    if (fibers_made + threads > FIBERS) {
        return NULL;
    }
    crew *made = new crew{threads, threads, true, new fiber[(size_t)threads], NULL};
    made->shared = (char *)malloc(shared_bytes() + 1);
    for (int i = 0; i < threads; i++) {
        bear(&made->fibers[i]);
    }
    fibers_made += threads;
    return made;
}

static void open_device()
{
    const char *text = getenv("WAVE64_SEED"), *rank = getenv("OMPI_COMM_WORLD_RANK");
    opened = true;
    rank = rank != NULL ? rank : getenv("PMI_RANK");
    if (text != NULL && strtoull(text, NULL, 10) != 0) {
        seed = UINT64_C(0x9e3779b97f4a7c15) * strtoull(text, NULL, 10);
        lanes_state = seed + (rank != NULL ? strtoull(rank, NULL, 10) : 0);
    }
}

/* ---- what fibers call */

static void sleep_us(long us)
{
    const timespec while_ns = {0, 1000 * us};
    nanosleep(&while_ns, NULL);
}

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
        sleep_us(20);
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

/* The block's shared memory to where the code looks for it: rubbish, or, which takes less time, what
 * some other block has left there. */
static void enter(crew *b)
{
    if (on_stage != b && on_stage != NULL) {
        memcpy(on_stage->shared, __start_wave64_shared, shared_bytes());
    }
    if (b->begins && seed != 0 && draw(lanes_state, 8) == 0) {
        memset(__start_wave64_shared, RUBBISH, shared_bytes());
    } else if (!b->begins && on_stage != b) {
        memcpy(__start_wave64_shared, b->shared, shared_bytes());
    }
    b->begins = false;
    on_stage = b;
}

static crew *begin_block(int number, dim3 grid, dim3 block)
{
    const unsigned at = (unsigned)number;
    crew *b = take_crew((int)(block.x * block.y * block.z));
    if (b == NULL) {
        return NULL;
    }
    b->threads = (int)(block.x * block.y * block.z);
    b->begins = true;
    for (int i = 0; i < b->threads; i++) {
        const unsigned t = (unsigned)i;
        wave64_place &place = b->fibers[i].place;
        place.thread = dim3(t % block.x, t / block.x % block.y, t / block.x / block.y);
        place.block = dim3(at % grid.x, at / grid.x % grid.y, at / grid.x / grid.y);
        place.block_dim = block;
        place.grid_dim = grid;
        b->fibers[i].state = RUNS;
    }
    return b;
}

/* Until all its threads have ended, true, or some pause. */
static bool run_block(crew *b)
{
    fiber *const fibers = b->fibers;
    const int threads = b->threads, waves = (threads + WAVE64_LANES - 1) / WAVE64_LANES;
    enter(b);
    for (;;) {
        for (int w : order(waves, lanes_state)) {
            const int first = w * WAVE64_LANES, left = threads - first;
            run_wave(&fibers[first], left < WAVE64_LANES ? left : (int)WAVE64_LANES);
        }
        if (count_in(fibers, threads, ENDED) == threads) {
            return true;
        }
        if (count_in(fibers, threads, RUNS) > 0) {
            return false;
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
    const int blocks = (int)(grid.x * grid.y * grid.z);
    if (!opened) {
        open_device();
    }
    if (seed != 0 && draw(lanes_state, 16) == 0) {
        sleep_us((long)draw(lanes_state, OUT_OF_STEP_US));
    }
    body = &thread;
    running = name;
    memset(__start_wave64_shared, RUBBISH, shared_bytes());
    const std::vector<int> sequence = order(blocks, lanes_state);
    std::vector<crew *> begun((size_t)blocks);
    std::vector<char> ended((size_t)blocks);
    for (int left = blocks; left > 0;) {
        for (int b : sequence) {
            crew *&at = begun[(size_t)b];
            if (at == NULL && !ended[(size_t)b]) {
                at = begin_block(b, grid, block);
            }
            if (at != NULL && run_block(at)) {
                on_stage = NULL;
                idle.push_back(at);
                at = NULL;
                ended[(size_t)b] = 1;
                left--;
            }
        }
    }
}
