/* openqcd.c - configurations of openQCD
 *
 * No magic number: four extents (t, x, y, z), the plaquette, and the exact size of the file. Only
 * odd sites are stored, in the order t, x, y, z with z fastest, each with the links that leave it
 * forward and the links that arrive from behind, U_mu(s) and U_mu(s - mu), mu = t, x, y, z. An even
 * site's link therefore lies at the odd site ahead of it, which may belong to the next rank.
 * openQCD's other binary files are told by their extents and their size, to refuse them by name.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "comm/collective.h"
#include "io/gauge/format.h"
#include "io/sites.h"

enum { HEADER_BYTES = 24, LINKS = 8, LINK_BYTES = 144 };

/* Directions in the order of the file. */
static const int direction[NAIK_DIM] = {3, 0, 1, 2};

/* Other files of openQCD: `count` numbers of 32 bits, extents among them, perhaps the state of a generator, and a
 * double stand before the sites. */
typedef struct other {
    int count, extents; /* where the extents begin */
    int most_state;     /* bytes of a generator, at most */
    int site_bytes;
    const char *what;
} other;
#define EXPORT ": let openQCD's program cvt1 export it to one file (storage type e)"
static const other others[] = {
    {12, 4, 0, 4 * LINK_BYTES, "one block of a configuration of openQCD" EXPORT},
    {16, 4, 4096, 4 * LINK_BYTES, "what one process of openQCD wrote of a configuration" EXPORT},
    {5, 0, 0, 192, "a quark field of openQCD, which naik does not read"},
    {5, 0, 0, 96, "a quark field of openQCD on the even sites, which naik does not read"}};

static int64_t extent_at(const naik_file_head *head, int i)
{
    const unsigned char *b = head->bytes + 4 * i;
    return (int32_t)((uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0]);
}

/* A file that is shorter has zeros here, which are no extents or no plaquette. */
static bool take_header(const naik_file_head *head, naik_gauge_file *file)
{
    int64_t size[NAIK_DIM] = {extent_at(head, 1), extent_at(head, 2), extent_at(head, 3),
                              extent_at(head, 0)};
    if (!naik_gauge_set_extents(file, size)) {
        return false;
    }
    naik_reals_decode(head->bytes + 16, 1, 64, false, &file->plaquette_stored);
    return true;
}

static int64_t expected_size(const naik_gauge_file *file)
{
    return HEADER_BYTES + naik_gauge_file_volume(file) * 4 * LINK_BYTES;
}

/* Which other file of openQCD it is; NULL: none. */
static const other *find_other(const naik_file_head *head)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const other *o = &others[i];
        int64_t n[NAIK_DIM] = {0};
        bool possible = head->length >= 4 * o->count;
        for (int first = 0; first <= o->extents && possible; first += NAIK_DIM) {
            for (int mu = 0; mu < NAIK_DIM; mu++) {
                n[mu] = extent_at(head, first + mu);
            }
            possible = naik_sites_possible(n);
        }
        const int64_t size = possible ? o->site_bytes * n[0] * n[1] * n[2] * n[3] : 0;
        const int64_t beyond = head->size_bytes - (size + 4 * o->count + 8);
        if (possible && beyond >= 0 && beyond <= o->most_state) {
            return o;
        }
    }
    return NULL;
}

/* Either the size or the plaquette may be damaged for the file to be recognised, not both. */
static bool recognise(const naik_file_head *head)
{
    naik_gauge_file file = {0};
    if (find_other(head) != NULL) {
        return true;
    }
    if (!take_header(head, &file)) {
        return false;
    }
    double p = file.plaquette_stored;
    return head->size_bytes == expected_size(&file) || (fabs(p) <= 3.1 && fabs(p) > 1e-8);
}

static naik_status probe(naik_log *log, const naik_file_head *head, naik_gauge_file *file)
{
    const other *o = find_other(head);
    if (o != NULL) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT, "'%s' is %s", head->path, o->what);
    }
    if (!take_header(head, file)) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT, "'%s' is no openQCD file", head->path);
    }
    if (!naik_gauge_size_fits(head, expected_size(file), file)) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                         "'%s' looks like an openQCD configuration of %dx%dx%dx%d (x, y, z, t), "
                         "but is %lld bytes long instead of %lld",
                         head->path, file->size[0], file->size[1], file->size[2], file->size[3],
                         (long long)head->size_bytes, (long long)expected_size(file));
    }
    if (!(fabs(file->plaquette_stored) <= 3.1)) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT, "'%s' stores an impossible plaquette of %g",
                         head->path, file->plaquette_stored);
    }
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        if (file->size[mu] % 2 != 0) {
            return NAIK_FAIL(log, NAIK_ERR_INPUT, "'%s' has odd extents: %d %d %d %d", head->path,
                             file->size[0], file->size[1], file->size[2], file->size[3]);
        }
    }
    strcpy(file->format, "openqcd");
    strcpy(file->byte_order, "little");
    naik_gauge_add_note(file, "openQCD files carry no checksum, only the plaquette");
    file->precision = 64;
    file->rows = 3;
    file->data_offset = HEADER_BYTES;
    return NAIK_OK;
}

typedef struct reading {
    naik_gauge *gauge;
    naik_matrix *face[NAIK_DIM]; /* [face] links that arrive at the box's first layer across mu */
} reading;

