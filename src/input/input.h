/* input.h - the input of `naik solve` and `naik links`, read, checked and typed
 *
 * The YAML file, then `--set` overrides, then NAIK_BACKEND and NAIK_GRID of the environment. What
 * arrives here is complete and consistent: every default filled in, every range and cross check
 * done; whoever uses it checks only against files and machine. The keys are in src/input/input_table.c.
 */
#ifndef NAIK_INPUT_INPUT_H
#define NAIK_INPUT_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "backend/mode_of_launch.h"
#include "backend/route.h"
#include "keys/params.h"
#include "multigrid/parameters.h"
#include "naik/comm.h"
#include "naik/meson.h"
#include "naik/source.h"
#include "operator/quark.h"

typedef enum naik_input_precision {
    NAIK_INPUT_AUTO,
    NAIK_INPUT_DOUBLE,
    NAIK_INPUT_SINGLE,
    NAIK_INPUT_HALF
} naik_input_precision;

typedef enum naik_input_switch {
    NAIK_INPUT_CHOOSE,
    NAIK_INPUT_ON,
    NAIK_INPUT_OFF
} naik_input_switch;

typedef enum naik_input_backend {
    NAIK_INPUT_BACKEND_AUTO,
    NAIK_INPUT_BACKEND_CPU,
    NAIK_INPUT_BACKEND_GPU
} naik_input_backend;

typedef enum naik_input_progress {
    NAIK_INPUT_PROGRESS_AUTO,
    NAIK_INPUT_PROGRESS_LINES,
    NAIK_INPUT_PROGRESS_OFF
} naik_input_progress;

typedef enum naik_dilution { NAIK_DILUTE_TIME, NAIK_DILUTE_PARITY } naik_dilution;

/* One entry of `solve:`. All masses are solved for each of its origins and three colours. */
typedef struct naik_input_solve {
    const char *name;        /* unique, of A-Z a-z 0-9 _ - */
    naik_reals masses;       /* > 0; of quarks with spin > -4 */
    naik_reals kappas;       /* as given; the masses are 1/(2 kappa) - 4 */
    naik_reals naik_epsilon; /* as many as masses; zeros where not given */
    naik_reals twist;        /* of twist.h: x, y, z; none: not twisted */
    int *quark;              /* [masses.count] of each, its place in quarks[] of the input */
    double tolerance;        /* the solver's where not given */
    naik_source source;      /* all but the origin, which is that of the first */
    naik_vectors origins;    /* of point and gaussian: as given; of walls: (0, 0, 0, t0) */
    naik_ints t0;            /* of walls, as given */
    const char *source_file; /* of type file and sequential */
    const char *propagator;  /* of type sequential: the label of a source in that file, */
    double source_mass;      /* its mass, */
    double source_kappa;     /* as given in its place; else 0 */
    double source_epsilon;   /* its Naik epsilon, where the next says so, and */
    bool chooses_epsilon;
    int insertion;      /* the operator on it: naik_meson, or NAIK_MESONS + naik_spin_meson */
    naik_ints dilution; /* of noise: naik_dilution */
    int spacing;        /* of the four-dimensional colouring of noise; 1: none */
    int parts; /* so many sources a noise field has, each on sites of its own; 1: not diluted */
    int hits; /* so many noise fields an origin has; source k is part k % parts of field k / parts % hits */
    naik_ints colours;     /* source colours that are solved; none: all */
    naik_ints correlators; /* of its solves, as output.correlators: its own, or those; none of */
    naik_ints channels;    /* single colours */
    naik_vectors momenta;
    bool own_correlators; /* they are not those of the output */
    bool deflate;         /* with the low modes of deflation, where there are any */
    const char *guess;    /* propagator file of starting values; NULL: none */
} naik_input_solve;

typedef enum naik_input_weight { NAIK_INPUT_WEIGHT_EXP, NAIK_INPUT_WEIGHT_COS } naik_input_weight;
enum { NAIK_INPUT_FROM_SOURCE = -1 }; /* as output.origin[0]: from the source of each */

/* Between deflation.file and a Naik epsilon in the name of the modes of each epsilon but the first. */
#define NAIK_INPUT_OF_EPSILON ".epsilon"
/* And between multigrid.file and the twist of the quarks whose twist is not that of the first. */
#define NAIK_INPUT_OF_TWIST ".twist"
enum { NAIK_INPUT_MODES_AUTO = -1 }; /* as deflation.modes: the plan decides */
enum { NAIK_INPUT_GROUPS_AUTO = 0 }; /* as run.groups: the model decides */

