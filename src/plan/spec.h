/* spec.h - an input as the description of the file that it fills */
#ifndef NAIK_PLAN_SPEC_H
#define NAIK_PLAN_SPEC_H

#include "backend/backend.h"
#include "input/input.h"
#include "io/prop/propagator_file.h"
#include "plan/plan.h"
#include "quark/link_provider.h"

/* The description and the memory behind its pointers. */
typedef struct solve_spec solve_spec;

/* source may be NULL (--dry-run): the configuration is then not identified. source_checksums: what
 * source files hold (source_file.h), or NULL. Borrows all of them. NAIK_ERR_MEMORY */
naik_status solve_spec_create(const naik_input *input, const solve_plan *plan,
                              const naik_backend *backend, const naik_lattice *lattice,
                              const naik_link_provider *source, const char *source_checksums,
                              solve_spec **out);
void solve_spec_destroy(solve_spec **spec);
const naik_propagator_spec *solve_spec_file(const solve_spec *spec);

#endif
