/* multishift_cost.c - what several masses cost, solved apart and from a shared Krylov space */
#include "plan/multishift_cost.h"

#include <math.h>

#include "operator/staggered.h"

/* Of one right-hand side out of `width`: two Dslashes and six vectors beside theirs, x being read
 * and written with every second step. */
static double iteration_bytes(naik_precision vectors, naik_precision links, int recon, int points,
                              int width)
{
    return 2.0 * naik_links_site_bytes(links, recon, points) / width +
           (2 * 2 + 6) * naik_vector_bytes(vectors);
}

/* Iterations that a mass needs, in units that are the same for all: the square root of the
 * condition number, the largest eigenvalue of -DD being that of the free operator. */
static double iterations(const multishift_case *c, double mass)
{
    const double largest = c->points == NAIK_STENCIL ? 16 * 49.0 / 36 : 16;
    return sqrt(1 + largest / (4 * mass * mass));
}

/* Number of the smallest mass, the first of them. */
static int smallest(const multishift_case *c)
{
    int least = 0;
    for (int i = 1; i < c->masses; i++) {
        least = c->mass[i] < c->mass[least] ? i : least;
    }
    return least;
}

int multishift_groups(const multishift_case *c)
{
    const int most = c->masses < NAIK_MAX_SHIFTS ? c->masses : NAIK_MAX_SHIFTS;
    if (most < 2) {
        return 0;
    }
    int groups = c->batch < c->sources ? c->batch : c->sources;
    return groups < NAIK_MAX_RHS / (most - 1) ? groups : NAIK_MAX_RHS / (most - 1);
}

double multishift_separate_bytes_of(const multishift_case *c, int i)
{
    const int systems = c->sources * c->masses, width = c->batch < systems ? c->batch : systems;
    return iterations(c, c->mass[i]) *
           iteration_bytes(c->vectors, c->links, c->recon, c->points, width);
}

double multishift_shared_bytes_of(const multishift_case *c, int i)
{
    const int base = smallest(c);
    const double least = c->mass[base], most = iterations(c, least), n = iterations(c, c->mass[i]);
    const double begin = naik_multishift_switch(c->vectors, c->links,
                                                naik_operator_staggered.shift(least), c->tolerance);
    const double in_double = most * fmin(1, fmax(0, log(begin) / log(c->tolerance)));
    if (i != base) { /* x and direction, read and written */
        const double first = fmin(n, in_double);
        return 4 * (first * naik_vector_bytes(NAIK_DOUBLE) +
                    (n - first) * naik_vector_bytes(c->vectors));
    }
    const int width = multishift_groups(c);
    const double outer = iteration_bytes(NAIK_DOUBLE, NAIK_DOUBLE, 18, c->points, width);
    const double inner = iteration_bytes(c->vectors, c->links, c->recon, c->points, width);
    /* More masses than fit are several groups, each with the base. */
    const int spaces = (c->masses - 2) / (NAIK_MAX_SHIFTS - 1) + 1;
    return spaces * (in_double * outer + (most - in_double) * inner);
}

double multishift_separate_bytes(const multishift_case *c)
{
    double sum = 0;
    for (int i = 0; i < c->masses; i++) {
        sum += multishift_separate_bytes_of(c, i);
    }
    return sum;
}

double multishift_shared_bytes(const multishift_case *c)
{
    double sum = 0;
    for (int i = 0; i < c->masses; i++) {
        sum += multishift_shared_bytes_of(c, i);
    }
    return sum;
}