typedef enum naik_input_sink {
    NAIK_INPUT_SINK_POINT,
    NAIK_INPUT_SINK_WALL, /* quark and antiquark summed over the time slice, each by itself */
    NAIK_INPUT_SINK_COVARIANT_GAUSSIAN /* each smeared with links, then as point */
} naik_input_sink;

/* Mesons of the propagators of two entries of `solve:`. */
typedef struct naik_input_pair {
    const char *name, *quark, *antiquark;
    naik_input_sink sink;
    double radius;  /* of covariant_gaussian: r0 and n of gauss_smear.h; else 0 */
    int iterations; /* of it; else 1 */
    int of[2];      /* quark's and antiquark's place in solve[] */
} naik_input_pair;

/* A baryon of the propagators of three entries of `solve:`, which may be the same. */
typedef struct naik_input_baryon {
    const char *name;
    naik_texts quarks;   /* three names */
    naik_ints operators; /* numbers of naik_baryon */
    int of[3];           /* their places in solve[] */
} naik_input_baryon;

/* Three-point functions: parent and spectator from one source, the spectator's solution on a sink time as the
 * source of the daughter, a current between daughter and parent. Each mass of the spectator has an entry of solve
 * of its own, behind those that were given. */
typedef struct naik_input_three_point {
    const char *name; /* "three_point_0" where none is given */
    const char *parent, *spectator;
    int of[2]; /* their places in solve[] */
    int sink,
        source; /* operators of the mesons at the sink and, of quarks with spin, at the source: numbers
                                of naik_input_correlator_name */
    naik_ints insertion;  /* of the current, the same numbers */
    naik_ints sink_times; /* counted from the source */
    naik_vectors momenta; /* of the current */
    naik_vectors sink_momenta;
    naik_reals masses;       /* of the daughter */
    naik_reals kappas;       /* as given in their place */
    naik_reals naik_epsilon; /* as many as masses; zeros where not given */
    double tolerance;        /* the solver's where not given */
    int first;               /* of its entries in solve[], one for each mass of the spectator */
} naik_input_three_point;

typedef enum naik_input_average_type {
    NAIK_INPUT_TRUNCATED_SOLVES,
    NAIK_INPUT_LOW_MODES
} naik_input_average_type;

/* Behind the name of an entry whose solves are sloppy: the entry of its exact solves. */
#define NAIK_INPUT_EXACT "+exact"

/* An average over the sources of an entry (contract/average.h). Of truncated solves the exact ones are an entry of solve of their own,
 * behind all others; those of the entry that is named become sloppy. */
typedef struct naik_input_average {
    naik_input_average_type type;
    const char *name; /* "average_0" where none is given */
    const char *solve;
    double tolerance_sloppy; /* 0: not given */
    int exact_sources;       /* so many; 0: not given */
    uint64_t seed;
    int of, exact; /* the places in solve[] of the entry and of its exact solves, -1: none */
    int pair; /* of low modes the pair in place of an entry, whose antiquark is `of`; -1: none */
    naik_ints subset; /* the sources of the entry that are solved exactly, in their order */
} naik_input_average;

/* One source: an origin of a solve. `index` numbers the sources of the whole input: /prop/s0007 */
typedef struct naik_input_source {
    int index, solve, origin; /* place in sources[], in solve[], in solve[].origins */
    const char *label;  /* the solve's name; NAME_0, NAME_1 ... where it has several origins */
    naik_source source; /* complete, with its origin */
    int x0[NAIK_DIM]; /* where its correlators are counted from: its origin, of a sequential source
                           that of the source it was made from, once sequential_open knows it; of a
                           three-point function where spectator and parent are counted from together */
    int made_of; /* of a three-point function: the source, in sources[], whose solution is its source, */
    int made_of_mass; /* and the mass, in the masses of that entry; made_of is -1 of all others */
    int parent;       /* of a three-point function: the parent's source, in sources[] */
} naik_input_source;

/* One right-hand side. Tasks run over solve, origin, mass, colour, the last fastest; of quarks
 * with spin the colour is the column, 3 spin + colour. */
typedef struct naik_input_task {
    int source, solve, mass, colour; /* source: index in sources[]; mass: in solve[].masses */
    int quark;                       /* index in quarks[] */
} naik_input_task;

