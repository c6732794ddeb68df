/* prop_file.h - the propagator file behind propagator_file.h; private to io/ */
#ifndef NAIK_IO_PROP_PROP_FILE_H
#define NAIK_IO_PROP_PROP_FILE_H

#include "base/watchdog.h"
#include "io/files.h"
#include "io/h5/box.h"
#include "io/lock.h"
#include "io/prop/journal.h"
#include "io/prop/record.h"

enum { NAIK_PROP_NAME = 64, NAIK_PROP_PATH = 192, NAIK_SESSIONS = 64, NAIK_SESSION_BYTES = 4096 };
/* Bytes of the names of all momenta, which are one attribute: HDF5 has no longer ones. */
enum { NAIK_PROP_NAMES_BYTES = 65000 };

/* The correlators of the solves of a set. */
typedef struct naik_prop_names {
    int correlators, momenta; /* both 0 where the set has none */
    char (*correlator)[NAIK_PROP_NAME];
    char (*momentum)[NAIK_PROP_NAME]; /* "p000" */
    int parts; /* of a number in per_colour: 2 where correlators with momentum are complex, else 1 */
    bool damaged; /* of a plan that was read: there are correlators, which cannot be read */
} naik_prop_names;

/* Which datasets there are, and which solve is where. Made from a spec, or from a file. */
typedef struct naik_prop_plan {
    int size[NAIK_DIM];
    int spin; /* 4 of spinors, else 1 */
    int set_count, source_count, solve_count;
    bool store;
    int precision, history_stride;
    char (*set_name)[NAIK_PROP_NAME];
    naik_prop_names *names; /* [set_count] */
    char (*contraction)[NAIK_CONTRACTION_PATH];
    bool *follows; /* of each contraction; naik_contraction */
    int contraction_count;
    struct naik_prop_source {
        int set, within, of; /* number inside its set, of so many */
        int first_solve;
        int made_of; /* first of the solves that a source is made of; -1: of none, or not known */
    } * source;
    struct naik_prop_solve {
        int source, mass, colour;
    } * solve;
} naik_prop_plan;

/* NAIK_ERR_INPUT for names that cannot be part of a path, or are too many; NAIK_ERR_MEMORY. Local.
 */
naik_status naik_prop_plan_create(naik_log *log, const naik_propagator_spec *spec,
                                  const int size[NAIK_DIM], naik_prop_plan **out);
void naik_prop_plan_destroy(naik_prop_plan **plan);
/* "source 0 mass 1 colour 2", of spinors "source 0 mass 1 spin 3 colour 2": a solve as messages name it. */
#define NAIK_PROP_SOLVE_TEXT 96
void naik_prop_solve_text(const naik_prop_plan *plan, const struct naik_prop_solve *solve,
                          char text[NAIK_PROP_SOLVE_TEXT]);
/* "/prop/s0000/source"; "/prop/s0000/m00"; "/corr/NAME/m00" or "/corr/NAME/s0001/m00". */
void naik_prop_source_path(int source, char path[NAIK_PROP_PATH]);
void naik_prop_slab_path(int source, int mass, char path[NAIK_PROP_PATH]);
void naik_prop_corr_path(const naik_prop_plan *plan, int source, int mass,
                         char path[NAIK_PROP_PATH]);
