/* table.c - what the CPU does of multigrid, as a table */
#include "backend/coarse/layouts.h"
#include "backend/create.h"

const naik_multigrid_ops naik_multigrid_cpu = {
    .aggregates_open = mg_aggregates_open,
    .aggregates_close = mg_aggregates_close,
    .transfer_bytes = mg_transfer_bytes,
    .work_bytes = mg_work_bytes,
    .set_columns = mg_set_columns,
    .get_columns = mg_get_columns,
    .orthonormalise = mg_orthonormalise,
    .compress = mg_compress,
    .restrict_to = mg_restrict_to,
    .prolong = mg_prolong,
    .links_bytes = mg_links_bytes,
    .galerkin = mg_galerkin,
    .invert = mg_invert,
    .site_bytes = mg_site_bytes,
    .pack = mg_pack,
    .dslash = mg_dslash,
    .multiply = mg_multiply,
    .products = mg_products,
    .update = mg_update,
    .cross = mg_cross,
    .mix = mg_mix,
    .coarse_from_host = mg_coarse_from_host,
    .coarse_to_host = mg_coarse_to_host,
};
