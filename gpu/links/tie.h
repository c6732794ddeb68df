/* tie.h - the correlators of two quarks on the device, as shift_ops.h says */
#ifndef NAIK_GPU_TIE_H
#define NAIK_GPU_TIE_H

#include "links/shift_ops.h"

naik_status gpu_tie_product(naik_device *device, const naik_tie_product *args);
naik_status gpu_tie_sums(naik_device *device, const naik_tie_sums *args);

#endif
