#!/bin/bash
# Builds naik for perlmutter, on a login node: jobscripts/build-perlmutter.sh [arguments of make]
set -e
cd "$(dirname "$0")/.."
. jobscripts/machines/perlmutter.sh
make -j "${JOBS:-8}" "${naik_make[@]}" "$@"
