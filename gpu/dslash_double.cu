/* dslash_double.cu - Dslash kernels of double vectors and links */
#include "dslash_launch.cuh"

bool dslash_launch_double(const dslash_params &params, const dslash_shape &shape)
{
    return dslash_launch_of<vec_double, double>(params, shape);
}
