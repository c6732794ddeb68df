/* wilson_single_half.cu - Wilson's Dslash of single vectors with links of 16 bits */
#include "wilson.cuh"

bool wilson_launch_single_half(const wilson_params &params, const wilson_shape &shape)
{
    return wilson_launch_of<vec_single, short>(params, shape);
}
