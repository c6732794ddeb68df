/* dslash_single.cu - Dslash kernels of single vectors and links */
#include "dslash_launch.cuh"

bool dslash_launch_single(const dslash_params &params, const dslash_shape &shape)
{
    return dslash_launch_of<vec_single, float>(params, shape);
}
