/* mode_of_launch.h - how an iteration reaches the device; the bits are the same (launch.h) */
#ifndef NAIK_BACKEND_MODE_OF_LAUNCH_H
#define NAIK_BACKEND_MODE_OF_LAUNCH_H

typedef enum naik_launch_mode {
    NAIK_LAUNCH_AUTO,
    NAIK_LAUNCH_SEPARATE,   /* every operation a kernel, launched one by one */
    NAIK_LAUNCH_FUSED,      /* scalars computed by the kernels that sum them, halos sent by those
                                  that write the field */
    NAIK_LAUNCH_GRAPH,      /* separate kernels, recorded once and played back */
    NAIK_LAUNCH_FUSED_GRAPH /* fused kernels, recorded once and played back */
} naik_launch_mode;

#endif
