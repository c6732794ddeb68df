/* clover.c - field strengths from the links around a site, blocks from field strengths, inverses
 *
 * Three products a plaquette, of the links as they stand around the site: the box has one more site
 * on every side that is another rank's, edges included.
 */
#include "links/clover.h"

#include <stdlib.h>

#include "base/memory.h"
#include "comm/collective.h"
#include "links/ghosted.h"

/* The link mu of the site that is `a` sites in direction along_a and `b` in along_b from x. */
static naik_matrix link_at(const naik_ghosted u[NAIK_DIM], int mu, const int x[NAIK_DIM],
                           int along_a, int a, int along_b, int b)
{
    const naik_ghosted_plan *plan = u[mu].plan;
    int y[NAIK_DIM] = {x[0], x[1], x[2], x[3]};
    naik_matrix out;
    y[along_a] += a;
    y[along_b] += b;
    for (int nu = 0; nu < NAIK_DIM; nu++) {
        if (plan->pad[nu] == 0) {
            y[nu] = (y[nu] + plan->box[nu]) % plan->box[nu];
        }
    }
    const double *from = naik_ghosted_at(&u[mu], y);
    for (int i = 0; i < 9; i++) {
        out.e[i / 3][i % 3] = (naik_complex){from[2 * i * (int)NAIK_ROW_SITES],
                                             from[(2 * i + 1) * (int)NAIK_ROW_SITES]};
    }
    return out;
}

/* F_mu,nu(x) */
static naik_matrix field_strength(const naik_ghosted u[NAIK_DIM], const int x[NAIK_DIM], int mu,
                                  int nu)
{
    /* U_mu and U_nu at x, and at the sites a step away that the four plaquettes touch */
    const naik_matrix m = link_at(u, mu, x, mu, 0, nu, 0), n = link_at(u, nu, x, mu, 0, nu, 0);
    const naik_matrix n_right = link_at(u, nu, x, mu, 1, nu, 0);
    const naik_matrix m_up = link_at(u, mu, x, mu, 0, nu, 1);
    const naik_matrix m_left = link_at(u, mu, x, mu, -1, nu, 0);
    const naik_matrix n_left = link_at(u, nu, x, mu, -1, nu, 0);
    const naik_matrix m_left_up = link_at(u, mu, x, mu, -1, nu, 1);
    const naik_matrix m_down = link_at(u, mu, x, mu, 0, nu, -1);
    const naik_matrix n_down = link_at(u, nu, x, mu, 0, nu, -1);
    const naik_matrix m_left_down = link_at(u, mu, x, mu, -1, nu, -1);
    const naik_matrix n_left_down = link_at(u, nu, x, mu, -1, nu, -1);
    const naik_matrix n_right_down = link_at(u, nu, x, mu, 1, nu, -1);
    naik_matrix first, second, q[4], sum = naik_mat_zero(), f;
    first = naik_mat_mul(&m, &n_right); /* right and up */
    second = naik_mat_mul(&n, &m_up);
    q[0] = naik_mat_mul_dagger(&first, &second);
    first = naik_mat_mul_dagger(&n, &m_left_up); /* up and left */
    second = naik_mat_dagger_mul(&n_left, &m_left);
    q[1] = naik_mat_mul(&first, &second);
    first = naik_mat_mul(&n_left_down, &m_left); /* left and down */
    second = naik_mat_mul(&m_left_down, &n_down);
    q[2] = naik_mat_dagger_mul(&first, &second);
    first = naik_mat_dagger_mul(&n_down, &m_down); /* down and right */
    second = naik_mat_mul_dagger(&n_right_down, &m);
    q[3] = naik_mat_mul(&first, &second);
    for (int k = 0; k < 4; k++) {
        naik_mat_add(&sum, 1, &q[k]);
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            f.e[i][j] = naik_cscale(0.125, naik_csub(sum.e[i][j], naik_conj(sum.e[j][i])));
        }
    }
    return f;
}

/* i z */
static naik_complex turned(naik_complex z)
{
    return (naik_complex){-z.im, z.re};
}

/* diagonal + (i csw/2) (s1 E1 + s2 E2 + s3 E3), E antihermitian:
 *
 *   (i csw/2) (     E3       E1 - i E2 )
 *             ( E1 + i E2      -E3     ) */
static naik_block make_block(double diagonal, double csw, const naik_matrix *e1,
                             const naik_matrix *e2, const naik_matrix *e3)
{
    naik_block b;
    for (int i = 0; i < 3; i++) {
        const double upper = csw / 2 * turned(e3->e[i][i]).re;
        b.diagonal[i] = diagonal + upper;
        b.diagonal[3 + i] = diagonal - upper;
        for (int j = 0; j < 3; j++) {
            const int row = 3 + i;
            const naik_complex here = turned(e3->e[i][j]);
            const naik_complex mixed = turned(naik_cadd(e1->e[i][j], turned(e2->e[i][j])));
            b.lower[row * (row - 1) / 2 + j] = naik_cscale(csw / 2, mixed);
            if (j < i) {
                b.lower[i * (i - 1) / 2 + j] = naik_cscale(csw / 2, here);
                b.lower[row * (row - 1) / 2 + 3 + j] = naik_cscale(-csw / 2, here);
            }
        }
    }
    return b;
}

