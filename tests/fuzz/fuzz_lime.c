/* fuzz_lime.c - gauge configurations in SciDAC and ILDG files: the LIME records and their XML */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_gauge_bytes(&naik_gauge_format_lime, data, size);
    return 0;
}
