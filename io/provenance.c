/* provenance.c - identity of files, in texts that a reader in ten years understands */
#include "io/provenance.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "comm/comm_mpi.h"
#include "naik/version.h"

/* A random (version 4) UUID as text, made on rank 0. */
static naik_status make_uuid(naik_comm *comm, char text[NAIK_UUID_TEXT])
{
    naik_status status = NAIK_OK;
    unsigned char b[16] = {0};
    if (comm->rank == 0 && getrandom(b, sizeof b, 0) != (ssize_t)sizeof b) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_IO, "the system gives no random bytes for a UUID");
    }
    NAIK_PASS(naik_comm_agree(comm, status));
    NAIK_PASS(naik_comm_broadcast(comm, b, sizeof b, 0));
    b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
    b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
    snprintf(text, NAIK_UUID_TEXT,
             "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
             b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
             b[15]);
    return NAIK_OK;
}

naik_status naik_utc_now(naik_comm *comm, char text[NAIK_TIME_TEXT])
{
    time_t now = time(NULL);
    struct tm parts;
    memset(text, 0, NAIK_TIME_TEXT);
    gmtime_r(&now, &parts);
    strftime(text, NAIK_TIME_TEXT, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return naik_comm_broadcast(comm, text, NAIK_TIME_TEXT, 0);
}

void naik_library_versions(char *text, size_t text_size)
{
    unsigned major = 0, minor = 0, release = 0;
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    naik_h5_quieten();
    H5get_libversion(&major, &minor, &release);
    MPI_Get_library_version(mpi, &length);
    mpi[strcspn(mpi, "\n")] = '\0';
    for (char *tab = strchr(mpi, '\t'); tab != NULL; tab = strchr(tab, '\t')) {
        *tab = ' '; /* MPICH has one behind its colon */
    }
    snprintf(text, text_size, "HDF5 %u.%u.%u; %.200s", major, minor, release, mpi);
}

naik_status naik_h5_put_identity(naik_comm *comm, hid_t file, naik_own_format format)
{
    naik_log *log = comm->log;
    char uuid[NAIK_UUID_TEXT], created[NAIK_TIME_TEXT], writer[64];
    NAIK_PASS(make_uuid(comm, uuid));
    NAIK_PASS(naik_utc_now(comm, created));
    snprintf(writer, sizeof writer, "naik %s", naik_version());
    NAIK_PASS(naik_h5_put_text(log, file, "format", naik_own_format_name(format)));
    NAIK_PASS(naik_h5_put_text(log, file, "format_version", naik_own_format_version(format)));
    NAIK_PASS(naik_h5_put_text(log, file, "writer", writer));
    NAIK_PASS(naik_h5_put_text(log, file, "git", naik_version_git()));
    NAIK_PASS(naik_h5_put_text(log, file, "uuid", uuid));
    return naik_h5_put_text(log, file, "created", created);
}
