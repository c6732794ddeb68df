/* replay.c - feeds files to a fuzz target without libFuzzer: replay_NAME FILE... */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

enum { MAX_BYTES = 1 << 22 };

static int feed(const char *path)
{
    FILE *stream = fopen(path, "rb");
    uint8_t *bytes = malloc(MAX_BYTES);
    if (stream == NULL || bytes == NULL) {
        fprintf(stderr, "replay: cannot read %s\n", path);
        return 1;
    }
    size_t size = fread(bytes, 1, MAX_BYTES, stream);
    fclose(stream);
    uint8_t *exact = malloc(size > 0 ? size : 1); /* so that a sanitizer sees its end */
    for (size_t i = 0; i < size && exact != NULL; i++) {
        exact[i] = bytes[i];
    }
    free(bytes);
    if (exact != NULL) {
        LLVMFuzzerTestOneInput(exact, size);
    }
    free(exact);
    return exact == NULL;
}

int main(int argc, char **argv)
{
    int failures = 0;
    for (int i = 1; i < argc; i++) {
        failures += feed(argv[i]);
    }
    printf("%d inputs\n", argc - 1);
    return failures != 0 || argc < 2;
}
