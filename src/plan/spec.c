/* spec.c - sources, masses, correlators and provenance as propagator_file.h wants them */
#include "plan/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/text.h"
#include "comm/groups.h"
#include "correlator/contraction_list.h"
#include "correlator/frame.h"
#include "lattice/source_kind.h"
#include "naik/version.h"

/* Raised whenever a change of kernels, link building or solver changes a bit of the results. */
#define NUMERICS_VERSION "1"

enum { META_MOST = 9, SESSION_MOST = 16, TEXT_BYTES = 512, SOURCE_BYTES = 96 };

typedef struct source_texts {
    char smearing[SOURCE_BYTES], subset[SOURCE_BYTES], colours[8];
} source_texts;

struct solve_spec {
    naik_propagator_spec file;
    naik_solve_set *sets;
    naik_source_info *sources;
    source_texts *texts; /* [sources] */
    contraction_list contractions;
    naik_correlator_choice *choices; /* [sets], then those of the output */
    int choice_count;
    naik_meta_item metadata[META_MOST], session[SESSION_MOST];
    char identity[TEXT_BYTES], numerics[TEXT_BYTES], device[TEXT_BYTES], grid[64], ranks[32],
        batch[32], memory[160];
    char groups[16], nodes[32], system[256], environment[900];
};

void solve_spec_destroy(solve_spec **spec)
{
    if (*spec == NULL) {
        return;
    }
    contraction_list_clear(&(*spec)->contractions);
    free((*spec)->sets);
    free((*spec)->sources);
    free((*spec)->texts);
    for (int i = 0; (*spec)->choices != NULL && i < (*spec)->choice_count; i++) {
        free((void *)(*spec)->choices[i].correlators);
        free((void *)(*spec)->choices[i].momenta);
    }
    free((*spec)->choices);
    free(*spec);
    *spec = NULL;
}

const naik_propagator_spec *solve_spec_file(const solve_spec *spec)
{
    return &spec->file;
}

static void describe_source(const naik_input_source *from, int hops, source_texts *texts,
                            naik_source_info *out)
{
    const naik_source *source = &from->source;
    const naik_source_kind *kind = naik_source_kind_of(source->type);
    char *smearing = texts->smearing;
    naik_source_where(source, texts->subset, sizeof texts->subset);
    if (kind->say != NULL) {
        kind->say(source, hops, smearing, SOURCE_BYTES);
    }
    if (source->spin_taste != 0) {
        naik_text_append(smearing, SOURCE_BYTES, "%soperator %s", smearing[0] != '\0' ? ", " : "",
                         naik_input_correlator_name(source->spin_taste));
    }
    *out = (naik_source_info){
        .type = naik_source_name(source->type),
        .subset = texts->subset,
        .has_seed = kind->random,
        .seed = source->seed,
        .generator = kind->random ? "Philox-4x32-10, key seed, counter global site" : NULL,
        .smearing = smearing[0] != '\0' ? smearing : NULL};
    memcpy(out->origin, source->origin, sizeof out->origin);
    memcpy(out->x0, from->x0, sizeof out->x0);
    memcpy(out->momentum, source->momentum, sizeof out->momentum);
    if (!naik_source_is_corner(source) || naik_input_is_moving(source->momentum)) {
        memcpy(out->place, source->origin, sizeof out->place);
    }
}

/* What the entry says beside the source: of which propagator it is made, and which of its colours are
 * solved, where not all. */
static void describe_entry(const naik_input *input, const naik_input_source *source,
                           source_texts *texts, naik_source_info *out)
{
    const naik_input_solve *solve = &input->solve[source->solve];
    const naik_input_three_point *three = naik_input_three_point_of(input, source->solve);
    if (three != NULL) {
        const naik_input_source *from = &input->sources[source->made_of];
        const naik_quark *quark = naik_input_quark(input, from->solve, source->made_of_mass);
        snprintf(texts->smearing, SOURCE_BYTES, "sink %s of %.50s, mass %.10g",
                 naik_input_correlator_name(three->sink), from->label, quark->mass);
        out->smearing = texts->smearing;
        out->derived = true;
        out->made_of = source->made_of;
        out->made_of_mass = source->made_of_mass;
    } else if (naik_source_is_sequential(&solve->source)) {
        snprintf(texts->smearing, SOURCE_BYTES, "%s of %.50s, mass %.10g",
                 naik_input_insertion_name(solve), solve->propagator, solve->source_mass);
        out->smearing = texts->smearing;
    }
    for (int c = 0; c < 3 && !naik_input_is_whole(solve); c++) {
        if (naik_input_asks_colour(solve, c)) {
            naik_text_append(texts->colours, sizeof texts->colours, "%s%d",
                             texts->colours[0] != '\0' ? " " : "", c);
            out->colours = texts->colours;
        }
    }
}

