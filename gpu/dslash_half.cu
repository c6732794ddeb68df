/* dslash_half.cu - Dslash kernels of 16-bit vectors and links */
#include "dslash_launch.cuh"

bool dslash_launch_half(const dslash_params &params, const dslash_shape &shape)
{
    return dslash_launch_of<vec_half, short>(params, shape);
}
