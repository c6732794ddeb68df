/* ghosted_sites.c - where the sites of a ghosted field are in the host's memory */
#include <string.h>

#include "links/ghosted.h"

enum { ROW_NUMBERS = NAIK_ROW_SITES * NAIK_ROW_REALS };

static int64_t line_number(const naik_ghosted_plan *plan, const int x[NAIK_DIM])
{
    int64_t number = 0;
    for (int mu = NAIK_DIM - 1; mu > 0; mu--) {
        number = number * plan->extent[mu] + x[mu] - plan->origin[mu] + plan->pad[mu];
    }
    return number;
}

/* From component 0 of the first site of a line to that of site x, which may be beside the box. */
static int64_t number_in_line(const naik_ghosted_plan *plan, int x)
{
    const int length = plan->box[0];
    const bool split = plan->pad[0] > 0;
    const int position = x < 0         ? (split ? length + 1 : length - 1)
                         : x == length ? (split ? length : 0)
                                       : x;
    return (int64_t)(position / NAIK_ROW_SITES) * ROW_NUMBERS + position % NAIK_ROW_SITES;
}

double *naik_ghosted_at(const naik_ghosted *ghosted, const int x[NAIK_DIM])
{
    const naik_ghosted_plan *plan = ghosted->plan;
    return ghosted->data + line_number(plan, x) * plan->line * NAIK_ROW_REALS +
           number_in_line(plan, x[0] - plan->origin[0]);
}

naik_ghosted_place naik_ghosted_place_at(const naik_ghosted_plan *plan, const int x[NAIK_DIM])
{
    const int along = x[0] - plan->origin[0], rest = plan->box[0] - along;
    const int in_line = plan->line / NAIK_ROW_SITES, first = along / NAIK_ROW_SITES;
    naik_ghosted_place place = {.x = {x[0], x[1], x[2], x[3]},
                                .n = rest < NAIK_ROW_SITES ? rest : NAIK_ROW_SITES,
                                .here = line_number(plan, x) * in_line + first};
    place.forward[0] = number_in_line(plan, along + place.n) - (int64_t)first * ROW_NUMBERS;
    place.backward[0] = number_in_line(plan, along - 1) - (int64_t)first * ROW_NUMBERS;
    int64_t step = in_line;
    for (int mu = 1; mu < NAIK_DIM; mu++) {
        const int last = plan->box[mu] - 1, at = x[mu] - plan->origin[mu];
        const bool wraps = plan->pad[mu] == 0;
        place.forward[mu] = wraps && at == last ? -step * last : step;
        place.backward[mu] = wraps && at == 0 ? step * last : -step;
        step *= plan->extent[mu];
    }
    return place;
}

naik_ghosted_place naik_ghosted_chunk(const naik_ghosted_plan *plan, int64_t chunk)
{
    const int rows = naik_rows_for(plan->box[0]);
    int rest = (int)chunk; /* a box has less than 2^31 sites */
    int x[NAIK_DIM] = {plan->origin[0] + rest % rows * NAIK_ROW_SITES, 0, 0, 0};
    rest /= rows;
    for (int mu = 1; mu < NAIK_DIM; mu++) {
        x[mu] = plan->origin[mu] + rest % plan->box[mu];
        rest /= plan->box[mu];
    }
    return naik_ghosted_place_at(plan, x);
}

const naik_row *naik_ghosted_row(const naik_ghosted *ghosted, const naik_ghosted_place *place,
                                 int forward, int backward, naik_row *buffer)
{
    const naik_row *row = (const naik_row *)ghosted->data + place->here;
    row += (forward > 0 ? place->forward[forward] : 0) +
           (backward > 0 ? place->backward[backward] : 0);
    if (forward != 0 && backward != 0) {
        return row;
    }
    const double *numbers = &row->at[0][0];
    if (forward == 0) {
        naik_rows_shift(row, 1, place->n - 1, numbers + place->forward[0], buffer);
    } else {
        naik_rows_shift(row, -1, 0, numbers + place->backward[0], buffer);
    }
    return buffer;
}

void naik_ghosted_put(naik_ghosted *ghosted, const naik_ghosted_place *place, const naik_row *from)
{
    naik_row *to = (naik_row *)ghosted->data + place->here;
    if (place->n == NAIK_ROW_SITES) {
        *to = *from;
        return;
    }
    /* Neighbour sites may follow in the same row. */
    for (int k = 0; k < NAIK_ROW_REALS; k++) {
        memcpy(to->at[k], from->at[k], (size_t)place->n * sizeof(double));
    }
}

void naik_gauge_put_row(naik_gauge *gauge, const naik_ghosted_place *place, int mu,
                        const naik_row *from)
{
    const int64_t site = naik_lattice_site(gauge->lattice, place->x);
    naik_rows_to_links(from, place->n, &gauge->link[site * NAIK_DIM + mu], NAIK_DIM);
}
