/* hints.h - what MPI-IO is to know, and to forget, before it opens a file */
#ifndef NAIK_IO_HINTS_H
#define NAIK_IO_HINTS_H

#include "comm/comm_mpi.h"

/* To be called by every rank of comm before it opens `path` through MPI-IO, and agreed on in
 * between: what a killed job left behind under the name of the file goes. New hints from
 * "key=value;key=value"; parts without '=' are left out; MPI_INFO_NULL from NULL or "". Free with
 * MPI_Info_free where it is not MPI_INFO_NULL. Local. NAIK_ERR_MPI */
naik_status naik_hints_create(naik_comm *comm, const char *path, const char *text, MPI_Info *out);

enum { NAIK_MPI_NAME = 4200 };

/* The name by which MPI-IO opens the file `path`: `path` or `text`. Open MPI (4.1.4) refuses names of one
 * letter, and ROMIO, of MPICH and Cray, takes what stands before a ':' for a kind of file system. */
const char *naik_mpi_name(const char *path, char text[NAIK_MPI_NAME]);
/* The path from that name, a part of it: HDF5 knows a file by the name it was opened with. */
const char *naik_mpi_path(const char *name);

#endif
