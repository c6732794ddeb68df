/* write.c - a file of modes, written before anything else is done; and whose modes they are */
#include "io/modes/behind.h"
#include "io/modes/part.h"
#include "io/modes/vectors.h"
#include "io/site_sums.h"

/* Threads at most; vectors in the hands of one, and those that wait for it. */
enum { MOST_THREADS = 8, A_THREAD = 2 };

static naik_status sums_of(const naik_gauge *links, uint32_t out[2])
{
    return naik_site_sums_of(links->lattice, links->link, 4 * (int64_t)sizeof(naik_matrix), out);
}

bool naik_modes_of_same_links(const naik_modes_about *a, const naik_modes_about *b)
{
    return a->fat[0] == b->fat[0] && a->fat[1] == b->fat[1] && a->far[0] == b->far[0] &&
           a->far[1] == b->far[1];
}

naik_status naik_modes_identify_links(const naik_fatlong *links, naik_modes_about *about)
{
    NAIK_PASS(sums_of(links->fat, about->fat));
    about->far[0] = about->far[1] = 0;
    if (links->long_links != NULL) {
        NAIK_PASS(sums_of(links->long_links, about->far));
    }
    return NAIK_OK;
}

/* All vectors by collective HDF5. */
static naik_status fill(const naik_modes_part *p)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = p->geometry->lattice->comm;
    hid_t file = -1;
    naik_mode_vectors vectors = {.dataset = -1, .type = -1};
    NAIK_TRY(naik_h5_open(comm, p->path, true, &file));
    NAIK_TRY(naik_mode_vectors_open(p->geometry->lattice, file, &vectors));
    for (int i = 0; i < p->count; i++) {
        NAIK_TRY(naik_mode_vector_write(&vectors, p->block, i, p->sum[i]));
    }
done:
    naik_mode_vectors_close(&vectors);
    return naik_h5_close_after(comm, status, &file);
}

int64_t naik_modes_file_bytes(const naik_lattice *lattice, int count, bool bricks)
{
    const naik_mode_form form = naik_mode_form_of(lattice, bricks);
    return count * naik_mode_form_file_bytes(&form);
}

static naik_status write_together(const naik_geometry *geometry, const char *path,
                                  const naik_modes *modes, const naik_modes_about *about)
{
    naik_status status = NAIK_OK;
    naik_output out = {.lock = NULL};
    naik_modes_part part;
    status = naik_modes_part_fill_in(geometry, modes, about, &part);
    NAIK_TRY(naik_comm_agree(geometry->lattice->comm, status));
    NAIK_TRY(naik_modes_part_begin(&part, path, &out));
    NAIK_TRY(naik_file_reserve(geometry->lattice->comm, out.part));
    NAIK_TRY(fill(&part));
    NAIK_TRY(naik_modes_part_finish(&part, &out, true));
done:
    naik_output_abandon(&out);
    naik_modes_part_clear(&part);
    return status;
}

naik_status naik_modes_file_write(const naik_geometry *geometry, const char *path,
                                  const naik_modes *modes, const naik_modes_about *about)
{
    naik_modes_writer *writer = NULL;
    const int cpus = geometry->lattice->comm->cpus;
    const int threads = cpus < MOST_THREADS ? cpus : MOST_THREADS;
    const naik_modes_pace pace = {.threads = threads,
                                  .in_hands = A_THREAD * (size_t)threads *
                                              (size_t)geometry->lattice->volume_cb *
                                              NAIK_MODE_SITE_BYTES};
    if (!naik_modes_can_follow(geometry, about->bricks && modes != NULL)) {
        return write_together(geometry, path, modes, about);
    }
    NAIK_PASS(naik_modes_writer_begin(geometry, path, modes, about, &pace, &writer));
    return naik_modes_writer_finish(&writer);
}
