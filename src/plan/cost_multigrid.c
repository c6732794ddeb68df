/* cost_multigrid.c - iterations from a pilot or assumed, seconds from src/model/multigrid.h */
#include "plan/cost_multigrid.h"

#include <math.h>

#include "model/multigrid.h"
#include "multigrid/parameters.h"
#include "quark/multigrid.h"

/* The mass of the means that is next to this one; negative: there are none. */
static int nearest(const pilot_means *means, double mass)
{
    int at = means->count - 1;
    for (int i = 0; i < means->count; i++) {
        at = fabs(means->mean[i].mass - mass) < fabs(means->mean[at].mass - mass) ? i : at;
    }
    return at;
}

/* Whether the solves of the pilot run that are nearest to the mass were by multigrid. */
static bool did_pilot(const pilot *p, double mass)
{
    const int by = nearest(&p->multigrid, mass), without = nearest(&p->plain, mass);
    return by >= 0 && (without < 0 || fabs(p->multigrid.mean[by].mass - mass) <=
                                          fabs(p->plain.mean[without].mass - mass));
}

/* Whether a mass before this one takes multigrid with the same near-null vectors; a heavier one, if asked so. */
static bool has_before(const cost *all, int i, bool heavier)
{
    const naik_quark *mine = all->masses[i].quark;
    bool any = false;
    for (int k = 0; k < i && !any; k++) {
        const naik_quark *other = all->masses[k].quark;
        any = all->masses[k].multigrid && quark_multigrid_is_family(other, mine) &&
              (!heavier || quark_multigrid_is_lighter(mine, other));
    }
    return any;
}

int cost_multigrid_limit(const naik_input *input, const cost *all, int i)
{
    const naik_quark *quark = all->masses[i].quark;
    int columns = 0;
    for (int k = 0; k < all->mass_count; k++) {
        const naik_quark *other = all->masses[k].quark;
        if (quark_multigrid_is_family(other, quark)) {
            columns += quark_multigrid_is_lighter(quark, other) ? 0 : all->masses[k].solves;
        }
    }
    const int limit = solve_plan_multigrid_from(false, columns, has_before(all, i, false)),
              most = input->solver.max_iterations;
    return limit < most ? limit : most;
}

void cost_multigrid_expect(const naik_input *input, cost *c)
{
    for (int i = 0; i < c->mass_count; i++) {
        cost_mass *m = &c->masses[i];
        const pilot_means *by = &c->told.multigrid;
        const int at = nearest(by, m->mass);
        m->outer = at >= 0
                       ? model_iterations_from(by->mean, by->count, false, m->mass, m->tolerance)
                       : model_multigrid_iterations(m->tolerance);
        m->steps = model_multigrid_steps();
        if (at >= 0 && by->steps[at] > 0) {
            const double n = by->steps[at];
            m->steps = (model_iterations){n, n, n};
        }
        m->multigrid = quark_multigrid_is_asked(input);
        if (input->solver.method_auto) {
            m->multigrid = did_pilot(&c->told, m->mass) ||
                           m->plain.expected > cost_multigrid_limit(input, c, i);
        }
    }
}

bool cost_multigrid_follows(const cost *all, int i)
{
    return has_before(all, i, true);
}

/* With the coarse steps of mass i, few, as expected or many. */
static naik_status predict(naik_log *log, const naik_input *input, const cost *all,
                           const cost_case *c, double steps, model_multigrid_times *out)
{
    const naik_multigrid_parameters *p = &input->multigrid;
    const model_problem problem = {.local = {c->local[0], c->local[1], c->local[2], c->local[3]},
                                   .vectors = NAIK_SINGLE,
                                   .links = c->plan.links,
                                   .recon = c->plan.recon,
                                   .nrhs = c->plan.multigrid_batch,
                                   .kind = all->kind,
                                   .staged = input->run.transport == NAIK_TRANSPORT_STAGED,
                                   .blocks = naik_quark_csw(&input->quarks[0]) != 0};
    int extent[NAIK_DIM] = {1, 1, 1, 1}, mu;
    (void)naik_multigrid_aggregate(input->lattice.size, p->aggregate, extent, &mu);
    const model_multigrid g = {.vectors = p->vectors,
                               .smoother = p->smoother,
                               .start = p->start,
                               .cycles = p->cycles,
                               .aggregate = extent[0] * extent[1] * extent[2] * extent[3],
                               .steps = steps,
                               .peers = input->run.transport == NAIK_TRANSPORT_AUTO ||
                                        input->run.transport == NAIK_TRANSPORT_PEER};
    return model_multigrid_predict(log, &all->machine, &problem, c->grid, &g, out);
}

naik_status cost_multigrid_time(naik_log *log, const naik_input *input, const cost *all,
                                cost_case *c)
{
    cost_multigrid *g = &c->multigrid;
    for (int i = 0; i < all->mass_count; i++) {
        const cost_mass *m = &all->masses[i];
        model_multigrid_times now, most;
        NAIK_PASS(predict(log, input, all, c, m->steps.expected, &now));
        NAIK_PASS(predict(log, input, all, c, m->steps.most, &most));
        const double column_s = now.column_us * 1e-6;
        const int batch = c->plan.multigrid_batch;
        const bool made = has_before(all, i, false);
        g->us_per_iteration[i] = now.iteration_us / batch;
        g->solve_s[i] = m->outer.expected * now.iteration_us / batch * 1e-6 + column_s;
        g->most_s[i] = m->outer.most * most.iteration_us / batch * 1e-6 + column_s;
        g->make_s[i] = (made ? now.change_us : now.setup_us) * 1e-6;
        g->most_make_s[i] = (made ? most.change_us : most.setup_us) * 1e-6;
    }
    return NAIK_OK;
}
