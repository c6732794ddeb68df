/* multigrid.cu - the table of multigrid on the GPU */
#include "gpu/multigrid/multigrid.h"

extern "C" {
extern const naik_multigrid_ops naik_multigrid_ops_gpu;
}

#if GPU_HOST_PASS
const naik_multigrid_ops naik_multigrid_ops_gpu = {
    .aggregates_open = gpu_aggregates_open,
    .aggregates_close = gpu_aggregates_close,
    .transfer_bytes = gpu_transfer_bytes,
    .work_bytes = gpu_transfer_work_bytes,
    .set_columns = gpu_transfer_set_columns,
    .get_columns = gpu_transfer_get_columns,
    .orthonormalise = gpu_transfer_orthonormalise,
    .compress = gpu_transfer_compress,
    .restrict_to = gpu_restrict,
    .prolong = gpu_prolong,
    .noise = gpu_multigrid_noise,
    .coarse_clear = gpu_coarse_clear,
    .links_bytes = gpu_coarse_links_bytes,
    .clear = gpu_coarse_links_clear,
    .galerkin = gpu_galerkin,
    .invert = gpu_coarse_invert,
    .invert_bytes = gpu_coarse_invert_bytes,
    .site_bytes = gpu_coarse_site_bytes,
    .pack = gpu_coarse_pack,
    .dslash = gpu_coarse_dslash,
    .multiply = gpu_coarse_multiply,
    .products = gpu_coarse_products,
    .update = gpu_coarse_update,
    .cross = gpu_coarse_cross,
    .mix = gpu_coarse_mix,
    .coarse_from_host = gpu_coarse_from_host,
    .coarse_to_host = gpu_coarse_to_host,
};
#endif
