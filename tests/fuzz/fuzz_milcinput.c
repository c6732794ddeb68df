/* fuzz_milcinput.c - input files of MILC's ks_spectrum, and that their translation is valid */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "input/input.h"
#include "milc/milc_input.h"

/* As `naik import-milc` does: whatever is written has passed the checks of `naik solve`. */
static void translate(naik_log *log, const milc_input *in, const char *notes)
{
    char *yaml = NULL;
    size_t size = 0;
    naik_input *check = NULL;
    FILE *out = open_memstream(&yaml, &size);
    if (out == NULL) {
        abort();
    }
    milc_yaml_write(in, "in.milc", in->has_epsilon ? "hisq" : "asqtad", "out.h5", notes, out);
    fclose(out);
    fuzz_judge(log, naik_input_parse(log, "translation", yaml, size, NULL, 0, NULL, NULL, &check));
    naik_input_destroy(&check);
    free(yaml);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    naik_log *log = naik_log_create();
    milc_input *in = calloc(1, sizeof *in);
    char *notes = NULL, *obstacles = NULL, *bytes = malloc(size + 1);
    size_t notes_size = 0, obstacles_size = 0;
    FILE *stream = open_memstream(&notes, &notes_size);
    milc_words w = {.log = log, .name = "in.milc", .at = bytes, .end = bytes + size, .line = 1};
    w.obstacles = open_memstream(&obstacles, &obstacles_size);
    if (log != NULL && in != NULL && bytes != NULL && stream != NULL && w.obstacles != NULL) {
        memcpy(bytes, data, size);
        in->notes = stream;
        naik_status status = milc_input_read(&w, in);
        fuzz_judge(log, status);
        fclose(stream);
        stream = NULL;
        if (status == NAIK_OK && in->propagator_count > 0) {
            in->stores = true;
            translate(log, in, notes);
        }
    }
    if (w.obstacles != NULL) {
        fclose(w.obstacles);
    }
    if (stream != NULL) {
        fclose(stream);
    }
    free(notes);
    free(obstacles);
    free(bytes);
    free(in);
    naik_log_destroy(&log);
    return 0;
}