/* Solves of a source and mass; reals of a site of each. */
static inline int naik_prop_columns(const naik_prop_plan *plan)
{
    return 3 * plan->spin;
}
static inline int naik_prop_reals(const naik_prop_plan *plan)
{
    return 6 * plan->spin;
}
/* The first solve of a source and mass. */
static inline int naik_prop_first(const naik_prop_plan *plan, int source, int mass)
{
    return plan->source[source].first_solve + naik_prop_columns(plan) * mass;
}
/* The element of a propagator's dataset. */
static inline hid_t naik_prop_type(const naik_prop_plan *plan)
{
    return plan->spin == 1 ? naik_h5_tensor(plan->precision, 1) : naik_h5_spinor(plan->precision);
}
static inline const naik_prop_names *naik_prop_names_of(const naik_prop_plan *plan, int source)
{
    return &plan->names[plan->source[source].set];
}
void naik_prop_names_clear(naik_prop_names *names);
/* Those that set number `set` of a spec has. */
naik_correlator_choice naik_prop_choice(const naik_propagator_spec *spec, int set);
/* Whether there is a momentum that does not vanish. */
bool naik_prop_is_moving(const naik_prop_names *names);
/* Whether correlators of that momentum are complex in the file. */
bool naik_prop_is_complex(const naik_prop_names *names, int momentum);
/* The element of per_colour: a real, or {r,i}. The caller releases the type. */
static inline hid_t naik_prop_number_type(const naik_prop_names *names)
{
    return names->parts == 2 ? naik_h5_complex(64) : H5Tcopy(H5T_IEEE_F64LE);
}
/* Reals in the correlators of one colour of a source: correlators x momenta x T x parts; of that source
 * which has the most. */
int64_t naik_prop_corr_count(const naik_prop_plan *plan, int source);
int64_t naik_prop_corr_most(const naik_prop_plan *plan);
/* Bytes of one (source, mass, colour) in the file. */
int64_t naik_prop_slab_bytes(const naik_prop_plan *plan);
/* The shape in lines of "key = value", for comparison; owned by the caller, NULL without memory. */
char *naik_prop_structure(const naik_propagator_spec *spec, const int size[NAIK_DIM]);

struct naik_propagator_file {
    const naik_lattice *lattice;
    naik_comm *comm;
    naik_prop_plan *plan;
    naik_solve_record *records;    /* [solve_count] */
    uint32_t *small_crc;           /* [solve_count][2], of correlators and history */
    naik_lock *lock;               /* NULL for a complete file */
    naik_reservation *reservation; /* of the blocks of .part; NULL: they are set aside */
    naik_watchdog *watchdog;       /* of its own, where the communicator had none; else NULL */
    double io_limit_s;             /* of one commit */
    int iteration_limit;           /* of this run; 0: not known */
    hid_t h5;
    bool complete;
    bool until_contracted; /* propagators are not in the finished file */
    bool replace;          /* its result may take the place of a file that is there */
    bool broken;           /* a write failed: HDF5 may not be asked to close the file any more */
    bool begun;            /* .part was made by this run */
    int resumed, session;
    uint32_t identity;        /* crc32 over the texts that decide the answer */
    uint32_t identity_before; /* as naik 0.5.0 and earlier formed it */
    char *choices;
    char *structure; /* naik_prop_structure; NULL where there is no spec */
    char path[NAIK_PATH_MAX], part[NAIK_PATH_MAX], journal[NAIK_PATH_MAX];
};

static inline bool naik_prop_owns_journal(const naik_propagator_file *file, uint32_t identity)
{
    return identity == file->identity || identity == file->identity_before;
}

/* The record of a solve that is still to be done. */
static inline naik_solve_record naik_prop_pending(const naik_prop_plan *plan, int solve)
{
    const struct naik_prop_solve *s = &plan->solve[solve];
    return (naik_solve_record){.source = s->source, .mass = s->mass, .colour = s->colour};
}

/* Whether the solution of a committed solve is in the file. */
static inline bool naik_prop_has_slab(const naik_propagator_file *file, int solve)
{
    return file->plan->store && !naik_prop_is_left_out(&file->records[solve]);
}

/* What file->h5 is open as. */
static inline const char *naik_prop_path(const naik_propagator_file *file)
{
    return file->complete ? file->path : file->part;
}

/* io/prop/handle.c */
int naik_prop_count_done(const naik_propagator_file *file); /* committed solves */
/* Where no other watchdog watches, one of the file's own: only what is armed. Local. */
naik_status naik_prop_start_watchdog(naik_propagator_file *file, const naik_propagator_spec *spec);
void naik_prop_stop_watchdog(naik_propagator_file *file);

