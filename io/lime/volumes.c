/* volumes.c - arrays that QIO wrote in several files: each has a list of its sites, then their elements
 *
 * The first file, PATH.vol0000 as a rule, describes the arrays and has their checksums; the others have the
 * elements alone. What belongs to no site (a global record) lies in the first file alone, and is no array
 * here. A list tells the number of each site (big-endian, of 32 bits, or 64 on large lattices).
 * From the lists every rank finds its own sites once, as runs of neighbours along x.
 */
#include "io/lime/volumes.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "comm/collective.h"
#include "comm/new.h"
#include "comm/paths.h"
#include "io/files.h"

enum { MOST_FILES = 1 << 16, LIST_SITES = 1 << 17, PIECE_BYTES = 4 << 20 };

typedef struct volume { /* one file */
    char *path;
    int64_t list_offset, sites;
    int entry_bytes; /* of its list: 4 or 8 */
    int64_t *offset; /* [arrays] */
    int64_t *bytes;  /* [arrays] */
} volume;

typedef struct run { /* of this rank's sites */
    int volume, count;
    int64_t first;       /* place in the list */
    int coord[NAIK_DIM]; /* of the first, in the lattice */
    int64_t number;
} run;

struct naik_volumes {
    int count, arrays;
    volume *volume; /* [count] */
    run *run;       /* [runs], found when an array is first read */
    int64_t runs, room;
};

void naik_volumes_close(naik_volumes **volumes)
{
    naik_volumes *v = *volumes;
    if (v == NULL) {
        return;
    }
    for (int i = 0; v->volume != NULL && i < v->count; i++) {
        free(v->volume[i].path);
        free(v->volume[i].offset);
        free(v->volume[i].bytes);
    }
    free(v->volume);
    free(v->run);
    free(v);
    *volumes = NULL;
}

/* Length of PATH without the number of a part, which is ".vol" and digits; 0: there is none. */
static size_t stem_of(const char *path)
{
    size_t length = strlen(path);
    while (length > 0 && isdigit((unsigned char)path[length - 1])) {
        length--;
    }
    return length >= 4 && path[length] != '\0' && strncmp(path + length - 4, ".vol", 4) == 0
               ? length
               : 0;
}

static int compare_names(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    const size_t n = strlen(*x), m = strlen(*y);
    return n != m ? (n < m ? -1 : 1) : strcmp(*x, *y);
}

/* Names of all parts, the first one's first, the others by their numbers. */
static naik_status list_parts(naik_log *log, const char *path, char ***names, int *count)
{
    naik_status status = NAIK_OK;
    const size_t stem = stem_of(path);
    const char *slash = strrchr(path, '/');
    const size_t folder_length = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    char *folder = folder_length > 0 ? strndup(path, folder_length) : strdup(".");
    DIR *at = folder != NULL ? opendir(folder) : NULL;
    *names = NULL;
    *count = 0;
    if (stem == 0 || at == NULL) {
        status = NAIK_FAIL(log, NAIK_ERR_INPUT,
                           "'%s' is one of several files of a QIO volume, but its name does not "
                           "end in .vol0000: give the files the names that QIO gave them",
                           path);
        goto done;
    }
    for (struct dirent *e = readdir(at); e != NULL; e = readdir(at)) {
        const size_t base = stem - folder_length;
        if (strncmp(e->d_name, path + folder_length, base) != 0 || stem_of(e->d_name) != base ||
            strcmp(e->d_name, path + folder_length) == 0) {
            continue;
        }
        char **grown = realloc(*names, ((size_t)*count + 1) * sizeof *grown);
        char *name = malloc(folder_length + strlen(e->d_name) + 1);
        *names = grown != NULL ? grown : *names;
        if (grown == NULL || name == NULL || *count == MOST_FILES) {
            free(name);
            status = NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the parts of '%s'", path);
            goto done;
        }
        memcpy(name, path, folder_length);
        strcpy(name + folder_length, e->d_name);
        (*names)[(*count)++] = name;
    }
    if (*names != NULL) {
        qsort(*names, (size_t)*count, sizeof **names, compare_names);
    }
done:
    if (at != NULL) {
        closedir(at);
    }
    free(folder);
    return status;
}

