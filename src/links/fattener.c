/* fattener.c - from phased thin links to the fat and long links of an action
 *
 *   naive   Fat = U
 *   asqtad  Fat, Long of U
 *   HISQ    V = fat7(U), W = projection of V to U(3) or SU(3), Fat and Long of W by the second level;
 *           with a Naik epsilon: Fat + eps/8 W, Long (1 + eps)
 */
#include <stdlib.h>

#include "comm/collective.h"
#include "comm/new.h"
#include "links/link_ops.h"
#include "links/smear.h"
#include "links/unitarize.h"

struct naik_fattener {
    const naik_lattice *lattice; /* borrowed */
    naik_device *device;         /* borrowed; where the links below are, NULL: on the host */
    naik_action_type action;
    naik_gauge *fat;
    naik_gauge *long_links; /* NULL if naive */
    naik_gauge *w;          /* NULL unless HISQ */
    double long_scale;      /* at epsilon 0 */
    int64_t svd_count;
};

static bool is_hisq(const naik_fattener *f)
{
    return f->action == NAIK_HISQ || f->action == NAIK_HISQ_SU3;
}

/* Where smearing begins: u itself, or its copy on the device in `room`, which smearing may then
 * overwrite. */
static naik_status start_from(const naik_gauge *u, naik_gauge *room, const naik_gauge **out)
{
    *out = room->device != NULL ? room : u;
    return room->device != NULL ? naik_gauge_copy(u, room) : NAIK_OK;
}

/* V of these thin links becomes W, where that is one matrix. */
static naik_status project(naik_fattener *f, const naik_gauge *thin)
{
    naik_comm *comm = f->lattice->comm;
    int64_t count[2];
    const bool special = f->action == NAIK_HISQ_SU3;
    NAIK_PASS(naik_link_ops_of(f->device)->project(f->w, special ? thin : NULL, count));
    NAIK_PASS(naik_comm_sum_i64(comm, count, 2));
    f->svd_count = count[0];
    if (count[1] > 0) {
        return NAIK_FAIL(
            comm->log, NAIK_ERR_INPUT,
            "the %s projection of HISQ is not unique on %lld of %lld fat7 links, "
            "whose least singular value is below %g of the largest%s: the thin links are "
            "no SU(3) configuration of this boundary, or have signs of another code in "
            "them",
            special ? "SU(3)" : "U(3)", (long long)count[1],
            (long long)(NAIK_DIM * f->lattice->volume), NAIK_PROJECTION_LEAST,
            special ? ", or whose determinant has the sign opposite to the thin link's" : "");
    }
    return NAIK_OK;
}

static naik_status build_hisq(const naik_gauge *u, naik_smear_space *space, naik_fattener *f)
{
    const naik_smearing first = naik_smearing_hisq1(), second = naik_smearing_hisq2();
    const naik_gauge *start = NULL;
    NAIK_PASS(naik_gauge_create_on(u->lattice, f->device, &f->w));
    NAIK_PASS(naik_gauge_create_on(u->lattice, f->device, &f->fat));
    NAIK_PASS(start_from(u, f->fat, &start));
    NAIK_PASS(naik_smear(start, &first, space, f->w, NULL));
    NAIK_PASS(project(f, start));
    NAIK_PASS(naik_gauge_create_on(u->lattice, f->device, &f->long_links));
    NAIK_PASS(naik_smear(f->w, &second, space, f->fat, f->long_links));
    f->long_scale = fabs(second.cN);
    return NAIK_OK;
}

static naik_status build_asqtad(const naik_gauge *u, double u0, naik_smear_space *space,
                                naik_fattener *f)
{
    const naik_gauge *start = NULL;
    const naik_smearing asqtad = naik_smearing_asqtad(u0);
    NAIK_PASS(naik_gauge_create_on(u->lattice, f->device, &f->fat));
    NAIK_PASS(naik_gauge_create_on(u->lattice, f->device, &f->long_links));
    NAIK_PASS(start_from(u, f->fat, &start));
    NAIK_PASS(naik_smear(start, &asqtad, space, f->fat, f->long_links));
    f->long_scale = fabs(asqtad.cN);
    return NAIK_OK;
}

