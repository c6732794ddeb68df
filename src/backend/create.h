/* create.h - choosing a backend at run time */
#ifndef NAIK_BACKEND_CREATE_H
#define NAIK_BACKEND_CREATE_H

#include "backend/multigrid.h"

/* The tables of functions that exist. */
extern const naik_backend_ops naik_backend_cpu;
extern const naik_multigrid_ops naik_multigrid_cpu;
extern const naik_backend_ops naik_backend_gpu; /* in builds with NAIK_GPU */

/* name: "cpu", "gpu" or "auto" (a GPU if this build and machine have one). Collective.
 * NAIK_ERR_INPUT   unknown name, or no GPU in this build
 * NAIK_ERR_DEVICE  no usable device on some rank */
naik_status naik_backend_create(naik_comm *comm, const char *name,
                                const naik_backend_options *options, naik_backend **out);
void naik_backend_destroy(naik_backend **backend);

#endif
