/* handle.c - what an open propagator file tells, its watchdog, and its end */
#include <stdlib.h>

#include "io/prop/prop_file.h"

/* Where no other watches: only what is armed. */
static naik_status start_own(naik_propagator_file *file)
{
    naik_comm *comm = file->comm;
    const naik_status status =
        naik_watchdog_create(comm->log, comm->rank, comm->host, 0, &file->watchdog);
    comm->watchdog = file->watchdog;
    return status;
}

void naik_prop_stop_watchdog(naik_propagator_file *file)
{
    if (file->watchdog != NULL) {
        file->comm->watchdog = NULL;
        naik_watchdog_destroy(&file->watchdog);
    }
}

naik_status naik_prop_start_watchdog(naik_propagator_file *file, const naik_propagator_spec *spec)
{
    const double own_s = spec->io_limit_s != 0 ? spec->io_limit_s : 600;
    file->io_limit_s = own_s > 0 ? own_s + (double)naik_prop_slab_bytes(file->plan) / 5e6 : 0;
    return file->comm->watchdog != NULL || own_s <= 0 ? NAIK_OK : start_own(file);
}

int naik_prop_count_done(const naik_propagator_file *file)
{
    int done = 0;
    for (int i = 0; i < file->plan->solve_count; i++) {
        done += file->records[i].state != NAIK_SOLVE_PENDING;
    }
    return done;
}

naik_status naik_propagator_file_forget(naik_propagator_file *file)
{
    char state[NAIK_PATH_MAX];
    int64_t bytes = -1;
    if (file == NULL || !file->begun || file->broken || file->complete ||
        naik_prop_count_done(file) > 0) {
        return NAIK_OK;
    }
    naik_file_reserve_abandon(&file->reservation);
    NAIK_PASS(naik_lock_confirm(file->comm, file->lock));
    NAIK_PASS(naik_path_append(file->comm->log, file->part, ".state", state));
    NAIK_PASS(naik_file_size(file->comm, state, &bytes));
    if (bytes < 0) {
        naik_h5_close(file->comm, &file->h5);
        NAIK_PASS(naik_prop_discard(file));
    }
    return NAIK_OK;
}

void naik_propagator_file_close(naik_propagator_file **file)
{
    if (*file == NULL) {
        return;
    }
    naik_propagator_file *f = *file;
    naik_file_reserve_abandon(&f->reservation);
    naik_watchdog_arm(f->comm->watchdog, "closing the output", f->io_limit_s);
    if (!f->broken) {
        naik_h5_close(f->comm, &f->h5);
    }
    f->comm->unfinalisable = f->comm->unfinalisable || f->broken;
    naik_watchdog_disarm(f->comm->watchdog);
    naik_prop_stop_watchdog(f);
    naik_lock_release(f->comm, &f->lock);
    naik_prop_plan_destroy(&f->plan);
    free(f->records);
    free(f->small_crc);
    free(f->choices);
    free(f->structure);
    free(f);
    *file = NULL;
}

bool naik_propagator_file_complete(const naik_propagator_file *file)
{
    return file->complete;
}

int naik_propagator_file_resumed(const naik_propagator_file *file)
{
    return file->resumed;
}

bool naik_propagator_file_contracted(const naik_propagator_file *file)
{
    return file->until_contracted && !file->plan->store;
}

const char *naik_propagator_file_choices(const naik_propagator_file *file)
{
    return file->choices != NULL ? file->choices : "";
}

int naik_propagator_file_solves(const naik_propagator_file *file)
{
    return file->plan->solve_count;
}

int naik_propagator_file_solve(const naik_propagator_file *file, int source, int mass, int colour)
{
    return naik_prop_first(file->plan, source, mass) + colour;
}

const naik_solve_record *naik_propagator_file_record(const naik_propagator_file *file, int solve)
{
    return &file->records[solve];
}

bool naik_propagator_file_left_out(const naik_propagator_file *file, int solve)
{
    return file->plan->store && naik_prop_is_left_out(&file->records[solve]);
}

int naik_propagator_file_parts(const naik_propagator_file *file, int source)
{
    return naik_prop_names_of(file->plan, source)->parts;
}

bool naik_propagator_file_stores(const naik_propagator_file *file, int *precision)
{
    *precision = file->plan->precision;
    return file->plan->store;
}
