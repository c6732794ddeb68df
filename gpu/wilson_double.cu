/* wilson_double.cu - Wilson's Dslash of vectors and links in double */
#include "wilson.cuh"

bool wilson_launch_double(const wilson_params &params, const wilson_shape &shape)
{
    return wilson_launch_of<vec_double, double>(params, shape);
}
