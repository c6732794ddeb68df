/* naik_h5.c - fat and long links in naik's HDF5, one pair of datasets per Naik epsilon */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "comm/new.h"
#include "io/checksum.h"
#include "io/h5/guard.h"
#include "io/h5/metadata_crc.h"
#include "io/links/dataset.h"
#include "io/links/kinds.h"
#include "io/links/links_file.h"
#include "io/output.h"
#include "io/reread.h"

enum { NAME_BYTES = 32, MAX_SETS = 10000 };
static const double SCALE_DEV = 1e-4; /* of long_scale: links may be kept in single precision */

/* "fat", "long" of the first set; "set0001/fat" ... of the others. */
static void dataset_name(int set, const char *kind, char name[NAME_BYTES])
{
    if (set == 0) {
        snprintf(name, NAME_BYTES, "%s", kind);
    } else {
        snprintf(name, NAME_BYTES, "set%04d/%s", set % MAX_SETS, kind);
    }
}

static naik_status write_part(const char *part, const naik_fatlong *const *sets, int count,
                              const char *action, const char *boundary_t, int precision,
                              const naik_gauge_meta *meta)
{
    naik_comm *comm = sets[0]->fat->lattice->comm;
    naik_status status = NAIK_OK;
    naik_h5_links_file file = {.path = part,
                               .precision = precision,
                               .action = action,
                               .boundary_t = boundary_t,
                               .set_count = count,
                               .meta = meta};
    NAIK_TRY(naik_new(comm, 2 * (size_t)count * sizeof *file.links, "a list of link sets",
                      (void **)&file.links));
    for (int i = 0; i < count; i++) {
        const naik_gauge *gauge[2] = {sets[i]->fat, sets[i]->long_links};
        for (int k = 0; k < 2 && gauge[k] != NULL; k++) {
            const char *kind = k == 0 ? "fat" : "long";
            naik_h5_links *links = &file.links[file.count++];
            *links = (naik_h5_links){.kind = kind, .gauge = gauge[k], .set = sets[i]};
            dataset_name(i, kind, links->name);
        }
    }
    NAIK_TRY(naik_h5_links_file_write(comm, &file));
done:
    free(file.links);
    return status;
}

/* links NULL: only whether they are as written. */
static naik_status read_verified(hid_t file, const char *path, int set, const char *kind,
                                 const naik_lattice *lattice, naik_gauge *links)
{
    naik_comm *comm = lattice->comm;
    naik_gauge_file found = {0};
    char name[NAME_BYTES];
    dataset_name(set, kind, name);
    NAIK_PASS(naik_h5_links_read(file, name, lattice, links, &found));
    if (!found.checksum_ok) {
        return NAIK_FAIL(comm->log, NAIK_ERR_CORRUPT,
                         "/%s of '%s' is damaged: checksum %x %x, stored %x %x", name, path,
                         found.checksum_computed[0], found.checksum_computed[1],
                         found.checksum_stored[0], found.checksum_stored[1]);
    }
    return NAIK_OK;
}

static naik_status verify_part(const char *part, const naik_fatlong *const *sets, int count)
{
    const naik_lattice *lattice = sets[0]->fat->lattice;
    naik_comm *comm = lattice->comm;
    naik_status status = NAIK_OK;
    hid_t file = -1;
    NAIK_TRY(naik_h5_open(comm, part, false, &file));
    NAIK_TRY(naik_h5_confirm_metadata(comm, file, part, "complete"));
    for (int i = 0; i < count; i++) {
        NAIK_TRY(read_verified(file, part, i, "fat", lattice, NULL));
        if (sets[i]->long_links != NULL) {
            NAIK_TRY(read_verified(file, part, i, "long", lattice, NULL));
        }
    }
done:
    naik_h5_close(comm, &file);
    return status;
}

naik_status naik_links_h5_write(const char *path, const naik_fatlong *const *sets, int count,
                                const char *action, const char *boundary_t, int precision,
                                const naik_gauge_meta *meta)
{
    const naik_lattice *lat = sets[0]->fat->lattice;
    naik_status status = NAIK_OK;
    naik_output out = {.lock = NULL};
    int64_t links = 0;
    for (int i = 0; i < count; i++) {
        links += lat->volume * (sets[i]->long_links != NULL ? 8 : 4);
    }
    if ((precision != 32 && precision != 64) || count < 1 || count > MAX_SETS) {
        return NAIK_FAIL(lat->comm->log, NAIK_ERR_ARG, "%d link sets in %d bits cannot be written",
                         count, precision);
    }
    NAIK_TRY(naik_output_begin(lat->comm, path, links * 18 * precision / 8 + (1 << 20), &out));
    NAIK_TRY(write_part(out.part, sets, count, action, boundary_t, precision, meta));
    NAIK_TRY(naik_write_verdict(lat->comm->log, out.part, verify_part(out.part, sets, count)));
    NAIK_TRY(naik_output_publish(&out));
done:
    naik_output_abandon(&out);
    return status;
}

