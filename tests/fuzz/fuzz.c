/* fuzz.c - files in memory, one rank, and the verdict on what a parser answered */
#include "fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* MPI starts once in a process: the one thing that outlives an input. */
static naik_comm *only_rank;
static naik_log *only_log;

static void end(void)
{
    naik_comm_destroy(&only_rank);
    naik_log_destroy(&only_log);
}

static void demand(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz: %s: %s\n", what, only_log != NULL ? naik_log_message(only_log) : "");
        abort();
    }
}

naik_comm *fuzz_comm(void)
{
    if (only_rank == NULL) {
        only_log = naik_log_create();
        demand(only_log != NULL, "no memory for the log");
        naik_log_set_quiet(only_log, true);
        demand(naik_comm_create(NULL, NULL, only_log, &only_rank) == NAIK_OK, "MPI");
        atexit(end);
    }
    return only_rank;
}

int fuzz_file(const uint8_t *data, size_t size, char path[FUZZ_PATH])
{
    int file = memfd_create("fuzz", 0);
    demand(file >= 0, "no file in memory");
    for (size_t done = 0; done < size;) {
        ssize_t now = write(file, data + done, size - done);
        demand(now > 0, "no file in memory");
        done += (size_t)now;
    }
    snprintf(path, FUZZ_PATH, "/proc/self/fd/%d", file);
    return file;
}

void fuzz_judge(naik_log *log, naik_status status)
{
    int code = naik_status_exit(status);
    bool fine = (code == 1 || code == 4) && status != NAIK_ERR_ARG;
    if (status != NAIK_OK && (!fine || naik_log_message(log)[0] == '\0')) {
        fprintf(stderr, "fuzz: status %d, exit status %d: %s\n", (int)status, code,
                naik_log_message(log));
        abort();
    }
    if (getenv("FUZZ_TELL") != NULL) {
        printf("%s\n", status == NAIK_OK ? "accepted" : naik_log_message(log));
    }
    naik_log_clear(log);
}

naik_lattice *fuzz_lattice(const int size[NAIK_DIM])
{
    static const int grid[NAIK_DIM] = {1, 1, 1, 1};
    naik_lattice *lattice = NULL;
    int64_t volume = 1;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        if (size[mu] < 2 || size[mu] % 2 != 0 || size[mu] > FUZZ_MAX_VOLUME) {
            return NULL;
        }
        volume *= size[mu];
    }
    if (volume <= FUZZ_MAX_VOLUME) {
        demand(naik_lattice_create(fuzz_comm(), size, grid, &lattice) == NAIK_OK, "a lattice");
    }
    return lattice;
}

/* What is said of links, whatever numbers they are. */
static void judge_links(const naik_gauge *gauge, const naik_gauge_file *file)
{
    naik_gauge_checks checks;
    naik_gauge_verdict verdict;
    demand(naik_gauge_measure(gauge, &checks) == NAIK_OK, "the links cannot be measured");
    demand(naik_gauge_judge(gauge, file, &checks, 0, &verdict) == NAIK_OK, "nor judged");
    demand((verdict.count > 0) == (verdict.status != NAIK_OK) &&
               (verdict.count > 0) == (verdict.text[0] != '\0'),
           "an objection without a sentence, or a sentence without one");
}

static void read_links(const naik_gauge_format *format, const char *path, naik_gauge_file *file)
{
    naik_gauge *gauge = NULL;
    naik_lattice *lattice = fuzz_lattice(file->size);
    if (lattice != NULL) {
        demand(naik_gauge_create(lattice, &gauge) == NAIK_OK, "links");
        const naik_status status = format->read(path, gauge, file);
        fuzz_judge(lattice->comm->log, status);
        if (status == NAIK_OK) {
            judge_links(gauge, file);
        }
        naik_gauge_destroy(&gauge);
        naik_lattice_destroy(&lattice);
    }
}

static void read_head(const char *path, naik_file_head *head)
{
    struct stat info;
    FILE *stream = fopen(path, "rb");
    demand(stream != NULL && fstat(fileno(stream), &info) == 0, "the file in memory is gone");
    head->path = path;
    head->size_bytes = info.st_size;
    head->length = (int)fread(head->bytes, 1, sizeof head->bytes, stream);
    fclose(stream);
}

void fuzz_gauge(const naik_gauge_format *format, const char *path)
{
    naik_log *log = fuzz_comm()->log;
    /* On the heap, so that a sanitizer sees a read beyond it. */
    naik_file_head *head = calloc(1, sizeof *head);
    naik_gauge_file file = {.size = {2, 2, 2, 2}, /* for files that tell none */
                            .plaquette_stored = NAN,
                            .link_trace_stored = NAN,
                            .rows = 3};
    demand(head != NULL, "no memory");
    read_head(path, head);
    if (format->recognise(head)) {
        naik_status status = format->probe(log, head, &file);
        fuzz_judge(log, status);
        if (status == NAIK_OK) {
            demand(naik_gauge_file_volume(&file) > 0 && file.data_offset <= head->size_bytes,
                   "accepted without extents or beyond the file's end");
            read_links(format, path, &file);
        }
    }
    naik_gauge_file_clear(&file);
    free(head);
}

void fuzz_gauge_bytes(const naik_gauge_format *format, const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH];
    int file = fuzz_file(data, size, path);
    fuzz_gauge(format, path);
    close(file);
}