static bool is_array(const naik_scidac_field *f)
{
    return f->recordtype != 1;
}

int naik_volumes_arrays_before(const naik_scidac_file *lime, int field)
{
    int arrays = 0;
    for (int i = 0; i < field; i++) {
        arrays += is_array(&lime->field[i]);
    }
    return arrays;
}

/* What a part holds, on rank 0. */
static naik_status take_part(naik_log *log, const naik_scidac_file *lime, int arrays, volume *v)
{
    const int64_t entries = lime->list_bytes / 4;
    const int found = naik_volumes_arrays_before(lime, lime->count);
    v->offset = calloc((size_t)arrays + 1, sizeof *v->offset);
    v->bytes = calloc((size_t)arrays + 1, sizeof *v->bytes);
    if (v->offset == NULL || v->bytes == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the parts of '%s'", v->path);
    }
    if (lime->list_bytes <= 0 || lime->list_bytes % 4 != 0 || found != arrays) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                         "'%s', a part of a QIO volume, has %d arrays and a list of sites of %lld "
                         "bytes, but its first part describes %d arrays",
                         v->path, found, (long long)lime->list_bytes, arrays);
    }
    v->list_offset = lime->list_offset;
    v->entry_bytes = 4;
    v->sites = entries;
    for (int i = 0, array = 0; i < lime->count; i++) {
        if (is_array(&lime->field[i])) {
            v->offset[array] = lime->field[i].offset;
            v->bytes[array++] = lime->field[i].size_bytes;
        }
    }
    return NAIK_OK;
}

static naik_status take_parts(naik_log *log, const char *path, const naik_scidac_file *first,
                              naik_volumes *v)
{
    naik_status status = NAIK_OK;
    char **names = NULL;
    int count = 0;
    NAIK_TRY(list_parts(log, path, &names, &count));
    v->volume = calloc((size_t)count + 1, sizeof *v->volume);
    if (v->volume == NULL || (v->volume[0].path = strdup(path)) == NULL) {
        status = NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the parts of '%s'", path);
        goto done;
    }
    v->count = 1;
    NAIK_TRY(take_part(log, first, v->arrays, &v->volume[0]));
    for (int i = 0; i < count; i++) {
        naik_scidac_file *lime = NULL;
        volume *next = &v->volume[v->count++];
        next->path = names[i];
        names[i] = NULL;
        status = naik_scidac_scan(log, next->path, &lime);
        if (status == NAIK_OK) {
            status = lime->has_dims
                         ? NAIK_FAIL(log, NAIK_ERR_INPUT,
                                     "'%s' and '%s' both begin a QIO volume: keep the parts of "
                                     "one volume apart from others",
                                     path, next->path)
                         : take_part(log, lime, v->arrays, next);
        }
        naik_scidac_close(&lime);
        NAIK_TRY(status);
    }
done:
    for (int i = 0; i < count; i++) {
        free(names[i]);
    }
    free(names);
    return status;
}

