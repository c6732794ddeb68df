/* modes_fixture.h - random low modes, and vectors as they are stored */
#ifndef NAIK_TESTS_MODES_FIXTURE_H
#define NAIK_TESTS_MODES_FIXTURE_H

#include "cg_fixture.h"
#include "modes/modes.h"

/* So many random modes of norm 1 on the parity; in half precision rounded to bricks. */
naik_modes *fixture_modes(check *t, const fixture *f, naik_precision precision, naik_parity parity,
                          int count);
/* An rhs of a field as it is stored, and mode i, zeros on the other parity: the caller frees it. */
double *fixture_stored(check *t, const fixture *f, const naik_field *field, naik_parity parity,
                       int irhs);
double *fixture_stored_mode(check *t, const fixture *f, const naik_modes *modes, naik_parity parity,
                            int i);

#endif
