/* machine.c - the table of machines, and what each software costs on them
 *
 * Memory and links: the centres' own descriptions (4 A100 of 40 or 80 GB a node and four 200 Gb/s
 * cards on Perlmutter and, of 40 GB with HDR200 InfiniBand, on JUWELS Booster; 4 MI250X, two dies of
 * 64 GB each, and four such cards on LUMI-G), and the vendors' data sheets.
 */
#include "model/machine.h"

#include <stddef.h>
#include <string.h>

static const char *const source_names[] = {"measured", "other-code", "literature",  "vendor",
                                           "assumed",  "counted",    "machine file"};
static const char *const figure_names[MODEL_FIGURES + 1] = {
    "copy_gbs",       "fraction_double", "fraction_single",  "fraction_half", "roof_double",
    "roof_single",    "roof_half",       "dslash_us",        "inside_us",     "short_us",
    "between_us",     "wire_inside_gbs", "wire_between_gbs", "overhead_us",   "reduce_us",
    "reduce_step_us", "updates",         "hidden",           "vectors",       NULL};

/* What the software costs is QUDA's, measured on H200, unless another is asked for. */
#define SOFTWARE                                                                                   \
    [DSLASH_US] = {0, OTHER_CODE}, [INSIDE_US] = {19.5, OTHER_CODE},                               \
    [SHORT_US] = {19.5, OTHER_CODE}, [OVERHEAD_US] = {45, OTHER_CODE},                             \
    [REDUCE_US] = {15, OTHER_CODE}, [UPDATES] = {0.13, OTHER_CODE}, [HIDDEN] = {1, ASSUMED},       \
    [VECTORS] = {8, COUNTED}
#define A100(copy, from)                                                                           \
    [COPY_GBS] = {copy, from}, [FRACTION_DOUBLE] = {0.97, LITERATURE},                             \
    [FRACTION_SINGLE] = {0.97, ASSUMED}, [FRACTION_HALF] = {0.67, ASSUMED},                        \
    [ROOF_DOUBLE] = {1800, ASSUMED}, [ROOF_SINGLE] = {5700, LITERATURE},                           \
    [ROOF_HALF] = {5700, ASSUMED}, [WIRE_INSIDE_GBS] = {240, VENDOR},                              \
    [WIRE_BETWEEN_GBS] = {22, VENDOR}, [BETWEEN_US] = {30, ASSUMED},                               \
    [REDUCE_STEP_US] = {6, ASSUMED}, SOFTWARE
#define HOPPER(copy, from, how)                                                                    \
    [COPY_GBS] = {copy, from}, [FRACTION_DOUBLE] = {0.97, how}, [FRACTION_SINGLE] = {0.97, how},   \
    [FRACTION_HALF] = {0.67, how}, [ROOF_DOUBLE] = {5241, how}, [ROOF_SINGLE] = {7663, how},       \
    [ROOF_HALF] = {8381, how}, [WIRE_INSIDE_GBS] = {367, MEASURED},                                \
    [WIRE_BETWEEN_GBS] = {45, VENDOR}, [BETWEEN_US] = {30, ASSUMED},                               \
    [REDUCE_STEP_US] = {6, ASSUMED}, SOFTWARE

static const model_machine machines[MODEL_MACHINES] = {
    {"h200", "H200", 8, 139, true, 1, true, {HOPPER(4040, MEASURED, OTHER_CODE)}},
    {"h100", "H100", 8, 78, true, 1, true, {HOPPER(2820, MEASURED, ASSUMED)}},
    {"perlmutter", "A100 of 40 GB", 4, 39, false, 1, false, {A100(1370, LITERATURE)}},
    /* 2039 GB/s by the data sheet, where that of 40 GB has 1555 */
    {"perlmutter-80gb", "A100 of 80 GB", 4, 79, false, 1, false, {A100(1796, ASSUMED)}},
    {"juwels-booster", "A100 of 40 GB", 4, 39, false, 1, false, {A100(1370, LITERATURE)}},
    {"lumi-g",
     "die of an MI250X",
     8,
     63,
     false,
     0.6,
     false,
     {[COPY_GBS] = {1310, LITERATURE},
      [FRACTION_DOUBLE] = {0.6, ASSUMED},
      [FRACTION_SINGLE] = {0.6, ASSUMED},
      [FRACTION_HALF] = {0.4, ASSUMED},
      [ROOF_DOUBLE] = {1500, ASSUMED},
      [ROOF_SINGLE] = {3000, ASSUMED},
      [ROOF_HALF] = {3000, ASSUMED},
      [WIRE_INSIDE_GBS] = {72, LITERATURE},
      [WIRE_BETWEEN_GBS] = {11, VENDOR},
      [BETWEEN_US] = {30, ASSUMED},
      [REDUCE_STEP_US] = {6, ASSUMED},
      SOFTWARE}}};

