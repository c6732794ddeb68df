/* dslash_double.cu - Dslash kernels of double vectors and links */
#include "dslash.cuh"

bool dslash_launch_double(const dslash_params &params, const dslash_shape &shape)
{
    switch (shape.columns) {
    case 1: return dslash_choose<vec_double, double, 1>(params, shape);
    case 2: return dslash_choose<vec_double, double, 2>(params, shape);
    case 3: return dslash_choose<vec_double, double, 3>(params, shape);
    case 4: return dslash_choose<vec_double, double, 4>(params, shape);
    default: return false;
    }
}
