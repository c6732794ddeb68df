/* exchange.cu - halos written straight into the memory of the neighbour's GPU
 *
 * Short halos of colour vectors are words that say themselves that they have come; words.cuh says how
 * and why that is right. The rest of this comment is about the others, which flags announce. The two
 * kinds have memory and counts of their own.
 *
 * An exchange is sent by the kernel that writes the field, where that is told to (exchange.cuh), or
 * by one of its own. Those are in the backend's stream if they are short, and one launch computes
 * interior and boundary. Long ones run beside it: the packing while the interior is computed, and
 * behind the packing the boundary, whose blocks wait for the neighbours' flags.
 *
 * A kernel that waits is never launched before this rank's own sending that others may be waiting
 * for, and waits only for what others send in the same step of the program or before: so ranks
 * cannot wait for each other for ever. Before a loop of iterations every rank sends its
 * residual, unless the loop before it has, and waits for no halo. The first Dslash of an iteration
 * waits for residuals, which the step before it, or that start, has sent, and sends its result. The
 * second, the step, waits for results of the first and sends the new residual.
 *
 * An epoch's half of the memory is written again two epochs later. Whoever writes it has by then seen
 * the flags of the epoch between from the same neighbour (every block that sends in the Dslash has
 * waited for them; before anything but iterations goes on, what they sent last is received), and
 * these were raised after the neighbour's last block had read the epoch before them: its kernel had
 * ended, or the block had sent its own share, which it does after reading.
 *
 * The lower rows of half spinors (layers.cuh) are cleared here at every exchange, as fields of other
 * shapes share the memory: by this rank's sending kernel, behind which what reads them lies in the same
 * stream. The neighbours write elsewhere meanwhile, and this rank has read what lay there.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/backend_gpu.h"
#include "gpu/halo/exchange.cuh"
#include "gpu/halo/layers.cuh"

extern "C" {
#include "comm/collective.h"
}

/* Faces from this size on are sent beside the work on the inside, by so many blocks a processor: enough
 * for the wire. More would leave the inside no room until the last face is sent. */
enum { BESIDE_BYTES = 256 << 10, BESIDE_BLOCKS = 2 };

/* ---- memory that the neighbours write to */

static size_t rhs_bytes(naik_precision precision)
{
    return precision == NAIK_DOUBLE   ? (size_t)vec_double::RHS_BYTES
           : precision == NAIK_SINGLE ? (size_t)vec_single::RHS_BYTES
                                      : (size_t)vec_half::RHS_BYTES;
}

/* Blocks of sites of a field before the one in which its halo begins. */
static size_t blocks_before(const naik_lattice *lat)
{
    return (size_t)lat->volume_cb / PREC_BLOCK;
}

/* Of the halo of a field, for one epoch. */
static size_t capacity_for(const naik_lattice *lat, naik_precision precision, int nrhs)
{
    size_t blocks = ((size_t)lat->volume_cb + (size_t)lat->halo + PREC_BLOCK - 1) / PREC_BLOCK;
    size_t bytes =
        ((blocks - blocks_before(lat)) * (size_t)nrhs + PREC_SPARE_RHS) * rhs_bytes(precision);
    return (bytes + 4095) / 4096 * 4096;
}

size_t gpu_exchange_bytes(const naik_lattice *lattice, naik_precision precision, int nrhs)
{
    return EXCHANGE_HEADER_BYTES + naik_peer_room(nrhs, capacity_for(lattice, precision, nrhs));
}

static size_t capacity_of(const naik_field *field)
{
    return capacity_for(field->geometry->lattice, field->precision, naik_field_vectors(field));
}

/* Whether its words say themselves that they have come: the same on every rank. */
static bool in_words(const naik_field *field)
{
    return naik_peer_in_words(naik_field_vectors(field), capacity_of(field));
}

/* Where a field would begin whose halo lies there. */
static char *origin_of(const naik_field *field, const char *halo)
{
    const size_t before = blocks_before(field->geometry->lattice) *
                          (size_t)naik_field_vectors(field) * rhs_bytes(field->precision);
    return (char *)((uintptr_t)halo - before);
}

/* Where a field would begin whose halo lies in `memory` for epochs of this parity. */
static char *field_origin(const naik_field *field, char *memory, size_t capacity, int epoch)
{
    return origin_of(field, memory + EXCHANGE_HEADER_BYTES + (size_t)epoch * capacity);
}

