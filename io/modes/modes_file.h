/* modes_file.h - low modes in HDF5: "naik-modes" 1.0 and 2.0
 *
 *   /modes/v        1.0: [n][T][Z][Y][X/2][3] complex, 32 bits a real: the even sites, in checkerboard
 *                   order along x
 *                   2.0: [n][T/2][Z/2][Y/2][X/2] bricks of the even sites (backend/field.h): `number`,
 *                   16 bits a real, [8][3][2], site 4 t + 2 z + y of the brick's, times `scale`
 *   /modes/lambda2  [n] eigenvalues of -D_eo D_oe, 4 lambda^2, ascending
 *   /modes/residual [n] |-D_eo D_oe v - lambda2 v|
 *   /modes/suma, /modes/sumb [n] USQCD checksum of each mode's bytes
 *   attributes of the root: crc32 of lambda2 and of residual; what made them, and checksums of the
 *   fat and long links whose modes they are. Masses are not among them: a file serves all
 *   masses of a configuration and Naik epsilon.
 *
 * The state of a search that was interrupted is kept in a file of the same form, whose `state` is
 * "searching", with Ritz values of the polynomial in the place of lambda2. In the middle of a cycle
 * it has /modes/t [2 n n] besides, the products T of its n vectors.
 */
#ifndef NAIK_IO_MODES_MODES_FILE_H
#define NAIK_IO_MODES_MODES_FILE_H

#include "io/h5/h5.h"
#include "links/smear.h"
#include "modes/lanczos.h"

typedef struct naik_modes_about {
    const char *action;     /* "naive", "asqtad", "hisq", "links" */
    const char *boundary_t; /* "antiperiodic" or "periodic" */
    double naik_epsilon;
    uint32_t fat[2], far[2]; /* USQCD sums of the links; far zero where there are no long ones */
    double tolerance, gram;  /* of modes: asked for; largest |V^+ V - 1| */
    bool bricks;             /* of a file of modes: in 16 bits */
    uint64_t seed;
    naik_lanczos_report report;
    naik_lanczos_state state; /* of a search; size 0: these are modes */
} naik_modes_about;

/* Sums of the links into about->fat and far; links on the host. Collective. NAIK_ERR_MPI */
naik_status naik_modes_identify_links(const naik_fatlong *links, naik_modes_about *about);

/* Whether both are of links with the same sums. */
bool naik_modes_of_same_links(const naik_modes_about *a, const naik_modes_about *b);

/* Of the vectors of so many modes in a file, which are nearly all of it; bricks: in 16 bits. Local. */
int64_t naik_modes_file_bytes(const naik_lattice *lattice, int count, bool bricks);

/* Writes modes, or a search's vectors (modes NULL), as PATH.part, reads it again, renames it. A
 * search takes the place of an older one of that name. Collective.
 * NAIK_ERR_INPUT  PATH is there, without comm->io.replace     NAIK_ERR_IO: PATH is then untouched */
naik_status naik_modes_file_write(const naik_geometry *geometry, const char *path,
                                  const naik_modes *modes, const naik_modes_about *about);

/* Whether there is a file of modes that fits `about` (action of links, boundary, epsilon, extents),
 * and how many it holds; fills in the rest of `about` from it. Collective.
 * NAIK_ERR_INPUT    not a file of modes, or one of other quarks, or unfinished, with the sentence
 * NAIK_ERR_CORRUPT  damaged */
naik_status naik_modes_file_look(const naik_geometry *geometry, const char *path,
                                 naik_modes_about *about, int *count);
/* Called when block `block` of a file is read and its checksums are verified. Collective. */
typedef struct naik_modes_taker {
    void *data;
    naik_status (*take)(void *data, int block);
} naik_modes_taker;
/* The first `count` of them, a block after the other, checksums verified; not yet whether they are
 * modes of these links.
 *
 *   into      [blocks] where they are read to, single precision; the same for all blocks where
 *             taker->take is done with one before the next comes
 *   lambda2, residual [count] are there before the first block
 *   taker     may be NULL; what it returns ends the reading
 *
 * NAIK_ERR_CORRUPT, NAIK_ERR_IO, and what the taker returns */
naik_status naik_modes_file_read(const naik_geometry *geometry, const char *path, int count,
                                 naik_field *const *into, double *lambda2, double *residual,
                                 const naik_modes_taker *taker);
/* A search's state; *found = false where there is none that fits. */
naik_status naik_modes_search_read(const naik_geometry *geometry, const char *path,
                                   const naik_modes_about *about, naik_lanczos_state *state,
                                   bool *found);

/* Whether products T belong to this state: it is in the middle of a cycle. */
bool naik_modes_has_products(const naik_lanczos_state *state);

/* No eigenvalue of -D_eo D_oe is larger: improved links reach 22, rough ones some times that. */
#define NAIK_MODES_EIGENVALUE_MOST 1000.0
/* Whether numbers of a file, `high` the end of its interval, can be those of modes at all. Local. */
bool naik_modes_numbers_hold(const double *lambda2, const double *residual, int count, double high);

typedef enum naik_modes_file_state {
    NAIK_MODES_UNFINISHED, /* its writer was interrupted: nothing in it counts */
    NAIK_MODES_SEARCHING,  /* of a search, which goes on from it */
    NAIK_MODES_COMPLETE
} naik_modes_file_state;

/* A file of modes without its vectors. */
typedef struct naik_modes_spectrum {
    naik_modes_file_state state;
    int size[NAIK_DIM], count;
    bool bricks; /* in 16 bits */
    double naik_epsilon;
    uint32_t fat[2], far[2];
    double *lambda2, *residual; /* [count]; of a search Ritz values of its polynomial, and 0 */
    uint32_t *suma, *sumb;      /* [count] */
} naik_modes_spectrum;

/* Of an open file, complete or not; clear it whatever is returned. Local.
 * NAIK_ERR_INPUT    not a file of modes        NAIK_ERR_CORRUPT  damaged       NAIK_ERR_MEMORY */
naik_status naik_modes_spectrum_get(naik_log *log, hid_t file, const char *path,
                                    naik_modes_spectrum *out);
/* Of a complete one, by this rank alone; *out is empty where that fails. Local. As before, and
 * NAIK_ERR_CORRUPT where it is not complete or its attributes are damaged */
naik_status naik_modes_spectrum_read(naik_log *log, const char *path, naik_modes_spectrum *out);
void naik_modes_spectrum_clear(naik_modes_spectrum *spectrum);
/* lambda, in units of the mass, of an eigenvalue 4 lambda^2. */
double naik_modes_lambda(double lambda2);

#endif
