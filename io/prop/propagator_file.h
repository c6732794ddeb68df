/* propagator_file.h - propagators and correlators on disk, safe against a kill at any instant
 *
 * One HDF5 file (naik-prop, own_format.c has its version) holds every solve of one run on one
 * configuration. A solve is one (source, mass, column): a column is a source colour, or of quarks with
 * spin 3 spin + colour. Sources are numbered over all solve sets in their order, and solves are
 * numbered source by source, mass by mass, column by column.
 *
 *     /prop/s0000/m00            [columns][T][Z][Y][X], a solution a column; elements and index order
 *                                are those of the quark's kind (operator/quark.h)
 *     /prop/s0000/source         attributes that describe the source
 *     /corr/NAME/m00/pion5/p000  [T] f64, summed over columns in their order; p000 is the momentum
 *                                (0,0,0), p10-1 is (1,0,-1); of {r,i} with a momentum where weights
 *                                are exponentials
 *     /corr/NAME/m00/per_colour  [columns][correlators][momenta][T] f64, what is summed; of {r,i}
 *                                where any correlator is
 *     /corr/NAME/s0001/m00/...   of a set of several sources, counted inside the set from s0000
 *     /corr/PAIR/m00-m01/pion5/p000, /corr/NAME/m00/nucleon ...  [T] of {r,i}: contractions.h
 *     /solves                    a record a solve, with its own crc (layout: io/README.md)
 *     /solves_history            [solves][history_stride] f64, residuals, NaN behind the last
 *     /metadata                  texts; /metadata/sessions: a slot a run that worked on the file
 *
 * The run writes to PATH.part, with PATH.journal and PATH.lock beside it, and PATH appears by a
 * rename when everything is in and verified: a file under its final name is complete.
 * Two outputs are "byte-identical" when /prop, /corr and /solves_history are; wall-clock numbers
 * live in /solves and /metadata.
 */
#ifndef NAIK_IO_PROP_PROPAGATOR_FILE_H
#define NAIK_IO_PROP_PROPAGATOR_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "naik/lattice.h"
#include "operator/quark.h"

typedef struct naik_propagator_file naik_propagator_file;

typedef struct naik_meta_item {
    const char *name, *text; /* name: letters, digits and _ only */
} naik_meta_item;

typedef struct naik_source_info {
    const char *type; /* as in the input file */
    int origin[NAIK_DIM];
    int momentum[NAIK_DIM - 1];
    const char *subset; /* sites that carry it, in words; NULL: not said */
    bool has_seed;
    uint64_t seed;
    const char *generator; /* of the random numbers, NULL if none */
    const char *smearing;  /* radius, noise ...: free text, NULL if none */
    bool
        derived; /* made of solutions in the file: those of a source, counted over all sets, and mass */
    int made_of, made_of_mass;
    const char *colours; /* "0 2": its propagators have these alone, zeros else; NULL: all */
    int x0[NAIK_DIM]; /* the source's place; of a sequential source that of the source behind it. */
    int counted_from[NAIK_DIM]; /* by the source's correlators */
    /* The origin as the layout of a file has it: zeros for walls of one corner, whose origin files had
     * not when they were begun first. */
    int place[NAIK_DIM - 1];
} naik_source_info;

/* Which correlators solves have. */
typedef struct naik_correlator_choice {
    int correlator_count;
    const char *const *correlators; /* "pion5", ... */
    int momentum_count;
    const int (*momenta)[NAIK_DIM - 1];
} naik_correlator_choice;

typedef struct naik_solve_set { /* one entry of `solve:` */
    const char *name;
    int source_count;
    const naik_source_info *sources; /* [source_count] */
    int mass_count;
    const naik_quark *quarks;
    const int *quark;                  /* [mass_count] of each mass, its place in quarks */
    const naik_correlator_choice *own; /* NULL: the correlators of the spec */
} naik_solve_set;

enum { NAIK_CONTRACTION_TEXT = 96, NAIK_CONTRACTION_PATH = 256 };

typedef struct naik_contracted_quark {
    char source[NAIK_CONTRACTION_TEXT];
    naik_quark quark;
} naik_contracted_quark;