/* io/prop/create.c: makes file->part with everything but the solves. Collective. */
naik_status naik_prop_create(naik_propagator_file *file, const naik_propagator_spec *spec);
/* io/prop/sessions.c: writes this run into the next free slot of /metadata/sessions. Collective. */
naik_status naik_prop_begin_session(naik_propagator_file *file, const naik_propagator_spec *spec);
/* Calls `each` with the text of every run that can be read. Local. NAIK_ERR_MEMORY */
typedef naik_status naik_prop_session(void *context, int number, const char *text);
naik_status naik_prop_read_sessions(naik_log *log, hid_t h5, naik_prop_session *each,
                                    void *context);
/* io/prop/create.c: root attribute `state` of file->part, which nobody may have open. Collective. */
naik_status naik_prop_change_state(naik_propagator_file *file, const char *state);

/* io/prop/check.c */
/* Every rank takes *text of rank 0, allocated or NULL. Collective. */
naik_status naik_prop_share_text(naik_comm *comm, char **text);
/* Every rank takes file->choices of rank 0, which found the choices in `path`. Collective. */
naik_status naik_prop_share_choices(naik_propagator_file *file, const char *path);
/* NAIK_ERR_INPUT with the first difference between what h5 was begun with and spec. Collective. */
naik_status naik_prop_compare(naik_propagator_file *file, const char *path,
                              const naik_propagator_spec *spec);
/* The first part of naik_prop_compare, which needs no more than the input. Local. */
naik_status naik_prop_compare_input(naik_log *log, hid_t h5, const char *path,
                                    const char *canonical_input);
/* io/prop/claim.c: a .part that is no propagator file is not begun again. Local. NAIK_ERR_INPUT */
naik_status naik_prop_refuse_other(naik_log *log, hid_t h5, const char *path);
/* NAIK_ERR_CORRUPT where h5 (below 0: could not be opened) is a damaged propagator file,
 * NAIK_ERR_INPUT where h5 is an unfinished one, or another file. Local. */
naik_status naik_prop_expect_complete(naik_log *log, hid_t h5, const char *path);
/* Reads /solves into file->records; broken records count as pending. Collective. */
naik_status naik_prop_load_records(naik_propagator_file *file, bool warn);
/* NAIK_ERR_CORRUPT where file->records of a file that calls itself complete are of solutions that were left
 * out of an unfinished one. Local. */
naik_status naik_prop_expect_solutions(const naik_propagator_file *file);
/* *intact: slab, correlators and history of a committed solve agree with its record, if not at
 * once then when read again. Collective; the same on every rank.
 * NAIK_ERR_IO: the data cannot be read, which says nothing about the data */
naik_status naik_prop_check_solve(naik_propagator_file *file, int solve, bool *intact);
/* *bad = committed solves that are damaged; with `reset` those solves become pending, on disk too. Also
 * checks the summed correlators. Collective. */
naik_status naik_prop_verify(naik_propagator_file *file, bool reset, int *bad);

/* The solve is pending again, on disk too; not flushed. Collective. */
naik_status naik_prop_reset_solve(naik_propagator_file *file, int solve);

/* Adds to *bad the summed correlators that are not the sum of their colours, or writes the sums again
 * (repair). Collective. */
naik_status naik_prop_check_sums(naik_propagator_file *file, bool repair, int *bad);

/* io/prop/access.c: the data of one solve in an open file. */
naik_status naik_prop_write_pending(naik_propagator_file *file, int solve); /* rank 0 */
naik_status naik_prop_open_slab(const naik_propagator_file *file, int solve, naik_h5_field *field);
void naik_prop_close_slab(naik_h5_field *field);
naik_status naik_prop_read_correlators(const naik_propagator_file *file, int solve, double *out);
naik_status naik_prop_read_history(const naik_propagator_file *file, int solve, double *out);
/* The line of the journal for a solve that is in the file. Local. */
naik_status naik_prop_locate(const naik_propagator_file *file, int solve,
                             naik_journal_entry *entry);
/* Sum over the columns, in order, [correlators][momenta][T][parts]. Rank 0. */
naik_status naik_prop_sum_colours(const naik_propagator_file *file, int source, int mass,
                                  double *out);
