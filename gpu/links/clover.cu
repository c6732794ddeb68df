/* clover.cu - clover blocks and their inverses from the links around a site, with the host's bits
 *
 * A thread finds the field strength of one plane of a site; two of the site's six then make a block
 * each. Arithmetic of clover_site.inc and clover_block.h, which the host compiles too.
 */
#include "gpu/backend_gpu.h"
#include "gpu/links/ghosted.cuh"

#define INLINE __device__ static inline
typedef struct clover_links {
    box b;
    const double *u[NAIK_DIM];
} clover_links;

INLINE naik_matrix link_at(const clover_links *u, int of, const int x[NAIK_DIM], int mu, int a,
                           int nu, int b)
{
    return load(u->u[of] + place_near(u->b, x, mu, a, nu, b), u->b.extent[0]);
}

#include "links/clover_site.inc"

enum { CLOVER_SITES = 32, CLOVER_THREADS = CLOVER_SITES * CLOVER_PLANES };

/* What the kernel says of all blocks; zeroes before. */
typedef struct findings {
    unsigned long long pivoted;
    unsigned long long before_end;       /* volume - number of the first site without an inverse */
    unsigned long long largest, inverse; /* bounds of |A|, |inverse|: positive doubles compare like
                                            their bits */
} findings;

typedef struct clover_params {
    clover_links links;
    double diagonal, twisted_mass, csw;
    int size[NAIK_DIM], origin[NAIK_DIM];
    naik_block *block, *inverse; /* [sites][NAIK_SITE_BLOCKS] */
    findings *found;
} clover_params;

/* An odd count of numbers, so that the sites of a warp do not meet in the banks of shared memory. */
typedef struct site_strengths {
    naik_matrix f[CLOVER_PLANES];
    double unused;
} site_strengths;

/* Few threads find more than is there already. */
__device__ static inline void note_largest(unsigned long long *there, double mine)
{
    const unsigned long long bits = (unsigned long long)__double_as_longlong(mine);
    if (bits > *(volatile unsigned long long *)there) {
        atomicMax(there, bits);
    }
}

__device__ static inline int64_t before_end(const clover_params &p, const int x[NAIK_DIM])
{
    int64_t number = 0, volume = 1;
    for (int mu = NAIK_DIM - 1; mu >= 0; mu--) {
        number = number * p.size[mu] + p.origin[mu] + x[mu];
        volume *= p.size[mu];
    }
    return volume - number;
}

__global__ void __launch_bounds__(CLOVER_THREADS) clover_kernel(const clover_params p)
{
    __shared__ site_strengths shared[CLOVER_SITES];
    const int lane = threadIdx.x % CLOVER_SITES, part = threadIdx.x / CLOVER_SITES;
    const int64_t site = (int64_t)blockIdx.x * CLOVER_SITES + lane;
    const bool inside = site < p.links.b.sites;
    int x[NAIK_DIM];
    coords(p.links.b.local, site, x);
    if (inside) {
        shared[lane].f[part] = field_strength(&p.links, x, part);
    }
    __syncthreads();
    if (!inside || part >= NAIK_SITE_BLOCKS) {
        return;
    }
    naik_block *block = p.block + NAIK_SITE_BLOCKS * site + part;
    naik_block *inverse = p.inverse + NAIK_SITE_BLOCKS * site + part;
    *block = clover_block(p.diagonal, p.csw, shared[lane].f, part);
    note_largest(&p.found->largest, naik_block_largest_row(block));
    const naik_block_way way = naik_block_invert(block, p.twisted_mass, inverse);
    if (way == NAIK_BLOCK_SINGULAR) {
        atomicMax(&p.found->before_end, (unsigned long long)before_end(p, x));
        return;
    }
    if (way == NAIK_BLOCK_PIVOTED) {
        atomicAdd(&p.found->pivoted, 1ULL);
    }
    note_largest(&p.found->inverse, naik_block_largest_row(inverse));
}

static double number_of(unsigned long long bits)
{
    double number;
    static_assert(sizeof number == sizeof bits, "a word");
    memcpy(&number, &bits, sizeof number);
    return number;
}

naik_status gpu_clover(const naik_ghosted *u, double diagonal, double csw, naik_clover *clover,
                       int64_t *singular)
{
    naik_backend *backend = gpu_backend_of(clover->device);
    gpu_state *state = gpu_state_of(backend);
    const naik_lattice *lat = clover->lattice;
    const unsigned grid = (unsigned)((lat->sites + CLOVER_SITES - 1) / CLOVER_SITES);
    findings found;
    clover_params p = {};
    p.links.b = box_of(u->plan);
    p.diagonal = diagonal;
    p.twisted_mass = clover->twisted_mass;
    p.csw = csw;
    p.block = &clover->block[0][0];
    p.inverse = &clover->inverse[0][0];
    p.found = (findings *)state->flags;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        p.links.u[mu] = u[mu].data;
        p.size[mu] = lat->size[mu];
        p.origin[mu] = lat->origin[mu];
    }
    NAIK_PASS(GPU_CHECK(backend, gpu_memset(p.found, 0, sizeof found, state->stream),
                        "clearing what is found of clover blocks"));
    clover_kernel<<<grid, CLOVER_THREADS, 0, state->stream>>>(p);
    NAIK_PASS(GPU_LAUNCHED(backend, "making clover blocks"));
    NAIK_PASS(gpu_download(&backend->device, &found, p.found, sizeof found));
    clover->pivoted = (int64_t)found.pivoted;
    clover->largest = number_of(found.largest);
    clover->largest_inverse = number_of(found.inverse);
    *singular = lat->volume - (int64_t)found.before_end;
    return NAIK_OK;
}
