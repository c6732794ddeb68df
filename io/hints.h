/* hints.h - hints of the user to MPI-IO */
#ifndef NAIK_IO_HINTS_H
#define NAIK_IO_HINTS_H

#include "naik/comm_mpi.h"

/* New hints from "key=value;key=value"; parts without '=' are left out; MPI_INFO_NULL from NULL or
 * "". Free with MPI_Info_free where it is not MPI_INFO_NULL. Local. NAIK_ERR_MPI */
naik_status naik_hints_create(naik_comm *comm, const char *text, MPI_Info *out);

#endif
