/* contraction_list.h - correlators of several solves: pairs, baryons, three-point functions, condensate, averages
 * over sources
 *
 * The list follows from the input alone. It is carried out when every solve is in the file, from
 * the solutions as they lie there, and again by every run that finishes the file. An average is
 * over the sources of one entry that is not sequential, each correlator shifted so that its source lies at t = 0, with the
 * signs and phases that go with the shift; not of cosines counted from one site, where sources have several places.
 */
#ifndef NAIK_CORRELATOR_CONTRACTION_LIST_H
#define NAIK_CORRELATOR_CONTRACTION_LIST_H

#include "correlator/contraction_spec.h"
#include "input/input.h"
#include "io/prop/propagator_file.h"

typedef struct contraction_list {
    int count;
    naik_contraction *spec; /* [count] */
    contraction_item *item; /* [count] */
} contraction_list;

/* NAIK_ERR_MEMORY. Local. */
naik_status contraction_list_create(naik_log *log, const naik_input *input, contraction_list *out);
/* Whether propagators are kept while the run goes on, in the file or until all is contracted. */
bool contraction_keeps(const naik_input *input);
/* The most quarks of one: so many propagators are held at a time. */
int contraction_quarks(const naik_input *input);
void contraction_list_clear(contraction_list *list);

#endif
