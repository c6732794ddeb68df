/* multigrid_kernels_fixture.c - P, coarse vectors and coarse matrices of one rank, and copies on the host */
#include "multigrid_kernels_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

enum { BATCH = 4 };
static const int box[NAIK_DIM] = {8, 4, 4, 8}, extent[NAIK_DIM] = {4, 2, 2, 4};

static void coordinates(int number, const int size[NAIK_DIM], int x[NAIK_DIM])
{
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        x[mu] = number % size[mu];
        number /= size[mu];
    }
}

static int number_of(const int x[NAIK_DIM], const int size[NAIK_DIM])
{
    return x[0] + size[0] * (x[1] + size[1] * (x[2] + size[2] * x[3]));
}

static int parity_of(const int x[NAIK_DIM])
{
    return (x[0] + x[1] + x[2] + x[3]) & 1;
}

/* Members of a coarse site at x, and which of their points leave it. */
static void list_members(naik_aggregates *a, int parity, int site, const int x[NAIK_DIM])
{
    int found[2] = {0, 0};
    for (int n = 0; n < 2 * a->fine; n++) {
        int y[NAIK_DIM], there[NAIK_DIM];
        unsigned across = 0;
        coordinates(n, a->extent, y);
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            there[mu] = x[mu] * a->extent[mu] + y[mu];
            across |= (y[mu] == a->extent[mu] - 1 ? 1u : 0u) << mu | (y[mu] == 0 ? 16u : 0u) << mu;
        }
        const int fine = parity_of(there), at = (2 * site + fine) * a->fine + found[fine]++;
        a->member[parity][at] = number_of(there, box) / 2;
        a->across[parity][at] = (uint8_t)across;
    }
}

static void cut(const naik_geometry *geometry, naik_aggregates *a)
{
    int count = 1;
    *a = (naik_aggregates){.geometry = geometry, .fine = 1};
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        a->extent[mu] = extent[mu];
        a->size[mu] = a->local[mu] = box[mu] / extent[mu];
        count *= a->size[mu];
        a->fine *= extent[mu];
    }
    a->fine /= 2;
    int *place = calloc((size_t)count, sizeof *place);
    for (int n = 0; n < count; n++) {
        int x[NAIK_DIM];
        coordinates(n, a->size, x);
        place[n] = a->count[parity_of(x)]++;
    }
    for (int c = 0; c < 2; c++) {
        const size_t sites = (size_t)a->count[c], members = sites * 2 * (size_t)a->fine;
        a->member[c] = calloc(members, sizeof *a->member[c]);
        a->across[c] = calloc(members, sizeof *a->across[c]);
        a->neighbour[c] = calloc(sites * NAIK_MG_POINTS, sizeof *a->neighbour[c]);
        a->global[c] = calloc(sites, sizeof *a->global[c]);
    }
    for (int n = 0; n < count; n++) {
        int x[NAIK_DIM];
        coordinates(n, a->size, x);
        const int c = parity_of(x), site = place[n];
        a->global[c][site] = n;
        list_members(a, c, site, x);
        for (int k = 0; k < NAIK_MG_POINTS; k++) {
            const int mu = k % NAIK_DIM, size = a->size[mu], step = k < NAIK_DIM ? 1 : size - 1;
            int y[NAIK_DIM];
            memcpy(y, x, sizeof y);
            y[mu] = (x[mu] + step) % size;
            a->neighbour[c][site * NAIK_MG_POINTS + k] = place[number_of(y, a->size)];
        }
    }
    free(place);
}

naik_complex *mg_random(int64_t count, uint64_t seed)
{
    naik_complex *v = calloc((size_t)count, sizeof *v);
    naik_rng rng = naik_rng_at(seed, 0, 0);
    for (int64_t i = 0; i < count; i++) {
        v[i].re = (float)(naik_rng_uniform(&rng) - 0.5);
        v[i].im = (float)(naik_rng_uniform(&rng) - 0.5);
    }
    return v;
}

/* Where a checkerboard site lies in local order. */
static int64_t local_site(const naik_lattice *lat, naik_parity parity, int cb)
{
    int x[NAIK_DIM];
    coordinates(2 * cb, lat->local, x);
    return 2 * cb + ((x[0] + x[1] + x[2] + x[3] + (int)parity) & 1);
}