static naik_status build(const naik_gauge *u, double u0, naik_fattener *f)
{
    naik_status status = NAIK_OK;
    naik_smear_space *space = NULL;
    if (f->action == NAIK_NAIVE) {
        NAIK_TRY(naik_gauge_create_on(u->lattice, f->device, &f->fat));
        return naik_gauge_copy(u, f->fat);
    }
    NAIK_TRY(naik_smear_space_create(u->lattice, f->device, &space));
    NAIK_TRY(is_hisq(f) ? build_hisq(u, space, f) : build_asqtad(u, u0, space, f));
done:
    naik_smear_space_destroy(&space);
    return status;
}

naik_status naik_fattener_create(const naik_gauge *u, naik_action_type action, double u0,
                                 naik_device *device, naik_fattener **out)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = u->lattice->comm;
    naik_fattener *fattener = NULL;
    *out = NULL;
    if (action == NAIK_ASQTAD && !(u0 > 0 && isfinite(u0))) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                         "the tadpole factor u0 = %g must be a positive number", u0);
    }
    NAIK_TRY(naik_new(comm, sizeof *fattener, "link building", (void **)&fattener));
    fattener->lattice = u->lattice;
    fattener->device = device;
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

naik_status naik_fattener_links(const naik_fattener *fattener, double naik_epsilon,
                                naik_fatlong **out)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = fattener->lattice->comm;
    const naik_link_ops *ops = naik_link_ops_of(fattener->device);
    naik_fatlong *links = NULL;
    *out = NULL;
    if (naik_epsilon != 0 && !is_hisq(fattener)) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                         "naik_epsilon = %g needs the action hisq; other actions take 0 only",
                         naik_epsilon);
    }
    if (!(naik_epsilon > -1 && isfinite(naik_epsilon))) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                         "naik_epsilon = %g must be a number above -1, where the long links vanish",
                         naik_epsilon);
    }
    NAIK_TRY(naik_new(comm, sizeof *links, "fat and long links", (void **)&links));
    links->naik_epsilon = naik_epsilon;
    links->svd_count = fattener->svd_count;
    links->long_scale = fattener->long_scale * (1 + naik_epsilon);
    if (naik_epsilon == 0) {
        links->fat = naik_gauge_share(fattener->fat);
        links->long_links = naik_gauge_share(fattener->long_links);
    } else {
        NAIK_TRY(naik_gauge_create_on(fattener->lattice, fattener->device, &links->fat));
        NAIK_TRY(ops->combine(fattener->fat, naik_epsilon / 8, fattener->w, links->fat));
        NAIK_TRY(naik_gauge_create_on(fattener->lattice, fattener->device, &links->long_links));
        NAIK_TRY(ops->combine(fattener->long_links, 1 + naik_epsilon, NULL, links->long_links));
    }
    *out = links;
    links = NULL;
done:
    naik_fatlong_destroy(&links);
    return status;
}

static naik_status gauge_to_host(naik_gauge **gauge)
{
    naik_gauge *host = NULL;
    if (*gauge == NULL || (*gauge)->device == NULL) {
        return NAIK_OK;
    }
    naik_status status = NAIK_OK;
    NAIK_TRY(naik_gauge_create((*gauge)->lattice, &host));
    NAIK_TRY(naik_gauge_copy(*gauge, host));
    naik_gauge_destroy(gauge);
    *gauge = host;
    host = NULL;
done:
    naik_gauge_destroy(&host);
    return status;
}

naik_status naik_fatlong_to_host(naik_fatlong *links)
{
    NAIK_PASS(gauge_to_host(&links->fat));
    return gauge_to_host(&links->long_links);
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
