/* test_one_rank.c - memory that the last rank alone does not get, at every place where anything is made:
 * all ranks hear the same, and what is made then is whole
 *
 * ranks: 2
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/halo.h"
#include "cg_fixture.h"
#include "comm/collective.h"
#include "links/clover.h"
#include "modes/modes.h"
#include "multigrid/setup.h"
#include "solver/bicgstab.h"
#include "solver/cg.h"
#include "solver/gcr.h"
#include "solver/multishift.h"
#include "wilson_fixture.h"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define CAN_REFUSE 1
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);
extern char __executable_start, etext;

/* The allocation of this program that fails, counted from 1; 0: none does. */
static long countdown;
static bool refused_one;

static bool refused(const void *caller)
{
    const char *at = caller;
    if (countdown == 0 || at < &__executable_start || at >= &etext || --countdown > 0) {
        return false;
    }
    refused_one = true;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t bytes)
{
    return refused(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes)
{
    return refused(__builtin_return_address(0)) ? NULL : __libc_calloc(count, bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes)
{
    return refused(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, bytes);
}
int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    *out = refused(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, bytes);
    return *out != NULL ? 0 : ENOMEM;
}
#else
#define CAN_REFUSE 0
static long countdown;
static bool refused_one;
#endif

/* What there is to make things of. */
typedef struct ground {
    fixture f;
    wilson_fixture w;
    naik_gauge *thin;
    naik_operator_set staggered;
    naik_operator_set wilson;
    naik_solver *cg; /* of 2 rhs */
} ground;

/* Makes something and destroys it. */
typedef naik_status (*maker)(ground *g);

static naik_status make_lattice(ground *g)
{
    naik_lattice *made = NULL;
    const naik_status status = naik_lattice_create(g->f.lat->comm, g->f.lat->size, NULL, &made);
    naik_lattice_destroy(&made);
    return status;
}
static naik_status make_geometry(ground *g)
{
    naik_geometry *made = NULL;
    const naik_status status = naik_geometry_create(g->f.backend, g->f.lat, &made);
    naik_geometry_destroy(&made);
    return status;
}
static naik_status make_gauge(ground *g)
{
    naik_gauge *made = NULL;
    const naik_status status = naik_gauge_create(g->f.lat, &made);
    naik_gauge_destroy(&made);
    return status;
}
static naik_status make_field(ground *g)
{
    naik_field *made = NULL;
    const naik_status status = naik_field_create(g->f.geometry, NAIK_HALF, 3, &made);
    naik_field_destroy(&made);
    return status;
}
static naik_status make_exchange(ground *g)
{
    naik_status status = NAIK_OK;
    naik_geometry *geometry = NULL;
    naik_field *field = NULL;
    const naik_layers layers = {NAIK_EVEN, 1, NAIK_WHOLE};
    NAIK_TRY(naik_geometry_create(g->f.backend, g->f.lat, &geometry));
    NAIK_TRY(naik_field_create(geometry, NAIK_DOUBLE, 1, &field));
    NAIK_TRY(naik_halo_start(geometry->halo, field, &layers));
    NAIK_TRY(naik_halo_wait(geometry->halo, field, &layers));
done:
    naik_field_destroy(&field);
    naik_geometry_destroy(&geometry);
    return status;
}
static naik_status make_links(ground *g)
{
    naik_links *made = NULL;
    const naik_status status =
        naik_links_create(g->f.geometry, g->f.source, NAIK_SINGLE, 13, &made);
    naik_links_destroy(&made);
    return status;
}
static naik_status make_fattened(ground *g)
{
    naik_status status = NAIK_OK;
    naik_fattener *fattener = NULL;
    naik_fatlong *links = NULL;
    NAIK_TRY(naik_fattener_create(g->thin, NAIK_HISQ, 1, NULL, &fattener));
    NAIK_TRY(naik_fattener_links(fattener, 0.1, &links));
done:
    naik_fatlong_destroy(&links);
    naik_fattener_destroy(&fattener);
    return status;
}
static naik_status make_clover(ground *g)
{
    naik_clover *made = NULL;
    const naik_status status = naik_clover_create(g->thin, NULL, 0.2, 0, 1, &made);
    naik_clover_destroy(&made);
    return status;
}
static naik_status make_modes(ground *g)
{
    naik_status status = NAIK_OK;
    naik_modes *modes = NULL;
    naik_modes_work *work = NULL;
    NAIK_TRY(naik_modes_create(g->f.geometry, NAIK_HALF, 9, &modes));
    NAIK_TRY(naik_modes_work_create(g->f.geometry, 9, 2, &work));
done:
    naik_modes_work_destroy(&work);
    naik_modes_destroy(&modes);
    return status;
}
static naik_status make_cg(ground *g)
{
    naik_solver *cg = NULL;
    const naik_status status =
        naik_solver_create(&naik_solver_cg, g->staggered.op, NAIK_SINGLE, 2, &cg);
    naik_solver_destroy(&cg);
    return status;
}
static naik_status make_staggered(ground *g)
{
    naik_operator_set made = {.links = {NULL}};
    const naik_status status =
        naik_operator_set_fat(g->f.geometry, g->f.source, NAIK_HALF, 18, &made);
    naik_operator_set_destroy(&made);
    return status;
}
static naik_status make_wilson(ground *g)
{
    naik_operator_set made = {.wilson = {NULL}};
    const naik_status status =
        naik_operator_set_thin(g->w.geometry, g->w.u, g->w.clover, g->w.mass, g->w.twisted_mass,
                               NAIK_SINGLE, 12, NAIK_SINGLE, 2, &made);
    if (status == NAIK_OK) {
        naik_operator_set_destroy(&made);
    }
    return status;
}
static naik_status make_bicgstab(ground *g)
{
    naik_solver *made = NULL;
    const naik_status status =
        naik_solver_create(&naik_solver_bicgstab, g->wilson.op, NAIK_SINGLE, 2, &made);
    naik_solver_destroy(&made);
    return status;
}
static naik_status make_multishift(ground *g)
{
    naik_multishift *made = NULL;
    const naik_status status = naik_multishift_create(g->cg, 2, 3, &made);
    naik_multishift_destroy(&made);
    return status;
}
static naik_status make_gcr(ground *g)
{
    naik_gcr *made = NULL;
    const naik_status status = naik_gcr_create(g->w.geometry, NAIK_SINGLE, NAIK_SPIN, 2, 3, &made);
    naik_gcr_destroy(&made);
    return status;
}
static naik_status make_multigrid(ground *g)
{
    naik_multigrid *made = NULL;
    const naik_multigrid_parameters least = {.vectors = 3,
                                             .aggregate = {2, 2, 2, 4},
                                             .smoother = 1,
                                             .coarse_tolerance = 0.5,
                                             .coarse_space = 2,
                                             .restart = 2,
                                             .precision = 16,
                                             .seed = 1};
    const naik_status status =
        naik_multigrid_create(g->wilson.wilson[NAIK_DOUBLE], g->wilson.wilson[NAIK_SINGLE], 1,
                              &least, NULL, NULL, NULL, &made);
    naik_multigrid_destroy(&made);
    return status;
}

static const struct {
    const char *name;
    maker make;
} makers[] = {{"a lattice", make_lattice},
              {"a geometry", make_geometry},
              {"links", make_gauge},
              {"a field", make_field},
              {"an exchange", make_exchange},
              {"packed links", make_links},
              {"fat links", make_fattened},
              {"clover blocks", make_clover},
              {"modes", make_modes},
              {"cg", make_cg},
              {"staggered", make_staggered},
              {"wilson", make_wilson},
              {"bicgstab", make_bicgstab},
              {"several shifts", make_multishift},
              {"GCR", make_gcr},
              {"a multigrid", make_multigrid}};

static bool prepare(check *t, ground *g)
{
    const int size[4] = {4, 4, 4, 8};
    *g = (ground){.thin = NULL};
    bool ok = fixture_create(t, size, NULL, false, false, 1, &g->f) &&
              wilson_fixture_create(t, size, NULL, false, 1, 0.3, 1, false, &g->w) &&
              CHECK_OK(t, naik_gauge_create(g->f.lat, &g->thin));
    if (ok) {
        naik_gauge_set_random(g->thin, 5);
        ok = CHECK_OK(t, naik_operator_set_fat(g->f.geometry, g->f.source, NAIK_SINGLE, 18,
                                               &g->staggered)) &&
             CHECK_OK(t, naik_operator_set_thin(g->w.geometry, g->w.u, NULL, 0.3, 0, NAIK_SINGLE,
                                                18, NAIK_SINGLE, 2, &g->wilson)) &&
             CHECK_OK(t,
                      naik_solver_create(&naik_solver_cg, g->staggered.op, NAIK_SINGLE, 2, &g->cg));
    }
    return ok;
}

/* Whether an allocation was refused; then all ranks must have had no memory. */
static bool try_without(check *t, ground *g, int which, int n)
{
    refused_one = false;
    countdown = t->comm->rank == t->comm->size - 1 ? n : 0;
    const naik_status status = makers[which].make(g);
    countdown = 0;
    int64_t seen[2] = {refused_one, status != (refused_one ? NAIK_ERR_MEMORY : NAIK_OK)};
    int64_t mine = (int64_t)status;
    naik_log_clear(t->log);
    naik_comm_sum_i64(t->comm, seen, 1);
    naik_comm_sum_i64(t->comm, &mine, 1);
    const long long expected =
        seen[0] > 0 ? (long long)NAIK_ERR_MEMORY * t->comm->size : (long long)NAIK_OK;
    if (!CHECK_INT(t, mine, expected)) {
        fprintf(stderr, "    making %s without allocation %d: status %d here\n", makers[which].name,
                n, (int)status);
    }
    return seen[0] > 0;
}

static void memory_that_one_rank_lacks_is_missed_by_all(check *t)
{
    ground g;
    if (!CAN_REFUSE || strcmp(fixture_backend_name(), "cpu") != 0) {
        CHECK_SKIP(t, "needs glibc, no sanitizer, and the CPU's memory");
    }
    CHECK_REQUIRE(t, prepare(t, &g));
    for (int which = 0; which < (int)(sizeof makers / sizeof *makers); which++) {
        int n = 1;
        while (try_without(t, &g, which, n)) {
            n++;
        }
        CHECK_TRUE(t, n > 1 && n < 1000);
    }
    naik_solver_destroy(&g.cg);
    naik_operator_set_destroy(&g.wilson);
    naik_operator_set_destroy(&g.staggered);
    naik_gauge_destroy(&g.thin);
    wilson_fixture_destroy(&g.w);
    fixture_destroy(&g.f);
}

CHECK_MAIN(CHECK(memory_that_one_rank_lacks_is_missed_by_all))