/* A correlator that is made of several solves when all are done. */
typedef struct naik_contraction {
    char path[NAIK_CONTRACTION_PATH]; /* of the dataset: "/corr/NAME/m00/nucleon" */
    const char *correlator;           /* "nucleon", "pion5", "condensate" */
    const char *quantity;             /* "correlator", "mean", "standard error" */
    naik_contracted_quark quark[3];
    int quarks; /* 1: alone; 2: the second is the antiquark; 3: a baryon */
    int momentum[NAIK_DIM - 1];
    const char *weight; /* "exp", "cos" of meson.h; NULL: it has neither momentum nor sign */
    bool counted; /* from one x0 of meson.h, which follows; false: of each source from its own */
    int counted_from[NAIK_DIM];
    const char *sink;       /* "wall", "covariant_gaussian"; NULL: point */
    double sink_radius;     /* of covariant_gaussian: r0 and n of gauss_smear.h */
    int sink_iterations;    /* else 0 */
    const char *definition; /* in one line */
    /* Of a three-point function the quark is the daughter, from the sink, and the antiquark the parent. */
    bool three_point; /* and what follows is there */
    naik_contracted_quark spectator;
    int sink_time; /* from the source */
    int sink_momentum[NAIK_DIM - 1];
    const char *sink_operator;
    const char *source_operator; /* of quarks with spin; else NULL */
    /* Of an average of truncated solves: the numbers of the sources with exact solves, of how many, and the tolerances
     * of both kinds of solves. */
    int exact_count; /* 0: it is none */
    const int *exact;
    int source_count;
    double tolerance, tolerance_sloppy;
    bool
        follows; /* from others that the file has, so that it can be made again without propagators */
} naik_contraction;

/* Everything the file will hold, known before the first solve. All pointers are borrowed during
 * naik_propagator_file_open only. The same on every rank. */
typedef struct naik_propagator_spec {
    int set_count;
    const naik_solve_set *sets;
    naik_correlator_choice common; /* of sets without one of their own */
    bool waves; /* weights are exponentials: correlators with momentum are complex */
    int contraction_count;
    const naik_contraction *contractions;
    const naik_quark_kind *kind; /* of all its quarks */
    bool store_propagators;
    bool until_contracted; /* propagators are kept in .part alone, and left out of PATH */
    int precision;         /* of stored propagators, 32 or 64 */
    int history_stride;    /* residuals kept per solve */
    int iteration_limit;   /* of this run: solves that an earlier one gave up at a lower limit are
                            pending again; 0: none are */

    /* What decides the answer: a file begun with other texts is not continued. */
    const char *canonical_input;  /* one "key = value" line per setting that can alter the answer;
                                     the first line that differs is named */
    const char *gauge_checksum;   /* of the configuration */
    const char *source_checksums; /* of sources read from files, a line for each; NULL: none */
    const char *numerics;         /* version of the arithmetic, backend and device type */
    /* Choices that the program made and that alter bits (precision pair, compression, algorithm):
     * not compared; the first run's choices are kept and to be reused
     * (naik_propagator_file_choices). */
    const char *choices;

    const char *boundary_t; /* attribute of every propagator, beside the name of its kind */
    const char *input_text; /* the user's file as it was */
    int metadata_count;
    const naik_meta_item *metadata; /* of the first run: ensemble, gauge file's uuid, ... */
    int session_count;
    const naik_meta_item *session; /* of this run: version, ranks, grid, host, devices, environment;
                                      time, process, MPI and HDF5 versions are added here */

    double io_limit_s; /* a commit in which nothing moves for this and a second per 5 MB of slab
                          hangs, and ends the job with exit status 2 (watchdog.h); 0: 600 s;
                          negative: never */
} naik_propagator_spec;

typedef enum naik_solve_state {
    NAIK_SOLVE_PENDING = 0,
    NAIK_SOLVE_DONE,
    NAIK_SOLVE_NOT_CONVERGED /* a result as well: not solved again by a rerun with the same limit */
} naik_solve_state;

typedef struct naik_solve_record {
    naik_solve_state state;
    int source, mass, colour; /* set by the file; of spinors colour is the column */
    int session;              /* which run wrote it; set by the file */
    int iterations, restarts;
    int rung;             /* naik_rung on which the solve ended; -1: the file is of version 0.1.0 */
    int modes;            /* low modes that deflated it; 0: none, or the file does not say */
    int history_count;    /* residuals that there were; set by the file */
    double target;        /* tolerance asked for */
    double true_residual; /* |b - (4m^2 - DD)x| / |b| in double, parity solved */
    double source_residual; /* |src - Mx| / |src| */
    double norm;            /* |x| */
    double seconds, flops;
    char stop_reason[32];
    uint32_t suma, sumb; /* USQCD site checksum of the slab in the file; set by the file */
    double time;         /* seconds since 1970, UTC; set by the file */
} naik_solve_record;

