/* mpi.h - for programs whose MPI runs already */
#ifndef NAIK_MPI_H
#define NAIK_MPI_H

#include <mpi.h>

#include "naik/comm.h"

/* The ranks of `parent`, which naik duplicates. The caller ends MPI, after naik_comm_destroy. The log is
 * borrowed and learns its rank. Collective over parent. NAIK_ERR_MEMORY, on every rank */
naik_status naik_comm_create_from(MPI_Comm parent, naik_log *log, naik_comm **out);

#endif
