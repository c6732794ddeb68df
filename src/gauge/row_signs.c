/* row_signs.c - the stored plaquette against that of links without one set of signs after another */
#include "gauge/row_signs.h"

#include <math.h>

enum { ORDERS = 4, ROWS = 2 };

/* eta_mu = (-1)^(sum of the coordinates before mu): the order of the directions; none in the first. */
static const int orders[ORDERS + 1][NAIK_DIM] = {
    {0, 0, 0, 0}, {3, 0, 1, 2}, {0, 1, 2, 3}, {3, 2, 1, 0}, {2, 1, 0, 3}};

static bool is_odd(const int *order, const int x[NAIK_DIM], int mu)
{
    int sum = 0;
    for (int i = 0; i < NAIK_DIM && order[i] != mu; i++) {
        sum += x[order[i]];
    }
    return sum % 2 != 0;
}

/* out = links without these signs in their first two rows. */
static void take_out(const naik_gauge *links, const int *order, bool boundary, naik_gauge *out)
{
    const naik_lattice *lat = links->lattice;
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[NAIK_DIM];
        naik_lattice_global_coords(lat, site, x);
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            naik_matrix *u = &out->link[NAIK_DIM * (int64_t)site + mu];
            const bool last = mu == NAIK_DIM - 1 && x[mu] == lat->size[mu] - 1;
            const bool odd = order != orders[0] && is_odd(order, x, mu);
            *u = links->link[NAIK_DIM * (int64_t)site + mu];
            for (int i = 0; i < 3 * ROWS && odd != (boundary && last); i++) {
                u->e[i / 3][i % 3].re *= -1;
                u->e[i / 3][i % 3].im *= -1;
            }
        }
    }
}

naik_status naik_row_signs_find(const naik_gauge *links, double plaquette, double tolerance,
                                naik_row_signs *out)
{
    naik_status status = NAIK_OK;
    naik_gauge *without = NULL;
    *out = (naik_row_signs){.phases = false};
    NAIK_TRY(naik_gauge_create(links->lattice, &without));
    for (int i = 1; i < 2 * (ORDERS + 1); i++) {
        const bool phases = i / 2 > 0, boundary = i % 2 > 0;
        naik_gauge_checks checks;
        take_out(links, orders[i / 2], boundary, without);
        NAIK_TRY(naik_gauge_measure(without, &checks));
        if (fabs(checks.plaquette - plaquette) <= tolerance ||
            (phases && fabs(checks.plaquette + plaquette) <= tolerance)) {
            *out = (naik_row_signs){phases, boundary};
            break;
        }
    }
done:
    naik_gauge_destroy(&without);
    return status;
}