/* The slots in a rank's memory: all ranks have the same capacity. */
static char *slots_in(const gpu_exchange *x, char *memory)
{
    return memory + EXCHANGE_HEADER_BYTES + NAIK_PEER_HALVES * x->capacity;
}

static gpu_exchange *exchange_of(const naik_field *field)
{
    return &((gpu_tables *)field->geometry->tables)->exchange;
}

void gpu_exchange_release(naik_backend *backend, gpu_exchange *x)
{
    gpu_inbox_close(backend, x);
    gpu_release(&backend->device, x->counters);
    gpu_release(&backend->device, x->turn);
    memset(x, 0, sizeof *x);
}

enum { EMPTYING_BLOCKS = 256, EMPTYING_THREADS = 128 };

__global__ void empty_kernel(char *memory, size_t pieces)
{
    const size_t threads = (size_t)gridDim.x * EMPTYING_THREADS;
    for (size_t i = blockIdx.x * EMPTYING_THREADS + threadIdx.x; i < pieces; i += threads) {
        ((uint4 *)memory)[i] = make_uint4(WORDS_EMPTY, WORDS_EMPTY, WORDS_EMPTY, WORDS_EMPTY);
    }
}

static naik_status make_room(naik_backend *backend, gpu_exchange *x, size_t capacity,
                             size_t slot_bytes, gpu_ipc_handle *mine)
{
    gpu_stream stream = gpu_state_of(backend)->stream;
    const size_t counters = (2 + EXCHANGE_ZONES) * sizeof *x->counters;
    const size_t slots = NAIK_PEER_SLOTS * slot_bytes;
    NAIK_PASS(gpu_inbox_take(backend, EXCHANGE_HEADER_BYTES + NAIK_PEER_HALVES * capacity + slots,
                             x, mine));
    NAIK_PASS(gpu_alloc(&backend->device, counters, "counters", (void **)&x->counters));
    NAIK_PASS(gpu_alloc(&backend->device, sizeof *x->turn, "turns", (void **)&x->turn));
    x->capacity = capacity;
    x->slot_bytes = slot_bytes;
    NAIK_PASS(GPU_CHECK(backend, gpu_memset(x->memory, 0, EXCHANGE_HEADER_BYTES, stream),
                        "clearing flags"));
    NAIK_PASS(
        GPU_CHECK(backend, gpu_memset(x->counters, 0, counters, stream), "clearing counters"));
    NAIK_PASS(
        GPU_CHECK(backend, gpu_memset(x->turn, 0, sizeof *x->turn, stream), "clearing turns"));
    if (slots > 0) {
        empty_kernel<<<EMPTYING_BLOCKS, EMPTYING_THREADS, 0, stream>>>(slots_in(x, x->memory),
                                                                       slots / WORDS_PIECE);
        NAIK_PASS(GPU_LAUNCHED(backend, "emptying slots"));
    }
    return gpu_sync(&backend->device);
}

naik_status gpu_exchange_reserve(const naik_field *field, const bool faces[NAIK_DIM][2])
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = field->geometry->lattice;
    naik_backend *backend = field->geometry->backend;
    gpu_exchange *x = exchange_of(field);
    gpu_ipc_handle mine;
    const size_t wanted = capacity_of(field);
    const size_t capacity = in_words(field) || x->capacity >= wanted ? x->capacity : wanted;
    const size_t slot_bytes = in_words(field) && x->slot_bytes < wanted ? wanted : x->slot_bytes;
    if (capacity == x->capacity && slot_bytes == x->slot_bytes) {
        return NAIK_OK;
    }
    memset(&mine, 0, sizeof mine);
    /* then nobody writes to the old memory any more */
    NAIK_TRY(naik_comm_agree(backend->comm, gpu_sync(&backend->device)));
    gpu_exchange_release(backend, x);
    gpu_state_of(backend)->recorded_serial = 0; /* what is recorded holds old addresses */
    memcpy(x->faces, faces, sizeof x->faces);
    NAIK_TRY(naik_comm_agree(backend->comm, make_room(backend, x, capacity, slot_bytes, &mine)));
    NAIK_TRY(naik_comm_agree(backend->comm, gpu_inbox_connect(backend, lat, &mine, x)));
done:
    if (status != NAIK_OK) {
        gpu_exchange_release(backend, x); /* there is no room half made */
    }
    return status;
}

/* ---- sending and receiving */

