/* fuzz_input.c - the input file: YAML, its bounds, the schema, overrides
 *
 * What follows a NUL byte is an override as --set takes it, and what follows a second one is the
 * value of NAIK_GRID.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "input/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    naik_log *log = naik_log_create();
    char *text = malloc(size + 1);
    naik_input *input = NULL;
    if (log != NULL && text != NULL) {
        memcpy(text, data, size);
        text[size] = '\0';
        const size_t file = strlen(text);
        const char *override = file < size ? text + file + 1 : NULL;
        const size_t used = override != NULL ? file + 1 + strlen(override) : size;
        const char *grid = used < size ? text + used + 1 : NULL;
        fuzz_judge(log, naik_input_parse(log, "input.yaml", text, file, &override, override != NULL,
                                         NULL, grid, &input));
        if (input != NULL && (input->source_count < 1 || input->task_count < 3)) {
            abort(); /* accepted without anything to solve */
        }
    }
    naik_input_destroy(&input);
    naik_log_destroy(&log);
    free(text);
    return 0;
}
