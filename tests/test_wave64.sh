#!/usr/bin/env bash
# The AMD sources executed on this machine, in the long run: every program that has to do with the
# GPU, on 1, 2 and 4 ranks. What matters most is run by .ci/run.
# timeout: 3600
set -u
cd "$(dirname "$0")/.." || exit 1

if [ -z "${NAIK_TEST_LONG:-}" ]; then
    echo "SKIP amd_sources_executed_on_the_host: in make check-long"
elif ! command -v "${WAVE64_CXX:-clang++}" >/dev/null; then
    echo "SKIP amd_sources_executed_on_the_host: clang++ is not installed"
elif BUILD=build/wave64 tests/wave64/run --long; then
    echo "PASS amd_sources_executed_on_the_host"
else
    echo "FAIL amd_sources_executed_on_the_host"
    exit 1
fi