/* Looks, before anything is computed, for what an earlier run has left: *complete where there is
 * PATH. Collective.
 * NAIK_ERR_INPUT where PATH, or PATH.part, was begun with another canonical_input, or is another file;
 * canonical_input is NULL for --fresh, which replaces propagator files of a version that naik reads
 * NAIK_ERR_CORRUPT where PATH is a damaged propagator file */
naik_status naik_propagator_file_find(naik_comm *comm, const char *path,
                                      const char *canonical_input, bool *complete);

/* Removes what a job that was killed just after PATH was whole has left beside it. Collective. */
naik_status naik_propagator_file_tidy(naik_comm *comm, const char *path);

/* The canonical_input of PATH, or else of PATH.part, for the caller to free; NULL where that cannot be read.
 * Collective. NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_propagator_file_begun_with(naik_comm *comm, const char *path, char **text);

/* Whether PATH could be begun there: its folder is writable and has the space, nothing but a
 * regular file is in the way, and names fit. Collective. NAIK_ERR_INPUT, NAIK_ERR_IO */
naik_status naik_propagator_file_precheck(const naik_lattice *lattice, const char *path,
                                          const naik_propagator_spec *spec);

/* "p000", "p10-1"; with a component of two digits "p10_0_1", so that names stay unique. Local. */
void naik_propagator_momentum_name(const int momentum[NAIK_DIM - 1], char name[64]);
/* `before` and "0.5,0,0"; nothing where all three are 0. */
void naik_propagator_twist_text(const double twist[NAIK_DIM - 1], const char *before,
                                char text[96]);

/* Bytes that the finished file will have, nearly; alignment is that of comm->io. Local. */
int64_t naik_propagator_spec_bytes(const naik_propagator_spec *spec, const int size[NAIK_DIM],
                                   int64_t alignment);
/* Solves in all. Local. */
int naik_propagator_spec_solves(const naik_propagator_spec *spec);

/* Starts PATH, continues PATH.part, or finds PATH complete.
 *
 *   fresh   begin again: PATH.part is discarded; a complete PATH stays until it is replaced
 *
 * Takes the lock, checks free space, creates every dataset and attribute. On continuing, verifies
 * every stored slab: a bad one is warned about and solved again. A .part that HDF5 cannot open is
 * rebuilt from its journal. If PATH is complete it is opened for reading, without lock; where
 * solves in it had reached a lower limit of iterations than this run's, it becomes PATH.part again.
 * The lattice is kept. Collective.
 * NAIK_ERR_INPUT    another job holds the lock; PATH or PATH.part is of another input (the sentence
 *                   names the difference); PATH cannot be created
 * NAIK_ERR_CORRUPT  PATH exists but is not a complete file of naik
 * NAIK_ERR_IO       not enough space, or the file system refused */
naik_status naik_propagator_file_open(const naik_lattice *lattice, const char *path,
                                      const naik_propagator_spec *spec, bool fresh,
                                      naik_propagator_file **out);

/* A complete PATH for reading, without its spec (`naik export`). The lattice is kept. Collective.
 * NAIK_ERR_INPUT    no propagator file, not complete, other extents
 * NAIK_ERR_CORRUPT  it contradicts itself        NAIK_ERR_IO  it cannot be opened */
naik_status naik_propagator_file_open_finished(const naik_lattice *lattice, const char *path,
                                               naik_propagator_file **out);
/* Whether propagators are in the file, and the bits of their reals. Local. */
bool naik_propagator_file_stores(const naik_propagator_file *file, int *precision);

/* Whether the unfinished file has lost its propagators already, after all contractions were written: the
 * file only is to be finished. Local. */
bool naik_propagator_file_contracted(const naik_propagator_file *file);

/* Leaves the file as it is: a complete one complete, any other resumable. Releases the lock.
 * Collective. */
void naik_propagator_file_close(naik_propagator_file **file);

/* Removes what this run has begun and stored no solve in, nor the state of one, if it is that: a refused
 * input leaves nothing behind that would refuse the corrected one. Then close it. Collective. NAIK_ERR_IO */
naik_status naik_propagator_file_forget(naik_propagator_file *file);

