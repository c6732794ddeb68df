/* dslash_half_single.cu - Dslash kernels of 16-bit vectors with single links */
#include "dslash_launch.cuh"

bool dslash_launch_half_single(const dslash_params &params, const dslash_shape &shape)
{
    return dslash_launch_of<vec_half, float>(params, shape);
}
