#!/bin/bash
# Builds naik for juwels-booster, on a login node: jobscripts/build-juwels-booster.sh [arguments of make]
set -e
cd "$(dirname "$0")/.."
. jobscripts/machines/juwels-booster.sh
make -j "${JOBS:-8}" "${naik_make[@]}" "$@"
