/* workplace.c - opened in one order, closed in the reverse of it */
#include "run/workplace.h"

#include <string.h>

#include "backend/create.h"
#include "backend/halo.h"
#include "backend/placement.h"
#include "base/watchdog.h"
#include "comm/threads.h"

workplace_options workplace_of_input(const naik_input *input)
{
    static const char *const names[] = {[NAIK_INPUT_BACKEND_AUTO] = "auto",
                                        [NAIK_INPUT_BACKEND_CPU] = "cpu",
                                        [NAIK_INPUT_BACKEND_GPU] = "gpu"};
    workplace_options options = {.backend = names[input->run.backend],
                                 .tuning = {.threads = input->run.threads,
                                            .share_gpu = input->run.share_gpu,
                                            .transport = input->run.transport,
                                            .launch = input->run.launch,
                                            .tune_cache = input->run.tune_cache},
                                 .threads_name = "run.threads",
                                 .placement = input->run.placement,
                                 .wall_limit_s = input->run.wall_limit_s,
                                 .watchdog_s = input->run.watchdog_s};
    memcpy(options.size, input->lattice.size, sizeof options.size);
    memcpy(options.grid, input->run.grid, sizeof options.grid);
    return options;
}

naik_status workplace_clock(naik_comm *comm, workplace *w)
{
    w->comm = comm;
    return naik_comm_agree(comm, naik_timer_create(comm->log, &w->timer));
}

static naik_status make_backend(const workplace_options *o, workplace *w)
{
    const int threads = o->tuning.threads;
    NAIK_PASS(naik_comm_agree(w->comm, naik_threads_check(w->comm->log, o->threads_name, threads)));
    if (threads > 0) {
        naik_threads_use(threads);
    }
    naik_timer_start(w->timer, "open device");
    NAIK_PASS(naik_backend_create(w->comm, o->backend, &o->tuning, &w->backend));
    naik_timer_stop(w->timer, "open device");
    w->backend->timer = w->timer;
    if (o->greet != NULL) {
        o->greet(w);
    }
    if (o->placement) {
        NAIK_PASS(naik_placement_print(w->backend));
    }
    return NAIK_OK;
}

static naik_status make_lattice(const workplace_options *o, workplace *w)
{
    w->lattice = o->lattice;
    if (o->lattice == NULL) {
        NAIK_PASS(naik_lattice_create(w->comm, o->size, o->grid[0] > 0 ? o->grid : NULL,
                                      &w->own_lattice));
        w->lattice = w->own_lattice;
    }
    return naik_geometry_create(w->backend, w->lattice, &w->geometry);
}

naik_status workplace_open(naik_comm *comm, const workplace_options *options, workplace *w)
{
    w->comm = comm;
    if (options->watchdog_s >= 0) {
        naik_watchdog_limit(comm->watchdog, options->watchdog_s);
    }
    if (options->interruptible) {
        NAIK_PASS(naik_comm_agree(comm, naik_interrupt_create(comm, options->wall_limit_s,
                                                              options->begun_s, &w->interrupt)));
    }
    NAIK_PASS(make_backend(options, w));
    return make_lattice(options, w);
}

naik_status workplace_links(workplace *w, const naik_input *input, const naik_gauge *thin)
{
    return naik_link_provider_open(w->lattice, input, thin, w->backend, w->timer, &w->links);
}

void workplace_close(workplace *w)
{
    naik_link_provider_close(&w->links);
    naik_interrupt_destroy(&w->interrupt);
    naik_geometry_destroy(&w->geometry);
    naik_lattice_destroy(&w->own_lattice);
    naik_backend_destroy(&w->backend);
    naik_timer_destroy(&w->timer);
}
