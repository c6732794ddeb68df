#!/usr/bin/env bash
# The test programs that exchange anything, on one rank a GPU and over every transport:
#
#   make GPU=cuda GPU_ARCH=sm_90 all tests shim && tests/two_gpus.sh [NAME...]
#
# RANKS (2) is how many GPUs there are, BUILD (build/cuda) what is tested, NAME one of `programs` below,
# all without. SHARE=1: on one GPU, which all ranks share, the transport between peers alone; slow.
# Every process grid is the business of the programs. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
export BUILD=${BUILD:-build/cuda} NAIK_BACKEND=gpu OMP_NUM_THREADS=1
ranks=${RANKS:-2} passed=0 failed=0 transports="auto peer staged mpi_device" limit=300
programs=${*:-halo dslash dslash_variants cg multishift propagator smear meson}
if [ "${SHARE-}" = 1 ]; then
    export NAIK_SHARED_PEERS=1 NAIK_TRANSPORT=peer
    transports=peer limit=900
fi
shim=$(realpath "$BUILD")/tests/shim/mpi_device_shim.so
. tools/env.sh

judge() { # judge NAME COMMAND...: counts what it says; a crash, or silence, is a failure
    local name=$1 log=$BUILD/tests/two_gpus.log
    shift
    timeout -k 10 $limit "$@" >"$log" 2>&1 </dev/null
    local status=$? good bad
    good=$(grep -c '^PASS ' "$log") bad=$(grep -c '^FAIL ' "$log")
    [ "$status" = 0 ] && [ "$good" != 0 ] || bad=$((bad + (bad == 0)))
    # what was to be tested was not
    [ "${NAIK_TRANSPORT-}" != peer ] || ! grep 'halo transport peer\|halos go through MPI' "$log" || bad=$((bad + 1))
    [ "$bad" = 0 ] || grep -v '^PASS\|^SKIP' "$log" | cut -c 1-300 | tail -n 30
    printf '%-32s %3d passed, %d failed\n' "$name" "$good" "$bad"
    passed=$((passed + good)) failed=$((failed + bad))
}

for transport in $transports; do
    preload=
    [ $transport != mpi_device ] || preload="env MPICH_GPU_SUPPORT_ENABLED=1 LD_PRELOAD=$shim"
    for program in $programs; do
        NAIK_TRANSPORT=$transport judge "test_$program $transport" $MPIRUN -n "$ranks" \
            $preload "$BUILD/tests/test_$program"
    done
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
