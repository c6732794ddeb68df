#!/usr/bin/env bash
# `make demo`: from nothing to a staggered propagator and its pion correlator, in the folder demo/.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/env.sh
NAIK=${BUILD:-build/cpu}/naik
export OMP_NUM_THREADS=1
start=$SECONDS

step() { printf '\n--- %s\n%s\n\n' "$1" "    $2"; }
run() { # run WHAT COMMAND...: says the command, then runs it
    step "$1" "${*:2}"
    "${@:2}"
}

mkdir -p demo
rm -f demo/lat.h5* demo/prop.h5* demo/pion.png
run "1. a quenched gauge configuration, 8x8x8x16 at beta = 6" \
    $MPIRUN -n 2 "$NAIK" gauge generate --size 8,8,8,16 --beta 6 --seed 1 --sweeps 50 -o demo/lat.h5
run "2. HISQ propagators from a point source at two masses, on 2 ranks" \
    $MPIRUN -n 2 "$NAIK" solve inputs/demo.yaml
step "3. is the file complete and intact?" "$NAIK info demo/prop.h5      (its last lines)"
"$NAIK" info demo/prop.h5 | tail -n 6
if PYTHON=$(find_python h5py); then
    run "4. the pion" "$PYTHON" tools/demo.py demo/prop.h5 demo/pion.png
else
    echo "No Python with h5py here: the correlators are in the lines above; no plot."
fi
cat <<END

The demo took $((SECONDS - start)) seconds. In demo/: $(cd demo && echo *)
Next: your own configuration, with README.md, "A first run".
END
