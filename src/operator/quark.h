/* quark.h - what a quark is: its kind, and the numbers that tell it from others of that kind
 *
 * A kind is a row of quarks.c. It says what M is, and what follows from that alone: spins, links,
 * solvers, the words of files. Who wants to know such a thing asks the row, and never for the name
 * of an action. The numbers are members by name; the row lists those that its kind has, says where
 * each goes, and which of them the operator holds.
 */
#ifndef NAIK_OPERATOR_QUARK_H
#define NAIK_OPERATOR_QUARK_H

#include "base/report.h"
#include "links/twist.h"
#include "naik/gauge.h"
#include "operator/operator.h"

typedef struct naik_quark_kind naik_quark_kind;
typedef struct naik_fatlong naik_fatlong;           /* links/smear.h */
typedef struct naik_set_storage naik_set_storage;   /* set.h */
typedef struct naik_operator_set naik_operator_set; /* set.h */

/* A value: two quarks are the same where all members are. */
typedef struct naik_quark {
    const naik_quark_kind *kind;
    double mass;
    double naik_epsilon;
    double csw, u0;             /* as given; u0 of 0 is not given, which is 1 */
    double mu;                  /* of the twisted mass; 0: none */
    double twist[NAIK_DIM - 1]; /* of twist.h, a whole vector of zeros: none */
} naik_quark;

/* Where a number goes, as bits. */
enum {
    NAIK_NUMBER_FILE = 1,  /* an attribute of propagators and correlators in files */
    NAIK_NUMBER_TOLD = 2,  /* told of a quark, in the log and by exports */
    NAIK_NUMBER_LINKS = 4, /* the links are made with it, */
    NAIK_NUMBER_OPERATOR =
        8,                  /* or the operator; other numbers go with each system, as the mass does
                                 in shift (operator.h) */
    NAIK_NUMBER_HADRON = 16 /* an attribute of hadrons in files, for each quark of theirs */
};

typedef struct naik_quark_number {
    const char *name; /* attribute and word: "mass", "csw" */
    double (*value)(const naik_quark *quark);
    unsigned uses;
    const char *key; /* of the input, where one number is for all quarks: "action.csw"; range and
                        identity are those of the key (input_table.c); NULL: of lists, or derived */
    size_t member;   /* offset in naik_quark of what that key, or a file, gives; 0: derived */
    bool required;   /* an input of this kind must give it */
} naik_quark_number;

/* What a file says of every quark of a kind. */
typedef struct naik_quark_fact {
    const char *name, *text;
} naik_quark_fact;

typedef enum naik_quark_links {
    NAIK_QUARK_FATTENED, /* fat and long links, made from a configuration with staggered phases */
    NAIK_QUARK_STORED,   /* the same, read from files */
    NAIK_QUARK_THIN      /* the configuration's own, without phases */
} naik_quark_links;

/* What src/model asks. */
typedef struct naik_quark_costs {
    double flops, block_flops; /* of D on a site; more where M has blocks, */
    int block_factors;         /* of which A^-1 is the product: 72 numbers a site each */
    int steps;      /* pairs of D in an iteration, each with its sums: 1 of CG, 2 of BiCGStab */
    double roof;    /* share of the machine's own roof that its kernels reach */
    double passes;  /* over vectors beside those of D, an iteration; 0: the machine's figure */
    double links_s; /* links at 32^4 on one H200 */
    bool by_mass;   /* iterations follow from the mass; else from its distance to a critical mass
                        that is the configuration's, and none are predicted */
    const char *origin;           /* of times: on a machine that was measured, */
    const char *origin_elsewhere; /* and on others */
} naik_quark_costs;

enum { NAIK_QUARK_SOLVERS = 2 };

struct naik_quark_kind {
    const char *name;             /* in files, lines, and of other runs: "hisq_su3" */
    const naik_operator_ops *ops; /* least mass, whether masses share a Krylov space (scale) */
    int spin;    /* colour vectors of a site: 1 or 4. Quarks without spin have tastes: the mesons of
                    naik/meson.h, funny walls */
    int columns; /* solves of a source: its colours and spins, 3 spin + colour */
    int reals;   /* of a site of a solution */
    int points;  /* stencil points of D: 16 or 8 */
    int stride;  /* sites of a hop of covariant smearing, which keeps tastes apart */
    int batch;   /* right-hand sides together as a rule; 0: the backend's */
    naik_quark_links links;
    naik_action_type smearing;        /* of fattened links */
    const naik_quark_kind *su3;       /* this kind with links projected to SU(3); NULL: none */
    const naik_quark_number *numbers; /* [number_count], in the order of files */
    int number_count;                 /* mass and naik_epsilon, which all kinds have, come first */
    const naik_quark_fact *facts;     /* [fact_count] */
    int fact_count;
    const char *solvers[NAIK_QUARK_SOLVERS]; /* the default first; NULL: no other */
    bool low_modes;                          /* can be found and removed (src/modes) */
    bool short_links;                        /* of 12 or 8 numbers (solver.link_numbers) */
    const char *equation;                    /* what a propagator solves: for people */
    const char *normalisation, *index_order; /* the same for files: texts of io/prop */
    const char *column;                      /* what numbers the columns, as files say it */
    naik_quark_costs costs;
    /* What naik_operator_set_create and naik_operator_set_bytes are for this kind (set.h). */
    naik_status (*make_set)(const naik_geometry *geometry, const naik_quark *quark,
                            const naik_fatlong *fat, const naik_gauge *thin,
                            const naik_set_storage *storage, naik_operator_set *out);
    size_t (*set_bytes)(const naik_geometry *geometry, const naik_quark *quark,
                        const naik_set_storage *storage);
};