/* The parts that rank 0 found, on the others. */
static naik_status share(naik_comm *comm, naik_volumes *v)
{
    const size_t each = (size_t)v->arrays + 1;
    NAIK_PASS(naik_comm_broadcast(comm, &v->count, sizeof v->count, 0));
    if (comm->rank != 0) {
        v->volume = calloc((size_t)v->count + 1, sizeof *v->volume);
    }
    NAIK_PASS(naik_comm_agree(
        comm, v->volume != NULL ? NAIK_OK
                                : NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for parts")));
    for (int i = 0; i < v->count; i++) {
        volume *part = &v->volume[i], sent = *part;
        char path[NAIK_PATH_MAX] = "";
        if (comm->rank == 0 && part->path != NULL) {
            strncpy(path, part->path, sizeof path - 1);
        }
        NAIK_PASS(naik_comm_broadcast(comm, &sent, sizeof sent, 0));
        NAIK_PASS(naik_comm_broadcast(comm, path, sizeof path, 0));
        if (comm->rank != 0) {
            part->list_offset = sent.list_offset;
            part->sites = sent.sites;
            part->entry_bytes = sent.entry_bytes;
            part->path = strdup(path);
            part->offset = calloc(each, sizeof *part->offset);
            part->bytes = calloc(each, sizeof *part->bytes);
        }
        NAIK_PASS(naik_comm_agree(
            comm, part->path != NULL && part->offset != NULL && part->bytes != NULL
                      ? NAIK_OK
                      : NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for parts")));
        NAIK_PASS(naik_comm_broadcast(comm, part->offset, each * sizeof *part->offset, 0));
        NAIK_PASS(naik_comm_broadcast(comm, part->bytes, each * sizeof *part->bytes, 0));
    }
    return NAIK_OK;
}

naik_status naik_volumes_open(naik_comm *comm, const char *path, const naik_scidac_file *lime,
                              naik_volumes **out)
{
    naik_status status = NAIK_OK;
    int64_t sites = 0, volume = 1;
    naik_volumes *v = NULL;
    NAIK_PASS(naik_new(comm, sizeof *v, "the parts of a file", (void **)out));
    v = *out;
    status = naik_scidac_need_first(comm->log, path, lime);
    if (status == NAIK_OK) {
        v->arrays = naik_volumes_arrays_before(lime, lime->count);
        status = comm->rank == 0 ? take_parts(comm->log, path, lime, v) : NAIK_OK;
    }
    NAIK_PASS(naik_comm_agree(comm, status));
    NAIK_PASS(share(comm, v));
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        volume *= lime->dims[mu];
    }
    for (int i = 0; i < v->count; i++) {
        sites += v->volume[i].sites;
    }
    if (sites == 2 * volume) { /* numbers of 64 bits */
        for (int i = 0; i < v->count; i++) {
            v->volume[i].entry_bytes = 8;
            v->volume[i].sites /= 2;
        }
    } else if (sites != volume) {
        return NAIK_FAIL(comm->log, NAIK_ERR_CORRUPT,
                         "the %d parts of '%s' have %lld sites of %lld: some parts are missing, "
                         "or belong to another volume",
                         v->count, path, (long long)sites, (long long)volume);
    }
    for (int i = 0, array = 0; i < lime->count; i++) {
        const int64_t element = (int64_t)lime->field[i].typesize * lime->field[i].datacount;
        for (int k = 0; k < v->count && lime->field[i].recordtype == 0; k++) {
            if (v->volume[k].bytes[array] != element * v->volume[k].sites) {
                return NAIK_FAIL(comm->log, NAIK_ERR_CORRUPT,
                                 "'%s' has %lld bytes of array %d, but %lld sites of %lld bytes",
                                 v->volume[k].path, (long long)v->volume[k].bytes[array], array,
                                 (long long)v->volume[k].sites, (long long)element);
            }
        }
        array += is_array(&lime->field[i]);
    }
    return NAIK_OK;
}

static int64_t entry_at(const unsigned char *bytes, int entry_bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < entry_bytes; i++) {
        value = value << 8 | bytes[i];
    }
    return value > INT64_MAX ? -1 : (int64_t)value;
}

/* Site `number`, in place `place` of a list: becomes part of a run where it is this rank's. */
static naik_status add_site(naik_volumes *v, const naik_lattice *lat, int part, int64_t place,
                            int64_t number, unsigned char *seen)
{
    int coord[NAIK_DIM], x[NAIK_DIM];
    int64_t left = number;
    bool mine = true;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        coord[mu] = (int)(left % lat->size[mu]);
        left /= lat->size[mu];
        x[mu] = coord[mu] - lat->origin[mu];
        mine = mine && x[mu] >= 0 && x[mu] < lat->local[mu];
    }
    if (!mine) {
        return NAIK_OK;
    }
    unsigned char *here = &seen[naik_lattice_site(lat, x)];
    if (*here != 0) {
        return NAIK_ERR_CORRUPT;
    }
    *here = 1;
    run *last = v->runs > 0 ? &v->run[v->runs - 1] : NULL;
    if (last != NULL && last->volume == part && last->first + last->count == place &&
        last->number + last->count == number && x[0] > 0) {
        last->count++;
        return NAIK_OK;
    }
    if (v->runs == v->room) {
        const int64_t room = v->room > 0 ? 2 * v->room : 256;
        run *grown = realloc(v->run, (size_t)room * sizeof *grown);
        if (grown == NULL) {
            return NAIK_ERR_MEMORY;
        }
        v->run = grown;
        v->room = room;
    }
    run *next = &v->run[v->runs++];
    *next = (run){.volume = part, .count = 1, .first = place, .number = number};
    memcpy(next->coord, coord, sizeof coord);
    return NAIK_OK;
}

/* `count` entries of a list from `first` on, read by rank 0. */
static naik_status get_entries(naik_comm *comm, const volume *v, int64_t first, int count,
                               unsigned char *bytes)
{
    naik_status status = NAIK_OK;
    const size_t size = (size_t)count * (size_t)v->entry_bytes;
    if (comm->rank == 0) {
        struct stat info;
        FILE *stream = naik_path_open(v->path, &info);
        const bool read = stream != NULL &&
                          fseeko(stream, v->list_offset + first * v->entry_bytes, SEEK_SET) == 0 &&
                          fread(bytes, 1, size, stream) == size;
        if (!read) {
            status = NAIK_FAIL(comm->log, NAIK_ERR_IO, "cannot read '%s': %m", v->path);
        }
        if (stream != NULL) {
            fclose(stream);
        }
    }
    NAIK_PASS(naik_comm_agree(comm, status));
    return naik_comm_broadcast(comm, bytes, size, 0);
}

static naik_status find_runs(naik_volumes *v, const naik_lattice *lat)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = lat->comm;
    unsigned char *seen = NULL, *bytes = NULL;
    int64_t found = 0;
    v->runs = 0;
    NAIK_TRY(naik_new(comm, (size_t)lat->sites, "the sites of a file", (void **)&seen));
    NAIK_TRY(naik_new(comm, (size_t)LIST_SITES * 8, "the sites of a file", (void **)&bytes));
    for (int part = 0; part < v->count; part++) {
        const volume *from = &v->volume[part];
        naik_status here = NAIK_OK;
        for (int64_t first = 0; first < from->sites; first += LIST_SITES) {
            const int64_t left = from->sites - first;
            const int count = (int)(left < LIST_SITES ? left : LIST_SITES);
            NAIK_TRY(get_entries(comm, from, first, count, bytes));
            for (int i = 0; i < count && here == NAIK_OK; i++) {
                const int64_t number =
                    entry_at(bytes + (size_t)i * (size_t)from->entry_bytes, from->entry_bytes);
                here = number < 0 || number >= lat->volume
                           ? NAIK_ERR_CORRUPT
                           : add_site(v, lat, part, first + i, number, seen);
            }
        }
        if (here != NAIK_OK) {
            here = here == NAIK_ERR_MEMORY
                       ? NAIK_FAIL(comm->log, here, "no memory for the sites of '%s'", from->path)
                       : NAIK_FAIL(comm->log, here,
                                   "the list of sites of '%s' has one twice, or one that is "
                                   "beyond the lattice",
                                   from->path);
        }
        NAIK_TRY(naik_comm_agree(comm, here));
    }
    for (int32_t i = 0; i < lat->sites; i++) {
        found += seen[i];
    }
    if (found != lat->sites) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_CORRUPT, "the parts of '%s' leave out some sites",
                           v->volume[0].path);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
