/* route.h - the paths between GPUs that transport.h chooses from, and the choice */
#ifndef NAIK_BACKEND_ROUTE_H
#define NAIK_BACKEND_ROUTE_H

#include <stdbool.h>
#include <stddef.h>

#include "naik/lattice.h"

typedef enum naik_transport {
    NAIK_TRANSPORT_AUTO,
    NAIK_TRANSPORT_PEER,
    NAIK_TRANSPORT_MPI_DEVICE,
    NAIK_TRANSPORT_STAGED
} naik_transport;
enum { NAIK_TRANSPORTS = 4 };

/* What the ranks of a backend use. */
typedef struct naik_route {
    bool peer;        /* between ranks of one node */
    bool single_node; /* peer, and there is one node: no exchange or sum needs the host */
    bool device;      /* MPI, for the other faces, is given device memory */
    bool *near;       /* [size] ranks of this node, without this rank; NULL: host memory or alone */
    double timeout_s; /* how long to wait for a message of MPI; 0: for ever */
    double exchange_us; /* of the test exchange, measured; 0: there was none */
} naik_route;

/* Memory that a GPU keeps for halos which other GPUs write, and by which rule they write it
 * (gpu/halo/words.cuh): for the GPU's backend and for plans on paper. */
enum {
    NAIK_PEER_HALVES = 2,          /* of memory, in turns, where flags say what has come */
    NAIK_PEER_SLOTS = 5,           /* where the words themselves say it */
    NAIK_PEER_WORDS_MOST = 7 << 18 /* bytes of all halo sites up to which they do */
};

/* Memory of this rank that its neighbours on `faces` write to, and where theirs lies for this one. */
typedef struct naik_inbox {
    bool faces[NAIK_DIM][2];
    char *memory;
    char *theirs[NAIK_DIM][2]; /* NULL where it is not for that face */
    void *mapped[2 * NAIK_DIM];
    int mapped_rank[2 * NAIK_DIM], mapped_count; /* each neighbour once */
} naik_inbox;

/* Of fields with so many colour vectors a site. On four H100 an iteration of 16^4 took 36 us with
 * words and 41.7 with flags, but one of 24^4, of 1.99 MB, 107.6 and 104.4; kernels of several rhs a
 * thread, which have no instruction to spare, know flags alone. */
static inline bool naik_peer_in_words(int vectors, size_t halo_bytes)
{
    return vectors == 1 && halo_bytes <= NAIK_PEER_WORDS_MOST;
}

static inline size_t naik_peer_room(int vectors, size_t halo_bytes)
{
    return (naik_peer_in_words(vectors, halo_bytes) ? NAIK_PEER_SLOTS : NAIK_PEER_HALVES) *
           halo_bytes;
}

#endif
