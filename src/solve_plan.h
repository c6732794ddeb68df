/* solve_plan.h - what a run will do, decided before anything is solved: precisions, batch, memory
 */
#ifndef NAIK_SOLVE_PLAN_H
#define NAIK_SOLVE_PLAN_H

#include "naik/cg.h"
#include "naik/input.h"

typedef struct solve_plan {
    naik_precision vectors, links; /* of the fastest rung; single links come with 16-bit ones */
    int recon;                     /* numbers of a long link there */
    int first_rung;                /* naik_cg_options.first_rung */
    int batch;
    bool multishift;      /* masses of a source share a Krylov space */
    int families, shifts; /* sources at a time, and masses of each, 0: no source has several */
    int history_stride;
    /* on this rank, estimated */
    int64_t gauge_bytes, packed_bytes, field_bytes, halo_bytes, vector_bytes;
    int64_t total_bytes;     /* at the most at one time */
    int64_t available_bytes; /* for a rank, physical */
    char choices[128]; /* "vectors=single links=single recon=18 multishift=off first=mass": what
                        * alters bits */
} solve_plan;

/* Decides from input, lattice and backend. `tasks`: right-hand sides of the run.
 * NAIK_ERR_MEMORY   the memory of this machine does not hold it, whatever the batch */
naik_status solve_plan_make(const naik_input *input, const naik_geometry *geometry, int tasks,
                            solve_plan *out);
/* Takes the choices of the run that began a file, and says where they are not those of the plan.
 * NAIK_ERR_INPUT    this program does not know them
 * NAIK_ERR_MEMORY   as above, for them */
naik_status solve_plan_adopt(solve_plan *plan, const naik_input *input,
                             const naik_geometry *geometry, const char *choices);
void solve_plan_print_lattice(const naik_geometry *geometry);
void solve_plan_print(const solve_plan *plan, naik_log *log);

#endif