done:
    if (status != NAIK_OK) {
        v->runs = 0;
    }
    free(seen);
    free(bytes);
    return status;
}

/* Runs from number `first` on that follow each other in one file, as many as a piece holds. */
static int64_t runs_together(const naik_volumes *v, int64_t first, int64_t element, int64_t *sites)
{
    int64_t n = 1;
    *sites = v->run[first].count;
    while (first + n < v->runs && v->run[first + n].volume == v->run[first].volume &&
           v->run[first + n].first == v->run[first].first + *sites &&
           (*sites + v->run[first + n].count) * element <= PIECE_BYTES) {
        *sites += v->run[first + n++].count;
    }
    return n;
}

/* This rank's sites of an array, by itself. */
static naik_status read_runs(const naik_volumes *v, naik_log *log, int64_t array, int element,
                             naik_sites_visit *visit, void *context)
{
    naik_status status = NAIK_OK;
    FILE *stream = NULL;
    int open = -1;
    unsigned char *bytes = NULL;
    int64_t room = 0;
    for (int64_t i = 0, n = 0; i < v->runs; i += n) {
        const run *r = &v->run[i];
        int64_t sites = 0;
        struct stat info;
        n = runs_together(v, i, element, &sites);
        if (sites * element > room) {
            free(bytes);
            room = sites * element > PIECE_BYTES ? sites * element : PIECE_BYTES;
            bytes = malloc((size_t)room);
        }
        if (r->volume != open) {
            if (stream != NULL) {
                fclose(stream);
            }
            open = r->volume;
            stream = naik_path_open(v->volume[open].path, &info);
        }
        const int64_t at = v->volume[open].offset[array] + r->first * element;
        if (bytes == NULL || stream == NULL || fseeko(stream, at, SEEK_SET) != 0 ||
            fread(bytes, (size_t)element, (size_t)sites, stream) != (size_t)sites) {
            status = bytes == NULL ? NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory to read '%s'",
                                               v->volume[open].path)
                                   : NAIK_FAIL(log, NAIK_ERR_IO, "cannot read '%s': %m",
                                               v->volume[open].path);
            goto done;
        }
        int64_t done = 0;
        for (int64_t k = i; k < i + n; k++) {
            naik_sites_row row = {.count = v->run[k].count,
                                  .number = v->run[k].number,
                                  .bytes = bytes + done * element};
            memcpy(row.coord, v->run[k].coord, sizeof row.coord);
            visit(context, &row);
            done += row.count;
        }
    }
done:
    if (stream != NULL) {
        fclose(stream);
    }
    free(bytes);
    return status;
}

naik_status naik_volumes_read(naik_volumes *v, const naik_lattice *lattice, int64_t array,
                              int element_bytes, naik_sites_visit *visit, void *context)
{
    if (v->runs == 0) { /* on all ranks or on none */
        NAIK_PASS(find_runs(v, lattice));
    }
    return naik_comm_agree(lattice->comm,
                           read_runs(v, lattice->comm->log, array, element_bytes, visit, context));
}

naik_status naik_volumes_read_one(const char *path, const naik_lattice *lattice, int64_t array,
                                  int element_bytes, naik_sites_visit *visit, void *context)
{
    naik_status status = NAIK_OK;
    naik_scidac_file *lime = NULL;
    naik_volumes *v = NULL;
    NAIK_TRY(naik_scidac_open(lattice->comm, path, &lime));
    NAIK_TRY(naik_volumes_open(lattice->comm, path, lime, &v));
    NAIK_TRY(naik_volumes_read(v, lattice, array, element_bytes, visit, context));
done:
    naik_volumes_close(&v);
    naik_scidac_close(&lime);
    return status;
}
