/* multishift_cost.c - what several masses cost, solved apart and from a shared Krylov space */
#include "run/multishift_cost.h"

#include <math.h>

#include "operator/staggered.h"

static double real_bytes(naik_precision precision)
{
    return precision == NAIK_DOUBLE ? 8 : precision == NAIK_SINGLE ? 4 : 2;
}

static double vector_bytes(naik_precision precision)
{
    return 6 * real_bytes(precision) + (precision == NAIK_HALF ? 4 : 0);
}

/* Of one right-hand side out of `width`: two Dslashes and six vectors beside theirs, x being read
 * and written with every second step. */
static double iteration_bytes(naik_precision vectors, naik_precision links, int recon, int points,
                              int width)
{
    const int fat = points == NAIK_STENCIL ? naik_link_bytes(links, 18) : 0;
    return 2 * 8.0 * (fat + naik_link_bytes(links, recon)) / width +
           (2 * 2 + 6) * vector_bytes(vectors);
}

/* Iterations that a mass needs, in units that are the same for all: the square root of the
 * condition number, the largest eigenvalue of -DD being that of the free operator. */
static double iterations(const multishift_case *c, double mass)
{
    const double largest = c->points == NAIK_STENCIL ? 16 * 49.0 / 36 : 16;
    return sqrt(1 + largest / (4 * mass * mass));
}

static double smallest(const multishift_case *c)
{
    double least = c->mass[0];
    for (int i = 1; i < c->masses; i++) {
        least = fmin(least, c->mass[i]);
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

double multishift_separate_bytes(const multishift_case *c)
{
    const int systems = c->sources * c->masses, width = c->batch < systems ? c->batch : systems;
    const double each = iteration_bytes(c->vectors, c->links, c->recon, c->points, width);
    double sum = 0;
    for (int i = 0; i < c->masses; i++) {
        sum += iterations(c, c->mass[i]) * each;
    }
    return sum;
}

double multishift_shared_bytes(const multishift_case *c)
{
    const int width = multishift_groups(c);
    const double base = iterations(c, smallest(c));
    const double begin = naik_multishift_switch(
        c->vectors, c->links, naik_operator_staggered.shift(smallest(c)), c->tolerance);
    const double in_double = base * fmin(1, fmax(0, log(begin) / log(c->tolerance)));
    const double outer = iteration_bytes(NAIK_DOUBLE, NAIK_DOUBLE, 18, c->points, width);
    const double inner = iteration_bytes(c->vectors, c->links, c->recon, c->points, width);
    double sum = 0;
    /* More masses than fit are several groups, each with the base. */
    const int spaces = (c->masses - 2) / (NAIK_MAX_SHIFTS - 1) + 1;
    sum += spaces * (in_double * outer + (base - in_double) * inner);
    bool base_seen = false;
    for (int i = 0; i < c->masses; i++) {
        const double n = iterations(c, c->mass[i]), first = fmin(n, in_double);
        if (n == base && !base_seen) {
            base_seen = true;
            continue;
        }
        sum += 4 * (first * vector_bytes(NAIK_DOUBLE) + (n - first) * vector_bytes(c->vectors));
    }
    return sum;
}
