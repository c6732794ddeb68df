#!/bin/bash
# Builds naik for lumi-g, on a login node: jobscripts/build-lumi-g.sh [arguments of make]
set -e
cd "$(dirname "$0")/.."
. jobscripts/machines/lumi-g.sh
make -j "${JOBS:-8}" "${naik_make[@]}" "$@"
