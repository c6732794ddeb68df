/* meson_field.h - correlators of solutions that live on a backend */
#ifndef NAIK_PROPAGATOR_MESON_FIELD_H
#define NAIK_PROPAGATOR_MESON_FIELD_H

#include "backend/field.h"
#include "naik/meson.h"

/* As naik_meson_correlator, to the bit, of a solution that lives on a backend: rhs 0 in double on even and on
 * odd sites. Nothing but sums comes to the host. Also NAIK_ERR_DEVICE. */
naik_status naik_meson_correlator_of(const naik_field *const part[2], naik_meson meson,
                                     const naik_frame *frame, double *out);

#endif