/* What both links of a set say of it, from one of them. */
static void get_set(hid_t file, int set, const char *kind, naik_fatlong *out)
{
    char name[NAME_BYTES];
    dataset_name(set, kind, name);
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    out->naik_epsilon = NAN;
    naik_h5_get_f64(dataset, "naik_epsilon", &out->naik_epsilon, 0);
    naik_h5_get_f64(dataset, "long_scale", &out->long_scale, 0);
    naik_h5_get_i64(dataset, "svd_count", &out->svd_count, 0);
    naik_h5_release(dataset);
}

/* The set of this epsilon, -1 if there is none; *scale, *svd as stored. */
static int find_set(hid_t file, int count, double naik_epsilon, naik_fatlong *out)
{
    for (int i = 0; i < count; i++) {
        get_set(file, i, "fat", out);
        if (out->naik_epsilon == naik_epsilon) {
            return i;
        }
    }
    return -1;
}

/* Whether the last of so many sets is there. */
static bool has_sets(hid_t file, int64_t count)
{
    char name[NAME_BYTES], group[NAME_BYTES];
    dataset_name((int)count - 1, "fat", name);
    snprintf(group, sizeof group, "%.*s", (int)strcspn(name, "/"), name);
    return H5Lexists(file, group, H5P_DEFAULT) > 0 && H5Lexists(file, name, H5P_DEFAULT) > 0;
}

static naik_status identify(naik_log *log, hid_t file, const char *path, const char *boundary_t,
                            int64_t *count)
{
    char format[32], state[32], boundary[32];
    naik_h5_get_text(file, "format", format, sizeof format);
    naik_h5_get_text(file, "state", state, sizeof state);
    naik_h5_get_text(file, "boundary_t", boundary, sizeof boundary);
    if (strcmp(format, "naik-gauge") != 0 || !naik_h5_get_i64(file, "link_sets", count, 0) ||
        *count < 1 || *count > MAX_SETS) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "'%s' holds no fat and long links of naik: make them with naik links",
                         path);
    }
    if (strcmp(state, "complete") != 0) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                         "'%s' was never completed: its writer was interrupted", path);
    }
    const naik_status intact = naik_h5_check_metadata_crc(log, file, path);
    if (intact != NAIK_OK) {
        return intact;
    }
    if (!has_sets(file, *count)) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                         "'%s' is damaged: the last of the %lld sets of links that it speaks of is "
                         "not there",
                         path, (long long)*count);
    }
    if (strcmp(boundary, boundary_t) != 0) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "the links of '%s' have the %s boundary in t inside, but "
                         "lattice.boundary_t is %s",
                         path, boundary, boundary_t);
    }
    return NAIK_OK;
}

/* Open, of this boundary, with *count sets. Collective, agrees. */
static naik_status open_links(const char *path, naik_comm *comm, const char *boundary_t,
                              hid_t *file, int64_t *count)
{
    NAIK_PASS(naik_h5_open_stored(comm, path, file));
    return naik_comm_agree(comm, identify(comm->log, *file, path, boundary_t, count));
}

/* Its number, or -1 with the sentence. Agrees by itself: every rank reads the same. */
static naik_status choose_set(naik_comm *comm, hid_t file, const char *path, int64_t count,
                              double naik_epsilon, naik_fatlong *out, int *set)
{
    naik_status status = NAIK_OK;
    *set = find_set(file, (int)count, naik_epsilon, out);
    if (*set < 0) {
        char epsilon[32];
        naik_text_print_real(naik_epsilon, epsilon, sizeof epsilon);
        status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                           "'%s' holds no links of naik_epsilon %s: make them with naik links",
                           path, epsilon);
    }
    return naik_comm_agree(comm, status);
}

/* Long links are of the set that they stand in: they say the same as its fat links, and have the scale that they
 * say. */
static naik_status check_long(hid_t file, const char *path, int set, const naik_fatlong *links)
{
    naik_comm *comm = links->fat->lattice->comm;
    naik_status status = NAIK_OK;
    naik_fatlong far = {.naik_epsilon = NAN};
    double scale = 0;
    get_set(file, set, "long", &far);
    NAIK_TRY(naik_links_measure_scale(links->long_links, &scale));
    if (far.naik_epsilon != links->naik_epsilon || far.long_scale != links->long_scale ||
        far.svd_count != links->svd_count ||
        !(fabs(scale - fabs(far.long_scale)) <= SCALE_DEV * scale)) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_CORRUPT,
                           "the long links of '%s' are %.10g times unitary matrices and say that "
                           "they have naik_epsilon %.10g, long_scale %.10g and svd_count %lld, but "
                           "its fat links say %.10g, %.10g and %lld",
                           path, scale, far.naik_epsilon, far.long_scale, (long long)far.svd_count,
                           links->naik_epsilon, links->long_scale, (long long)links->svd_count);
    }