void mg_put(check *t, naik_field *field, naik_parity parity, const naik_complex *v)
{
    const naik_lattice *lat = field->geometry->lattice;
    naik_complex *sites = calloc((size_t)lat->sites * MG_ROWS, sizeof *sites);
    for (int c = 0; c < field->nrhs; c++) {
        for (int cb = 0; cb < lat->volume_cb; cb++) {
            memcpy(sites + local_site(lat, parity, cb) * MG_ROWS,
                   v + ((int64_t)cb * field->nrhs + c) * MG_ROWS, MG_ROWS * sizeof *sites);
        }
        CHECK_OK(t, field->geometry->backend->ops->field.from_host(field, parity, c,
                                                                   (const double *)sites));
    }
    free(sites);
}

naik_complex *mg_take(check *t, const naik_field *field, naik_parity parity)
{
    const naik_lattice *lat = field->geometry->lattice;
    naik_complex *sites = calloc((size_t)lat->sites * MG_ROWS, sizeof *sites);
    naik_complex *v = calloc((size_t)lat->volume_cb * (size_t)field->nrhs * MG_ROWS, sizeof *v);
    for (int c = 0; c < field->nrhs; c++) {
        CHECK_OK(t,
                 field->geometry->backend->ops->field.to_host(field, parity, c, (double *)sites));
        for (int cb = 0; cb < lat->volume_cb; cb++) {
            memcpy(v + ((int64_t)cb * field->nrhs + c) * MG_ROWS,
                   sites + local_site(lat, parity, cb) * MG_ROWS, MG_ROWS * sizeof *sites);
        }
    }
    free(sites);
    return v;
}

naik_complex *mg_columns(check *t, const mg_fixture *m, const naik_transfer *p, naik_parity parity)
{
    const int cbs = m->f.lat->volume_cb;
    naik_complex *v = calloc((size_t)cbs * (size_t)m->vectors * MG_ROWS, sizeof *v);
    naik_field *one = NULL;
    CHECK_OK(t, naik_field_create_spin(m->f.geometry, NAIK_SINGLE, NAIK_SPIN, 1, &one));
    for (int n = 0; n < m->components; n++) {
        const int chirality = n / m->vectors, i = n % m->vectors;
        CHECK_OK(t, m->ops->get_columns(p, parity, chirality, i, one));
        naik_complex *column = mg_take(t, one, parity);
        double other = 0;
        for (int r = 0; r < cbs * MG_ROWS; r++) {
            if (r % MG_ROWS / (MG_ROWS / 2) == chirality) {
                v[((int64_t)(r / MG_ROWS) * m->vectors + i) * MG_ROWS + r % MG_ROWS] = column[r];
            } else {
                other += fabs(column[r].re) + fabs(column[r].im);
            }
        }
        CHECK_NEAR(t, other, 0, 0);
        free(column);
    }
    naik_field_destroy(&one);
    return v;
}

static void create_transfer(check *t, mg_fixture *m, int storage)
{
    naik_transfer *p = &m->p[storage];
    *p = (naik_transfer){.aggregates = &m->a,
                         .vectors = m->vectors,
                         .precision = storage == 0 ? NAIK_SINGLE : NAIK_HALF};
    p->size_bytes = m->ops->transfer_bytes(&m->a, p->vectors, p->precision);
    CHECK_OK(t, naik_backend_alloc(m->f.backend, p->size_bytes, "P", &p->data));
    const size_t work = m->ops->work_bytes(&m->a, p->vectors);
    if (work > 0) {
        CHECK_OK(t, naik_backend_alloc(m->f.backend, work, "room for P", &p->work));
    }
}

