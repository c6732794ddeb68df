/* dslash_single_half.cu - Dslash kernels of single vectors with 16-bit links */
#include "dslash_launch.cuh"

bool dslash_launch_single_half(const dslash_params &params, const dslash_shape &shape)
{
    return dslash_launch_of<vec_single, short>(params, shape);
}