/* PATH was complete when opened, or naik_propagator_file_finish succeeded. Local. */
bool naik_propagator_file_complete(const naik_propagator_file *file);
/* Committed solves found when the file was opened. Local. */
int naik_propagator_file_resumed(const naik_propagator_file *file);
/* The choices text of the run that began the file. Borrowed. Local. */
const char *naik_propagator_file_choices(const naik_propagator_file *file);
int naik_propagator_file_solves(const naik_propagator_file *file);
/* Number of a solve. source is counted over all sets. Local. */
int naik_propagator_file_solve(const naik_propagator_file *file, int source, int mass, int colour);
/* What is known of a solve; state NAIK_SOLVE_PENDING if it is still to be done. Borrowed until the
 * next commit. Local. */
const naik_solve_record *naik_propagator_file_record(const naik_propagator_file *file, int solve);

/* Whether all columns of (source, mass) are committed. Local. */
bool naik_propagator_file_has_all(const naik_propagator_file *file, int source, int mass);

/* Makes one solve permanent: when it returns NAIK_OK, a kill at any later instant keeps it.
 *
 *   solution      [sites][3][2], or [sites][4][3][2], local lexicographic; NULL if the file stores no propagators, or
 *                 if they are kept until contracted, and all that is made of this one is written
 *   correlators   [correlators][momenta][T][1 or 2] of this colour, naik_propagator_file_parts of
 *                 them; NULL if its set has none
 *   record        state, counts and numbers of the solve; the same on every rank
 *   history       [history_count] residuals, the first history_stride are kept; the same on every
 *                 rank
 *
 * The summed correlators are written with the last of the columns. Collective.
 * NAIK_ERR_IO    the file system refused; the solve is not committed, all earlier ones are safe */
naik_status naik_propagator_file_commit(naik_propagator_file *file, int solve,
                                        const double *solution, const double *correlators,
                                        const naik_solve_record *record, const double *history,
                                        int history_count);

/* Whether a committed solution is not in the unfinished file, because what is made of it was written first. Local. */
bool naik_propagator_file_left_out(const naik_propagator_file *file, int solve);
/* A committed solve is pending again. Collective. NAIK_ERR_IO */
naik_status naik_propagator_file_repeat(naik_propagator_file *file, int solve);

/* Reads a committed solution back: out as it was committed, verified against its checksum. Collective.
 * NAIK_ERR_ARG nothing stored; NAIK_ERR_CORRUPT; NAIK_ERR_IO */
naik_status naik_propagator_file_read_solution(naik_propagator_file *file, int solve, double *out);

/* Reals of a number in the correlators of a source: 2, of a complex one, where the spec has waves and its set
 * a momentum, else 1.
 * Local. */
int naik_propagator_file_parts(const naik_propagator_file *file, int source);
/* Correlators of (source, mass) summed over colours: out [correlators][momenta][T][parts]. All
 * columns must be committed (else NAIK_ERR_ARG). Collective. */
naik_status naik_propagator_file_read_correlators(naik_propagator_file *file, int source, int mass,
                                                  double *out);

/* Writes those contractions of the spec from number `first` on that are chosen [count], or all where that is NULL: values
 * [count][T][2], real and imaginary part, the same on every rank. They are made anew by every run that finishes the file.
 * Collective. NAIK_ERR_IO, NAIK_ERR_ARG, NAIK_ERR_MEMORY */
naik_status naik_propagator_file_contract(naik_propagator_file *file, int first, int count,
                                          const bool *chosen, const double *values);

/* What was written so, values [T][2]; *there = false where nothing is, or what is there disagrees with its checksum.
 * Collective. NAIK_ERR_MPI */
naik_status naik_propagator_file_contraction(naik_propagator_file *file, int index, double *values,
                                             bool *there);

/* Adds a line to what the unfinished file says of this run; warns where there is no room. Collective.
 * NAIK_ERR_IO */
naik_status naik_propagator_file_note(naik_propagator_file *file, const char *name,
                                      const char *text);

/* The last such line of this run or an earlier one, without the name; "" where there is none. Collective. NAIK_ERR_IO */
naik_status naik_propagator_file_noted(naik_propagator_file *file, const char *name, char *text,
                                       size_t text_size);

/* All solves committed: marks PATH.part complete, closes it, verifies it by reading it again,
 * renames it to PATH and removes journal and lock. Afterwards the file is open for reading.
 * Collective. NAIK_ERR_ARG a solve is pending; NAIK_ERR_CORRUPT; NAIK_ERR_IO */
naik_status naik_propagator_file_finish(naik_propagator_file *file);

#endif
