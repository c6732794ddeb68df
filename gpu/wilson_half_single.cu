/* wilson_half_single.cu - Wilson's Dslash of vectors of 16 bits with single links */
#include "wilson.cuh"

bool wilson_launch_half_single(const wilson_params &params, const wilson_shape &shape)
{
    return wilson_launch_of<vec_half, float>(params, shape);
}