/* Names and momenta as the file wants them; false without memory. */
static bool choose(const naik_ints *correlators, const naik_vectors *momenta,
                   naik_correlator_choice *out)
{
    const char **names = calloc((size_t)correlators->count + 1, sizeof *names);
    int(*p)[NAIK_DIM - 1] = calloc((size_t)momenta->count + 1, sizeof *p);
    for (int i = 0; i < correlators->count && names != NULL; i++) {
        names[i] = naik_input_correlator_name(correlators->data[i]);
    }
    for (int i = 0; i < momenta->count && p != NULL; i++) {
        memcpy(p[i], momenta->data[i], sizeof p[i]);
    }
    *out = (naik_correlator_choice){.correlator_count = correlators->count,
                                    .correlators = names,
                                    .momentum_count = momenta->count,
                                    .momenta = (const int(*)[NAIK_DIM - 1]) p};
    return names != NULL && p != NULL;
}

static bool allocate(solve_spec *spec, const naik_input *input)
{
    spec->sets = calloc((size_t)input->solve_count, sizeof *spec->sets);
    spec->sources = calloc((size_t)input->source_count, sizeof *spec->sources);
    spec->texts = calloc((size_t)input->source_count, sizeof *spec->texts);
    spec->choice_count = input->solve_count + 1;
    spec->choices = calloc((size_t)spec->choice_count, sizeof *spec->choices);
    bool room =
        spec->sets != NULL && spec->sources != NULL && spec->texts != NULL && spec->choices != NULL;
    for (int i = 0; i < input->solve_count && room; i++) {
        room = choose(&input->solve[i].correlators, &input->solve[i].momenta, &spec->choices[i]);
    }
    return room && choose(&input->output.correlators, &input->output.momenta,
                          &spec->choices[input->solve_count]);
}

static void fill_sets(solve_spec *spec, const naik_input *input)
{
    int first = 0;
    for (int i = 0; i < input->source_count; i++) {
        describe_source(&input->sources[i], input->kind->stride, &spec->texts[i],
                        &spec->sources[i]);
        describe_entry(input, &input->sources[i], &spec->texts[i], &spec->sources[i]);
        correlator_origin(input, 1, &i, spec->sources[i].counted_from);
    }
    for (int i = 0; i < input->solve_count; i++) {
        const naik_input_solve *solve = &input->solve[i];
        spec->sets[i] = (naik_solve_set){.name = solve->name,
                                         .source_count = 0,
                                         .sources = spec->sources + first,
                                         .mass_count = solve->masses.count,
                                         .quarks = input->quarks,
                                         .quark = solve->quark,
                                         .own = solve->own_correlators ? &spec->choices[i] : NULL};
        while (first < input->source_count && input->sources[first].solve == i) {
            spec->sets[i].source_count++;
            first++;
        }
    }
}

static bool begins_with(const char *text, const char *const *beginnings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (naik_text_begins(text, beginnings[i])) {
            return true;
        }
    }
    return false;
}

/* What of the environment can change speed, libraries or placement, as "NAME=value NAME=value". */
static void collect_environment(char *text, size_t text_size)
{
    static const char *const beginnings[] = {"NAIK_",
                                             "OMP_",
                                             "OMPI_MCA_",
                                             "MPICH_",
                                             "UCX_",
                                             "FI_",
                                             "HDF5_",
                                             "ROMIO_",
                                             "CUDA_",
                                             "HIP_",
                                             "ROCR_",
                                             "NCCL_",
                                             "LD_PRELOAD=",
                                             "SLURM_JOB_NODELIST=",
                                             "SLURM_CPUS_PER_TASK=",
                                             "SLURM_JOB_PARTITION="};
    /* What Open MPI's launcher tells its ranks: addresses, folders, the job's key */
    static const char *const internal[] = {
        "OMPI_MCA_orte_", "OMPI_MCA_prte_",        "OMPI_MCA_ess",
        "OMPI_MCA_pmix",  "OMPI_MCA_initial_wdir", "OMPI_MCA_shmem_RUNTIME_QUERY_hint"};
    text[0] = '\0';
    for (char **entry = environ; *entry != NULL; entry++) {
        if (begins_with(*entry, beginnings, sizeof beginnings / sizeof *beginnings) &&
            !begins_with(*entry, internal, sizeof internal / sizeof *internal)) {
            naik_text_append(text, text_size, "%s%s", text[0] != '\0' ? " " : "", *entry);
        }
    }
    for (char *c = text; *c != '\0'; c++) { /* a session is lines */
        *c = (char)((unsigned char)*c < ' ' ? ' ' : *c);
    }
}

static void describe_system(char *text, size_t text_size)
{
    struct utsname name;
    text[0] = '\0';
    if (uname(&name) == 0) {
        snprintf(text, text_size, "%.60s %.60s %.60s", name.sysname, name.release, name.machine);
    }
}

