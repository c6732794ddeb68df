/* meson_field.h - correlators of solutions that live on a backend */
#ifndef NAIK_PROPAGATOR_MESON_FIELD_H
#define NAIK_PROPAGATOR_MESON_FIELD_H

#include "backend/field.h"
#include "naik/meson.h"

/* out [mesons][frames][T][2]: each as naik_meson_correlator, to the bit, of a solution that lives on a backend: rhs 0 in
 * double on even and on odd sites, which is read once. The frames have one origin. Nothing but sums comes to the host.
 * Also NAIK_ERR_DEVICE. */
naik_status naik_meson_correlators_of(const naik_field *const part[2], const naik_meson *meson,
                                      int mesons, const naik_frame *frame, int frames, double *out);
/* One of them. */
naik_status naik_meson_correlator_of(const naik_field *const part[2], naik_meson meson,
                                     const naik_frame *frame, double *out);

#endif
