/* plan_memory.c - what is in memory in each phase of a run
 *
 * Links are built, packed and, where low modes are wanted, searched for modes; then there are fields and solves;
 * contractions of several solves come last. What one phase lets go, the next one may take: a run needs the most
 * of any phase, and not their sum.
 */
#include "backend/field.h"
#include "backend/halo.h"
#include "comm/groups.h"
#include "contract/contract.h"
#include "correlator/smearing.h"
#include "modes/deflate.h"
#include "modes/lanczos.h"
#include "multigrid/setup.h"
#include "operator/set.h"
#include "plan/plan.h"
#include "plan/plan_multigrid.h"
#include "quark/source_current.h"
#include "solver/bicgstab.h"
#include "solver/multishift.h"

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* A matrix for every link. */
static int64_t matrices(const naik_lattice *lat)
{
    return (int64_t)sizeof(naik_matrix) * NAIK_DIM * lat->sites;
}

/* Bytes while the operators of a quark without fat links are made, of which a device then keeps
 * nothing: the thin links, which the host keeps, and canonical clover blocks. */
static int64_t thin_bytes(const naik_input *input, const naik_lattice *lat, naik_device *device)
{
    const int64_t thin = matrices(lat);
    bool twisted = false;
    for (int q = 0; q < input->quark_count; q++) {
        twisted = twisted || naik_quark_twist(&input->quarks[q]) != NULL;
    }
    const bool clover = naik_quark_csw(&input->quarks[0]) != 0;
    const int64_t around = clover ? (int64_t)naik_clover_links_bytes(lat, device) : 0;
    return thin + (clover ? (int64_t)naik_clover_bytes(lat) : 0) +
           (twisted && thin > around ? thin : around); /* one after the other */
}

const naik_solver_kind *solve_plan_solver(const naik_input *input)
{
    return naik_quark_shifts(input->kind) ? &naik_solver_cg
                                          : naik_method_solver((naik_method)input->solver.method);
}

/* Of the solver, of what shares its Krylov spaces, and of a solve's right-hand side and solution. */
static int64_t solver_bytes(const solve_plan *plan, const naik_input *input,
                            const naik_geometry *geometry, int width)
{
    const naik_quark_kind *kind = input->kind;
    const int groups = plan->groups < width ? plan->groups : width;
    return (plan->multishift
                ? (int64_t)naik_multishift_bytes(geometry, plan->vectors, groups, plan->shifts)
                : 0) +
           (int64_t)naik_solver_bytes(solve_plan_solver(input), kind->ops, geometry, plan->vectors,
                                      width) +
           5 * (int64_t)geometry->backend->ops->field.bytes(geometry->lattice, NAIK_DOUBLE,
                                                            kind->spin);
}

/* Of quarks without fat links, packed links aside, at the most: links are built, then multigrid is set up, then
 * there are fields: those of the batch, or multigrid and those of its own one. Of several quarks, multigrid stays
 * while the next one's links are built, and may be set up for one that is not the first. It does not stay beside a
 * wider batch (run/work.c). */
static int64_t thin_total(const solve_plan *plan, const naik_input *input,
                          const naik_geometry *geometry, const naik_multigrid_sizes *multigrid)
{
    const bool host = geometry->backend->ops->host_memory;
    const bool several = multigrid->kept > 0 && input->quark_count > 1;
    const int64_t links = host ? matrices(geometry->lattice) : 0;
    const int64_t other = several ? plan->packed_bytes : 0, kept = (int64_t)multigrid->kept;
    const int64_t building = plan->gauge_bytes + larger(other, several ? kept : 0);
    const int64_t setting_up = links + plan->halo_bytes + kept + (int64_t)multigrid->making +
                               (host ? (int64_t)multigrid->host : 0) + other;
    const int64_t by_multigrid =
        kept > 0
            ? solver_bytes(plan, input, geometry, plan->multigrid_batch) + plan->multigrid_bytes
            : 0;
    const int64_t solving =
        links + plan->halo_bytes + plan->vector_bytes + larger(plan->field_bytes, by_multigrid);
    return larger(building, larger(kept > 0 ? setting_up : 0, solving));
}

