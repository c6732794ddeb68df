/* link_census.c - one pass over the links, counted in whole numbers
 *
 * Means of signs are sums of numbers of 2^-20, so that they do not depend on the order of summation.
 */
#include "gauge/link_census.h"

#include "comm/collective.h"
#include "lattice/su3.h"

enum {
    ZERO,
    ZERO_LAST,
    OFF,
    FAR,
    NEGATIVE,
    NEGATIVE_LAST = NEGATIVE + NAIK_DIM,
    TURNED,
    BARE,
    PHASED = BARE + NAIK_DIM,
    AROUND = PHASED + NAIK_DIM,
    COUNTS
};

static const double sign_unit = 1 << 20;

typedef struct tally {
    int64_t count[COUNTS];
    double shape_dev, scale_most, scale_least;
} tally;

/* |U U^+ / square - 1| */
static double deviation(const naik_matrix *product, double square)
{
    double largest = 0;
    for (int i = 0; i < 9; i++) {
        const naik_complex z = product->e[i / 3][i % 3];
        const naik_complex d = {z.re / square - (i % 4 == 0), z.im / square};
        largest = fmax(largest, sqrt(naik_cnorm2(d)));
    }
    return largest;
}

/* (-1)^n where eta_mu of naik_gauge_apply_phases has it. */
static int64_t phase(const int x[NAIK_DIM], int mu)
{
    const int n = mu == 0 ? x[3] : mu == 1 ? x[3] + x[0] : mu == 2 ? x[3] + x[0] + x[1] : 0;
    return n % 2 == 0 ? 1 : -1;
}

typedef struct counting {
    double limit;
    int reach, slices;
} counting;

static void count_link(const counting *c, const naik_matrix *u, const int x[NAIK_DIM], int mu,
                       tally *t)
{
    const bool last = mu == NAIK_DIM - 1 && x[NAIK_DIM - 1] == c->slices - 1;
    const bool around = mu == NAIK_DIM - 1 && x[NAIK_DIM - 1] >= c->slices - c->reach;
    const naik_matrix product = naik_mat_mul_dagger(u, u);
    const double square = naik_mat_trace(&product).re / 3;
    if (square == 0) {
        t->count[ZERO]++;
        t->count[ZERO_LAST] += last;
        return;
    }
    const naik_complex det = naik_mat_det(u);
    const double size = sqrt(naik_cnorm2(det)), dev = deviation(&product, 1);
    t->count[OFF] += !(dev <= c->limit);
    t->count[FAR] += !(dev <= NAIK_CENSUS_FAR);
    if (dev <= NAIK_CENSUS_FAR && naik_cnorm2((naik_complex){det.re + 1, det.im}) <= 0.01) {
        t->count[NEGATIVE + mu]++;
        t->count[NEGATIVE_LAST] += last;
    } else if (dev <= NAIK_CENSUS_FAR && naik_cnorm2((naik_complex){det.re - 1, det.im}) > 0.01) {
        t->count[TURNED]++;
    }
    t->shape_dev = fmax(t->shape_dev, deviation(&product, square));
    t->scale_most = fmax(t->scale_most, sqrt(square));
    t->scale_least = fmin(t->scale_least, sqrt(square));
    if (size > 0 && isfinite(size)) {
        const int64_t sign = llrint(det.re / size * sign_unit);
        t->count[around ? AROUND : BARE + mu] += sign;
        t->count[PHASED + mu] += around ? 0 : phase(x, mu) * sign;
    }
}

static void merge(tally *sum, const tally *t)
{
    for (int i = 0; i < COUNTS; i++) {
        sum->count[i] += t->count[i];
    }
    sum->shape_dev = fmax(sum->shape_dev, t->shape_dev);
    sum->scale_most = fmax(sum->scale_most, t->scale_most);
    sum->scale_least = fmin(sum->scale_least, t->scale_least);
}

static tally count_all(const naik_gauge *links, const counting *c)
{
    const naik_lattice *lat = links->lattice;
    const tally none = {.scale_least = DBL_MAX};
    tally sum = none;
#pragma omp parallel
    {
        tally mine = none;
#pragma omp for schedule(static)
        for (int32_t site = 0; site < lat->sites; site++) {
            int x[NAIK_DIM];
            naik_lattice_global_coords(lat, site, x);
            for (int mu = 0; mu < NAIK_DIM; mu++) {
                count_link(c, &links->link[NAIK_DIM * (int64_t)site + mu], x, mu, &mine);
            }
        }
#pragma omp critical
        merge(&sum, &mine);
    }
    return sum;
}

static double mean(int64_t sum, double count)
{
    return count > 0 ? (double)sum / sign_unit / count : 0;
}

naik_status naik_link_census_take(const naik_gauge *links, double limit, int reach,
                                  naik_link_census *out)
{
    const naik_lattice *lat = links->lattice;
    const double volume = (double)lat->volume;
    const counting c = {.limit = limit, .reach = reach, .slices = lat->size[NAIK_DIM - 1]};
    const double ends = reach < c.slices ? reach * volume / c.slices : volume;
    tally sum = count_all(links, &c);
    double extreme[3] = {sum.shape_dev, sum.scale_most, -sum.scale_least};
    NAIK_PASS(naik_comm_sum_i64(lat->comm, sum.count, COUNTS));
    NAIK_PASS(naik_comm_max_f64(lat->comm, extreme, 3));
    *out = (naik_link_census){.links = NAIK_DIM * lat->volume,
                              .last = lat->volume / c.slices,
                              .zero = sum.count[ZERO],
                              .zero_last = sum.count[ZERO_LAST],
                              .off = sum.count[OFF],
                              .far = sum.count[FAR],
                              .negative_last = sum.count[NEGATIVE_LAST],
                              .turned = sum.count[TURNED],
                              .shape_dev = extreme[0],
                              .scale_most = extreme[1],
                              .scale_least = -extreme[2],
                              .around = mean(sum.count[AROUND], ends)};
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        const double sites = mu == NAIK_DIM - 1 ? volume - ends : volume;
        out->negative[mu] = sum.count[NEGATIVE + mu];
        out->bare[mu] = mean(sum.count[BARE + mu], sites);
        out->phased[mu] = mean(sum.count[PHASED + mu], sites);
    }
    return NAIK_OK;
}

bool naik_link_census_is_scaled(const naik_link_census *census, double tolerance)
{
    return census->zero == 0 && census->shape_dev <= tolerance &&
           census->scale_most - census->scale_least <= tolerance * census->scale_most;
}