typedef struct naik_input {
    struct {
        int size[NAIK_DIM];
        bool antiperiodic_t;
        bool boundary_given; /* boundary_t is in the input; else it is the default */
    } lattice;
    struct {
        const char *file;   /* NULL with action.type links */
        const char *config; /* what {config} stands for in the names of files; NULL: nothing */
        naik_texts configs; /* to be run one after the other where `every` */
        bool every;         /* config is the first of configs, because it was not given */
        bool config_used;   /* the name of some file has {config} */
        bool warn_only;     /* on_mismatch: warn */
        double max_unitarity_deviation;
        bool reunitarise;
    } gauge;
    struct {
        int type;              /* place in naik_quark_kinds */
        double u0;             /* of asqtad, and beside csw, where 0: not given */
        int projection;        /* of hisq: 0 U(3), 1 SU(3) */
        double csw;            /* of clover and twisted_mass */
        double mu;             /* of twisted_mass */
        const char *file;      /* of links: naik's HDF5, or the fat links */
        const char *long_file; /* of links: the long links where `file` has none; else NULL */
    } action;
    naik_input_solve *solve; /* [solve_count] */
    int solve_count;
    naik_input_pair *pairs; /* [pair_count] */
    int pair_count;
    naik_input_baryon *baryons; /* [baryon_count] */
    int baryon_count;
    naik_input_three_point *three_points; /* [three_point_count] */
    int three_point_count;
    naik_input_average *averages; /* [average_count] */
    int average_count;
    struct {
        double tolerance;
        double tolerance_full; /* on |src - M x| / |src|; 0: not asked for */
        int max_iterations;
        naik_input_precision inner_precision;
        naik_input_switch multishift;
        int method;                     /* naik_method of bicgstab.h: of quarks with spin; of auto
                                           the one that goes before multigrid */
        bool method_auto;               /* solver.method auto */
        int link_numbers;               /* see naik_input_recon */
        int batch;                      /* right-hand sides at a time; 0: auto */
        double site_relative_tolerance; /* 0: not asked for */
        bool double_check;              /* verify: double_check */
        int double_check_every;         /* one solve in so many */
    } solver;
    struct {
        int modes;             /* 0: none; NAIK_INPUT_MODES_AUTO */
        const char *file;      /* NULL: none */
        const char *import;    /* NULL: none */
        const double *epsilon; /* borrowed: of `file`. NULL: of the first entry with modes */
        int precision;         /* 16 or 32 */
        int file_precision;    /* the same, of a file that is made */
        double again, tolerance;
        int krylov, degree;  /* 0: auto */
        naik_reals interval; /* two numbers, or none: auto */
        int max_cycles;
    } deflation;
    naik_multigrid_parameters multigrid;
    double setup_kappa;         /* multigrid.setup_kappa; 0: the lightest quark's */
    const char *multigrid_file; /* multigrid.file; NULL: none */
    struct {
        const char *file;
        bool propagators;
        int precision; /* 32 or 64 */
        naik_ints
            correlators;    /* of each solve that has none of its own, and of pairs: of naik_meson;
                                  NAIK_MESONS: the pion of quarks with spin */
        naik_ints channels; /* of naik_spin_meson, of all columns together */
        naik_vectors momenta; /* first three components */
        naik_input_weight weight;
        int origin[NAIK_DIM]; /* x0 of all; NAIK_INPUT_FROM_SOURCE first: of each its own */
        naik_ints baryons;    /* numbers of naik_baryon */
        naik_ints loops;      /* numbers of naik_input_correlator_name */
        bool condensate, average;
        bool
            print_correlators; /* all of them into the log, and not a line of each source and mass */
        naik_pairs mpi_info;
        int64_t alignment; /* bytes; 0: none */
        int aggregators;   /* 0: collective writing */
    } output;
    struct {
        naik_input_backend backend;
        int grid[NAIK_DIM];  /* of a group; zeros: auto */
        int groups;          /* of ranks; NAIK_INPUT_GROUPS_AUTO */
        int threads;         /* 0: as OpenMP says */
        double wall_limit_s; /* 0: none */
        double watchdog_s;   /* 0: none */
        naik_transport transport;
        naik_launch_mode launch;
        bool share_gpu;
        const char *tune_cache; /* path, or auto, or none */
        bool placement;
        naik_input_progress progress;
        double progress_interval_s;
        const char *events; /* NULL: no log of events */
    } run;

    bool
        older; /* out of a file whose correlators, and walls of one corner, are counted from the lattice's
                   origin, and whose weights are cosines */

    const naik_quark_kind *kind; /* of all its quarks */
    naik_quark *quarks;          /* [quark_count], each once, in the order of solve and masses */
    int quark_count;
    naik_input_source *sources; /* [source_count] */
    int source_count;
    naik_input_task *tasks; /* [task_count] */
    int task_count;

    const char *text;      /* the file as given, the line NAIK_INPUT_END, then one comment line an
                              override: provenance */
    const char *expanded;  /* lines of it: an override for each name of a file that had ~ or $ in
                              it; NULL: none */
    const char *canonical; /* every key and its value, "key = value" lines in a fixed order */
    const char *identity;  /* of these, the keys whose change changes the answer: for resume */
    naik_yaml *tree;       /* owns everything above */
} naik_input;

