/* fuzz_vectors.c - vectors and propagators of other codes: SciDAC, USQCD pairs, FNAL */
#include <stdlib.h>
#include <unistd.h>

#include "fuzz.h"
#include "io/vectors/vector_io.h"

static void read_vectors(const naik_vector_file *file)
{
    naik_lattice *lattice = fuzz_lattice(file->size);
    if (lattice == NULL) {
        return;
    }
    double *out = malloc((size_t)lattice->sites * 6 * (size_t)file->spin * sizeof *out);
    for (int i = 0; i < file->count && i < 4 && out != NULL; i++) {
        fuzz_judge(lattice->comm->log,
                   naik_vector_file_read(file, lattice, NAIK_VECTOR_SOLUTION, i, out));
        if (file->has_sources) {
            fuzz_judge(lattice->comm->log,
                       naik_vector_file_read(file, lattice, NAIK_VECTOR_SOURCE, i, out));
        }
    }
    free(out);
    naik_lattice_destroy(&lattice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH];
    naik_comm *comm = fuzz_comm();
    naik_vector_file *vectors = NULL;
    int file = fuzz_file(data, size, path);
    naik_status status = naik_vector_file_open(comm, path, &vectors);
    fuzz_judge(comm->log, status);
    if (status == NAIK_OK) {
        read_vectors(vectors);
    }
    naik_vector_file_close(&vectors);
    close(file);
    return 0;
}
