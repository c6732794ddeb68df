/* gram.c - what makes vectors with this Gram matrix orthonormal, by Cholesky in double */
#include "multigrid/gram.h"

#include <math.h>
#include <string.h>

/* m -= conj (a) b, or a b */
static void subtract(const double a[2], const double b[2], bool conjugate, double m[2])
{
    const double im = conjugate ? -a[1] : a[1];
    m[0] -= a[0] * b[0] - im * b[1];
    m[1] -= a[0] * b[1] + im * b[0];
}

bool naik_gram_orthonormal(naik_gram g, int n, naik_gram t)
{
    /* g = r^+ r: rows of r in the upper triangle of g */
    for (int j = 0; j < n; j++) {
        const double whole = g[j][j][0];
        for (int k = 0; k < j; k++) {
            subtract(g[k][j], g[k][j], true, g[j][j]);
        }
        if (!(g[j][j][0] > 1e-11 * whole)) {
            return false;
        }
        const double root = sqrt(g[j][j][0]);
        g[j][j][0] = root;
        for (int i = j + 1; i < n; i++) {
            for (int k = 0; k < j; k++) {
                subtract(g[k][j], g[k][i], true, g[j][i]);
            }
            g[j][i][0] /= root;
            g[j][i][1] /= root;
        }
    }
    memset(t, 0, sizeof(naik_gram));
    for (int j = 0; j < n; j++) { /* r t = 1, column by column */
        t[j][j][0] = 1 / g[j][j][0];
        for (int i = j - 1; i >= 0; i--) {
            for (int k = i + 1; k <= j; k++) {
                subtract(g[i][k], t[k][j], false, t[i][j]);
            }
            t[i][j][0] /= g[i][i][0];
            t[i][j][1] /= g[i][i][0];
        }
    }
    return true;
}
