/* wilson_single.cu - Wilson's Dslash of single vectors and links */
#include "wilson.cuh"

bool wilson_launch_single(const wilson_params &params, const wilson_shape &shape)
{
    return wilson_launch_of<vec_single, float>(params, shape);
}
