/* backend_gpu.cu - the table of the GPU backend */
#define GPU_WITH_RANGES
#include "gpu/backend_gpu.h"

static void gpu_range(const char *name)
{
    if (name != NULL) {
        gpu_range_begin(name);
    } else {
        gpu_range_end();
    }
}

extern "C" {
extern const naik_backend_ops naik_backend_gpu;
extern const struct naik_multigrid_ops naik_multigrid_ops_gpu; /* multigrid/multigrid.cu */
extern const struct naik_low_ops naik_low_gpu;                 /* vectors/low_vectors.cu */
extern const struct naik_link_ops naik_link_ops_gpu;           /* smear.cu */
}

#if GPU_HOST_PASS
const naik_backend_ops naik_backend_gpu = {
    .name = "gpu",
    .host_memory = false,
    .poll_interval = 10,
    .open = gpu_open,
    .close = gpu_close,
    .describe = gpu_describe,
    .shared = gpu_shared,
    .range = gpu_range,
    .tables_create = gpu_tables_create,
    .tables_destroy = gpu_tables_destroy,
    .memory =
        {
            .alloc = gpu_alloc,
            .release = gpu_release,
            .upload = gpu_upload,
            .download = gpu_download,
            .sync = gpu_sync,
            .sum_words = gpu_sum_words,
            .free_bytes = gpu_free_bytes,
            .moved = gpu_moved,
            .adopt = gpu_adopt,
            .alloc_host = gpu_alloc_host,
            .release_host = gpu_release_host,
        },
    .link_ops = &naik_link_ops_gpu,
    .field =
        {
            .bytes = gpu_field_bytes,
            .from_host = gpu_field_from_host,
            .from_part = gpu_field_from_part,
            .to_host = gpu_field_to_host,
            .from_device = gpu_field_from_device,
            .to_device = gpu_field_to_device,
            .zero = gpu_field_zero,
            .copy = gpu_field_copy,
            .add = gpu_field_add,
            .axpy = gpu_field_axpy,
            .gather = gpu_field_gather,
            .combine = gpu_combine,
            .copy_rhs = gpu_field_copy_rhs,
        },
    .halo =
        {
            .face_bytes = gpu_face_bytes,
            .pack = gpu_pack,
            .unpack = gpu_unpack,
            .peer = &gpu_peer_ops,
        },
    .reduction =
        {
            .clear = gpu_sums_clear,
            .over_ranks = gpu_sums_reduce,
            .values = gpu_sums_values,
            .dot = gpu_dot,
            .complex_dot = gpu_complex_dot,
            .site_ratio = gpu_site_ratio,
            .slice_norms = gpu_slice_norms,
        },
    .solver =
        {
            .launch_is_measured = !GPU_GRAPHS_ARE_QUICK,
            .fuses_scalars = gpu_fuses_scalars,
            .rhs_step = gpu_rhs_step,
            .update_direction = gpu_update_direction,
            .apply_deferred_update = gpu_apply_deferred_update,
            .bicgstab_step = gpu_bicgstab_step,
            .shift_step = gpu_shift_step,
            .update_shifts = gpu_update_shifts,
            .repeat = gpu_repeat,
            .repeated = gpu_sample_collect,
        },
    .staggered =
        {
            .links_bytes = gpu_links_bytes,
            .links_pack = gpu_links_pack,
            .dslash = gpu_dslash,
        },
    .wilson =
        {
            .dslash = gpu_wilson_dslash,
            .multiply = gpu_blocks_multiply,
            .blocks_bytes = gpu_blocks_bytes,
            .blocks_pack = gpu_blocks_pack,
        },
    .modes =
        {
            .project = gpu_modes_project,
            .add = gpu_modes_add,
            .rotate = gpu_modes_rotate,
            .rotate_bytes = gpu_modes_rotate_bytes,
            .round = gpu_modes_round,
            .widen = gpu_modes_widen,
            .place = gpu_mode_place,
            .to_host = gpu_mode_to_host,
            .from_host = gpu_mode_from_host,
            .bytes = gpu_bare_field_bytes,
        },
    .multigrid = &naik_multigrid_ops_gpu,
    .low = &naik_low_gpu,
};
#endif
