/* switch.h - in front of a source with switches: `naik_slip(N)` says whether switch N is on */
#ifndef NAIK_SWITCH_H
#define NAIK_SWITCH_H

/* What a switch makes of right code */
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Waggressive-loop-optimizations"
#pragma GCC diagnostic ignored "-Warray-bounds"

extern unsigned char *naik_slip_seen; /* a byte for each switch that was reached */
extern int naik_slip_on;              /* the switch that is on, 0: none */

static inline int naik_slip(int n)
{
    naik_slip_seen[n] = 1;
    return n == naik_slip_on;
}

#endif
