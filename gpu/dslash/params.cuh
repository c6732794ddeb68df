/* params.cuh - what the kernels that apply D are told, and the site that a thread works on */
#ifndef NAIK_GPU_DSLASH_PARAMS_CUH
#define NAIK_GPU_DSLASH_PARAMS_CUH

#include "gpu/fields/stencil.cuh"
#include "gpu/halo/exchange.cuh"
#include "gpu/vectors/rhs.cuh"

typedef struct dslash_params {
    const char *links; /* of this parity */
    const char *in, *v, *b;
    char *out;
    char *x, *direction, *ap; /* of a step */
    const naik_rhs *rhs;
    naik_exactsum *sums;
    const int32_t *list;  /* sites to write; NULL: 0 .. count - 1 */
    const int32_t *table; /* [16][half] points, for sites whose neighbours are not all in the box */
    int boundary_from;    /* number in the list from which there are such sites */
    exchange_view view;   /* where the others are */
    exchange_send send;   /* outer layers of out, by the blocks of the boundary */
    int count, parity, nrhs, state;
    int kinds; /* of points: 2, or 4 with long links */
    naik_form form;
    int first;      /* the block to begin with, from the last one goes on to block 0 */
    bool backwards; /* in the opposite order: what was written last is read first */
    double scale[2], a, c, s;
    bool unit_time;    /* backend/packed_links.h */
    int time_slice[2]; /* where links forward and backward in direction t are not 1 all the same */
    gpu_stencil stencil;
    deferred_reductions
        deferred; /* the scalars of a step of one rhs; before it, D puts sums aside */
    bool forward; /* links are few enough to be fetched while the kernel before ends */
} dslash_params;

typedef struct dslash_shape {
    int recon, rhs; /* rhs a thread */
    int threads;    /* a site and rhs: 1, 3, 4, 12; 1 alone with several rhs */
    dim3 grid, block;
    gpu_stream stream;
    bool latency_bound; /* gpu_is_latency_bound */
} dslash_shape;

/* dslash.cu, for every kernel that applies D: what it needs beside its shape; whether boundary
 * sites fetch the halo themselves (halo.h, hand_over); whether interior and boundary are one launch,
 * that of the boundary. */
dslash_params dslash_params_of(const naik_dslash_args *args, naik_region region);
bool dslash_fetches_halo(const naik_dslash_args *args);
bool dslash_is_one_launch(const naik_dslash_args *args);
/* The same work without its effects, to be tried: nothing is added, written down, or heard from
 * other ranks. */
naik_status dslash_repeatable(const naik_dslash_args *args, const dslash_params &p,
                              dslash_params *out);

/* Of vectors V and links of numbers S, in dslash_kernels.cu; false where the shape has no kernel. */
template <class V, class S>
bool dslash_launch(const dslash_params &params, const dslash_shape &shape);

typedef struct dslash_site {
    int cb, x[4], irhs; /* first rhs of the tile */
    gpu_place halo;     /* where the field would begin that has the sites beyond the box;
                            GPU_NOWHERE: none of the neighbours is one */
    /* The coordinate in direction 2 pair + k. */
    __device__ int along(int pair, int k) const
    {
        if (GPU_UNROLLED_PAIRS > 1) {
            return pair == 0 ? x[k] : x[2 + k];
        }
        const int low = x[k], high = x[2 + k]; /* or an address is chosen, and x put into memory */
        return pair == 0 ? low : high;
    }
} dslash_site;

/* The block's number in the order of sites. */
__device__ static inline int dslash_block(const dslash_params &p)
{
    const int n = (int)gridDim.x, b = (int)blockIdx.x;
    const int at = p.backwards ? p.first - 1 - b : p.first + b;
    return at < 0 ? at + n : at < n ? at : at - n;
}

#endif
