/* bench.h - what the measurements of `naik bench` share: the set-up, the clock, the line
 *
 * A line is key=value pairs in a fixed order, or the same as one JSON object. Samples of the thing
 * measured and of the machine's copy alternate, so that their ratio survives a machine whose load
 * changes; medians are reported, and the spread (largest - smallest) / median beside.
 */
#ifndef NAIK_BENCH_BENCH_H
#define NAIK_BENCH_BENCH_H

#include "links/smear.h"
#include "model/machine.h"
#include "naik/comm.h"
#include "operator/set.h"
#include "run/workplace.h"
#include "solver/solver.h"

enum { BENCH_MAX_LIST = 16, BENCH_MAX_REPEAT = 1000, BENCH_EACH = -1 };

/* Beside naik_action_type. */
enum { BENCH_WILSON = NAIK_HISQ_SU3 + 1, BENCH_CLOVER };

typedef enum bench_links_kind { BENCH_RANDOM, BENCH_RANDOM_HISQ, BENCH_UNIT } bench_links_kind;

typedef struct bench_options {
    int size[NAIK_DIM];
    int links;     /* bench_links_kind */
    int action;    /* naik_action_type, BENCH_WILSON or BENCH_CLOVER */
    int precision; /* naik_precision of vectors, or modes; of cg: -1 stands for the inner one */
    int link_precision;  /* naik_precision; -1: as the vectors */
    int inner_precision; /* of cg: naik_input_precision, which chooses all of these; -1: not said */
    int first_rung;      /* of cg: naik_rung; -1: by mass */
    int recon;           /* 0: nothing compressed */
    int nrhs[BENCH_MAX_LIST], nrhs_count;
    int batch;                       /* of cg; 0: all right-hand sides at once */
    int backend, threads, transport; /* naik_transport */
    bool share_gpu;
    int threads_per_site; /* of the Dslash: 0 chosen, 1, 3, 4, 12; BENCH_EACH */
    int launch_mode;      /* of an iteration: naik_launch_mode; BENCH_EACH */
    double tolerance, delta;
    double csw; /* of --action clover; below 0: not given, which is 1 */
    double mass[BENCH_MAX_LIST], shared[BENCH_MAX_LIST]; /* of cg: one by one; or, ascending, all of
                                                          * every right-hand side together */
    int mass_count, shared_count;                        /* shared_count 0: `mass` */
    const char *gauge; /* file of the configuration; NULL: links as --links */
    int modes;         /* of modes */
    int source;        /* of cg: 0 random, 1 point */
    int max_iterations;
    bool temporal_gauge; /* naive: links in direction t are 1 but on the last slice */
    bool weak,
        strong;     /* size is a rank's, or the lattice's; both run a fixed number of iterations */
    int iterations; /* of every cg solve, whatever the residual; 0: until it converges */
    int grid[NAIK_DIM]; /* 0: chosen */
    int repeat;         /* samples */
    double time_s;      /* of a sample, at least */
    int copy_mib; /* what a node copies for its copy speed, in MiB; 0: enough to exceed all caches */
    const char *file, *mpi_info; /* of bench io; and how it reaches its file */
    int alignment, aggregators;
    bool json;
} bench_options;

extern const char *const bench_backends[]; /* the names of options.backend */
extern const char *const bench_actions[];  /* of options.action */
/* Defaults in *options are replaced by what is given. NAIK_ERR_INPUT */
naik_status bench_options_parse(naik_log *log, const char *command, int argc, char **argv,
                                bench_options *options);

/* The machine's copy speed: the STREAM triad (streaming stores) in host memory, or a copy of fields
 * on a device. */
typedef struct bench_copy bench_copy;

typedef struct bench {
    naik_comm *comm; /* borrowed */
    const bench_options *options;
    const char *what; /* "dslash", ... */
    int threads;      /* of a rank */
    workplace at;
    const naik_lattice *lattice; /* these three are of the workplace */
    naik_backend *backend;
    naik_geometry *geometry;
    naik_gauge *thin; /* phased links the others are made of; NULL with --links random. Of Wilson
                         quarks: with the sign of the boundary alone */
    naik_fatlong *source;
    double plaquette; /* of --gauge, 1 for unit links */
    bench_copy *copy;
} bench;

typedef naik_status (*bench_body)(void *context);
typedef struct bench_timing {
    double median_s, spread;        /* of one call of the body, the slowest rank's */
    double copy_gbs;                /* of all ranks together */
    double rank_min_s, rank_mean_s; /* of one call, over the ranks; the largest is median_s */
} bench_timing;

/* Warms up, then alternates samples of body (called so often that a sample lasts options.time_s)
 * and of the copy. Collective. */
naik_status bench_measure(const bench *b, bench_body body, void *context, bench_timing *out);
/* Measures a body that takes long: `warm_up` runs before it, and one call of the body is measured. */
naik_status bench_measure_long(const bench *b, bench_body warm_up, bench_body body, void *context,
                               bench_timing *out);

naik_status bench_copy_create(const bench *b, bench_copy **out);
void bench_copy_destroy(bench_copy **copy);
/* Bytes moved by all ranks in one copy of *seconds (the slowest rank's). Collective. */
naik_status bench_copy_sample(const bench *b, bench_copy *copy, double *bytes, double *seconds);

typedef struct bench_line {
    bool json;
    size_t used;
    char text[4096];
} bench_line;