/* The kinds that action.type can name, in the order of its words, and these words; both end with
 * NULL. known_quarks.c has the lists alone, so that another program can have lists of its own. */
extern const naik_quark_kind *const naik_quark_kinds[];
extern const char *const naik_quark_words[];

/* The kinds of naik; one more is a projection of hisq. */
extern const naik_quark_kind naik_kind_naive, naik_kind_asqtad, naik_kind_hisq, naik_kind_links,
    naik_kind_wilson, naik_kind_clover, naik_kind_twisted_mass;

/* The kind of that name; NULL: naik has none. */
const naik_quark_kind *naik_quark_kind_of(const char *name);
/* Gives the quark a number that is not derived. */
void naik_quark_set(naik_quark *quark, const naik_quark_number *number, double value);
/* The number of that name; NULL: the kind has none. */
const naik_quark_number *naik_quark_number_of(const naik_quark_kind *kind, const char *name);

/* Whether the mass is a shift of A (operator.h), so that all masses have one operator and Krylov
 * space; else each has its own. */
static inline bool naik_quark_shifts(const naik_quark_kind *kind)
{
    return kind->ops->scale != NULL;
}

/* u0, which is 1 where it is not given. */
static inline double naik_quark_u0(const naik_quark *quark)
{
    return quark->u0 > 0 ? quark->u0 : 1;
}
/* csw as it multiplies F, whose links have gone over a tadpole improved link three times: divided by
 * u0^3; 0 of a kind without a clover term. */
static inline double naik_quark_csw(const naik_quark *quark)
{
    const double u0 = naik_quark_u0(quark);
    return quark->csw / (u0 * u0 * u0);
}
/* [3]; NULL: none. */
static inline const double *naik_quark_twist(const naik_quark *quark)
{
    return naik_twist_none(quark->twist) ? NULL : quark->twist;
}

/* Whether links are, but for a twist; whether one operator serves both, twist and all; whether they
 * are one quark. */
bool naik_quark_shares_links(const naik_quark *a, const naik_quark *b);
bool naik_quark_shares_operator(const naik_quark *a, const naik_quark *b);
bool naik_quark_is(const naik_quark *a, const naik_quark *b);
/* The first quark of a list that shares links with number `q`, which may be that one. */
int naik_quark_first_of_links(const naik_quark *quarks, int q);

/* "mass 0.1, kappa 0.122, csw 1.2", kappa first where it was given (see below): numbers that are
 * told, each as `format` has its name and value, such as "%s %.10g"; `between` them. */
enum { NAIK_QUARK_TEXT = 256 };
void naik_quark_text(const naik_quark *quark, const char *between, int digits,
                     char text[NAIK_QUARK_TEXT]);

/* How an input names a quark: by its mass or, where its kind has one, by its kappa. Which of the two
 * was given is seen in the numbers: it has the shorter decimal. That one comes first and with all its
 * digits, the other behind it with `digits`; a mass alone has `digits` too. */
enum { NAIK_QUARK_NAME = 160 };
/* "kappa=0.132 mass=-0.212121", each behind `prefix`; returns text. */
const char *naik_quark_fields(const naik_quark *quark, const char *prefix, int digits,
                              char text[NAIK_QUARK_NAME]);
/* "kappa 0.132, mass -0.2121212121"; returns text. */
const char *naik_quark_phrase(const naik_quark *quark, int digits, char text[NAIK_QUARK_NAME]);
/* With 15 digits, so that a kappa that was given comes back; 0: the kind has none, or is NULL. */
double naik_quark_kappa(const naik_quark *quark);
/* The same as text, with as many digits as a name has; "" for none; returns text. */
const char *naik_quark_kappa_text(const naik_quark *quark, char text[NAIK_QUARK_NAME]);
/* Members mass and, where there is one, kappa. */
void naik_quark_report(naik_report *report, const naik_quark *quark);

#endif
