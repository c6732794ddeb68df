/* dslash_half.cu - Dslash kernels of 16-bit vectors and links */
#include "dslash.cuh"

bool dslash_launch_half(const dslash_params &params, const dslash_shape &shape)
{
    switch (shape.columns) {
    case 1: return dslash_choose<vec_half, short, 1>(params, shape);
    case 2: return dslash_choose<vec_half, short, 2>(params, shape);
    case 3: return dslash_choose<vec_half, short, 3>(params, shape);
    case 4: return dslash_choose<vec_half, short, 4>(params, shape);
    default: return false;
    }
}