static naik_matrix sum_of(const naik_matrix *a, double s, const naik_matrix *b)
{
    naik_matrix out = *a;
    naik_mat_add(&out, s, b);
    return out;
}

static void site_blocks(const naik_ghosted u[NAIK_DIM], const int x[NAIK_DIM], double diagonal,
                        double csw, naik_block block[NAIK_SITE_BLOCKS])
{
    const naik_matrix xy = field_strength(u, x, 0, 1), xz = field_strength(u, x, 0, 2);
    const naik_matrix xt = field_strength(u, x, 0, 3), yz = field_strength(u, x, 1, 2);
    const naik_matrix yt = field_strength(u, x, 1, 3), zt = field_strength(u, x, 2, 3);
    for (int k = 0; k < NAIK_SITE_BLOCKS; k++) {
        const double sign = k == 0 ? 1 : -1;
        const naik_matrix e1 = sum_of(&yz, -sign, &xt), e2 = sum_of(&xz, sign, &yt);
        const naik_matrix e3 = sum_of(&xy, -sign, &zt);
        block[k] = make_block(diagonal, csw, &e1, &e2, &e3);
    }
}

/* All blocks of the box and their inverses; *singular: the lowest global number of a site that has
 * none, or the volume. */
static void fill(const naik_ghosted u[NAIK_DIM], double diagonal, double csw, naik_clover *clover,
                 int64_t *singular)
{
    const naik_lattice *lat = clover->lattice;
    int64_t pivoted = 0, first = lat->volume;
#pragma omp parallel for schedule(static) reduction(+ : pivoted) reduction(min : first)
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[NAIK_DIM];
        naik_lattice_coords(lat, site, x);
        site_blocks(u, x, diagonal, csw, clover->block[site]);
        for (int k = 0; k < NAIK_SITE_BLOCKS; k++) {
            const naik_block_way way =
                naik_block_invert(&clover->block[site][k], &clover->inverse[site][k]);
            const int64_t global = naik_lattice_global(lat, x);
            pivoted += way == NAIK_BLOCK_PIVOTED;
            first = way == NAIK_BLOCK_SINGULAR && global < first ? global : first;
        }
    }
    clover->pivoted = pivoted;
    *singular = first;
}

/* All ranks leave together where a block has no inverse. */
static naik_status agree(naik_clover *clover, double mass, double csw, int64_t singular)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = clover->lattice;
    double first = (double)singular;
    NAIK_TRY(naik_comm_sum_i64(lat->comm, &clover->pivoted, 1));
    NAIK_TRY(naik_comm_min_f64(lat->comm, &first, 1));
    if (first < (double)lat->volume) {
        int64_t rest = (int64_t)first;
        int x[NAIK_DIM];
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            x[mu] = (int)(rest % lat->size[mu]);
            rest /= lat->size[mu];
        }
        status = NAIK_FAIL(lat->comm->log, NAIK_ERR_INPUT,
                           "m + 4 + C cannot be inverted at site %d %d %d %d (x y z t) with mass "
                           "%.10g and csw %.10g",
                           x[0], x[1], x[2], x[3], mass, csw);
    }
done:
    return status;
}

size_t naik_clover_bytes(const naik_lattice *lattice)
{
    return 2 * (size_t)lattice->sites * sizeof(naik_block[NAIK_SITE_BLOCKS]);
}

static naik_status allocate(naik_clover *clover)
{
    naik_status status = NAIK_OK;
    naik_log *log = clover->lattice->comm->log;
    const size_t bytes = naik_clover_bytes(clover->lattice) / 2;
    NAIK_TRY(naik_alloc(log, bytes, "clover blocks", (void **)&clover->block));
    NAIK_TRY(naik_alloc(log, bytes, "inverse clover blocks", (void **)&clover->inverse));
done:
    return status;
}

naik_status naik_clover_create(const naik_gauge *u, double mass, double csw, naik_clover **out)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = u->lattice;
    naik_ghosted_plan plan = {.lattice = lat};
    naik_ghosted links[NAIK_DIM] = {{NULL, NULL}};
    int64_t singular = 0;
    naik_clover *clover = calloc(1, sizeof *clover);
    *out = NULL;
    if (clover == NULL) {
        status = NAIK_FAIL(lat->comm->log, NAIK_ERR_MEMORY, "no memory for the clover term");
    } else {
        clover->lattice = lat;
        status = allocate(clover);
    }
    NAIK_TRY(naik_comm_agree(lat->comm, status));
    NAIK_TRY(naik_ghosted_plan_init(lat, NULL, &plan));
    NAIK_TRY(naik_ghosted_init(&plan, NAIK_DIM, links));
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        NAIK_TRY(naik_ghosted_from_gauge(u, mu, &links[mu]));
        NAIK_TRY(naik_ghosted_exchange_all(&links[mu]));
    }
    fill(links, mass + 4, csw, clover, &singular);
    NAIK_TRY(agree(clover, mass, csw, singular));
    *out = clover;
done:
    naik_ghosted_clear(NAIK_DIM, links);
    naik_ghosted_plan_clear(&plan);
    if (status != NAIK_OK) {
        naik_clover_destroy(&clover);
    }
    return status;
}

void naik_clover_destroy(naik_clover **clover)
{
    if (*clover != NULL) {
        naik_free((*clover)->block);
        naik_free((*clover)->inverse);
        free(*clover);
        *clover = NULL;
    }
}
