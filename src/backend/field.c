/* field.c - fields are backend memory with a shape */
#include "backend/field.h"

#include <stdlib.h>

#include "comm/new.h"

const char *naik_precision_name(naik_precision precision)
{
    switch (precision) {
    case NAIK_DOUBLE: return "double";
    case NAIK_SINGLE: return "single";
    case NAIK_HALF: return "half";
    }
    return "unknown";
}

static naik_status allocate(naik_field *field)
{
    naik_backend *backend = field->geometry->backend;
    naik_status status =
        naik_backend_alloc(backend, field->size_bytes, "a field of colour vectors", &field->data);
    if (status == NAIK_OK && !backend->ops->host_memory) { /* the host's is zero */
        status = backend->ops->field.zero(field, NULL, NAIK_RHS_IDLE);
    }
    return status;
}

static naik_status create(const naik_geometry *geometry, naik_precision precision, int spin,
                          int nrhs, bool bare, naik_field **out)
{
    naik_status status = NAIK_OK;
    *out = NULL;
    naik_backend *backend = geometry->backend;
    if (nrhs < 1 || nrhs > NAIK_MAX_RHS / spin) {
        return NAIK_FAIL(backend->log, NAIK_ERR_ARG,
                         "a field of %d right-hand sides: 1 to %d are possible", nrhs,
                         NAIK_MAX_RHS / spin);
    }
    naik_field *field = NULL;
    NAIK_TRY(naik_new(backend->comm, sizeof *field, "a field", (void **)&field));
    field->geometry = geometry;
    field->precision = precision;
    field->spin = spin;
    field->nrhs = nrhs;
    field->capacity = nrhs;
    field->bare = bare;
    field->size_bytes = bare ? backend->ops->modes.bytes(geometry->lattice, precision, nrhs)
                             : backend->ops->field.bytes(geometry->lattice, precision, spin * nrhs);
    NAIK_TRY(naik_comm_agree(backend->comm, allocate(field)));
    *out = field;
done:
    if (status != NAIK_OK) {
        naik_field_destroy(&field);
    }
    return status;
}

naik_status naik_field_create(const naik_geometry *geometry, naik_precision precision, int nrhs,
                              naik_field **out)
{
    return create(geometry, precision, 1, nrhs, false, out);
}

naik_status naik_field_create_spin(const naik_geometry *geometry, naik_precision precision,
                                   int spin, int nrhs, naik_field **out)
{
    return create(geometry, precision, spin, nrhs, false, out);
}

naik_status naik_field_create_bare(const naik_geometry *geometry, naik_precision precision,
                                   int nrhs, naik_field **out)
{
    return create(geometry, precision, 1, nrhs, true, out);
}

void naik_field_destroy(naik_field **field)
{
    if (*field == NULL) {
        return;
    }
    naik_backend *backend = (*field)->geometry->backend;
    naik_backend_release(backend, (*field)->data);
    free(*field);
    *field = NULL;
}

void naik_field_set_nrhs(naik_field *field, int nrhs)
{
    field->nrhs = nrhs < field->capacity ? nrhs : field->capacity;
}
