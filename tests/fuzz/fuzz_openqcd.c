/* fuzz_openqcd.c - openQCD configurations */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_gauge_bytes(&naik_gauge_format_openqcd, data, size);
    return 0;
}