/* Random columns on a fine parity, in batches of fewer than there are. */
static void fill(check *t, mg_fixture *m, naik_parity parity)
{
    const int64_t rows = (int64_t)m->f.lat->volume_cb * MG_ROWS;
    naik_field *v = NULL;
    CHECK_OK(t, naik_field_create_spin(m->f.geometry, NAIK_SINGLE, NAIK_SPIN, BATCH, &v));
    for (int first = 0; first < m->vectors; first += BATCH) {
        const int here = m->vectors - first < BATCH ? m->vectors - first : BATCH;
        naik_complex *host = mg_random(rows * here, (uint64_t)(10 + 2 * first + (int)parity));
        for (int64_t r = 0; r < rows && first == 0 && here == BATCH; r++) {
            naik_complex *site = host + r / MG_ROWS * here * MG_ROWS + r % MG_ROWS;
            site[(BATCH - 1) * MG_ROWS] = site[0];
        }
        naik_field_set_nrhs(v, here);
        mg_put(t, v, parity, host);
        CHECK_OK(t, m->ops->set_columns(&m->p[0], parity, first, v));
        free(host);
    }
    naik_field_destroy(&v);
}

bool mg_fixture_create(check *t, int vectors, int nrhs, mg_fixture *out, naik_orthonormal *met)
{
    *out = (mg_fixture){.vectors = vectors, .components = 2 * vectors, .nrhs = nrhs};
    if (!fixture_create(t, box, NULL, true, true, 0, &out->f)) {
        return false;
    }
    out->ops = out->f.backend->ops->multigrid;
    if (out->ops == NULL) {
        t->skip = "this backend has no multigrid";
        fixture_destroy(&out->f);
        return false;
    }
    cut(out->f.geometry, &out->a);
    CHECK_OK(t, out->ops->aggregates_open(&out->a));
    create_transfer(t, out, 0);
    create_transfer(t, out, 1);
    fill(t, out, NAIK_EVEN);
    fill(t, out, NAIK_ODD);
    CHECK_OK(t, out->ops->orthonormalise(&out->p[0], met));
    CHECK_OK(t, out->ops->compress(&out->p[1], &out->p[0]));
    for (int n = 0; n < 4; n++) {
        out->host[n / 2][n % 2] = mg_columns(t, out, &out->p[n / 2], (naik_parity)(n % 2));
    }
    return true;
}

void mg_fixture_destroy(mg_fixture *m)
{
    for (int s = 0; s < 2; s++) {
        naik_backend_release(m->f.backend, m->p[s].data);
        naik_backend_release(m->f.backend, m->p[s].work);
        for (int c = 0; c < 2; c++) {
            free(m->host[s][c]);
        }
    }
    m->ops->aggregates_close(&m->a);
    for (int c = 0; c < 2; c++) {
        free(m->a.member[c]);
        free(m->a.across[c]);
        free(m->a.neighbour[c]);
        free(m->a.global[c]);
    }
    fixture_destroy(&m->f);
}

naik_coarse mg_coarse(check *t, const mg_fixture *m)
{
    naik_coarse v = {&m->a, m->components, m->nrhs, m->nrhs + 2, 0, NULL};
    const int most = m->a.count[0] > m->a.count[1] ? m->a.count[0] : m->a.count[1];
    v.capacity = v.capacity > NAIK_MG_WIDTH ? NAIK_MG_WIDTH : v.capacity;
    v.site_bytes = m->ops->site_bytes(v.components, v.capacity);
    CHECK_OK(t, naik_backend_alloc(m->f.backend, v.site_bytes * (size_t)most, "coarse", &v.data));
    return v;
}

void mg_release(const mg_fixture *m, void *memory)
{
    naik_backend_release(m->f.backend, memory);
}

int64_t mg_coarse_count(const mg_fixture *m, naik_parity parity)
{
    return (int64_t)m->a.count[parity] * m->nrhs * m->components;
}

/* An rhs between [site][components] and a host copy of all. */
static void move(const naik_coarse *v, naik_parity parity, int c, naik_complex *one,
                 naik_complex *host, bool out)
{
    for (int s = 0; s < v->aggregates->count[parity]; s++) {
        naik_complex *a = one + (int64_t)s * v->components;
        naik_complex *b = host + ((int64_t)s * v->nrhs + c) * v->components;
        memcpy(out ? b : a, out ? a : b, (size_t)v->components * sizeof *a);
    }
}

void mg_put_coarse(check *t, naik_coarse *v, naik_parity parity, const naik_complex *host)
{
    const naik_aggregates *a = v->aggregates;
    naik_complex *one = calloc((size_t)a->count[parity] * (size_t)v->components, sizeof *one);
    for (int c = 0; c < v->nrhs; c++) {
        move(v, parity, c, one, (naik_complex *)host, false);
        CHECK_OK(t, a->geometry->backend->ops->multigrid->coarse_from_host(v, parity, c,
                                                                           (const double *)one));
    }
    free(one);
}

