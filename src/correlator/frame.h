/* frame.h - where a correlator is counted from: x0 of its momentum and of the sign of a staggered meson
 *
 *   output.origin        that site, where it is given; else of
 *   one source           its place (x0 of naik_input_source)
 *   quark and antiquark  the place of the first of them that has one: a point, gaussian or smeared source; else
 *                        a sequential source, which has that of the source it was made from; else a wall of
 *                        one corner; else another wall; and of two that know it alike the quark's
 *                        (naik_source_knows_place)
 *   a three-point function   that of its spectator and its parent, as of quark and antiquark
 *
 * Two sources of which one has the sign (-1)^(x+y+z+t) in it, which counts from the lattice's origin
 * (evenminusodd_wall, funnywall2), are counted from there as well.
 */
#ifndef NAIK_CORRELATOR_FRAME_H
#define NAIK_CORRELATOR_FRAME_H

#include "input/input.h"

/* Of the sources [quarks] in sources[], without that exception and before output.origin is asked: translation of
 * all of them translates it. */
void correlator_begin(const naik_input *input, int quarks, const int *source, int x0[NAIK_DIM]);
/* Whether sources are walls at rest on an odd time slice, on which the signs of M make (-1)^(x+y+z) of a wall: then
 * the correlator is that of slice 0 reflected in space. Sources on a site, on a corner, of noise, or all on one parity
 * are the same up to a sign, and their correlator is that of slice 0 moved. */
bool correlator_alternates(const naik_input *input, int count, const int *source);
/* How much further than its place a source lies that has the shape of one at the lattice's origin: sites on one
 * parity of an odd time slice are those of an even one, moved by a site in z too. 0 where one of the sources
 * [count] in sources[] is on a site or a corner, which tells. No phase of M knows z, so that whatever the momentum
 * of the wall, (-1)^(x+y+z) is all that M makes of it. */
void correlator_further(const naik_input *input, int count, const int *source, int out[NAIK_DIM]);
/* With that exception, or output.origin where it is given. */
void correlator_origin(const naik_input *input, int quarks, const int *source, int x0[NAIK_DIM]);
/* momentum: [NAIK_DIM - 1]. */
naik_frame correlator_frame(const naik_input *input, int quarks, const int *source,
                            const int *momentum);

#endif
