/* wilson_half.cu - Wilson's Dslash of vectors and links of 16 bits */
#include "wilson.cuh"

bool wilson_launch_half(const wilson_params &params, const wilson_shape &shape)
{
    return wilson_launch_of<vec_half, short>(params, shape);
}