static void set(model_machine *m, model_figure_name name, double value, model_source from)
{
    m->figures[name] = (model_figure){value, from};
}

/* What the same steps cost in our probe: graphs, peer stores and flags. Between nodes nothing is
 * known of it. */
static void assume_probe(model_machine *m)
{
    set(m, DSLASH_US, 6, MEASURED);
    set(m, INSIDE_US, 0, MEASURED);
    set(m, SHORT_US, 0, MEASURED);
    set(m, BETWEEN_US, 10, ASSUMED);
    set(m, OVERHEAD_US, 10, MEASURED);
    set(m, REDUCE_US, 4, MEASURED);
}

/* naik's own, from tests/results/h200.txt: kernels by one D alone and by batches of 12, the rest
 * fitted to iterations (bench/model.c). On other machines kernels keep their share of the copy,
 * and roofs follow it, and what the software costs is taken to be the same. An H100 has the
 * multiprocessors of an H200, so its roofs are the same: tests/results/h100.txt has 0.94 of them. */
static void take_naik(model_machine *m)
{
    const model_source how = m->measured ? MEASURED : ASSUMED;
    const double share = m->kernel_share;
    const double copies = m->figures[COPY_GBS].value / machines[0].figures[COPY_GBS].value;
    const double roofs = share * (m->hopper ? 1 : copies);
    set(m, FRACTION_DOUBLE, 1.046 * share, how);
    set(m, FRACTION_SINGLE, 0.964 * share, how); /* with 16-bit links */
    set(m, FRACTION_HALF, 0.883 * share, how);
    set(m, ROOF_DOUBLE, 7733.9 * roofs, how);
    set(m, ROOF_SINGLE, 18524 * roofs, how);
    set(m, ROOF_HALF, 18703 * roofs, how);
    set(m, DSLASH_US, 0.5, how);
    set(m, INSIDE_US, 4.2, how);
    set(m, SHORT_US, 2.6, how); /* 16^4 on two and four H100 */
    set(m, OVERHEAD_US, 11, how);
    set(m, REDUCE_US, 2, how);
    set(m, UPDATES, 0.11, how);
    set(m, HIDDEN, 0.25, how); /* 8 and 12 vectors on two GPUs */
    /* of a step: r, p, ap read, p, ap written, x both with every second one */
    set(m, VECTORS, 6, COUNTED);
}

model_machine model_machine_of(int index, model_software software)
{
    model_machine m = machines[index];
    if (software == MODEL_PROBE) {
        assume_probe(&m);
    } else if (software == MODEL_NAIK) {
        take_naik(&m);
    }
    return m;
}

model_machine model_machine_of_site(const char *name, const char *device, int node_size,
                                    double memory_gib, double kernel_share,
                                    const double figure[MODEL_FIGURES])
{
    model_machine m = {.name = name,
                       .device = device,
                       .node_size = node_size,
                       .memory_gib = memory_gib,
                       .kernel_share = kernel_share};
    m.figures[COPY_GBS] = (model_figure){figure[COPY_GBS], SITE_FILE};
    take_naik(&m);
    for (int i = 0; i < MODEL_FIGURES; i++) {
        if (figure[i] > 0) {
            m.figures[i] = (model_figure){figure[i], SITE_FILE};
        }
    }
    return m;
}

const char *const *model_machine_names(void)
{
    static const char *const names[MODEL_MACHINES + 1] = {
        "h200", "h100", "perlmutter", "perlmutter-80gb", "juwels-booster", "lumi-g", NULL};
    return names;
}

int model_machine_of_device(const char *device)
{
    /* vendors write "NVIDIA A100-SXM4-80GB", "AMD Instinct MI250X" */
    static const struct {
        const char *part, *machine;
    } known[] = {{"H200", "h200"},
                 {"H100", "h100"},
                 {"A100-SXM4-80GB", "perlmutter-80gb"},
                 {"A100-SXM4-40GB", "perlmutter"},
                 {"MI250X", "lumi-g"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        for (int k = 0; k < MODEL_MACHINES && strstr(device, known[i].part) != NULL; k++) {
            if (strcmp(machines[k].name, known[i].machine) == 0) {
                return k;
            }
        }
    }
    return -1;
}

const char *model_figure_text(int figure)
{
    return figure_names[figure];
}

const char *model_source_text(model_source source)
{
    return source_names[source];
}
