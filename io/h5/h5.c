/* h5.c - HDF5 with MPI-IO: opening, types, datasets and attributes
 *
 * HDF5 prints its error stack by default; here it is silenced when a file is opened, and the
 * innermost description becomes naik's sentence. The file format stays the earliest one: newer
 * ones mark a file as open for writing, and a .part could then not be read between flushes.
 */
#include "io/h5/h5.h"

#include <stdio.h>
#include <string.h>

#include "comm/collective.h"
#include "io/files.h"
#include "io/h5/times.h"
#include "io/hints.h"
#include "io/reread.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "naik's HDF5 files hold little-endian bytes and their checksums are taken in memory"
#endif

enum { METADATA_CACHE_BYTES = 32 << 20 };

/* The deepest entry of the stack says what the system refused. */
static herr_t keep_innermost(unsigned n, const H5E_error2_t *entry, void *text)
{
    if (n == 0 && entry->desc != NULL && entry->desc[0] != '\0') {
        snprintf(text, NAIK_H5_REASON_BYTES, "%s", entry->desc);
    }
    return 0;
}

bool naik_h5_take_reason(char text[NAIK_H5_REASON_BYTES])
{
    static const char named[] = "error message = '";
    strcpy(text, "no reason given");
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, text);
    H5Eclear2(H5E_DEFAULT);
    for (char *c = strchr(text, '\n'); c != NULL; c = strchr(c, '\n')) {
        *c = ' '; /* MPI's own errors come in several lines */
    }
    char *reason = strstr(text, named);
    if (reason != NULL) {
        reason += sizeof named - 1;
        reason[strcspn(reason, "'")] = '\0';
        memmove(text, reason, strlen(reason) + 1);
    }
    return reason != NULL;
}

naik_status naik_h5_check(naik_log *log, int64_t result, const char *what, const char *file,
                          int line)
{
    if (result >= 0) {
        return NAIK_OK;
    }
    char text[NAIK_H5_REASON_BYTES];
    naik_h5_take_reason(text);
    return naik_log_fail(log, NAIK_ERR_IO, file, line, "%s failed: %s", what, text);
}

bool naik_h5_begins(const void *bytes, size_t length)
{
    return length >= NAIK_FILE_HDF5_BYTES &&
           memcmp(bytes, NAIK_FILE_HDF5, NAIK_FILE_HDF5_BYTES) == 0;
}

void naik_h5_release(hid_t id)
{
    if (id < 0) {
        return;
    }
    switch (H5Iget_type(id)) {
    case H5I_GROUP: H5Gclose(id); break;
    case H5I_DATATYPE: H5Tclose(id); break;
    case H5I_DATASPACE: H5Sclose(id); break;
    case H5I_DATASET: H5Dclose(id); break;
    case H5I_ATTR: H5Aclose(id); break;
    case H5I_GENPROP_LST: H5Pclose(id); break;
    default: break;
    }
}

/* The file's size is asked of files read only: one being written has not grown to it yet. */
static bool lies_inside(hid_t dataset)
{
    hid_t file = H5Iget_file_id(dataset);
    unsigned intent = H5F_ACC_RDONLY;
    hsize_t stored = H5Dget_storage_size(dataset), file_size = 0;
    haddr_t offset = H5Dget_offset(dataset);
    bool ok = file >= 0 && H5Fget_intent(file, &intent) >= 0;
    if (ok && intent == H5F_ACC_RDONLY) {
        ok = H5Fget_filesize(file, &file_size) >= 0 && offset != HADDR_UNDEF &&
             offset <= file_size && stored <= file_size - offset;
    }
    if (file >= 0) {
        H5Fclose(file);
    }
    return ok;
}

bool naik_h5_layout_holds(hid_t dataset, int64_t size_bytes)
{
    hid_t list = H5Dget_create_plist(dataset);
    H5D_layout_t layout = list >= 0 ? H5Pget_layout(list) : H5D_LAYOUT_ERROR;
    bool whole = (int64_t)H5Dget_storage_size(dataset) == size_bytes;
    naik_h5_release(list);
    switch (layout) {
    case H5D_CONTIGUOUS: return whole && lies_inside(dataset);
    case H5D_COMPACT: return whole;
    case H5D_CHUNKED: return true;
    default: return false;
    }
}