typedef struct sent_face {
    char *to; /* where the neighbour's field would begin in even epochs or slot 0 */
    uint32_t *flag;
    int first; /* halo site that number 0 becomes */
    int mu, coordinate, step, face, count;
    int sign, own; /* of half spinors; first halo site here on this side */
} sent_face;

typedef struct send_params {
    gpu_stencil stencil;
    int parity, nrhs, faces;
    int vectors; /* of a site that travel */
    uint32_t *counters;
    words_turn *turn; /* NULL: with flags */
    char *slots;      /* this rank's, to be emptied */
    size_t capacity;  /* from one epoch's or slot's memory to the next */
    char *own; /* where the field would begin whose halo the neighbours write in even epochs */
    sent_face face[EXCHANGE_ZONES];
} send_params;

/* Chosen by comparison: an index would put the parameters into memory. */
__device__ static inline sent_face choose_face(const send_params &p, int which)
{
    sent_face f = p.face[0];
#pragma unroll
    for (int i = 1; i < EXCHANGE_ZONES; i++) { /* member by member: a copy would lie in memory */
        const bool here = i == which;
        f.to = here ? p.face[i].to : f.to;
        f.flag = here ? p.face[i].flag : f.flag;
        f.first = here ? p.face[i].first : f.first;
        f.mu = here ? p.face[i].mu : f.mu;
        f.coordinate = here ? p.face[i].coordinate : f.coordinate;
        f.step = here ? p.face[i].step : f.step;
        f.face = here ? p.face[i].face : f.face;
        f.count = here ? p.face[i].count : f.count;
        f.sign = here ? p.face[i].sign : f.sign;
        f.own = here ? p.face[i].own : f.own;
    }
    return f;
}

/* This block's pieces of a face, to where its half or slot begins. */
template <class V, bool HALVED>
__device__ static inline void send_pieces(const send_params &p, const sent_face &f,
                                          const char *data, size_t half_or_slot)
{
    char *const to = f.to + half_or_slot;
    const int pieces = p.vectors * ((f.count + PACK_THREADS - 1) / PACK_THREADS);
    for (int piece = (int)blockIdx.x; piece < pieces; piece += (int)gridDim.x) {
        const int vector = piece % p.vectors; /* those of a site are neighbours in memory */
        const int i = piece / p.vectors * PACK_THREADS + (int)threadIdx.x;
        if (i >= f.count) {
            continue;
        }
        const int layer = i / f.face;
        const int site = layer_site(p.stencil, p.parity, f.mu, f.coordinate + layer * f.step,
                                    i - layer * f.face);
        char *const there = to + landing_of<V, HALVED>(f.first + i, vector, p.nrhs);
        const typename V::stored one =
            take_vector<V, HALVED>(data, site, vector, p.nrhs, f.mu, f.sign);
        if (!HALVED && p.turn != NULL) {
            words_vector<V>(one).send(there);
        } else {
            V::keep(there, one);
        }
        if (HALVED) {
            clear_lower<V>(p.own + half_or_slot + landing_of<V, HALVED>(f.own + i, vector, p.nrhs));
        }
    }
}

/* This block has sent its pieces of a face; the last of a face raises its flag. */
__device__ static inline void send_signal(const send_params &p, const sent_face &f, int which,
                                          uint32_t epoch)
{
    gpu_dawdle();
    gpu_release_block();
    uint32_t *done = p.counters + 1;
    const uint32_t count = atomicAdd(&done[which], 1u) + 1;
    GPU_MARK("counted");
    if (count == gridDim.x) {
        done[which] = 0;
        gpu_release_flags();
        gpu_dawdle();
        gpu_store_flag(f.flag, epoch);
        if (atomicAdd(&done[EXCHANGE_ZONES], 1u) + 1 == (uint32_t)p.faces) {
            done[EXCHANGE_ZONES] = 0;
            *p.counters = epoch;
        }
    }
}

