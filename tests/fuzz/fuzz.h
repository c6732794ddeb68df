/* fuzz.h - what the fuzz targets share
 *
 * A target is one file fuzz_NAME.c with LLVMFuzzerTestOneInput, which hands the bytes to the parser
 * as a user's file would reach it. `make fuzz` links it with libFuzzer; replay.c links it with a
 * plain main that feeds it the files of the corpus. Whatever the bytes are, a parser must end with
 * success, or with a sentence and exit status 1 or 4: anything else aborts.
 */
#ifndef NAIK_TESTS_FUZZ_H
#define NAIK_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "io/gauge/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_PATH = 64, FUZZ_MAX_VOLUME = 512 };

/* One rank, with a quiet log; made at the first call, kept until the process ends. */
naik_comm *fuzz_comm(void);

/* A file in memory with these bytes and its path; close the descriptor when done. */
int fuzz_file(const uint8_t *data, size_t size, char path[FUZZ_PATH]);

/* Aborts unless the status is success or a documented refusal with its sentence; clears the log. */
void fuzz_judge(naik_log *log, naik_status status);

/* A lattice of these extents, NULL where it would be large or has odd extents. */
naik_lattice *fuzz_lattice(const int size[NAIK_DIM]);

/* Recognise, probe and, where the lattice is small, read the links. */
void fuzz_gauge(const naik_gauge_format *format, const char *path);
/* The same of a file with these bytes. */
void fuzz_gauge_bytes(const naik_gauge_format *format, const uint8_t *data, size_t size);

#endif
