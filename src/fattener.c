/* fattener.c - from phased thin links to the fat and long links of an action
 *
 *   naive   Fat = U
 *   asqtad  Fat, Long of U
 *   HISQ    V = fat7(U), W = U(3) projection of V, Fat and Long of W by the second level;
 *           with a Naik epsilon: Fat + eps/8 W, Long (1 + eps)
 */
#include <stdlib.h>
#include <string.h>

#include "naik/smear.h"
#include "naik/unitarize.h"

struct naik_fattener {
    const naik_lattice *lattice; /* borrowed */
    naik_action_type action;
    naik_gauge *fat;
    naik_gauge *long_links; /* NULL if naive */
    naik_gauge *w;          /* NULL unless HISQ */
    double long_scale;      /* at epsilon 0 */
    int64_t svd_count;
};

/* In place: V becomes W. *svd_count is local to this rank. */
static void project(naik_gauge *gauge, int64_t *svd_count)
{
    const int64_t links = (int64_t)gauge->lattice->sites * NAIK_DIM;
    int64_t count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count)
    for (int64_t i = 0; i < links; i++) {
        bool used_svd = false;
        gauge->link[i] = naik_unitarize(&gauge->link[i], &used_svd);
        count += used_svd;
    }
    *svd_count = count;
}

static naik_status build_hisq(const naik_gauge *u, naik_fattener *f)
{
    naik_status status = NAIK_OK;
    const naik_smearing first = naik_smearing_hisq1(), second = naik_smearing_hisq2();
    NAIK_TRY(naik_gauge_create(u->lattice, &f->w));
    NAIK_TRY(naik_smear(u, &first, f->w, NULL));
    project(f->w, &f->svd_count);
    NAIK_TRY(naik_comm_sum_i64(u->lattice->comm, &f->svd_count, 1));
    NAIK_TRY(naik_smear(f->w, &second, f->fat, f->long_links));
    f->long_scale = fabs(second.cN);
done:
    return status;
}

static naik_status build(const naik_gauge *u, double u0, naik_fattener *f)
{
    naik_status status = NAIK_OK;
    NAIK_TRY(naik_gauge_create(u->lattice, &f->fat));
    if (f->action == NAIK_NAIVE) {
        memcpy(f->fat->link, u->link, (size_t)u->lattice->sites * NAIK_DIM * sizeof *f->fat->link);
        goto done;
    }
    NAIK_TRY(naik_gauge_create(u->lattice, &f->long_links));
    if (f->action == NAIK_ASQTAD) {
        const naik_smearing asqtad = naik_smearing_asqtad(u0);
        NAIK_TRY(naik_smear(u, &asqtad, f->fat, f->long_links));
        f->long_scale = fabs(asqtad.cN);
    } else {
        NAIK_TRY(build_hisq(u, f));
    }
done:
    return status;
}

naik_status naik_fattener_create(const naik_gauge *u, naik_action_type action, double u0,
                                 naik_fattener **out)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = u->lattice->comm;
    naik_fattener *fattener = NULL;
    *out = NULL;
    if (action == NAIK_ASQTAD && !(u0 > 0 && isfinite(u0))) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                         "the tadpole factor u0 = %g must be a positive number", u0);
    }
    fattener = calloc(1, sizeof *fattener);
    if (fattener == NULL) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for link building");
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    fattener->lattice = u->lattice;
    fattener->action = action;
    NAIK_TRY(build(u, u0, fattener));
    *out = fattener;
    fattener = NULL;
done:
    naik_fattener_destroy(&fattener);
    return status;
}

void naik_fattener_destroy(naik_fattener **fattener)
{
    if (*fattener == NULL) {
        return;
    }
    naik_gauge_destroy(&(*fattener)->fat);
    naik_gauge_destroy(&(*fattener)->long_links);
    naik_gauge_destroy(&(*fattener)->w);
    free(*fattener);
    *fattener = NULL;
}

/* out = a + s b, link by link; b may be NULL: out = s a. */
static void combine(const naik_gauge *a, double s, const naik_gauge *b, naik_gauge *out)
{
    const int64_t links = (int64_t)out->lattice->sites * NAIK_DIM;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < links; i++) {
        if (b == NULL) {
            out->link[i] = naik_mat_scale(s, &a->link[i]);
            continue;
        }
        out->link[i] = a->link[i];
        if (s != 0) {
            naik_mat_add(&out->link[i], s, &b->link[i]);
        }
    }
}

naik_status naik_fattener_links(const naik_fattener *fattener, double naik_epsilon,
                                naik_fatlong **out)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = fattener->lattice->comm;
    naik_fatlong *links = NULL;
    *out = NULL;
    if (naik_epsilon != 0 && fattener->action != NAIK_HISQ) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                         "naik_epsilon = %g needs the action hisq; other actions take 0 only",
                         naik_epsilon);
    }
    if (!(naik_epsilon > -1 && isfinite(naik_epsilon))) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                         "naik_epsilon = %g must be a number above -1, where the long links vanish",
                         naik_epsilon);
    }
    links = calloc(1, sizeof *links);
    if (links == NULL) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for fat and long links");
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    links->naik_epsilon = naik_epsilon;
    links->svd_count = fattener->svd_count;
    links->long_scale = fattener->long_scale * (1 + naik_epsilon);
    NAIK_TRY(naik_gauge_create(fattener->lattice, &links->fat));
    combine(fattener->fat, fattener->w != NULL ? naik_epsilon / 8 : 1, fattener->w, links->fat);
    if (fattener->long_links != NULL) {
        NAIK_TRY(naik_gauge_create(fattener->lattice, &links->long_links));
        combine(fattener->long_links, 1 + naik_epsilon, NULL, links->long_links);
    }
    *out = links;
    links = NULL;
done:
    naik_fatlong_destroy(&links);
    return status;
}

void naik_fatlong_destroy(naik_fatlong **links)
{
    if (*links == NULL) {
        return;
    }
    naik_gauge_destroy(&(*links)->fat);
    naik_gauge_destroy(&(*links)->long_links);
    free(*links);
    *links = NULL;
}
