/* milc_places.c - where MILC counts correlators from, and on which side of its boundary their sources lie */
#include <string.h>

#include "correlator/frame.h"
#include "milc/milc_input.h"

naik_source milc_source_of(const milc_input *in, int propagator)
{
    const milc_source *from = &in->sources[in->propagators[propagator].source];
    naik_source source = {.type = from->type, .subset = from->subset};
    memcpy(source.corner, from->corner, sizeof source.corner);
    memcpy(source.origin, from->origin, sizeof source.origin);
    if (naik_source_is_corner(&source)) {
        memcpy(source.origin, from->corner, sizeof from->corner);
    }
    return source;
}

/* Whether a correlator is the same counted from either site. */
static bool counts_alike(const milc_input *in, const milc_counted *c, const int a[NAIK_DIM],
                         const int b[NAIK_DIM])
{
    int apart[NAIK_DIM];
    bool alike = true;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        apart[mu] = (a[mu] - b[mu]) % in->size[mu];
        alike = alike && (mu == 3 || (int64_t)c->momentum[mu] * apart[mu] % in->size[mu] == 0);
    }
    return alike && naik_correlator_sign(c->meson, apart) > 0;
}

bool milc_offset_take(milc_words *w, milc_input *in, const milc_counted *c,
                      const int offset[NAIK_DIM])
{
    const naik_source one = milc_source_of(in, c->of[1]), two = milc_source_of(in, c->of[0]);
    int place[NAIK_DIM];
    naik_source_begin((const naik_source *const[]){&one, &two},
                      (const int *const[]){one.origin, two.origin}, 2, true, place);
    if (!in->counted) {
        memcpy(in->origin, offset, sizeof in->origin);
    }
    const bool from_source =
        (!in->counted || in->from_source) && counts_alike(in, c, offset, place);
    const bool from_site =
        (!in->counted || in->from_site) && counts_alike(in, c, offset, in->origin);
    if (!from_source && !from_site) {
        milc_words_obstacle(
            w, c->line,
            "%s with r_offset %d %d %d %d cannot be expressed beside those before it: naik "
            "counts all from their sources or all from one site (output.origin)",
            c->label, offset[0], offset[1], offset[2], offset[3]);
        return false;
    }
    if (!in->noted_offset && !counts_alike(in, c, offset, in->coordinate_origin)) {
        fprintf(
            in->notes,
            "line %d: %s: counted from r_offset, as by MILC's branch master; its branch develop "
            "since May 2023 counts mesons from coordinate_origin, and has other numbers "
            "(noted of the first such line only)\n",
            c->line, c->label);
        in->noted_offset = true;
    }
    in->counted = true;
    in->from_source = from_source;
    in->from_site = from_site;
    return true;
}

/* MILC's solution is S(t) S(t of the source) times naik's, with S = -1 between the two boundaries, else 1. */
bool milc_one_side(milc_words *w, milc_input *in, int line, const char *what, int count,
                   const int *of)
{
    const int nt = in->size[3], boundary = (in->coordinate_origin[3] % nt + nt) % nt;
    const milc_source *stored = NULL;
    int between = 0;
    if (!in->moves_boundary) {
        return true;
    }
    for (int k = 0; k < count; k++) {
        const milc_source *s = &in->sources[in->propagators[of[k]].source];
        const bool is_stored = s->type == NAIK_SOURCE_FILE;
        between += (is_stored ? s->told_t : s->origin[3]) < boundary;
        stored = is_stored && stored == NULL ? s : stored;
    }
    if (between != 0 && between != count) {
        milc_words_obstacle(w, line,
                            "%s of sources on both sides of the boundary cannot be expressed: "
                            "coordinate_origin moves it to t = %d, which gives MILC another sign",
                            what, boundary);
        return false;
    }
    if (stored != NULL) {
        fprintf(in->notes,
                "line %d: %s: %s is taken to lie on time slice %d of its origin; MILC has "
                "other numbers where it lies on the other side of the boundary at t = %d\n",
                line, what, stored->file, stored->told_t, boundary);
    }
    return true;
}