naik_complex *mg_take_coarse(check *t, const naik_coarse *v, naik_parity parity)
{
    const naik_aggregates *a = v->aggregates;
    const size_t count = (size_t)a->count[parity] * (size_t)v->components;
    naik_complex *one = calloc(count, sizeof *one);
    naik_complex *host = calloc(count * (size_t)v->nrhs, sizeof *host);
    for (int c = 0; c < v->nrhs; c++) {
        CHECK_OK(t,
                 a->geometry->backend->ops->multigrid->coarse_to_host(v, parity, c, (double *)one));
        move(v, parity, c, one, host, true);
    }
    free(one);
    return host;
}

naik_coarse_links mg_links(check *t, const mg_fixture *m, naik_precision precision)
{
    naik_coarse_links links = {&m->a, m->components, precision, 0, NULL};
    links.size_bytes = m->ops->links_bytes(&m->a, m->components, precision);
    CHECK_OK(t, naik_backend_alloc(m->f.backend, links.size_bytes, "matrices", &links.data));
    void *zeros = calloc(links.size_bytes, 1);
    CHECK_OK(t, naik_backend_upload(m->f.backend, links.data, zeros, links.size_bytes));
    free(zeros);
    return links;
}

naik_complex *mg_matrix(check *t, const mg_fixture *m, const naik_coarse_links *links, int which,
                        naik_parity parity)
{
    const int n = m->components, sites = m->a.count[parity];
    naik_complex *matrix = calloc((size_t)(sites * n * n), sizeof *matrix);
    naik_coarse in = mg_coarse(t, m), out = mg_coarse(t, m);
    for (int first = 0; first < n; first += m->nrhs) {
        naik_complex *unit = calloc((size_t)mg_coarse_count(m, parity), sizeof *unit);
        for (int i = 0; i < sites * m->nrhs; i++) {
            const int column = first + i % m->nrhs;
            if (column < n) {
                unit[(int64_t)i * n + column].re = 1;
            }
        }
        mg_put_coarse(t, &in, parity, unit);
        CHECK_OK(t, m->ops->multiply(links, which, parity, &in, &out));
        naik_complex *got = mg_take_coarse(t, &out, parity);
        for (int i = 0; i < sites * m->nrhs * n; i++) {
            const int row = i % n, column = first + i / n % m->nrhs, site = i / (n * m->nrhs);
            if (column < n) {
                matrix[((int64_t)site * n + row) * n + column] = got[i];
            }
        }
        free(got);
        free(unit);
    }
    mg_release(m, in.data);
    mg_release(m, out.data);
    return matrix;
}

int64_t mg_member(const mg_fixture *m, int coarse, int site, int fine, int n)
{
    return m->a.member[coarse][(2 * site + fine) * m->a.fine + n];
}

double mg_distance(const naik_complex *a, const naik_complex *b, int64_t count)
{
    double distance = 0, size = 0;
    for (int64_t i = 0; i < count; i++) {
        distance += naik_cnorm2(naik_csub(a[i], b[i]));
        size += naik_cnorm2(b[i]);
    }
    return sqrt(distance) / (size > 0 ? sqrt(size) : 1);
}

typedef struct shape {
    int vectors, nrhs;
} shape;

static const shape shapes[] = {{5, 3}, {24, 12}, {8, 16}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

bool mg_is_long(void)
{
    return getenv("NAIK_TEST_LONG") != NULL || strcmp(fixture_backend_name(), "cpu") != 0;
}

void mg_for_shapes(check *t,
                   void (*run)(check *t, const mg_fixture *m, const naik_orthonormal *met))
{
    for (int i = 0; i < (mg_is_long() ? SHAPES : 1); i++) {
        mg_fixture m;
        naik_orthonormal met = {0};
        if (!mg_fixture_create(t, shapes[i].vectors, shapes[i].nrhs, &m, &met)) {
            return;
        }
        run(t, &m, &met);
        mg_fixture_destroy(&m);
    }
}
