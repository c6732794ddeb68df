/* twist.c - one phase a direction, on links wherever they are */
#include "links/twist.h"

#include <math.h>
#include <stdio.h>

#include "links/link_ops.h"

void naik_twist_text(const double *twist, char text[NAIK_TWIST_TEXT])
{
    text[0] = '\0';
    if (twist != NULL) {
        snprintf(text, NAIK_TWIST_TEXT, ", twist %.10g %.10g %.10g", twist[0], twist[1], twist[2]);
    }
}

bool naik_twist_same(const double *a, const double *b)
{
    static const double none[NAIK_DIM - 1] = {0};
    const double *p = a != NULL ? a : none, *q = b != NULL ? b : none;
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

naik_status naik_gauge_twist(const naik_gauge *u, const double twist[NAIK_DIM - 1], int hops,
                             naik_gauge **out)
{
    naik_status status = NAIK_OK;
    const double turns[NAIK_DIM] = {twist[0], twist[1], twist[2], 0};
    naik_complex phase[NAIK_DIM];
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        const double angle = 2 * M_PI * hops * turns[mu] / u->lattice->size[mu];
        phase[mu] = (naik_complex){cos(angle), sin(angle)};
    }
    NAIK_TRY(naik_gauge_create_on(u->lattice, u->device, out));
    NAIK_TRY(naik_link_ops_of(u->device)->rotate(u, phase, *out));
done:
    if (status != NAIK_OK) {
        naik_gauge_destroy(out);
    }
    return status;
}

static naik_status replace(naik_gauge **u, const double twist[NAIK_DIM - 1], int hops)
{
    naik_gauge *twisted = NULL;
    if (*u == NULL) {
        return NAIK_OK;
    }
    NAIK_PASS(naik_gauge_twist(*u, twist, hops, &twisted));
    naik_gauge_destroy(u);
    *u = twisted;
    return NAIK_OK;
}

naik_status naik_fatlong_twist(naik_fatlong *links, const double twist[NAIK_DIM - 1])
{
    NAIK_PASS(replace(&links->fat, twist, 1));
    return replace(&links->long_links, twist, 3);
}