/* How modes are stored. */
static naik_precision stored_as(const naik_input *input)
{
    return input->deflation.precision == 16 ? NAIK_HALF : NAIK_SINGLE;
}

/* Of quarks with fat and long links, in bytes. */
typedef struct fat_links {
    int64_t building; /* while they are built, or read */
    int64_t kept;     /* until the run ends, from which every set is made */
    int64_t own;      /* of a set with a twist or a naik_epsilon, beside those */
    int64_t whole;    /* the whole lattice's thin links, which groups of ranks share */
} fat_links;

/* A set whose links are not those that are kept. */
static bool any_own(const naik_input *input)
{
    bool any = false;
    for (int q = 0; q < input->quark_count; q++) {
        any = any || input->quarks[q].naik_epsilon != 0 ||
              naik_quark_twist(&input->quarks[q]) != NULL;
    }
    return any;
}

/* Links of a file are read on the host for each set, and nothing of them is kept. The fattener has W and fat and
 * long links, on the host beside the thin links at first, and keeps them. */
static fat_links fat_links_of(const naik_input *input, const naik_geometry *geometry)
{
    const naik_quark_kind *kind = input->kind;
    const naik_lattice *lat = geometry->lattice;
    naik_device *device = naik_backend_device(geometry->backend);
    const bool host = device == NULL;
    const int64_t each = matrices(lat), set = (naik_points_depth(kind->points) > 1 ? 2 : 1) * each;
    const int64_t groups = naik_comm_job(lat->comm)->size / lat->comm->size;
    if (kind->links == NAIK_QUARK_STORED) {
        const int64_t read = host ? set : 0;
        return (fat_links){.building = read, .own = read};
    }
    const bool hisq = kind->smearing == NAIK_HISQ || kind->smearing == NAIK_HISQ_SU3;
    const int64_t space =
        kind->smearing == NAIK_NAIVE ? 0 : (int64_t)naik_smear_space_bytes(lat, device);
    fat_links out = {.kept = set + (hisq ? each : 0), .own = any_own(input) ? set : 0};
    out.building = (host ? each : 0) + out.kept + space;
    out.whole = host && groups > 1 ? each / groups : 0;
    return out;
}

/* Of the modes while they are searched, or read where they are there, before there are fields; all in double has no
 * links in single precision for it. */
static int64_t finding_bytes(const solve_plan *plan, const naik_input *input,
                             const naik_geometry *geometry)
{
    const naik_lanczos_options search = {.modes = plan->modes, .krylov = input->deflation.krylov};
    const int64_t links =
        plan->links == NAIK_DOUBLE
            ? (int64_t)naik_links_bytes(geometry, NAIK_SINGLE, 18, input->kind->points)
            : 0;
    const size_t read = naik_modes_bytes(geometry, stored_as(input), plan->modes) +
                        naik_modes_bytes(geometry, NAIK_SINGLE, NAIK_MODES_BLOCK) +
                        naik_modes_meter_bytes(geometry, plan->modes);
    const size_t dense = geometry->backend->ops->host_memory ? naik_lanczos_host_bytes(&search) : 0;
    return links +
           (int64_t)(plan->modes_stored ? read : naik_lanczos_bytes(geometry, &search) + dense);
}

/* Of the modes beside solves; on the host what of them is being written has a third of the search's room. */
static int64_t removing_bytes(const solve_plan *plan, const naik_input *input,
                              const naik_geometry *geometry, int width)
{
    const bool behind = geometry->backend->ops->host_memory && !plan->modes_stored;
    return (int64_t)(naik_modes_bytes(geometry, stored_as(input), plan->modes) +
                     naik_deflation_bytes(geometry, plan->modes, width) +
                     (behind ? naik_modes_bytes(geometry, NAIK_SINGLE,
                                                plan->modes / 3 + NAIK_MODES_BLOCK)
                             : 0));
}