/* The quark of a mass of an entry; of a task. */
static inline const naik_quark *naik_input_quark(const naik_input *input, int solve, int mass)
{
    return &input->quarks[input->solve[solve].quark[mass]];
}
/* Groups of ranks that the input can be solved by, whatever the ranks are. */
int naik_input_most_groups(const naik_input *input);
static inline const naik_quark *naik_input_task_quark(const naik_input *input, int task)
{
    return &input->quarks[input->tasks[task].quark];
}
/* Whether low modes are removed from solves of this quark, of some entry; the first such quark that
 * shares links with it, which may be that one. */
bool naik_input_deflates(const naik_input *input, int quark);
int naik_input_first_deflated(const naik_input *input, int quark);
/* Where the modes of this epsilon are, `path` with NAIK_PATH_MAX bytes. */
void naik_input_modes_path(const naik_input *input, double naik_epsilon, char *path);
/* Where the near-null vectors of this quark are kept, as above; multigrid.file is given. */
void naik_input_multigrid_path(const naik_input *input, const naik_quark *quark, char *path);
/* Where another code's are, that deflation.import names; "" where it does not. */
void naik_input_import_path(const naik_input *input, double naik_epsilon, char *path);
/* The first source of an entry, among all of the input. */
static inline int naik_input_first_source(const naik_input *input, int solve)
{
    int first = 0;
    while (input->sources[first].solve != solve) {
        first++;
    }
    return first;
}
/* Whether every source colour of an entry is solved; whether this one is, which else is zero. */
static inline bool naik_input_is_whole(const naik_input_solve *solve)
{
    return solve->colours.count == 0 || solve->colours.count == 3;
}
static inline bool naik_input_asks_colour(const naik_input_solve *solve, int colour)
{
    bool asked = naik_input_is_whole(solve);
    for (int i = 0; i < solve->colours.count; i++) {
        asked = asked || solve->colours.data[i] == colour;
    }
    return asked;
}
/* Numbers stored of a link of quarks with spin below double precision. */
static inline int naik_input_recon(const naik_input *input)
{
    static const int numbers[] = {18, 12, 8};
    return numbers[input->solver.link_numbers];
}
/* The twist of an entry, [3]; NULL: none. */
static inline const double *naik_input_twist(const naik_input_solve *solve)
{
    const double *twist = solve->twist.data;
    return solve->twist.count == NAIK_DIM - 1 && !naik_twist_none(twist) ? twist : NULL;
}
/* Whether two entries have the links of a Naik epsilon in common. */
static inline bool naik_input_same_twist(const naik_input_solve *a, const naik_input_solve *b)
{
    return naik_twist_same(naik_input_twist(a), naik_input_twist(b));
}
/* "colour=2", or "spin=3 colour=2". */
enum { NAIK_INPUT_COLUMN_TEXT = 32 };
void naik_input_column_text(const naik_input *input, int column, char text[NAIK_INPUT_COLUMN_TEXT]);
/* "source=pt mass=0.1 colour=2"; returns text. */
enum { NAIK_INPUT_TASK_TEXT = 128 + NAIK_QUARK_NAME + NAIK_INPUT_COLUMN_TEXT };
const char *naik_input_task_text(const naik_input *input, const naik_input_task *task,
                                 char text[NAIK_INPUT_TASK_TEXT]);
/* Whether a momentum does not vanish. */
static inline bool naik_input_is_moving(const int p[NAIK_DIM - 1])
{
    return p[0] != 0 || p[1] != 0 || p[2] != 0;
}
/* Whether any of a list does not. */
static inline bool naik_input_any_moving(const naik_vectors *momenta)
{
    bool moving = false;
    for (int p = 0; p < momenta->count; p++) {
        moving = moving || naik_input_is_moving(momenta->data[p]);
    }
    return moving;
}
/* Whether correlators with momentum of its sources have no average: cosines counted from one site, of
 * sources at several places. */
