/* machine.h - machines as the model knows them: figures of devices, links and software
 *
 * Every figure has its source, which is printed beside it; doc/performance-model.md has the table.
 */
#ifndef NAIK_MODEL_MACHINE_H
#define NAIK_MODEL_MACHINE_H

#include <stdbool.h>

/* Where a figure comes from. */
typedef enum model_source {
    MEASURED,
    OTHER_CODE,
    LITERATURE,
    VENDOR,
    ASSUMED,
    COUNTED,
    SITE_FILE /* its user's */
} model_source;

/* Figures, by name so that each can be replaced. */
typedef enum model_figure_name {
    COPY_GBS,         /* copy kernel */
    FRACTION_DOUBLE,  /* of copy that D reaches by its floor, by precision of the vectors */
    FRACTION_SINGLE,  /* */
    FRACTION_HALF,    /* */
    ROOF_DOUBLE,      /* GFLOP/s that no batch of right-hand sides exceeds */
    ROOF_SINGLE,      /* */
    ROOF_HALF,        /* */
    DSLASH_US,        /* E: every D that exchanges anything */
    INSIDE_US,        /* A: each direction split inside nodes only */
    SHORT_US,         /* A: the same, of halos whose words say that they have come */
    BETWEEN_US,       /* A: each direction that crosses nodes */
    WIRE_INSIDE_GBS,  /* a GPU to all of its node, one way */
    WIRE_BETWEEN_GBS, /* a GPU's share of its node's network, one way */
    OVERHEAD_US,      /* T_0: launches and scalars of an iteration on one GPU */
    REDUCE_US,        /* R inside a node, all reductions of an iteration */
    REDUCE_STEP_US,   /* R for each doubling of nodes */
    UPDATES,          /* u: true residuals in double */
    HIDDEN,           /* h: share of a batch's wire that sites inside hide, where they could */
    VECTORS,          /* read or written in an iteration, beside the four of the floor of two D */
    MODEL_FIGURES
} model_figure_name;

typedef struct model_figure {
    double value;
    model_source from;
} model_figure;

typedef struct model_machine {
    const char *name, *device;
    int node_size;       /* GPUs */
    double memory_gib;   /* of a GPU, as its vendor counts it, in GiB */
    bool measured;       /* naik ran on it: lines of tests/results */
    double kernel_share; /* of naik's fractions and roofs on h200, beside the copy's; assumed */
    bool hopper;         /* the multiprocessors of h200: roofs are its own, and follow no copy */
    model_figure figures[MODEL_FIGURES];
} model_machine;

enum { MODEL_MACHINES = 6, MODEL_SOFTWARES = 3 };
typedef enum model_software { MODEL_QUDA, MODEL_PROBE, MODEL_NAIK } model_software;

/* Machine `index` of MODEL_MACHINES, running this software. */
model_machine model_machine_of(int index, model_software software);
/* One that is not in the table, running naik: its name and device, GPUs a node, and of `figure` those
 * that are above 0; the rest as on other machines that were not measured. */
model_machine model_machine_of_site(const char *name, const char *device, int node_size,
                                    double memory_gib, double kernel_share,
                                    const double figure[MODEL_FIGURES]);
/* Names, ending with NULL, as options take them. */
const char *const *model_machine_names(void);
/* The machine with such a device, from what a backend says of it; -1: none. */
int model_machine_of_device(const char *device);
const char *model_figure_text(int figure);
const char *model_source_text(model_source source);

#endif
