/* bricks.h - a mode in bricks of 16 bits on the host, as it lies in files
 *
 * Bricks (backend/field.h) in the order of a lattice of half the extents in every direction; vectors as
 * naik_mode_ops.to_host gives them.
 */
#ifndef NAIK_MODES_BRICKS_H
#define NAIK_MODES_BRICKS_H

#include "backend/field.h"

/* mode [volume_cb][6] into bricks [volume_cb / 8], with the bits that naik_mode_ops.round gives; and out of
 * them, as naik_mode_ops.widen does. By any thread. */
void naik_bricks_make(const naik_lattice *lattice, const float *mode, naik_brick *bricks);
void naik_bricks_widen(const naik_lattice *lattice, const naik_brick *bricks, float *mode);
/* Whether bricks are such as naik_bricks_make gives of finite numbers. */
bool naik_bricks_are_finite(const naik_brick *bricks, int64_t count);

#endif
