/* left_out.c - solutions that the unfinished file has not kept, because all that is made of them was written first */
#include "contract/left_out.h"

#include "base/memory.h"
#include "comm/collective.h"

bool left_out_uses(const contraction_item *item, int source, int mass)
{
    bool uses = false;
    for (int k = 0; k < item->quarks && item->statistic == CONTRACTION_VALUE; k++) {
        uses = uses || (item->source[k] == source && item->mass[k] == mass);
    }
    return uses;
}

bool left_out_may_be(const naik_input *input, const contraction_list *list, const bool *mine,
                     int source, int mass)
{
    bool any = false, others = false;
    for (int i = 0; i < list->count; i++) {
        const bool uses = left_out_uses(&list->item[i], source, mass);
        any = any || (uses && mine[i]);
        others = others || (uses && !mine[i]);
    }
    for (int s = 0; s < input->source_count; s++) {
        others = others ||
                 (input->sources[s].made_of == source && input->sources[s].made_of_mass == mass);
    }
    return any && !others;
}

/* How many columns of a source are in the file without their solutions; *whole: none is pending. */
static int count_columns(const naik_input *input, const naik_propagator_file *file, int source,
                         int mass, bool *whole)
{
    int count = 0;
    *whole = true;
    for (int column = 0; column < input->kind->columns; column++) {
        const int solve = naik_propagator_file_solve(file, source, mass, column);
        count += naik_propagator_file_left_out(file, solve);
        *whole = *whole && naik_propagator_file_record(file, solve)->state != NAIK_SOLVE_PENDING;
    }
    return count;
}

static naik_status verify_one(const naik_input *input, const contraction_list *list,
                              naik_propagator_file *file, int source, int mass,
                              naik_complex *values, int *count)
{
    naik_status status = NAIK_OK;
    bool good = true;
    const int columns = count_columns(input, file, source, mass, &good);
    for (int i = 0; i < list->count && good && columns > 0; i++) {
        if (left_out_uses(&list->item[i], source, mass)) {
            NAIK_TRY(naik_propagator_file_contraction(file, i, &values->re, &good));
        }
    }
    for (int column = 0; column < input->kind->columns && !good && columns > 0; column++) {
        const int solve = naik_propagator_file_solve(file, source, mass, column);
        if (naik_propagator_file_left_out(file, solve)) {
            NAIK_TRY(naik_propagator_file_repeat(file, solve));
            ++*count;
        }
    }
done:
    return status;
}

naik_status left_out_verify(naik_comm *comm, const naik_input *input, naik_propagator_file *file,
                            int *count)
{
    naik_status status = NAIK_OK;
    contraction_list list = {.count = 0};
    naik_complex *values = NULL;
    *count = 0;
    status = contraction_list_create(comm->log, input, &list);
    if (status == NAIK_OK) {
        status = naik_alloc(comm->log, (size_t)input->lattice.size[3] * sizeof *values,
                            "correlators", (void **)&values);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    for (int source = 0; source < input->source_count; source++) {
        const naik_input_solve *solve = &input->solve[input->sources[source].solve];
        for (int mass = 0; mass < solve->masses.count; mass++) {
            NAIK_TRY(verify_one(input, &list, file, source, mass, values, count));
        }
    }
done:
    naik_free(values);
    contraction_list_clear(&list);
    return status;
}

naik_status left_out_read(naik_log *log, const naik_input *input, const contraction_list *list,
                          naik_propagator_file *file, bool *made, naik_complex *values)
{
    naik_status status = NAIK_OK;
    const size_t times = (size_t)input->lattice.size[3];
    for (int i = 0; i < list->count; i++) {
        const contraction_item *item = &list->item[i];
        bool there = false, out = false, whole = false;
        for (int k = 0; k < item->quarks && item->statistic == CONTRACTION_VALUE && !made[i]; k++) {
            out = out || count_columns(input, file, item->source[k], item->mass[k], &whole) > 0;
        }
        if (!out) {
            continue;
        }
        NAIK_TRY(naik_propagator_file_contraction(file, i, &values[(size_t)i * times].re, &there));
        if (!there) {
            status = NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                               "%s did not read back as written: run again to repeat the solves "
                               "that it is made of",
                               list->spec[i].path);
            goto done;
        }
        made[i] = true;
    }
done:
    return status;
}
