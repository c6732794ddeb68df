/* status.c - codes to text and to the program's exit status */
#include "naik/status.h"

const char *naik_status_text(naik_status status)
{
    switch (status) {
    case NAIK_OK: return "ok";
    case NAIK_ERR_NOT_CONVERGED: return "not converged";
    case NAIK_ERR_INTERRUPTED: return "interrupted";
    case NAIK_ERR_INPUT: return "input";
    case NAIK_ERR_ARG: return "internal argument";
    case NAIK_ERR_CORRUPT: return "data corrupt";
    case NAIK_ERR_MEMORY: return "out of memory";
    case NAIK_ERR_IO: return "input/output";
    case NAIK_ERR_DEVICE: return "device";
    case NAIK_ERR_MPI: return "communication";
    }
    return "unknown status";
}

int naik_status_exit(naik_status status)
{
    switch (status) {
    case NAIK_OK: return 0;
    case NAIK_ERR_INPUT: return 1;
    case NAIK_ERR_NOT_CONVERGED: return 3;
    case NAIK_ERR_CORRUPT: return 4;
    case NAIK_ERR_INTERRUPTED: return 5;
    case NAIK_ERR_ARG:
    case NAIK_ERR_MEMORY:
    case NAIK_ERR_IO:
    case NAIK_ERR_DEVICE:
    case NAIK_ERR_MPI: return 2;
    }
    return 2;
}
