/* route.h - the paths between GPUs that transport.h chooses from, and the choice */
#ifndef NAIK_BACKEND_ROUTE_H
#define NAIK_BACKEND_ROUTE_H

#include <stdbool.h>

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

#endif
