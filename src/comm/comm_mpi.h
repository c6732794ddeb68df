/* comm_mpi.h - the MPI side of comm.h, for comm, halo and io only */
#ifndef NAIK_COMM_COMM_MPI_H
#define NAIK_COMM_COMM_MPI_H

#include <mpi.h>

#include "naik/comm.h"

struct naik_comm_mpi {
    MPI_Comm world; /* a duplicate: messages of this library never meet those of its caller */
    MPI_Comm node;
    bool owns_mpi;  /* this library called MPI_Init */
    naik_comm *job; /* all ranks, where these are a group of them (groups.h); else NULL */
};

/* Turns an MPI error code into NAIK_ERR_MPI with MPI's own words; NAIK_OK for MPI_SUCCESS. */
naik_status naik_comm_check(naik_comm *comm, int mpi_error, const char *what);

#endif