template <class V, bool HALVED = false>
__global__ void send_kernel(const send_params p, const char *data)
{
    const int which = (int)blockIdx.z;
    const sent_face f = choose_face(p, which);
    if (!HALVED && p.turn != NULL) {
        const unsigned shares = gridDim.x * gridDim.z;
        const uint32_t slot = words_slot(p.turn);
        words_empty(p.slots, p.capacity, slot, blockIdx.z * gridDim.x + blockIdx.x, shares,
                    threadIdx.x, PACK_THREADS);
        send_pieces<V, HALVED>(p, f, data, words_next(slot) * p.capacity);
        __syncthreads();
        if (threadIdx.x == 0) {
            words_sent(p.turn, shares);
        }
        return;
    }
    const uint32_t epoch = *(volatile uint32_t *)p.counters + 1;
    send_pieces<V, HALVED>(p, f, data, (epoch & 1) * p.capacity);
    GPU_MARK("sent");
    gpu_release_stores();
    __syncthreads();
    if (threadIdx.x == 0) {
        send_signal(p, f, which, epoch);
    }
}

/* Where the neighbour's field would begin in even epochs or slot 0. */
static char *theirs_of(const naik_field *field, int mu, int side)
{
    const gpu_exchange *x = exchange_of(field);
    return in_words(field) ? origin_of(field, slots_in(x, x->theirs[mu][side]))
                           : field_origin(field, x->theirs[mu][side], x->capacity, 0);
}

static send_params send_params_of(const naik_field *field, const naik_layers *layers, int *largest)
{
    const naik_lattice *lat = field->geometry->lattice;
    const gpu_exchange *x = exchange_of(field);
    send_params p = {};
    p.stencil = gpu_tables_of(field->geometry)->stencil;
    p.parity = (int)layers->parity;
    p.nrhs = naik_field_vectors(field);
    p.counters = x->counters;
    p.turn = in_words(field) ? x->turn : NULL;
    p.slots = slots_in(x, x->memory);
    p.capacity = in_words(field) ? x->slot_bytes : x->capacity;
    p.own = field_origin(field, x->memory, x->capacity, 0);
    *largest = 0;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        for (int side = 0; side < 2; side++) {
            if (!x->faces[mu][side]) {
                continue;
            }
            sent_face *f = &p.face[p.faces++];
            const int zone = 2 * mu + !side; /* sent ahead, it lies behind the neighbour */
            f->to = theirs_of(field, mu, side);
            f->flag = (uint32_t *)x->theirs[mu][side] + zone * EXCHANGE_FLAG_WORDS;
            f->first = lat->zone[mu][!side];
            f->mu = mu;
            f->coordinate = side == NAIK_FORWARD ? lat->local[mu] - 1 : 0;
            f->step = side == NAIK_FORWARD ? -1 : 1;
            f->face = lat->face[mu];
            f->count = lat->face[mu] * layers->depth;
            f->sign = naik_zone_sign(layers->halves, !side);
            f->own = lat->zone[mu][side];
            *largest = f->count > *largest ? f->count : *largest;
        }
    }
    return p;
}

naik_status gpu_exchange_send(const naik_field *field, const naik_layers *layers, bool beside)
{
    naik_backend *backend = field->geometry->backend;
    gpu_state *state = gpu_state_of(backend);
    gpu_exchange *x = exchange_of(field);
    int largest;
    send_params p = send_params_of(field, layers, &largest);
    p.vectors = naik_layer_vectors(field, layers);
    unsigned blocks = (unsigned)((largest + PACK_THREADS - 1) / PACK_THREADS * p.vectors);
    x->beside = beside && backend->route.single_node &&
                (size_t)largest * (size_t)p.vectors * (rhs_bytes(field->precision) / PREC_BLOCK) >=
                    BESIDE_BYTES;
    if (x->beside) {
        const unsigned most = (unsigned)(BESIDE_BLOCKS * state->processors / p.faces) + 1;
        blocks = blocks < most ? blocks : most;
        NAIK_PASS(GPU_CHECK(backend, gpu_event_record(state->peers.fork, state->stream),
                            "starting an exchange"));
        NAIK_PASS(GPU_CHECK(backend, gpu_stream_wait(state->peers.side, state->peers.fork),
                            "starting an exchange"));
    }
    BY_LAYERS(layers, field->precision, send_kernel, dim3(blocks, 1, (unsigned)p.faces),
              PACK_THREADS, x->beside ? state->peers.side : state->stream, p,
              (const char *)field->data);
    return GPU_LAUNCHED(backend, "sending halos");
}