/* Begins with bench=, backend=, device=. */
void bench_line_begin(const bench *b, bench_line *line);
void bench_put_text(bench_line *line, const char *key, const char *value);
void bench_put_int(bench_line *line, const char *key, long long value);
void bench_put_real(bench_line *line, const char *key, const char *format, double value);
/* action=, precision=, links=, recon= */
void bench_put_kind(const bench *b, bench_line *line, naik_precision vectors, naik_precision links,
                    int recon);
/* transport=, without the time of the test exchange */
void bench_put_transport(const bench *b, bench_line *line);
void bench_put_extents(bench_line *line, const char *key, const int extents[NAIK_DIM]);
/* gauge=, plaquette= and source=, of a file */
void bench_put_gauge(const bench *b, bench_line *line);
/* size=, local=, grid=, nodes=, ranks=, threads= */
void bench_put_machine(const bench *b, bench_line *line);
/* floor_gbs=, copy_gbs=, fraction=, spread=, git=, and prints. */
void bench_line_end(const bench *b, bench_line *line, double floor_bytes, double seconds,
                    const bench_timing *timing);

/* Numbers of a link that is not compressed are 18; recon 0 stands for that. */
int bench_recon(const bench *b);
int bench_hops(const bench *b);
static inline bool bench_of_spinors(const bench_options *options)
{
    return options->action >= BENCH_WILSON;
}
naik_precision bench_vectors(const bench *b);
naik_precision bench_link_precision(const bench *b, naik_precision vectors);

/* A gaussian vector [sites][3][2] keyed by seed and global site. */
void bench_random_vector(const naik_lattice *lattice, uint64_t seed, double *out);
/* Such vectors on the even sites of a field in double, seeds 100, 101, ..., or, if the options say
 * so, point sources: the colours of even sites spread over the lattice. Collective. */
naik_status bench_sources(const bench *b, int count, naik_field **out);

/* What the systems of a stream took. */
typedef struct bench_tally {
    int64_t iterations; /* of all */
    int least, most;    /* of a system */
    naik_rung rung;     /* the safest that a solve ended on */
    double worst;       /* true residual */
    int failed;
} bench_tally;
void bench_count(bench_tally *tally, const naik_solver_result *result);
/* What `count` systems took together, each told alone. */
void bench_put_solves(const bench *b, bench_line *line, const bench_tally *tally, int count,
                      double seconds);
/* mode=, what --weak, --strong and --iterations ask for. */
void bench_put_mode(const bench *b, bench_line *line);
/* us_per_iteration=, of a right-hand side, and that of the fastest, mean and slowest rank. */
void bench_put_iteration(bench_line *line, const bench_tally *tally, const bench_timing *timing);

/* The same system of many right-hand sides, solved as often as the clock asks. */
typedef struct bench_solves {
    const bench *b;
    naik_solver *solver;
    naik_solver_options options;
    naik_solver_system system;
    naik_field *sources; /* [count], double */
    int count;
    bench_tally tally; /* of the last time */
} bench_solves;
/* A bench_body: context is a bench_solves. */
naik_status bench_solve(void *context);

/* bench/gauge.c: the extents of the file of --gauge into options.size, NAIK_ERR_INPUT where that is
 * another; b->thin and, where the measurement needs them, b->source. Collective. */
naik_status bench_gauge_size(naik_comm *comm, bench_options *options);
naik_status bench_make_links(bench *b);

/* The measurements: one line or several each. */
naik_status bench_dslash(const bench *b);
naik_status bench_cg(const bench *b);
/* Of cg with several masses. */
naik_status bench_masses(const bench *b, const naik_operator_set *packed, naik_precision vectors,
                         int nrhs);
/* Of spinors. */
naik_status bench_wilson_dslash(const bench *b);
naik_status bench_bicgstab(const bench *b);
/* multigrid.c: parts of a cycle, the setup, whole solves */
naik_status bench_multigrid(const bench *b);
/* wilson.c: random spinors; the blocks of --action clover, NULL of wilson. NAIK_ERR_MEMORY */
naik_status bench_fill_spinors(const bench *b, naik_field *field, naik_parity parity);
naik_status bench_clover(const bench *b, double mass, naik_clover **out);
/* Its csw into a line; nothing of other quarks. */
void bench_put_csw(const bench *b, bench_line *line);
naik_status bench_wilson_cg(const bench *b); /* on the normal equations */
naik_status bench_halo(const bench *b);
naik_status bench_links(const bench *b);
naik_status bench_io(const bench *b);
naik_status bench_modes(const bench *b);
/* A campaign on paper: sources of one mass, without and with low modes. */
typedef struct bench_campaign {
    int size[NAIK_DIM], gpus;
    double mass;
    int modes[BENCH_MAX_LIST], count;
    bool json, table; /* neither: lines */
} bench_campaign;
/* What the model says of multigrid beside what was measured; table, or lines. Local. NAIK_ERR_MEMORY */
naik_status bench_model_multigrid(naik_comm *comm, bool table, bool json);
/* What each of its numbers of modes costs and brings. Collective. NAIK_ERR_INPUT, NAIK_ERR_MEMORY */
naik_status bench_model_modes(naik_comm *comm, const model_machine *m, const bench_campaign *b);
/* Predicts instead of measuring; argv[0] is "model". Local: rank 0 prints. */
naik_status bench_model(naik_comm *comm, int argc, char **argv);

/* `naik bench` (src/cli/commands.h). */
naik_status naik_command_bench(naik_comm *comm, int argc, char **argv);

#endif
