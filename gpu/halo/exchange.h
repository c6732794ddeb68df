/* exchange.h - halos of one lattice from device to device
 *
 * A rank's block of memory is written to by its neighbours: a flag for each zone, then twice, in
 * epochs, and once for each slot of short halos (words.cuh) the halo sites in the layout of a field,
 * as if that field's memory began where it must for them to be at their places.
 */
#ifndef NAIK_GPU_EXCHANGE_H
#define NAIK_GPU_EXCHANGE_H

#include "gpu/halo/inbox.h"

enum { EXCHANGE_HEADER_BYTES = 4096, EXCHANGE_FLAG_WORDS = 32, EXCHANGE_ZONES = 2 * NAIK_DIM };

typedef struct gpu_exchange
    : naik_inbox { /* memory [header][2][capacity][NAIK_PEER_SLOTS][slot_bytes] */
    size_t capacity, slot_bytes;
    uint32_t *counters; /* backend memory [1 + EXCHANGE_ZONES + 1]: epochs sent; blocks done of each
                           face; faces done */
    struct words_turn *turn; /* backend memory */
    bool beside;             /* the exchange under way runs on the side stream */
} gpu_exchange;

naik_status gpu_exchange_reserve(const naik_field *field, const bool faces[NAIK_DIM][2]);
size_t gpu_exchange_bytes(const naik_lattice *lattice, naik_precision precision, int nrhs);
naik_status gpu_exchange_send(const naik_field *field, const naik_layers *layers, bool beside);
naik_status gpu_exchange_receive(naik_field *field, const naik_layers *layers);
/* The stream in which what waits for the exchange of `field` under way belongs; after that, the
 * backend's stream goes on behind it. */
gpu_stream gpu_exchange_stream(const naik_field *field);
naik_status gpu_exchange_join(const naik_field *field);
void gpu_exchange_release(naik_backend *backend, gpu_exchange *exchange);

#endif