naik_status naik_prop_write_sums(naik_propagator_file *file, int source, int mass,
                                 const double *sums);
/* One of the correlators, [T][parts]. Rank 0. */
naik_status naik_prop_read_sum(const naik_propagator_file *file, int source, int mass, int index,
                               double *out);
naik_status naik_prop_read_sums(const naik_propagator_file *file, int source, int mass,
                                double *out);
/* One commit, from data in memory; `disk` complete but for checksums. Collective. */
naik_status naik_prop_commit(naik_propagator_file *file, int solve, const double *solution,
                             const double *correlators, const double *history,
                             naik_solve_record *record);

/* io/prop/stored_plan.c: plan, checksums and place for the records of an open file, from the file alone;
 * *disk, from malloc, the records as /solves has them, to be unpacked. Collective.
 * NAIK_ERR_CORRUPT: the file contradicts itself; what was allocated is then in *file and *disk. */
naik_status naik_prop_describe(naik_comm *comm, hid_t h5, const char *path,
                               naik_propagator_file *file, naik_disk_record **disk);

/* naik_prop_describe on this rank alone, to be looked at: correlators of a set may be `damaged`. file->comm
 * is the caller's. */
naik_status naik_prop_describe_alone(naik_log *log, hid_t h5, const char *path,
                                     naik_propagator_file *file, naik_disk_record **disk);

/* io/prop/stored_plan.c: opens a group or dataset; -1 where there is none. Every part of the path is
 * looked at. Local. */
hid_t naik_prop_open_object(hid_t h5, const char *path);
void naik_prop_release_object(hid_t object);

/* io/prop/retry.c: solves that earlier runs gave up at a lower limit of iterations */
/* How many there are in file->records. Local. */
int naik_prop_count_retries(const naik_propagator_file *file);
/* The open, complete PATH becomes .part again, under the lock, with a journal, and is closed.
 * Collective. NAIK_ERR_INPUT: another job holds the lock */
naik_status naik_prop_reopen(naik_propagator_file *file);
/* Such solves are pending again, in the open .part too. Collective. */
naik_status naik_prop_reset_retries(naik_propagator_file *file);
/* Solves are pending again, too, whose sources are made of solutions that are pending: these may come out
 * different. Collective. */
naik_status naik_prop_reset_derived(naik_propagator_file *file);
/* Whether solutions that the source of a solve is made of are to be solved. Local. */
bool naik_prop_is_derived_due(const naik_propagator_file *file, int solve);
/* The verified, open .part has a journal of its own: where there is none that can be read it is
 * written again from the records. Collective. NAIK_ERR_IO */
naik_status naik_prop_keep_journal(naik_propagator_file *file);

/* io/prop/leave_out.c: the closed .part, whose contractions are all written, loses its propagators;
 * plan->store is false from then on. Collective. NAIK_ERR_IO, NAIK_ERR_MEMORY */
naik_status naik_prop_leave_out(naik_propagator_file *file);

/* io/prop/rebuild.c */
/* file->part is readable, but HDF5 cannot open it, or it has no state: sets it and its journal
 * apart as *.damaged. Without a journal nothing was stored in it, and it stays to be begun again.
 * Collective. NAIK_ERR_INPUT: the .part is of another input. NAIK_ERR_IO: the .part cannot be read or
 * renamed */
naik_status naik_prop_quarantine(naik_propagator_file *file);
/* There is a pair of quarantined files, or half of one: *found. Then file->choices are those of its
 * journal: what is saved and what is still to be solved must agree. Collective. */
naik_status naik_prop_find_quarantined(naik_propagator_file *file, bool *found);
/* Commits into the new part what the pair still holds intact, then removes the pair; where nothing
 * of its solves could be saved the pair is renamed to *.damaged.kept. */
naik_status naik_prop_rebuild(naik_propagator_file *file);
/* Removes .part, journal, the solves in flight and whatever is quarantined. */
naik_status naik_prop_discard(naik_propagator_file *file);

#endif
