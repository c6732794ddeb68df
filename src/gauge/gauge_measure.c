/* gauge_measure.c - plaquettes, link trace and the deviations from SU(3)
 *
 *   P_{mu nu}(s) = U_mu(s) U_nu(s+mu) (U_nu(s) U_mu(s+nu))^+
 *
 * Sums over sites are exact (exactsum.h), so that no process grid and no thread count shows in a
 * printed digit.
 */
#include <float.h>

#include "base/clones.h"
#include "base/exactsum.h"
#include "comm/collective.h"
#include "lattice/su3.h"
#include "links/ghosted.h"
#include "links/link_ops.h"
#include "naik/gauge.h"

typedef struct totals { /* exact sums over sites */
    naik_exactsum plaquette_s, plaquette_t, trace;
} totals;

enum { TOTALS = 3 };

enum { HERE = NAIK_GHOSTED_HERE };

/* Re Tr P in the plane mu, nu. */
static void plane(const naik_ghosted *u, const naik_ghosted_place *place, int mu, int nu,
                  double trace[NAIK_ROW_SITES])
{
    naik_row beside, first, second;
    naik_rows_mul(naik_ghosted_row(&u[mu], place, HERE, HERE, NULL),
                  naik_ghosted_row(&u[nu], place, mu, HERE, &beside), &first);
    naik_rows_mul(naik_ghosted_row(&u[nu], place, HERE, HERE, NULL),
                  naik_ghosted_row(&u[mu], place, nu, HERE, &beside), &second);
    naik_rows_trace_dagger(&first, &second, trace);
}

static void add_row(const naik_ghosted *u, const naik_ghosted_place *place, totals *sum)
{
    double xy[NAIK_ROW_SITES], xz[NAIK_ROW_SITES], yz[NAIK_ROW_SITES];
    double xt[NAIK_ROW_SITES], yt[NAIK_ROW_SITES], zt[NAIK_ROW_SITES];
    plane(u, place, 0, 1, xy);
    plane(u, place, 0, 2, xz);
    plane(u, place, 1, 2, yz);
    plane(u, place, 0, 3, xt);
    plane(u, place, 1, 3, yt);
    plane(u, place, 2, 3, zt);
    for (int i = 0; i < place->n; i++) {
        naik_exactsum_add(&sum->plaquette_s, xy[i] + xz[i] + yz[i]);
        naik_exactsum_add(&sum->plaquette_t, xt[i] + yt[i] + zt[i]);
    }
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        const naik_row *link = naik_ghosted_row(&u[mu], place, HERE, HERE, NULL);
        for (int i = 0; i < place->n; i++) {
            naik_exactsum_add(&sum->trace, link->at[0][i] + link->at[8][i] + link->at[16][i]);
        }
    }
}

static void clear(totals *sum)
{
    naik_exactsum_clear(&sum->plaquette_s);
    naik_exactsum_clear(&sum->plaquette_t);
    naik_exactsum_clear(&sum->trace);
}

static void sum_box(const naik_ghosted_plan *plan, const naik_ghosted *u, totals *sum)
{
    clear(sum);
#pragma omp parallel
    {
        totals mine;
        clear(&mine);
#pragma omp for schedule(static)
        for (int64_t chunk = 0; chunk < plan->chunks; chunk++) {
            const naik_ghosted_place place = naik_ghosted_chunk(plan, chunk);
            add_row(u, &place, &mine);
        }
        naik_exactsum_merge_shared(&sum->plaquette_s, &mine.plaquette_s);
        naik_exactsum_merge_shared(&sum->plaquette_t, &mine.plaquette_t);
        naik_exactsum_merge_shared(&sum->trace, &mine.trace);
    }
}

/* The larger one; a NaN becomes DBL_MAX, which survives every later maximum, also over MPI. */
static double larger(double a, double b)
{
    return isnan(b) || isinf(b) ? DBL_MAX : fmax(a, b);
}

NAIK_CLONES static double unitarity_dev(const naik_matrix *u)
{
    const naik_matrix product = naik_mat_mul_dagger(u, u);
    double largest = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            naik_complex d = {product.e[i][j].re - (i == j ? 1 : 0), product.e[i][j].im};
            largest = larger(largest, sqrt(naik_cnorm2(d)));
        }
    }
    return largest;
}

