/* waves.h - running a grid: between waves.cpp and runtime.cpp */
#ifndef WAVE64_WAVES_H
#define WAVE64_WAVES_H

#include "hip/hip_runtime.h"

enum { WAVE64_LANES = 64, WAVE64_THREADS = 1024 };

/* All blocks, one after the other. What a GPU would not survive ends the program with a sentence.
 */
void wave64_run(const char *name, dim3 grid, dim3 block, const std::function<void()> &thread);

#endif
