/* stored.c - the links as a file gives them back, and the numbers of its header
 *
 * A header that told the plaquette of the links in memory would contradict the file where links are
 * rounded to single precision or their third row is left out.
 */
#include <string.h>

#include "io/gauge/format.h"
#include "lattice/su3.h"

void naik_gauge_complete_row(naik_matrix *u)
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        naik_complex c =
            naik_csub(naik_cmul(u->e[0][j], u->e[1][k]), naik_cmul(u->e[0][k], u->e[1][j]));
        u->e[2][i] = naik_conj(c);
    }
}

static void round_link(naik_matrix *u)
{
    double reals[18];
    memcpy(reals, u->e, sizeof reals);
    for (int i = 0; i < 18; i++) {
        reals[i] = (float)reals[i];
    }
    memcpy(u->e, reals, sizeof reals);
}

naik_status naik_gauge_measure_stored(const naik_gauge *gauge, int precision, int rows,
                                      naik_gauge_checks *out)
{
    naik_status status = NAIK_OK;
    naik_gauge *stored = NULL;
    if (precision == 64 && rows == 3) {
        return naik_gauge_measure(gauge, out);
    }
    NAIK_TRY(naik_gauge_create(gauge->lattice, &stored));
    const int64_t links = NAIK_DIM * (int64_t)gauge->lattice->sites;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < links; i++) {
        stored->link[i] = gauge->link[i];
        if (precision == 32) {
            round_link(&stored->link[i]);
        }
        if (rows == 2) {
            naik_gauge_complete_row(&stored->link[i]);
        }
    }
    NAIK_TRY(naik_gauge_measure(stored, out));
done:
    naik_gauge_destroy(&stored);
    return status;
}