static void fill_texts(solve_spec *spec, const solve_plan *plan, const naik_backend *backend,
                       const naik_lattice *lat, const naik_link_provider *source)
{
    backend->ops->describe(backend, spec->device, sizeof spec->device);
    if (source != NULL) {
        naik_link_provider_identity(source, spec->identity, sizeof spec->identity);
    }
    snprintf(spec->numerics, sizeof spec->numerics, "arithmetic %s on %s", NUMERICS_VERSION,
             backend->ops->name);
    snprintf(spec->grid, sizeof spec->grid, "%dx%dx%dx%d", lat->grid[0], lat->grid[1], lat->grid[2],
             lat->grid[3]);
    const naik_comm *job = naik_comm_job(lat->comm);
    snprintf(spec->ranks, sizeof spec->ranks, "%d", job->size);
    if (job->size > lat->comm->size) {
        snprintf(spec->groups, sizeof spec->groups, "%d", job->size / lat->comm->size);
    }
    snprintf(spec->batch, sizeof spec->batch, "%d", plan->batch);
    snprintf(spec->memory, sizeof spec->memory,
             "%.3f GiB a rank: link building %.3f, packed links %.3f, fields %.3f, halos %.3f, "
             "vectors %.3f",
             solve_plan_gib(plan->total_bytes), solve_plan_gib(plan->gauge_bytes),
             solve_plan_gib(plan->packed_bytes), solve_plan_gib(plan->field_bytes),
             solve_plan_gib(plan->halo_bytes), solve_plan_gib(plan->vector_bytes));
    snprintf(spec->nodes, sizeof spec->nodes, "%d", job->nodes);
    describe_system(spec->system, sizeof spec->system);
    collect_environment(spec->environment, sizeof spec->environment);
}

static int fill_items(naik_meta_item *items, const naik_meta_item *from, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        if (from[i].text != NULL && from[i].text[0] != '\0') {
            items[kept++] = from[i];
        }
    }
    return kept;
}

naik_status solve_spec_create(const naik_input *input, const solve_plan *plan,
                              const naik_backend *backend, const naik_lattice *lattice,
                              const naik_link_provider *source, const char *source_checksums,
                              solve_spec **out)
{
    solve_spec *spec = calloc(1, sizeof *spec);
    *out = spec;
    if (spec == NULL || !allocate(spec, input)) {
        solve_spec_destroy(out);
        return NAIK_FAIL(lattice->comm->log, NAIK_ERR_MEMORY,
                         "no memory for the description of the output");
    }
    fill_sets(spec, input);
    const naik_status listed =
        contraction_list_create(lattice->comm->log, input, &spec->contractions);
    if (listed != NAIK_OK) {
        solve_spec_destroy(out);
        return listed;
    }
    fill_texts(spec, plan, backend, lattice, source);
    const naik_meta_item metadata[] = {
        {"gauge_file", input->gauge.file},
        {"gauge_format", source != NULL ? source->file.format : NULL},
        {"gauge_verified", source != NULL && source->file.format[0] != '\0'
                               ? naik_gauge_verified(&source->file)
                               : NULL},
        {"gauge_uuid", source != NULL ? source->file.uuid : NULL},
        {"gauge_identity", spec->identity},
        {"gauge_ensemble", source != NULL ? source->file.ensemble : NULL},
        {"gauge_fixing", source != NULL ? source->file.gauge_fixing : NULL},
        {"gauge_header", source != NULL ? source->file.header_text : NULL},
        {"links_file", input->action.file}};
    const naik_meta_item session[] = {{"version", naik_version()},
                                      {"git", naik_version_git()},
                                      {"compiler", naik_version_compiler()},
                                      {"backend", backend->ops->name},
                                      {"device", spec->device},
                                      {"ranks", spec->ranks},
                                      {"groups", spec->groups},
                                      {"grid", spec->grid},
                                      {"batch", spec->batch},
                                      {"memory", spec->memory},
                                      {"host", lattice->comm->host},
                                      {"nodes", spec->nodes},
                                      {"system", spec->system},
                                      {"slurm_job", getenv("SLURM_JOB_ID")},
                                      {"environment", spec->environment}};
    spec->file = (naik_propagator_spec){
        .set_count = input->solve_count,
        .sets = spec->sets,
        .common = spec->choices[input->solve_count],
        .waves = input->output.weight == NAIK_INPUT_WEIGHT_EXP,
        .contraction_count = spec->contractions.count,
        .contractions = spec->contractions.spec,
        .kind = input->kind,
        .store_propagators = contraction_keeps(input),
        .until_contracted = contraction_keeps(input) && !input->output.propagators,
        .precision = input->output.precision,
        .history_stride = plan->history_stride,
        .iteration_limit = input->solver.max_iterations,
        .canonical_input = input->identity,
        .gauge_checksum = spec->identity,
        .source_checksums = source_checksums,
        .numerics = spec->numerics,
        .choices = plan->choices,
        .boundary_t = naik_input_boundary_name(input),
        .input_text = input->text,
        .metadata_count = fill_items(spec->metadata, metadata, sizeof metadata / sizeof *metadata),
        .metadata = spec->metadata,
        .session_count = fill_items(spec->session, session, sizeof session / sizeof *session),
        .session = spec->session,
        .io_limit_s = input->run.watchdog_s > 0 ? input->run.watchdog_s : -1};
    return NAIK_OK;
}
