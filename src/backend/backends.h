/* backends.h - the tables of functions that exist; for backend.c alone */
#ifndef NAIK_BACKEND_BACKENDS_H
#define NAIK_BACKEND_BACKENDS_H

#include "backend/backend.h"

extern const naik_backend_ops naik_backend_cpu;
extern const naik_backend_ops naik_backend_gpu; /* in builds with NAIK_GPU */

#endif