bool naik_input_mixes_places(const naik_input *input, const naik_input_solve *solve);
/* The insertion of an entry with a sequential source. */
const char *naik_input_insertion_name(const naik_input_solve *solve);
/* The three-point function that an entry of solve[] belongs to; NULL: none. */
const naik_input_three_point *naik_input_three_point_of(const naik_input *input, int solve);
/* The average of truncated solves whose sloppy or exact ones are those of an entry of solve[]; NULL: none. */
const naik_input_average *naik_input_average_of(const naik_input *input, int solve);
/* The name of a number in output.correlators, solve[].correlators or three_point[].insertion. */
const char *naik_input_correlator_name(int correlator);
/* Whether loops are made of the noise of an entry. Local. */
bool naik_input_has_loops(const naik_input *input, const naik_input_solve *solve);
/* The noise field that source number k of an entry of noise is a part of: of seed + that. Local. */
int naik_input_noise_field(const naik_input_solve *solve, int k);
/* Whether an average of type low_modes takes the modes of a quark's links. Local. */
bool naik_input_averages_modes(const naik_input *input, const naik_quark *quark);
/* Whether an average is one of loops: of type low_modes and of an entry of noise. Local. */
bool naik_input_averages_loops(const naik_input *input, const naik_input_average *average);
/* The word of a naik_baryon. */
const char *naik_input_baryon_name(int baryon);
/* Whether the propagators of an entry alone have it: there are such quarks, and a corner where it is summed. Local. */
bool naik_input_has_baryon(const naik_input *input, const naik_input_solve *solve, int baryon);

/* Reads the file on rank 0, broadcasts its bytes, and parses them on every rank.
 *   overrides   `count` texts "section.key=value", "solve.0.masses=[0.1]", applied in order
 * The files of the input are then reached as naik_input_use_io says. Collective; the same result on
 * every rank. Destroy with naik_input_destroy. NAIK_ERR_INPUT    the sentence names file, line,
 * column, key and the nearest valid key NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_input_load(naik_comm *comm, const char *path, const char *const *overrides,
                            int count, naik_input **out);
void naik_input_destroy(naik_input **input);
/* Sets comm->io to what output.mpi_info, alignment and aggregators say, for every file read or
 * written from then on. Local. */
void naik_input_use_io(naik_comm *comm, const naik_input *input);

/* Writes name, with config in place of each {config}, to `to` unless that is NULL. Returns the bytes of
 * the result, with the zero at its end. */
size_t naik_input_put_config(const char *name, const char *config, char *to);
/* For commands that do one configuration: NAIK_ERR_INPUT where gauge.configs asks for several and
 * gauge.config chooses none. */
naik_status naik_input_choose_one(naik_log *log, const naik_input *input);

/* naik_input_load from bytes in memory, local. `backend` and `grid` are the values of NAIK_BACKEND and
 * NAIK_GRID, or NULL. */
naik_status naik_input_parse(naik_log *log, const char *name, const char *bytes, size_t size,
                             const char *const *overrides, int count, const char *backend,
                             const char *grid, naik_input **out);
/* What the environment says of the ~, ~user, $NAME and ${NAME} in some texts. */
typedef struct naik_variables {
    char *list;  /* "NAME=value", each ended by a zero; of users "~NAME=folder" */
    size_t size; /* of the list, bytes */
} naik_variables;
/* What rank 0's environment says of a text and of more texts, on every rank. Collective. NAIK_ERR_MEMORY */
naik_status naik_variables_read(naik_comm *comm, const char *text, size_t size,
                                const char *const *texts, int count, naik_variables *out);
void naik_variables_clear(naik_variables *variables);

/* The same of a text that a file carries, which an earlier version may have taken.
 *
 *   identity  the one that the file carries beside it, which tells how its correlators are counted; NULL:
 *             as now
 *   known     with which names of files are expanded; NULL: they are as they are */
naik_status naik_input_parse_stored(naik_log *log, const char *bytes, size_t size,
                                    const char *const *overrides, int count, const char *identity,
                                    const naik_variables *known, naik_input **out);

/* The input of an output that was begun with the identity `begun`: an input that differs only in keys that it gives with the
 * value which naik takes without them, or leaves out so, gets that identity. NAIK_ERR_MEMORY */
naik_status naik_input_go_on(naik_log *log, naik_input *input, const char *begun);
/* Whether a line of this input's identity gives a key with the value that naik takes without it. */
bool naik_input_says_nothing(const naik_input *input, const char *line);

/* Line of naik_input.text behind which its own comments do not reach; files written before it have
 * none. */
#define NAIK_INPUT_END "# end of the input; set elsewhere:"

/* Prints the reference of all keys, made from the table. */
void naik_input_print_reference(naik_log *log);
/* The same as a JSON schema. NAIK_ERR_MEMORY */
naik_status naik_input_print_schema(naik_log *log);

#endif
