/* dslash_single_half.cu - Dslash kernels of single vectors with 16-bit links */
#include "dslash.cuh"

bool dslash_launch_single_half(const dslash_params &params, const dslash_shape &shape)
{
    switch (shape.columns) {
    case 1: return dslash_choose<vec_single, short, 1>(params, shape);
    case 2: return dslash_choose<vec_single, short, 2>(params, shape);
    case 3: return dslash_choose<vec_single, short, 3>(params, shape);
    case 4: return dslash_choose<vec_single, short, 4>(params, shape);
    default: return false;
    }
}
