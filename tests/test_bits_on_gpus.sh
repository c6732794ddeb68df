#!/usr/bin/env bash
# The script that GPUs are checked with, on the CPU: a machine without a GPU sees whether naik takes its inputs.
# The long run has every part, on two ranks.
# waits: 1
set -u
cd "$(dirname "$0")/.." || exit 1
export BACKEND=cpu
[ -z "${NAIK_TEST_LONG:-}" ] && exec tests/bits_on_gpus.sh 1 deflated
exec tests/bits_on_gpus.sh 2