NAIK_CLONES static double det_dev(const naik_matrix *u)
{
    const naik_complex det = naik_mat_det(u);
    return larger(0, sqrt(naik_cnorm2((naik_complex){det.re - 1, det.im})));
}

static naik_status measure_deviations(const naik_gauge *gauge, naik_gauge_checks *out)
{
    const int64_t links = (int64_t)gauge->lattice->sites * NAIK_DIM;
    double unitarity = 0, det = 0;
#pragma omp parallel for schedule(static) reduction(max : unitarity, det)
    for (int64_t i = 0; i < links; i++) {
        unitarity = fmax(unitarity, unitarity_dev(&gauge->link[i]));
        det = fmax(det, det_dev(&gauge->link[i]));
    }
    double largest[2] = {unitarity, det};
    const naik_status status = naik_comm_max_f64(gauge->lattice->comm, largest, 2);
    out->max_unitarity_dev = largest[0] < DBL_MAX ? largest[0] : NAN;
    out->max_det_dev = largest[1] < DBL_MAX ? largest[1] : NAN;
    return status;
}

naik_status naik_gauge_measure(const naik_gauge *gauge, naik_gauge_checks *out)
{
    const naik_lattice *lat = gauge->lattice;
    const double volume = (double)lat->volume;
    naik_status status = NAIK_OK;
    naik_ghosted_plan plan;
    naik_ghosted u[NAIK_DIM] = {{NULL, NULL}};
    totals sum;
    NAIK_TRY(naik_ghosted_plan_init(lat, NULL, &plan));
    NAIK_TRY(naik_ghosted_init(&plan, NAIK_DIM, u));
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        NAIK_TRY(naik_ghosted_from_gauge(gauge, mu, &u[mu]));
        NAIK_TRY(naik_ghosted_exchange_all(&u[mu]));
    }
    sum_box(&plan, u, &sum);
    naik_exactsum sums[TOTALS] = {sum.plaquette_s, sum.plaquette_t, sum.trace};
    NAIK_TRY(naik_comm_sum_exact(lat->comm, sums, TOTALS));
    out->plaquette_s = naik_exactsum_value(&sums[0]) / (3 * volume);
    out->plaquette_t = naik_exactsum_value(&sums[1]) / (3 * volume);
    out->plaquette = (out->plaquette_s + out->plaquette_t) / 2;
    out->link_trace = naik_exactsum_value(&sums[2]) / (12 * volume);
    NAIK_TRY(measure_deviations(gauge, out));
done:
    naik_ghosted_clear(NAIK_DIM, u);
    naik_ghosted_plan_clear(&plan);
    return status;
}

naik_status naik_gauge_coulomb_deviation(const naik_gauge *gauge, double *theta)
{
    return naik_gauge_divergence(gauge, NAIK_DIM - 1, theta);
}

naik_status naik_gauge_divergence(const naik_gauge *gauge, int directions, double *theta)
{
    const naik_lattice *lat = gauge->lattice;
    naik_status status = NAIK_OK;
    naik_ghosted_plan plan;
    naik_ghosted u[NAIK_DIM] = {{NULL, NULL}};
    naik_exactsum sum;
    naik_exactsum_clear(&sum);
    NAIK_TRY(naik_ghosted_plan_init(lat, NULL, &plan));
    NAIK_TRY(naik_ghosted_init(&plan, directions, u));
    for (int k = 0; k < directions; k++) {
        NAIK_TRY(naik_ghosted_from_gauge(gauge, k, &u[k]));
        NAIK_TRY(naik_ghosted_exchange(&u[k], k));
    }
    NAIK_TRY(naik_link_ops_host.divergence(u, directions, &sum));
    NAIK_TRY(naik_comm_sum_exact(lat->comm, &sum, 1));
    *theta = naik_exactsum_value(&sum) / (3 * (double)lat->volume);
done:
    naik_ghosted_clear(directions, u);
    naik_ghosted_plan_clear(&plan);
    return status;
}