/* The links that modes of an average are multiplied by while they are read. */
static int64_t averaging_bytes(const naik_input *input, const naik_geometry *geometry)
{
    bool any = false;
    for (int i = 0; i < input->average_count; i++) {
        any = any || input->averages[i].type == NAIK_INPUT_LOW_MODES;
    }
    return any ? (int64_t)naik_links_bytes(geometry, NAIK_DOUBLE, 18, input->kind->points) : 0;
}

/* Of quarks with fat and long links. On a device, contractions take what is left, and averages of low modes move to
 * the host where that is too little; what the host has beside it is not counted. */
static int64_t fat_total(solve_plan *plan, const naik_input *input, const naik_geometry *geometry,
                         int width)
{
    const bool host = geometry->backend->ops->host_memory, modes = plan->modes > 0;
    const fat_links links = fat_links_of(input, geometry);
    const int64_t smearing = host ? smearing_bytes(input, geometry->lattice) : 0;
    const int64_t kept = links.whole + links.kept, packed = kept + plan->packed_bytes;
    const int64_t solving = packed + plan->halo_bytes + plan->field_bytes + plan->vector_bytes;
    const int64_t search = packed + plan->halo_bytes + (host ? links.own : 0) + smearing +
                           (modes ? finding_bytes(plan, input, geometry) : 0);
    const int64_t packing = packed + links.own + smearing +
                            (int64_t)naik_links_packing_bytes(geometry, input->kind->points);
    const int64_t contracting = host
                                    ? kept + links.own + smearing +
                                          averaging_bytes(input, geometry) + plan->contraction_bytes
                                    : 0;
    plan->gauge_bytes = links.whole + links.building;
    plan->kept_bytes = kept;
    plan->mode_bytes =
        modes ? larger(search - solving, removing_bytes(plan, input, geometry, width)) : 0;
    return larger(larger(plan->gauge_bytes + smearing, packing),
                  larger(solving + plan->mode_bytes, contracting));
}

void solve_plan_measure(solve_plan *plan, const naik_input *input, const naik_geometry *geometry,
                        int width)
{
    const naik_lattice *lat = geometry->lattice;
    const naik_quark_kind *kind = input->kind;
    naik_device *device = naik_backend_device(geometry->backend);
    const int depth = naik_points_depth(kind->points);
    const naik_set_storage storage = {plan->links, plan->recon, plan->vectors, width};
    plan->packed_bytes = (int64_t)naik_operator_set_bytes(geometry, &input->quarks[0], &storage);
    plan->field_bytes = solver_bytes(plan, input, geometry, width);
    plan->mode_bytes = 0;
    const naik_multigrid_sizes multigrid = solve_plan_multigrid_sizes(plan, input, geometry);
    plan->multigrid_bytes = (int64_t)(multigrid.kept + multigrid.directions);
    /* its setup has vectors of its own */
    const int wide = multigrid.kept > 0 && width < NAIK_MG_BLOCK ? NAIK_MG_BLOCK : width;
    /* what neighbours have mapped is kept when a field of larger reals outgrows it */
    plan->halo_bytes =
        (int64_t)naik_halo_bytes(geometry, NAIK_DOUBLE, kind->spin, wide, depth) +
        (plan->vectors == NAIK_DOUBLE
             ? 0
             : (int64_t)naik_halo_bytes(geometry, plan->vectors, kind->spin, wide, depth));
    plan->vector_bytes = device != NULL
                             ? 0
                             : 2 * (int64_t)sizeof(double) * kind->reals * lat->sites +
                                   smearing_bytes(input, lat) + source_current_bytes(input, lat);
    plan->contraction_bytes =
        contraction_bytes(input, lat, plan->modes) + source_current_bytes(input, lat);
    if (kind->links != NAIK_QUARK_THIN) {
        plan->total_bytes = fat_total(plan, input, geometry, width);
        return;
    }
    plan->gauge_bytes = thin_bytes(input, lat, device);
    plan->kept_bytes = 0;
    plan->total_bytes = plan->packed_bytes + thin_total(plan, input, geometry, &multigrid);
    if (device == NULL) {
        plan->total_bytes = larger(plan->total_bytes, plan->gauge_bytes + plan->contraction_bytes);
    }
}
