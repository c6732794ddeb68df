/* test_multigrid_setup.c - a whole setup: the memory that it takes, what ends it, and how it knows itself
 *
 * ranks: 1 2
 */
#include <string.h>

#include "backend/halo.h"
#include "ledger.h"
#include "multigrid/setup.h"
#include "solver/gcr.h"
#include "wilson_fixture.h"

static const int size[4] = {4, 4, 8, 8};

/* Operators of one mass, and a small setup. */
typedef struct setup_fixture {
    wilson_fixture f;
    naik_wilson *outer, *inner;
    naik_multigrid_parameters parameters;
} setup_fixture;

static bool create(check *t, setup_fixture *s)
{
    *s = (setup_fixture){.parameters = naik_multigrid_defaults()};
    if (!wilson_fixture_create(t, size, NULL, false, 0, 0.3, 0, false, &s->f)) {
        return false;
    }
    CHECK_OK(t,
             naik_wilson_create(s->f.geometry, s->f.u, NULL, 0.3, 0, NAIK_DOUBLE, 18, &s->outer));
    CHECK_OK(t,
             naik_wilson_create(s->f.geometry, s->f.u, NULL, 0.3, 0, NAIK_SINGLE, 18, &s->inner));
    memcpy(s->parameters.aggregate, (const int[4]){2, 2, 4, 4}, sizeof s->parameters.aggregate);
    s->parameters.vectors = 15;
    s->parameters.start = 2;
    s->parameters.cycles = 1;
    s->parameters.smoother = 4;
    s->parameters.coarse_space = 8;
    return !t->failed;
}

static void destroy(setup_fixture *s)
{
    naik_wilson_destroy(&s->outer);
    naik_wilson_destroy(&s->inner);
    wilson_fixture_destroy(&s->f);
}

/* What it takes and what it keeps, within 3%; messages of D are a line of the plan's own. */
static void takes(check *t, const setup_fixture *s, int width)
{
    naik_multigrid *mg = NULL;
    naik_gcr *gcr = NULL;
    naik_backend *backend = s->f.backend;
    const naik_multigrid_sizes sizes =
        naik_multigrid_bytes(s->f.geometry, s->parameters.aggregate, width, &s->parameters);
    ledger_open(backend);
    const size_t before = ledger_now();
    CHECK_OK(t, naik_multigrid_create(s->outer, s->inner, width, &s->parameters, NULL, NULL, &mg));
    const size_t messages = ledger_messages();
    CHECK_NEAR(t, (double)(ledger_most() - messages) / (double)(sizes.kept + sizes.making), 1,
               0.03);
    CHECK_NEAR(t, (double)(ledger_now() - messages) / (double)sizes.kept, 1, 0.03);
    ledger_begin();
    CHECK_OK(t, naik_multigrid_change(mg, s->outer, s->inner));
    CHECK_TRUE(t, ledger_most() - messages <= sizes.kept + sizes.making);
    const size_t kept = ledger_now();
    CHECK_OK(t, naik_gcr_create(s->f.geometry, NAIK_SINGLE, NAIK_SPIN, width, s->parameters.restart,
                                &gcr));
    CHECK_NEAR(t, (double)(ledger_now() - kept) / (double)sizes.directions, 1, 0.03);
    naik_gcr_destroy(&gcr);
    naik_multigrid_destroy(&mg);
    CHECK_TRUE(t, ledger_now() == before + messages);
    ledger_close(backend);
}

static void a_setup_takes_the_memory_that_is_planned(check *t)
{
    setup_fixture s;
    if (create(t, &s)) {
        takes(t, &s, 5);
        s.parameters.precision = 32;
        s.parameters.restart = 3;
        s.parameters.start = 0;
        takes(t, &s, 16);
    }
    destroy(&s);
}

CHECK_MAIN(CHECK(a_setup_takes_the_memory_that_is_planned))
