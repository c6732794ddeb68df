/* bricks.c - a mode in bricks of 16 bits on the host */
#include "modes/bricks.h"

#include <math.h>

/* Numbers of a brick's sites on the checkerboard. */
static void sites_of(const naik_lattice *lat, int64_t brick, int64_t site[NAIK_BRICK_SITES])
{
    const int64_t half = lat->local[0] / 2, y = lat->local[1], z = lat->local[2];
    const int64_t row = brick / half, plane = row / (y / 2);
    const int64_t at_y = row % (y / 2) * 2, at_z = plane % (z / 2) * 2, at_t = plane / (z / 2) * 2;
    for (int k = 0; k < NAIK_BRICK_SITES; k++) {
        site[k] = (((at_t + (k >> 2)) * z + at_z + (k >> 1 & 1)) * y + at_y + (k & 1)) * half +
                  brick % half;
    }
}

void naik_bricks_make(const naik_lattice *lat, const float *mode, naik_brick *bricks)
{
    for (int64_t b = 0; b < lat->volume_cb / NAIK_BRICK_SITES; b++) {
        int64_t site[NAIK_BRICK_SITES];
        float largest = 0, sum = 0;
        sites_of(lat, b, site);
        for (int k = 0; k < NAIK_BRICK_SITES; k++) {
            for (int i = 0; i < 6; i++) {
                largest = fmaxf(largest, fabsf(mode[6 * site[k] + i]));
                sum += fabsf(mode[6 * site[k] + i]);
            }
        }
        const float scale = naik_brick_scale(largest, !(sum < NAIK_BRICK_SUM));
        bricks[b].scale = scale;
        for (int k = 0; k < NAIK_BRICK_SITES; k++) {
            for (int i = 0; i < 6; i++) {
                bricks[b].number[k][i] =
                    (int16_t)(scale > 0 ? lrintf(mode[6 * site[k] + i] / scale) : 0);
            }
        }
    }
}

void naik_bricks_widen(const naik_lattice *lat, const naik_brick *bricks, float *mode)
{
    for (int64_t b = 0; b < lat->volume_cb / NAIK_BRICK_SITES; b++) {
        int64_t site[NAIK_BRICK_SITES];
        sites_of(lat, b, site);
        for (int k = 0; k < NAIK_BRICK_SITES; k++) {
            for (int i = 0; i < 6; i++) {
                mode[6 * site[k] + i] = (float)bricks[b].number[k][i] * bricks[b].scale;
            }
        }
    }
}

/* Times a number of 15 bits, or PREC_MAGIC of devices, it is finite; those of modes of norm 1 are far below. */
static const float LARGEST_SCALE = 1e30F;

bool naik_bricks_are_finite(const naik_brick *bricks, int64_t count)
{
    bool finite = true;
    for (int64_t b = 0; b < count; b++) {
        finite = finite && bricks[b].scale >= 0 && bricks[b].scale < LARGEST_SCALE;
    }
    return finite;
}