done:
    return naik_comm_agree(comm, status);
}

static naik_status read_set(const char *path, const naik_lattice *lattice, double naik_epsilon,
                            const char *boundary_t, naik_fatlong *out)
{
    naik_status status = NAIK_OK;
    int64_t count = 0;
    int set = -1;
    hid_t file = -1;
    char name[NAME_BYTES];
    NAIK_TRY(open_links(path, lattice->comm, boundary_t, &file, &count));
    NAIK_TRY(choose_set(lattice->comm, file, path, count, naik_epsilon, out, &set));
    NAIK_TRY(naik_gauge_create(lattice, &out->fat));
    NAIK_TRY(read_verified(file, path, set, "fat", lattice, out->fat));
    dataset_name(set, "long", name);
    int there = H5Lexists(file, name, H5P_DEFAULT) > 0;
    NAIK_TRY(naik_comm_broadcast(lattice->comm, &there, sizeof there, 0));
    if (there) {
        NAIK_TRY(naik_gauge_create(lattice, &out->long_links));
        NAIK_TRY(read_verified(file, path, set, "long", lattice, out->long_links));
        NAIK_TRY(check_long(file, path, set, out));
    }
done:
    naik_h5_close(lattice->comm, &file);
    return status;
}

naik_status naik_links_h5_read(const char *path, const naik_lattice *lattice, double naik_epsilon,
                               const char *boundary_t, naik_fatlong **out)
{
    naik_comm *comm = lattice->comm;
    naik_status status = NAIK_OK;
    naik_h5_guard guard;
    NAIK_TRY(naik_new(comm, sizeof **out, "links", (void **)out));
    naik_h5_guard_begin(&guard);
    status = naik_file_verdict(comm, path, read_set(path, lattice, naik_epsilon, boundary_t, *out));
    status = naik_h5_read_verdict(comm->log, status);
    naik_h5_guard_end(&guard);
done:
    if (status != NAIK_OK) {
        naik_fatlong_destroy(out);
    }
    return status;
}

/* Its extents are the lattice's; the stored sums of one kind of links of a set, zero where there
 * are none, into words[2]. */
static naik_status stored_sums(const naik_lattice *lattice, hid_t file, const char *path, int set,
                               const char *kind, uint32_t words[2])
{
    naik_gauge_file found = {0};
    naik_status status = NAIK_OK;
    char name[NAME_BYTES];
    dataset_name(set, kind, name);
    words[0] = words[1] = 0;
    if (strcmp(kind, "fat") == 0 || H5Lexists(file, name, H5P_DEFAULT) > 0) {
        NAIK_TRY(naik_h5_links_describe(lattice->comm->log, file, name, path, &found));
        NAIK_TRY(naik_lattice_expect(lattice, path, found.size));
        memcpy(words, found.checksum_stored, sizeof found.checksum_stored);
    }
done:
    return naik_comm_agree(lattice->comm, status);
}

naik_status naik_links_h5_identity(const char *path, const naik_lattice *lattice,
                                   const double *naik_epsilon, int count, const char *boundary_t,
                                   char *text, size_t text_size)
{
    naik_comm *comm = lattice->comm;
    naik_status status = NAIK_OK;
    uint32_t words[5] = {0}; /* of all sets before this one; fat, long */
    int64_t stored = 0;
    hid_t file = -1;
    naik_h5_guard guard;
    naik_h5_guard_begin(&guard);
    NAIK_TRY(open_links(path, comm, boundary_t, &file, &stored));
    for (int i = 0; i < count; i++) {
        naik_fatlong ignored;
        int set;
        NAIK_TRY(choose_set(comm, file, path, stored, naik_epsilon[i], &ignored, &set));
        NAIK_TRY(stored_sums(lattice, file, path, set, "fat", words + 1));
        NAIK_TRY(stored_sums(lattice, file, path, set, "long", words + 3));
        words[0] = naik_crc32(words, sizeof words);
    }
    snprintf(text, text_size, "links suma/sumb of %d epsilons: crc %x", count, words[0]);
done:
    naik_h5_close(comm, &file);
    naik_h5_guard_end(&guard);
    return naik_h5_read_verdict(comm->log, naik_file_verdict(comm, path, status));
}
