/* unitarize.c - W = V (V^+ V)^(-1/2) by Cayley-Hamilton, by singular values where that fails
 *
 *   (V^+ V)^(-1/2) = f0 + f1 Q + f2 Q^2,   Q = V^+ V,   f from the eigenvalues g of Q
 *
 * The f lose accuracy like the square of V's condition number; as W is V times a polynomial of Q,
 * the error commutes with Q, and one Newton step W (3 - W^+ W)/2 squares it away.
 * A. Hasenfratz, R. Hoffmann, S. Schaefer, JHEP 05 (2007) 029.
 */
#include "naik/unitarize.h"

/* One pair of V's columns a_i, a_j is rotated to be orthogonal; `rotation` collects the product. */
static bool rotate_columns(naik_matrix *a, naik_matrix *rotation, int i, int j)
{
    double ni = 0, nj = 0;
    naik_complex overlap = {0, 0}; /* a_i^+ a_j */
    for (int k = 0; k < 3; k++) {
        ni += naik_cnorm2(a->e[k][i]);
        nj += naik_cnorm2(a->e[k][j]);
        overlap = naik_cfma(naik_conj(a->e[k][i]), a->e[k][j], overlap);
    }
    const double size = hypot(overlap.re, overlap.im);
    if (!(size > 4e-16 * sqrt(ni) * sqrt(nj))) {
        return false;
    }
    const double zeta = (nj - ni) / (2 * size);
    const double tangent = copysign(1, zeta) / (fabs(zeta) + hypot(1, zeta));
    const double c = 1 / hypot(1, tangent);
    const naik_complex phase = {overlap.re / size, overlap.im / size};
    naik_matrix *both[2] = {a, rotation};
    for (int m = 0; m < 2; m++) {
        for (int k = 0; k < 3; k++) {
            const naik_complex p = naik_cmul(both[m]->e[k][i], phase), q = both[m]->e[k][j];
            both[m]->e[k][i] = naik_cscale(c, naik_csub(p, naik_cscale(tangent, q)));
            both[m]->e[k][j] = naik_cscale(c, naik_cadd(naik_cscale(tangent, p), q));
        }
    }
    return true;
}

static double column_norm(const naik_matrix *a, int j)
{
    return sqrt(naik_cnorm2(a->e[0][j]) + naik_cnorm2(a->e[1][j]) + naik_cnorm2(a->e[2][j]));
}

static void swap_columns(naik_matrix *a, int i, int j)
{
    for (int k = 0; k < 3; k++) {
        const naik_complex keep = a->e[k][i];
        a->e[k][i] = a->e[k][j];
        a->e[k][j] = keep;
    }
}

/* Takes the earlier, orthonormal columns out of column j, twice, and normalises what is left.
 * False where that is less than half of it. */
static bool orthonormalise_column(naik_matrix *a, int j)
{
    const double before = column_norm(a, j);
    if (!(before > 0)) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        a->e[k][j] = (naik_complex){a->e[k][j].re / before, a->e[k][j].im / before};
    }
    for (int i = 0; i < 2 * j; i++) {
        naik_complex overlap = {0, 0};
        for (int k = 0; k < 3; k++) {
            overlap = naik_cfma(naik_conj(a->e[k][i % j]), a->e[k][j], overlap);
        }
        for (int k = 0; k < 3; k++) {
            a->e[k][j] = naik_csub(a->e[k][j], naik_cmul(overlap, a->e[k][i % j]));
        }
    }
    const double after = column_norm(a, j);
    for (int k = 0; k < 3 && after > 0; k++) {
        a->e[k][j] = (naik_complex){a->e[k][j].re / after, a->e[k][j].im / after};
    }
    return after > 0.5;
}

/* Columns, by decreasing length and nearly orthogonal, become orthonormal; lost ones are replaced
 * by what remains of a unit vector, one of which always keeps at least 1/sqrt(3). */
static void complete_basis(naik_matrix *a)
{
    for (int j = 0; j < 3; j++) {
        bool ok = orthonormalise_column(a, j);
        for (int unit = 0; unit < 3 && !ok; unit++) {
            for (int k = 0; k < 3; k++) {
                a->e[k][j] = (naik_complex){k == unit ? 1 : 0, 0};
            }
            ok = orthonormalise_column(a, j);
        }
    }
}

/* W = U_L V_R^+ by one-sided Jacobi rotations: V V_R has orthogonal columns, U_L times the singular
 * values. */
