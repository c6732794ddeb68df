/* solve_spec.h - an input as the description of the file that it fills */
#ifndef NAIK_SOLVE_SPEC_H
#define NAIK_SOLVE_SPEC_H

#include "naik/backend.h"
#include "naik/input.h"
#include "naik/link_source.h"
#include "naik/propagator_file.h"

#include "solve_plan.h"

/* The description and the memory behind its pointers. */
typedef struct solve_spec solve_spec;

/* source may be NULL (--dry-run): the configuration is then not identified. source_checksums: what
 * source files hold (source_file.h), or NULL. Borrows all of them. NAIK_ERR_MEMORY */
naik_status solve_spec_create(const naik_input *input, const solve_plan *plan,
                              const naik_backend *backend, const naik_lattice *lattice,
                              const naik_link_source *source, const char *source_checksums,
                              solve_spec **out);
void solve_spec_destroy(solve_spec **spec);
const naik_propagator_spec *solve_spec_file(const solve_spec *spec);

#endif