void naik_h5_quieten(void)
{
    H5dont_atexit();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5Eclear2(H5E_DEFAULT);
}

typedef enum purpose { CREATE, READ, READ_AND_WRITE } purpose;

/* Without MPI-IO: what is refused is then said, other than by OMPIO. */
static bool is_plain(const naik_comm *comm)
{
#if H5_VERSION_GE(1, 10, 7)
    return comm->io.plain;
#else
    (void)comm;
    return false;
#endif
}

/* HDF5 begins with 2 MiB, which the headers of a thousand correlators do not fit in: they would be read again each time. */
static naik_status widen_cache(naik_log *log, hid_t access)
{
    naik_status status = NAIK_OK;
    H5AC_cache_config_t cache = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
    NAIK_H5_TRY(log, H5Pget_mdc_config(access, &cache), "preparing HDF5");
    cache.set_initial_size = true;
    cache.initial_size = METADATA_CACHE_BYTES;
    NAIK_H5_TRY(log, H5Pset_mdc_config(access, &cache), "preparing HDF5");
done:
    return status;
}

static naik_status access_list(naik_comm *comm, const char *path, purpose purpose, hid_t *out)
{
    MPI_Info info = MPI_INFO_NULL;
    naik_status status = NAIK_OK;
    naik_h5_quieten();
    *out = H5Pcreate(H5P_FILE_ACCESS);
    NAIK_H5_TRY(comm->log, *out, "preparing HDF5");
    const bool plain = is_plain(comm);
#if H5_VERSION_GE(1, 10, 7)
    if (plain) { /* many parallel file systems refuse flock */
        NAIK_H5_TRY(comm->log, H5Pset_file_locking(*out, false, true), "preparing HDF5");
    }
#endif
    NAIK_TRY(naik_hints_create(comm, path, comm->io.hints, &info));
    if (comm->io.alignment > 1) {
        NAIK_H5_TRY(comm->log,
                    H5Pset_alignment(*out, NAIK_H5_ALIGNED_BYTES, (hsize_t)comm->io.alignment),
                    "setting the alignment");
    }
    if (!plain) {
        NAIK_H5_TRY(comm->log, H5Pset_fapl_mpio(*out, comm->mpi->world, info), "choosing MPI-IO");
    }
    /* What is added later is little; a block for it would stay, with texts behind it. */
    if (purpose == CREATE) {
        NAIK_H5_TRY(comm->log, H5Pset_meta_block_size(*out, NAIK_H5_ALIGNED_BYTES),
                    "preparing HDF5");
    }
    NAIK_H5_TRY(comm->log, H5Pset_fclose_degree(*out, H5F_CLOSE_STRONG), "preparing HDF5");
    if (purpose != READ_AND_WRITE) { /* a flush of a wide one takes longer, and there are many */
        NAIK_TRY(widen_cache(comm->log, *out));
    }
done:
    if (info != MPI_INFO_NULL) {
        MPI_Info_free(&info);
    }
    return status;
}

static naik_status open_file(naik_comm *comm, const char *path, purpose purpose, hid_t *file)
{
    naik_status status = NAIK_OK;
    char what[600], name[NAIK_MPI_NAME];
    hid_t access = -1;
    *file = -1;
    snprintf(what, sizeof what, purpose == CREATE ? "creating %.500s" : "opening %.500s as HDF5",
             path);
    status = access_list(comm, path, purpose, &access);
    NAIK_TRY(naik_comm_agree(comm, status));
    const char *opened = is_plain(comm) ? path : naik_mpi_name(path, name);
    switch (purpose) {
    case CREATE: *file = H5Fcreate(opened, H5F_ACC_TRUNC, H5P_DEFAULT, access); break;
    case READ: *file = H5Fopen(opened, H5F_ACC_RDONLY, access); break;
    case READ_AND_WRITE: *file = H5Fopen(opened, H5F_ACC_RDWR, access); break;
    }
    status = naik_h5_check(comm->log, *file, what, __FILE__, __LINE__);
    NAIK_TRY(naik_comm_agree(comm, status));
done:
    naik_h5_release(access);
    return status;
}

