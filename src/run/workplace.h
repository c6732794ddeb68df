/* workplace.h - what every command works at: backend, lattice, geometry, links, clock, interrupt
 *
 * `naik solve`, `naik modes`, `naik links`, `naik info --residuals`, `naik bench` and the session of
 * programs that link naik all open one and close it, in one order.
 */
#ifndef NAIK_RUN_WORKPLACE_H
#define NAIK_RUN_WORKPLACE_H

#include "comm/interrupt.h"
#include "quark/link_provider.h"

/* All zero is none of everything; workplace_close takes it as well. */
typedef struct workplace {
    naik_comm *comm;   /* borrowed */
    naik_timer *timer; /* NULL: nothing is timed */
    naik_backend *backend;
    const naik_lattice *lattice;
    naik_lattice *own_lattice; /* NULL where the caller's is used */
    naik_geometry *geometry;
    naik_interrupt *interrupt; /* NULL: nobody asks to stop */
    naik_link_provider links;  /* all zero until workplace_links */
} workplace;

/* How it is to be. */
typedef struct workplace_options {
    const char *backend; /* "auto", "cpu", "gpu" */
    naik_backend_options tuning;
    const char *threads_name;         /* of tuning.threads, for a sentence */
    const naik_lattice *lattice;      /* borrowed; NULL: of the next two */
    int size[NAIK_DIM];               /* extents */
    int grid[NAIK_DIM];               /* zeros: chosen */
    bool interruptible, placement;    /* signals and wall_limit stop it; a line a rank is printed */
    double wall_limit_s, begun_s;     /* 0: none; since when it counts, by naik_time_s */
    double watchdog_s;                /* negative: as it is */
    void (*greet)(const workplace *); /* once there is a backend; NULL: nobody */
} workplace_options;

/* What the sections lattice and run of an input say. */
workplace_options workplace_of_input(const naik_input *input);

/* Starts the clock, before anything else is opened. Collective. NAIK_ERR_MEMORY */
naik_status workplace_clock(naik_comm *comm, workplace *w);
/* Close it whatever comes back. Collective.
 * NAIK_ERR_INPUT   no such backend, lattice or grid, or more threads than can be meant
 * NAIK_ERR_MEMORY, NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status workplace_open(naik_comm *comm, const workplace_options *options, workplace *w);
/* The links of the input, which must outlive the workplace; `thin`: those in memory, of this lattice and
 * without phases, which are only read; NULL: those of its files. Collective. As naik_link_provider_open. */
naik_status workplace_links(workplace *w, const naik_input *input, const naik_gauge *thin);
void workplace_close(workplace *w);

#endif
