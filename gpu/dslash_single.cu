/* dslash_single.cu - Dslash kernels of single vectors and links */
#include "dslash.cuh"

bool dslash_launch_single(const dslash_params &params, const dslash_shape &shape)
{
    switch (shape.columns) {
    case 1: return dslash_choose<vec_single, float, 1>(params, shape);
    case 2: return dslash_choose<vec_single, float, 2>(params, shape);
    case 3: return dslash_choose<vec_single, float, 3>(params, shape);
    case 4: return dslash_choose<vec_single, float, 4>(params, shape);
    default: return false;
    }
}
