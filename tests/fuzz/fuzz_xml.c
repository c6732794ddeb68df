/* fuzz_xml.c - tags in the text records of LIME files */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "io/lime/lime.h"

static const char *const tags[] = {"dims",     "spacetime", "volfmt",     "precision",
                                   "typesize", "datacount", "hyperlower", "suma",
                                   "field",    "lx",        "plaq",       ""};

static void search(const char *text, const char *tag)
{
    int numbers[NAIK_DIM];
    for (size_t room = 1; room <= 64; room *= 4) {
        char *value = malloc(room); /* exactly, so that a sanitizer sees a byte too many */
        if (naik_xml_value(text, tag, value, room) ? strlen(value) >= room : value[0] != '\0') {
            abort();
        }
        free(value);
    }
    naik_xml_ints(text, tag, 1, numbers);
    naik_xml_ints(text, tag, NAIK_DIM, numbers);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (text != NULL) {
        memcpy(text, data, size);
        text[size] = '\0';
        for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
            search(text, tags[i]);
        }
    }
    free(text);
    return 0;
}
