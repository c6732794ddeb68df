/* dslash_half_single.cu - Dslash kernels of 16-bit vectors with single links */
#include "dslash.cuh"

bool dslash_launch_half_single(const dslash_params &params, const dslash_shape &shape)
{
    switch (shape.columns) {
    case 1: return dslash_choose<vec_half, float, 1>(params, shape);
    case 2: return dslash_choose<vec_half, float, 2>(params, shape);
    case 3: return dslash_choose<vec_half, float, 3>(params, shape);
    case 4: return dslash_choose<vec_half, float, 4>(params, shape);
    default: return false;
    }
}
