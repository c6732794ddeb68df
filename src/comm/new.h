/* new.h - memory for a structure that every rank gets, or none
 */
#ifndef NAIK_COMM_NEW_H
#define NAIK_COMM_NEW_H

#include <stddef.h>

#include "naik/comm.h"

/* *out: size_bytes of zeroes, released by free; NULL where any rank has no memory, and then every
 * rank fails with "no memory for WHAT". Collective. NAIK_ERR_MEMORY */
naik_status naik_new(naik_comm *comm, size_t size_bytes, const char *what, void **out);

#endif