naik_status naik_h5_create(naik_comm *comm, const char *path, hid_t *file)
{
    return open_file(comm, path, CREATE, file);
}

naik_status naik_h5_open(naik_comm *comm, const char *path, bool writable, hid_t *file)
{
    return open_file(comm, path, writable ? READ_AND_WRITE : READ, file);
}

hid_t naik_h5_access_alone(void)
{
    naik_h5_quieten();
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
#if H5_VERSION_GE(1, 10, 7)
    /* Many parallel file systems refuse flock; nobody writes to what is read here. */
    H5Pset_file_locking(access, false, true);
#endif
    return access;
}

naik_status naik_h5_flush(naik_comm *comm, hid_t file)
{
    double since = naik_io_clock();
    naik_status mine = naik_h5_check(comm->log, H5Fflush(file, H5F_SCOPE_GLOBAL),
                                     "flushing the file", __FILE__, __LINE__);
    naik_io_count(comm->io.times, NAIK_IO_FSYNC, &since);
    return naik_comm_agree(comm, mine);
}

naik_status naik_h5_close(naik_comm *comm, hid_t *file)
{
    if (*file < 0) {
        return NAIK_OK;
    }
    double since = naik_io_clock();
    naik_status mine =
        naik_h5_check(comm->log, H5Fclose(*file), "closing the file", __FILE__, __LINE__);
    naik_io_count(comm->io.times, NAIK_IO_FSYNC, &since);
    *file = -1;
    mine = naik_comm_agree(comm, mine);
    comm->unfinalisable = comm->unfinalisable || mine != NAIK_OK;
    return mine;
}

naik_status naik_h5_close_after(naik_comm *comm, naik_status status, hid_t *file)
{
    if (status == NAIK_ERR_IO && comm->size > 1) {
        comm->unfinalisable = true;
        *file = -1;
        return status;
    }
    const naik_status closed = naik_h5_close(comm, file);
    return status != NAIK_OK ? status : closed;
}

naik_status naik_h5_by_rank_0(naik_comm *comm, naik_h5_work *work, void *data)
{
    naik_comm *alone = NULL;
    naik_status status = NAIK_OK;
    if (comm->rank == 0) {
        status = naik_comm_create_alone(comm->log, &alone);
        if (status == NAIK_OK) {
            alone->io = comm->io;
            alone->io.plain = true;
            status = work(alone, data);
        }
        naik_comm_destroy(&alone);
    }
    status = naik_comm_agree(comm, status);
    comm->unfinalisable = comm->unfinalisable || status != NAIK_OK;
    return status;
}

hid_t naik_h5_real(int bits)
{
    return H5Tcopy(bits == 32 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE);
}

hid_t naik_h5_complex(int bits)
{
    size_t bytes = (size_t)bits / 8;
    hid_t real = naik_h5_real(bits), type = H5Tcreate(H5T_COMPOUND, 2 * bytes);
    if (H5Tinsert(type, "r", 0, real) < 0 || H5Tinsert(type, "i", bytes, real) < 0) {
        naik_h5_release(type);
        type = -1;
    }
    naik_h5_release(real);
    return type;
}

hid_t naik_h5_tensor(int bits, int rank)
{
    const hsize_t dims[2] = {3, 3};
    hid_t element = naik_h5_complex(bits);
    hid_t type = H5Tarray_create2(element, (unsigned)rank, dims);
    naik_h5_release(element);
    return type;
}

hid_t naik_h5_spinor(int bits)
{
    const hsize_t dims[2] = {4, 3};
    hid_t element = naik_h5_complex(bits);
    hid_t type = H5Tarray_create2(element, 2, dims);
    naik_h5_release(element);
    return type;
}

hid_t naik_h5_string(size_t length)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, length);
    H5Tset_strpad(type, H5T_STR_NULLTERM);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