exchange_send gpu_exchange_sender(const naik_field *field, int depth)
{
    const naik_lattice *lat = field->geometry->lattice;
    const gpu_exchange *x = exchange_of(field);
    exchange_send s = {};
    s.any = true;
    s.counters = x->counters;
    s.turn = in_words(field) ? x->turn : NULL;
    s.slots = slots_in(x, x->memory);
    s.capacity = in_words(field) ? x->slot_bytes : x->capacity;
    s.depth = depth;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        s.face[mu] = lat->face[mu];
        for (int side = 0; side < 2; side++) {
            if (x->faces[mu][side]) {
                const int zone = 2 * mu + !side; /* sent ahead, it lies behind the neighbour */
                s.to[mu][side] = theirs_of(field, mu, side);
                s.flag[mu][side] = (uint32_t *)x->theirs[mu][side] + zone * EXCHANGE_FLAG_WORDS;
                s.first[mu][side] = lat->zone[mu][!side];
            }
        }
    }
    return s;
}

gpu_stream gpu_exchange_stream(const naik_field *field)
{
    gpu_state *state = gpu_state_of(field->geometry->backend);
    return exchange_of(field)->beside ? state->peers.side : state->stream;
}

naik_status gpu_exchange_join(const naik_field *field)
{
    naik_backend *backend = field->geometry->backend;
    gpu_state *state = gpu_state_of(backend);
    gpu_exchange *x = exchange_of(field);
    if (x->beside) {
        NAIK_PASS(GPU_CHECK(backend, gpu_event_record(state->peers.join, state->peers.side),
                            "ending an exchange"));
        NAIK_PASS(GPU_CHECK(backend, gpu_stream_wait(state->stream, state->peers.join),
                            "ending an exchange"));
    }
    x->beside = false;
    return NAIK_OK;
}

exchange_view gpu_exchange_view(const naik_field *field)
{
    const gpu_exchange *x = exchange_of(field);
    const naik_lattice *lat = field->geometry->lattice;
    const naik_backend *backend = field->geometry->backend;
    const gpu_peers *peers = &gpu_state_of(backend)->peers;
    exchange_view v = {};
    if (in_words(field)) {
        v.turn = x->turn;
        v.slots = origin_of(field, slots_in(x, x->memory));
        v.slot_bytes = x->slot_bytes;
    } else {
        v.epoch = x->counters;
        v.flags = (const uint32_t *)x->memory;
        v.halo[0] = field_origin(field, x->memory, x->capacity, 0);
        v.halo[1] = field_origin(field, x->memory, x->capacity, 1);
    }
    v.timeout = peer_timeout_of(backend);
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        for (int side = 0; side < 2; side++) {
            for (int r = 0; r < peers->count && x->faces[mu][side]; r++) {
                if (peers->rank[r] == lat->neighbour_rank[mu][side]) {
                    v.sender[2 * mu + side] = (uint8_t)(1 + r);
                }
            }
        }
    }
    return v;
}

template <class V>
__global__ void receive_kernel(const exchange_view v, uint32_t sender, int first, int count,
                               int nrhs, char *data)
{
    const int i = (int)(blockIdx.x * PACK_THREADS + threadIdx.x);
    const size_t offset = vec_offset<V>(first + i, (int)blockIdx.y, nrhs);
    if (v.turn != NULL) {
        words_vector<V> one;
        const char *from = v.slots + words_slot(v.turn) * v.slot_bytes;
        if (i < count && one.take(from + offset, v.timeout, sender)) {
            one.keep(data + offset);
        }
        return;
    }
    const char *from = exchange_await(v, (int)threadIdx.x);
    if (i < count) {
        V::keep(data + offset, V::fetch(from + offset));
    }
}

naik_status gpu_exchange_receive(naik_field *field, const naik_layers *layers)
{
    const naik_lattice *lat = field->geometry->lattice;
    naik_backend *backend = field->geometry->backend;
    const gpu_exchange *x = exchange_of(field);
    const exchange_view v = gpu_exchange_view(field);
    NAIK_PASS(gpu_exchange_join(field));
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        for (int side = 0; side < 2; side++) {
            const int count = lat->face[mu] * layers->depth;
            if (x->faces[mu][side]) {
                BY_PRECISION(
                    field->precision, receive_kernel, pack_blocks(count, naik_field_vectors(field)),
                    PACK_THREADS, gpu_state_of(backend)->stream, v, v.sender[2 * mu + side],
                    lat->zone[mu][side], count, naik_field_vectors(field), (char *)field->data);
                NAIK_PASS(GPU_LAUNCHED(backend, "receiving halos"));
            }
        }
    }
    return NAIK_OK;
}
