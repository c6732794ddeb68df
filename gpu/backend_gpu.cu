/* backend_gpu.cu - the table of the GPU backend */
#define GPU_WITH_RANGES
#include "backend_gpu.h"

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
extern const struct naik_link_ops naik_link_ops_gpu; /* smear.cu */
}

#if GPU_HOST_PASS
const naik_backend_ops naik_backend_gpu = {
    .name = "gpu",
    .host_memory = false,
    .poll_interval = 10,
    .open = gpu_open,
    .close = gpu_close,
    .describe = gpu_describe,
    .alloc = gpu_alloc,
    .release = gpu_release,
    .upload = gpu_upload,
    .download = gpu_download,
    .sync = gpu_sync,
    .sum_words = gpu_sum_words,
    .free_bytes = gpu_free_bytes,
    .moved = gpu_moved,
    .alloc_host = gpu_alloc_host,
    .release_host = gpu_release_host,
    .shared = gpu_shared,
    .peer = &gpu_peer_ops,
    .range = gpu_range,
    .tables_create = gpu_tables_create,
    .tables_destroy = gpu_tables_destroy,
    .field_bytes = gpu_field_bytes,
    .field_import = gpu_field_import,
    .field_export = gpu_field_export,
    .field_zero = gpu_field_zero,
    .field_copy = gpu_field_copy,
    .field_add = gpu_field_add,
    .field_settle = gpu_field_settle,
    .field_axpy = gpu_field_axpy,
    .slice_norms = gpu_slice_norms,
    .field_gather = gpu_field_gather,
    .field_copy_column = gpu_field_copy_column,
    .link_ops = &naik_link_ops_gpu,
    .links_bytes = gpu_links_bytes,
    .links_pack = gpu_links_pack,
    .face_bytes = gpu_face_bytes,
    .pack = gpu_pack,
    .unpack = gpu_unpack,
    .dslash = gpu_dslash,
    .sums_clear = gpu_sums_clear,
    .sums_reduce = gpu_sums_reduce,
    .sums_values = gpu_sums_values,
    .dot = gpu_dot,
    .site_ratio = gpu_site_ratio,
    .takes_sums = gpu_takes_sums,
    .column_step = gpu_column_step,
    .update_direction = gpu_update_direction,
    .shift_step = gpu_shift_step,
    .update_shifts = gpu_update_shifts,
    .repeat = gpu_repeat,
};
#endif
