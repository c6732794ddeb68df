/* contract.c - correlators of several solutions: a complex number a site, summed over time slices */
#include "propagator/contract.h"

#include "base/memory.h"
#include "lattice/su3.h"
#include "propagator/slice_sums.h"

static naik_complex at(const double *v, int64_t i)
{
    return (naik_complex){v[2 * i], v[2 * i + 1]};
}

typedef struct tie {
    const naik_lattice *lat;
    int spin; /* of a product */
    const double *g, *h;
    naik_meson meson;
    const naik_frame *frame;
    naik_slice_waves waves;
} tie;

static naik_complex meson_at(const void *data, int32_t site, const int x[NAIK_DIM])
{
    const tie *m = data;
    naik_complex sum = {0, 0};
    for (int colour = 0; colour < 3; colour++) {
        for (int sink = 0; sink < 3; sink++) {
            const int64_t i = 3 * ((int64_t)colour * m->lat->sites + site) + sink;
            sum = naik_cfma_conj(at(m->g, i), at(m->h, i), sum);
        }
    }
    int y[NAIK_DIM];
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        y[mu] = x[mu] - m->frame->origin[mu];
    }
    const naik_complex w = naik_slice_wave(&m->waves, x);
    return naik_cmul(naik_cscale(naik_meson_sign(m->meson, y), w), sum);
}

naik_status naik_contract_meson(const naik_lattice *lattice, naik_meson meson,
                                const naik_frame *frame, const double *g, const double *h,
                                naik_complex *out)
{
    naik_status status = NAIK_OK;
    tie m = {.lat = lattice, .g = g, .h = h, .meson = meson, .frame = frame};
    NAIK_TRY(naik_comm_agree(lattice->comm, naik_slice_waves_make(lattice, frame, &m.waves)));
    NAIK_TRY(naik_slice_sums(lattice, meson_at, &m, out));
done:
    naik_slice_waves_clear(&m.waves);
    return status;
}

/* One number of a column. */
typedef struct element {
    const double *column;
    int numbers, sink;
} element;

static naik_complex element_at(const void *data, int32_t site, const int x[NAIK_DIM])
{
    const element *e = data;
    (void)x;
    return at(e->column, e->numbers * (int64_t)site + e->sink);
}

naik_status naik_contract_wall(const naik_lattice *lattice, int columns, const double *g,
                               naik_complex *wall)
{
    naik_status status = NAIK_OK;
    const int times = lattice->size[3], numbers = columns * columns;
    naik_complex *one = NULL; /* [T] */
    status = naik_alloc(lattice->comm->log, (size_t)times * sizeof *one, "correlator sums",
                        (void **)&one);
    NAIK_TRY(naik_comm_agree(lattice->comm, status));
    for (int i = 0; i < numbers; i++) {
        const int64_t source = i % columns;
        const element e = {g + 2 * columns * source * lattice->sites, columns, i / columns};
        NAIK_TRY(naik_slice_sums(lattice, element_at, &e, one));
        for (int t = 0; t < times; t++) {
            wall[numbers * t + i] = one[t];
        }
    }
done:
    naik_free(one);
    return status;
}

void naik_contract_walls(const naik_complex *w, const naik_complex *v, int times, naik_complex *out)
{
    for (int t = 0; t < times; t++, w += 9, v += 9) {
        out[t] = (naik_complex){0, 0};
        for (int i = 0; i < 9; i++) {
            const int k = 3 * (i % 3) + i / 3; /* source colour after source colour */
            out[t] = naik_cfma_conj(w[k], v[k], out[t]);
        }
    }
}

static naik_complex product_at(const void *data, int32_t site, const int x[NAIK_DIM])
{
    const tie *m = data;
    naik_complex sum = {0, 0};
    (void)x;
    for (int sink = 0; sink < 3 * m->spin; sink++) {
        const int64_t i = 3 * (int64_t)m->spin * site + sink;
        sum = naik_cfma_conj(at(m->g, i), at(m->h, i), sum);
    }
    return sum;
}

naik_status naik_contract_source(const naik_lattice *lattice, int spin, const double *src,
                                 const double *x, naik_complex *out)
{
    naik_status status = NAIK_OK;
    const int times = lattice->size[3];
    const tie m = {.lat = lattice, .spin = spin, .g = x, .h = src};
    naik_complex *one = NULL;
    status = naik_alloc(lattice->comm->log, (size_t)times * sizeof *one, "correlator sums",
                        (void **)&one);
    NAIK_TRY(naik_comm_agree(lattice->comm, status));
    NAIK_TRY(naik_slice_sums(lattice, product_at, &m, one));
    for (int t = 0; t < times; t++) {
        out[t] = naik_cadd(out[t], one[t]);
    }
done:
    naik_free(one);
    return status;
}