/* Number of the site in its layer across mu, counting one parity. */
static int32_t layer_index(const naik_lattice *lat, const int x[NAIK_DIM], int mu)
{
    int32_t layer = 0;
    for (int nu = NAIK_DIM - 1; nu >= 0; nu--) {
        layer = nu == mu ? layer : layer * lat->local[nu] + x[nu];
    }
    return layer / 2;
}

static naik_matrix *arriving_link(const reading *r, const int x[NAIK_DIM], int mu)
{
    const naik_lattice *lat = r->gauge->lattice;
    int behind[NAIK_DIM] = {x[0], x[1], x[2], x[3]};
    if (x[mu] == 0 && lat->split[mu]) {
        return &r->face[mu][layer_index(lat, x, mu)];
    }
    behind[mu] = x[mu] > 0 ? x[mu] - 1 : lat->local[mu] - 1;
    return &r->gauge->link[4 * (int64_t)naik_lattice_site(lat, behind) + mu];
}

/* A row runs along z at fixed (y, x, t); coordinates of the array are (z / 2, y, x, t). */
static void take_row(void *context, const naik_sites_row *row)
{
    const reading *r = context;
    const naik_lattice *lat = r->gauge->lattice;
    int x[NAIK_DIM] = {row->coord[2] - lat->origin[0], row->coord[1] - lat->origin[1], 0,
                       row->coord[3] - lat->origin[3]};
    int first = (1 + x[0] + x[1] + x[3]) & 1; /* z of odd sites; boxes begin at even sites */
    for (int i = 0; i < row->count; i++) {
        x[2] = 2 * (row->coord[0] + i) + first - lat->origin[2];
        const unsigned char *links = row->bytes + (int64_t)i * LINKS * LINK_BYTES;
        naik_matrix *mine = r->gauge->link + 4 * (int64_t)naik_lattice_site(lat, x);
        for (int k = 0; k < NAIK_DIM; k++) {
            double value[2][18];
            int mu = direction[k];
            naik_reals_decode(links + (int64_t)2 * k * LINK_BYTES, 36, 64, false, value[0]);
            memcpy(mine[mu].e, value[0], sizeof value[0]);
            memcpy(arriving_link(r, x, mu)->e, value[1], sizeof value[1]);
        }
    }
}

/* Hands the links that arrive at the first layer to the rank they leave from. */
static naik_status pass_back(reading *r, int mu, naik_matrix *incoming)
{
    const naik_lattice *lat = r->gauge->lattice;
    NAIK_PASS(naik_comm_exchange(lat->comm, lat->neighbour_rank[mu][NAIK_BACKWARD], r->face[mu],
                                 lat->neighbour_rank[mu][NAIK_FORWARD], incoming,
                                 (size_t)lat->face[mu] * sizeof *incoming));
    for (int32_t s = 0; s < lat->sites; s++) {
        int x[NAIK_DIM];
        naik_lattice_coords(lat, s, x);
        if (x[mu] == lat->local[mu] - 1 && naik_parity_of(x) == NAIK_EVEN) {
            r->gauge->link[4 * (int64_t)s + mu] = incoming[layer_index(lat, x, mu)];
        }
    }
    return NAIK_OK;
}

static naik_sites_box half_sites(const naik_lattice *lat)
{
    static const int order[NAIK_DIM] = {2, 1, 0, 3};
    naik_sites_box box = {.offset = HEADER_BYTES, .element_bytes = LINKS * LINK_BYTES};
    for (int i = 0; i < NAIK_DIM; i++) {
        int half = i == 0 ? 2 : 1;
        box.extent[i] = lat->size[order[i]] / half;
        box.start[i] = lat->origin[order[i]] / half;
        box.count[i] = lat->local[order[i]] / half;
    }
    return box;
}

static naik_status read_links(const char *path, naik_gauge *gauge, naik_gauge_file *file)
{
    (void)file; /* nothing to complete: there is no checksum */
    const naik_lattice *lat = gauge->lattice;
    reading r = {.gauge = gauge};
    void *incoming = NULL, *face[NAIK_DIM] = {NULL};
    size_t largest = 0;
    naik_status status = NAIK_OK;
    for (int mu = 0; mu < NAIK_DIM && status == NAIK_OK; mu++) {
        size_t bytes = lat->split[mu] ? (size_t)lat->face[mu] * sizeof(naik_matrix) : 0;
        largest = bytes > largest ? bytes : largest;
        status = naik_alloc(lat->comm->log, bytes, "the links of a face", &face[mu]);
        r.face[mu] = face[mu];
    }
    if (status == NAIK_OK) {
        status = naik_alloc(lat->comm->log, largest, "the links of a face", &incoming);
    }
    NAIK_TRY(naik_comm_agree(lat->comm, status));
    naik_sites_box box = half_sites(lat);
    NAIK_TRY(naik_sites_read(lat->comm, path, &box, take_row, &r));
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        if (lat->split[mu]) {
            NAIK_TRY(pass_back(&r, mu, incoming));
        }
    }
done:
    naik_free(incoming);
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        naik_free(face[mu]);
    }
    return status;
}

const naik_gauge_format naik_gauge_format_openqcd = {
    .name = "openQCD", .recognise = recognise, .probe = probe, .read = read_links};