static naik_matrix by_singular_values(const naik_matrix *v)
{
    double largest = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            largest = fmax(largest, fmax(fabs(v->e[i][j].re), fabs(v->e[i][j].im)));
        }
    }
    /* The scale keeps squares in range; it changes no direction. */
    naik_matrix a = *v, rotation = naik_mat_unit();
    for (int i = 0; i < 3 && largest > 0; i++) {
        for (int j = 0; j < 3; j++) {
            a.e[i][j] = (naik_complex){a.e[i][j].re / largest, a.e[i][j].im / largest};
        }
    }
    bool moved = true;
    for (int sweep = 0; sweep < 40 && moved; sweep++) {
        moved = rotate_columns(&a, &rotation, 0, 1);
        moved = rotate_columns(&a, &rotation, 0, 2) || moved;
        moved = rotate_columns(&a, &rotation, 1, 2) || moved;
    }
    static const int pairs[3][2] = {{0, 1}, {1, 2}, {0, 1}};
    for (int k = 0; k < 3; k++) {
        const int i = pairs[k][0], j = pairs[k][1];
        if (column_norm(&a, i) < column_norm(&a, j)) {
            swap_columns(&a, i, j);
            swap_columns(&rotation, i, j);
        }
    }
    complete_basis(&a);
    complete_basis(&rotation);
    return naik_mat_mul_dagger(&a, &rotation);
}

/* Eigenvalues of the positive hermitian q with square q2. */
static void eigenvalues(const naik_matrix *q, const naik_matrix *q2, double g[3])
{
    /* Re Tr of Q Q Q^+, as the matrices are hermitian. */
    double trace_q3 = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            trace_q3 = fma(q2->e[i][j].re, q->e[i][j].re, trace_q3);
            trace_q3 = fma(q2->e[i][j].im, q->e[i][j].im, trace_q3);
        }
    }
    const double c0 = naik_mat_trace(q).re;
    const double c1 = naik_mat_trace(q2).re / 2;
    const double c2 = trace_q3 / 3;
    const double s = c1 / 3 - c0 * c0 / 18;
    g[0] = g[1] = g[2] = c0 / 3;
    if (fabs(s) < 1e-14) {
        return;
    }
    const double root = sqrt(s);
    const double r = c2 / 2 - c0 * c1 / 3 + c0 * c0 * c0 / 27;
    const double angle = acos(fmin(1, fmax(-1, r / (s * root)))) / 3;
    for (int k = 0; k < 3; k++) {
        g[k] += 2 * root * cos(angle + k * (2 * M_PI / 3));
    }
}

/* f0 + f1 q + f2 q2 */
static naik_matrix inverse_root(const naik_matrix *q, const naik_matrix *q2, const double g[3])
{
    const double r0 = sqrt(g[0]), r1 = sqrt(g[1]), r2 = sqrt(g[2]);
    const double u = r0 + r1 + r2;
    const double v = r0 * r1 + r0 * r2 + r1 * r2;
    const double w = r0 * r1 * r2;
    const double den = w * (u * v - w);
    naik_matrix sum = naik_mat_zero();
    for (int i = 0; i < 3; i++) {
        sum.e[i][i].re = (u * v * v - w * (u * u + v)) / den;
    }
    naik_mat_add(&sum, (2 * u * v - w - u * u * u) / den, q);
    naik_mat_add(&sum, u / den, q2);
    return sum;
}

/* W (3 - W^+ W)/2 */
static naik_matrix newton_step(const naik_matrix *w)
{
    const naik_matrix square = naik_mat_dagger_mul(w, w);
    naik_matrix correction = naik_mat_zero();
    for (int i = 0; i < 3; i++) {
        correction.e[i][i].re = 1.5;
    }
    naik_mat_add(&correction, -0.5, &square);
    return naik_mat_mul(w, &correction);
}

static bool all_finite(const naik_matrix *v)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            if (!isfinite(v->e[i][j].re) || !isfinite(v->e[i][j].im)) {
                return false;
            }
        }
    }
    return true;
}

naik_matrix naik_unitarize(const naik_matrix *v, bool *used_svd)
{
    const double det = naik_cnorm2(naik_mat_det(v));
    const naik_matrix q = naik_mat_dagger_mul(v, v);
    const naik_matrix q2 = naik_mat_mul(&q, &q);
    double g[3];
    eigenvalues(&q, &q2, g);
    const bool positive = g[0] > 0 && g[1] > 0 && g[2] > 0;
    const double product = g[0] * g[1] * g[2];
    *used_svd = false;
    if (!all_finite(v)) {
        return naik_mat_scale(NAN, v);
    }
    /* Written so that a NaN among the numbers takes the safe road. */
    if (!(det >= 1e-8 && fabs(det - product) <= 1e-8 * det && positive)) {
        *used_svd = true;
        return by_singular_values(v);
    }
    const naik_matrix root = inverse_root(&q, &q2, g);
    const naik_matrix w = naik_mat_mul(v, &root);
    return newton_step(&w);
}
