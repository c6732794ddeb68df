/* device_items.c - which correlators of a list a device makes, and all those of the same quarks in one pass */
#include "contract/device_items.h"

#include <string.h>

#include "base/memory.h"
#include "correlator/frame.h"

enum { OPERATORS = NAIK_GAMMAS * NAIK_GAMMAS };

bool device_tie_takes(const naik_input *input, const contraction_item *item)
{
    const contraction_what what = item->kind->what;
    const bool meson = what == CONTRACT_MESON && item->quarks == 2;
    return item->statistic == CONTRACTION_VALUE && item->momentum >= 0 && input->kind->spin == 1 &&
           item->sink != NAIK_INPUT_SINK_WALL && !naik_correlator_is_current(item->meson) &&
           (meson || what == CONTRACT_SPIN_TASTE || what == CONTRACT_THREE_POINT);
}

static int number_of(const contraction_item *item)
{
    return item->meson < (int)NAIK_MESONS ? naik_meson_spin_taste((naik_meson)item->meson)
                                          : item->meson - (int)NAIK_FIRST_SPIN_TASTE;
}

/* What a pass is asked for. */
typedef struct pass {
    int spin_taste[OPERATORS], place[OPERATORS]; /* place of each number; -1: it is not asked for */
    int operators;
    naik_frame *frame;    /* [momenta] */
    naik_complex *answer; /* [operators][momenta][T] */
} pass;

naik_status device_tie_items(device_tie *tie, const naik_input *input, const contraction_list *list,
                             const bool *chosen, const double *g, const double *h,
                             naik_complex *values)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = device_tie_lattice(tie)->comm;
    const size_t times = (size_t)input->lattice.size[3];
    const contraction_item *first = NULL;
    pass p = {.operators = 0};
    memset(p.place, -1, sizeof p.place);
    for (int i = 0; i < list->count; i++) {
        const int number = chosen[i] ? number_of(&list->item[i]) : 0;
        if (chosen[i] && p.place[number] < 0) {
            p.place[number] = p.operators;
            p.spin_taste[p.operators++] = number;
        }
        first = chosen[i] && first == NULL ? &list->item[i] : first;
    }
    if (first == NULL) {
        return NAIK_OK;
    }
    const naik_vectors *momenta = contraction_momenta(input, first);
    const size_t count = (size_t)momenta->count;
    status = naik_alloc(comm->log, count * sizeof *p.frame, "momenta", (void **)&p.frame);
    if (status == NAIK_OK) {
        status = naik_alloc(comm->log, (size_t)p.operators * count * times * sizeof *p.answer,
                            "correlators", (void **)&p.answer);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    for (int k = 0; k < momenta->count; k++) {
        p.frame[k] = correlator_frame(input, first->quarks, first->source, momenta->data[k]);
    }
    device_tie_request request = {.spin_taste = p.spin_taste,
                                  .operators = p.operators,
                                  .frame = p.frame,
                                  .momenta = momenta->count};
    memcpy(request.r0, p.frame[0].origin, sizeof request.r0);
    NAIK_TRY(device_tie_sum(tie, g, h, &request, p.answer));
    for (int i = 0; i < list->count; i++) {
        if (chosen[i]) {
            const size_t place = (size_t)p.place[number_of(&list->item[i])];
            memcpy(values + (size_t)i * times,
                   p.answer + (place * count + (size_t)list->item[i].momentum) * times,
                   times * sizeof *values);
        }
    }
done:
    naik_free(p.frame);
    naik_free(p.answer);
    return status;
}