hid_t naik_h5_text_type(void)
{
    return naik_h5_string(H5T_VARIABLE);
}

naik_status naik_h5_dataset(naik_log *log, hid_t where, const char *name, hid_t type, int rank,
                            const hsize_t *dims, const double *fill, hid_t *out)
{
    naik_status status = NAIK_OK;
    char what[160];
    snprintf(what, sizeof what, "creating the dataset %.120s", name);
    hid_t layout = H5Pcreate(H5P_DATASET_CREATE), links = H5Pcreate(H5P_LINK_CREATE);
    hid_t space = rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, dims, NULL);
    *out = -1;
    NAIK_H5_TRY(log, space, what);
    NAIK_H5_TRY(log, H5Pset_create_intermediate_group(links, 1), what);
    NAIK_H5_TRY(log, H5Pset_layout(layout, H5D_CONTIGUOUS), what);
    NAIK_H5_TRY(log, H5Pset_alloc_time(layout, H5D_ALLOC_TIME_EARLY), what);
    NAIK_H5_TRY(log, H5Pset_obj_track_times(layout, false), what);
    if (fill != NULL) {
        const double both[2] = {*fill, *fill};
        const bool compound = H5Tget_class(type) == H5T_COMPOUND;
        NAIK_H5_TRY(log, H5Pset_fill_value(layout, compound ? type : H5T_NATIVE_DOUBLE, both),
                    what);
        NAIK_H5_TRY(log, H5Pset_fill_time(layout, H5D_FILL_TIME_ALLOC), what);
    } else {
        NAIK_H5_TRY(log, H5Pset_fill_time(layout, H5D_FILL_TIME_NEVER), what);
    }
    *out = H5Dcreate2(where, name, type, space, links, layout, H5P_DEFAULT);
    NAIK_H5_TRY(log, *out, what);
done:
    naik_h5_release(space);
    naik_h5_release(links);
    naik_h5_release(layout);
    return status;
}

naik_status naik_h5_group(naik_log *log, hid_t where, const char *name, hid_t *out)
{
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    *out = H5Gcreate2(where, name, links, H5P_DEFAULT, H5P_DEFAULT);
    naik_h5_release(links);
    char what[160];
    snprintf(what, sizeof what, "creating the group %.120s", name);
    return naik_h5_check(log, *out, what, __FILE__, __LINE__);
}

static naik_status transfer_part(naik_log *log, hid_t dataset, hid_t type, const hsize_t *start,
                                 const hsize_t *count, void *in, const void *out)
{
    naik_status status = NAIK_OK;
    hid_t space = H5Dget_space(dataset), memory = -1;
    int rank = H5Sget_simple_extent_ndims(space);
    NAIK_H5_TRY(log, rank, "asking for a dataset's shape");
    if (rank > 0) {
        memory = H5Screate_simple(rank, count, NULL);
        NAIK_H5_TRY(log, H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL),
                    "selecting a part of a dataset");
    } else {
        memory = H5Screate(H5S_SCALAR);
    }
    if (in != NULL) {
        size_t size_bytes = H5Tget_size(type);
        for (int i = 0; i < rank; i++) {
            size_bytes *= (size_t)count[i];
        }
        naik_mark_unread(in, size_bytes);
        NAIK_H5_TRY(log, H5Dread(dataset, type, memory, space, H5P_DEFAULT, in),
                    "reading a dataset");
    } else {
        NAIK_H5_TRY(log, H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, out),
                    "writing to the file (is the disk full?)");
    }
done:
    naik_h5_release(memory);
    naik_h5_release(space);
    return status;
}

naik_status naik_h5_write_part(naik_log *log, hid_t dataset, hid_t type, const hsize_t *start,
                               const hsize_t *count, const void *data)
{
    return transfer_part(log, dataset, type, start, count, NULL, data);
}

naik_status naik_h5_read_part(naik_log *log, hid_t dataset, hid_t type, const hsize_t *start,
                              const hsize_t *count, void *data)
{
    return transfer_part(log, dataset, type, start, count, data, NULL);
}
