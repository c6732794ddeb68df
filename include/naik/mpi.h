/* mpi.h - for programs whose MPI runs already */
#ifndef NAIK_MPI_H
#define NAIK_MPI_H

#include <mpi.h>

#include "naik/comm.h"

/* The ranks of `parent`, of which a duplicate is taken; MPI stays the caller's to end. The log is
 * borrowed and learns its rank. Collective over parent. NAIK_ERR_MEMORY */
naik_status naik_comm_create_from(MPI_Comm parent, naik_log *log, naik_comm **out);

#endif
