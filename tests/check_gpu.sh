#!/usr/bin/env bash
# The one command of who has GPUs: make GPU=cuda|hip GPU_ARCH=... check-gpu
#
# Three parts, all of them where PARTS does not choose:
#
#   one_device    every test program that has to do with the GPU on one rank, and `naik solve` with every
#                 source and correlator against the CPU
#   many_devices  the programs on a rank a device, or on as many as their small lattices take, over every
#                 transport: staged first, then MPI with device memory, then peers, with EXCHANGES (1000000)
#                 exchanges of halos over each; a propagator on every grid of the devices
#   speed         a line of `naik bench` each
#
# What it finds goes to SUMMARY (check-gpu.txt), the file to send with a report. RANKS says how many devices
# there are where that cannot be seen; inside a job, run it as that job's script. Ends with "N passed, N
# failed"; exit status 1 where one failed.
set -u
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build/cuda} SUMMARY=${SUMMARY:-check-gpu.txt} passed=0 failed=0
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
export BUILD NAIK_BACKEND=gpu OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
. tools/env.sh
both="dslash dslash_variants cg multishift propagator smear meson clover"
both+=" wilson wilson_variants wilson_exact wilson_sums wilson_solvers wilson_propagator wilson_hops"

devices() { # as the kernel shows them: NVIDIA's, else AMD's
    local found=(/dev/nvidia[0-9]*)
    [ -e "${found[0]}" ] || found=(/dev/dri/renderD*)
    [ -e "${found[0]}" ] && echo ${#found[@]} || echo 1
}
ranks=${RANKS:-$(devices)} parts=${PARTS:-one_device many_devices speed}
exec > >(tee "$SUMMARY") 2>&1

launch() { # launch RANKS COMMAND...
    local n=$1 preload=()
    shift
    # an MPI that takes no device memory itself is helped to
    [ "${NAIK_TRANSPORT-}" != mpi_device ] || [ "${MPICH_GPU_SUPPORT_ENABLED-}" = 1 ] ||
        preload=(env MPICH_GPU_SUPPORT_ENABLED=1 "LD_PRELOAD=$BUILD/tests/shim/mpi_device_shim.so")
    $MPIRUN -n "$n" "${preload[@]}" "$@" </dev/null
}
count() { # count NAME COMMAND...: what it says; a crash, or silence, is a failure
    local name=$1 log=$BUILD/tests/check_gpu.log start=$SECONDS status good bad
    shift
    "$@" >"$log" 2>&1
    status=$?
    good=$(grep -c '^PASS ' "$log") bad=$(grep -c '^FAIL ' "$log")
    [ "$status" = 0 ] && [ "$good" != 0 ] || bad=$((bad + (bad == 0)))
    [ "$bad" = 0 ] || grep -v '^PASS\|^SKIP' "$log" | cut -c 1-300 | tail -n 30 | sed 's/^/    /'
    grep 'halo transport' "$log" | sort -u | cut -c 1-200 | sed 's/^/    /'
    printf '%-40s %3d passed, %d failed (%d s)\n' "$name" "$good" "$bad" $((SECONDS - start))
    passed=$((passed + good)) failed=$((failed + bad))
}
judge() { count "$1" launch "${@:2}"; } # judge NAME RANKS COMMAND...

most_ranks() { # most_ranks PROGRAM: of those it says it runs on (tests/run), the most that have a device each
    local n best=1 said
    said=$(sed -n '1,20s/^.*ranks: *\([0-9 ]*\).*/\1/p' "tests/test_$1.c")
    for n in ${said:-1 2 4}; do [ "$n" -gt "$ranks" ] || best=$n; done
    echo "$best"
}

one_device() {
    for program in fields multigrid multigrid_kernels multigrid_shared gcr $both; do judge "test_$program, 1 rank" 1 "$BUILD/tests/test_$program"; done
    count "naik solve against the CPU, 1 rank" tests/solve_on_gpu.sh 1
    count "killed runs of contractions, 1 rank" tests/killed_on_gpu.sh 1
    # sessions and naik solve make the same bits there too; both of its ranks have one device
    if python=$(find_python h5py numpy); then
        scratch=$(mktemp -d)
        count "naik inside Python" env NAIK="$BUILD/naik" SCRATCH="$scratch" "$python" -B tests/test_session.py
        rm -rf "$scratch"
    fi
    if python=$(find_python cupy torch numpy); then
        scratch=$(mktemp -d)
        count "arrays of CuPy and torch" env NAIK="$BUILD/naik" SCRATCH="$scratch" "$python" -B tests/cupy_and_torch.py
        rm -rf "$scratch"
    fi
}
many_devices() {
    [ "$ranks" -gt 1 ] || { echo "one device: nothing was exchanged" && return; }
    for transport in staged mpi_device peer; do
        export NAIK_TRANSPORT=$transport
        export NAIK_TEST_EXCHANGES=${EXCHANGES:-1000000}
        n=$(most_ranks halo)
        judge "exchanges, $n ranks, $transport" "$n" "$BUILD/tests/test_halo" every_exchange
        unset NAIK_TEST_EXCHANGES
        for program in halo $both; do
            n=$(most_ranks "$program")
            judge "test_$program, $n ranks, $transport" "$n" "$BUILD/tests/test_$program"
        done
        unset NAIK_TRANSPORT
    done
    count "naik solve against the CPU, 2 ranks" tests/solve_on_gpu.sh 2
    count "killed runs of contractions, 2 ranks" tests/killed_on_gpu.sh 2
    local grids=$((ranks < 4 ? ranks : 4))
    count "naik solve on every grid, $grids ranks" tests/bits_on_gpus.sh $grids
}
speed() {
    vectors="--size 32,32,32,32 --precision single --link-precision half --recon 6"
    spinors="--size 32,32,32,32 --precision single"
    # shellcheck disable=SC2086
    {
        launch 1 "$BUILD/naik" bench dslash $vectors --nrhs 1,4,8,12
        launch 1 "$BUILD/naik" bench cg $vectors --nrhs 1,8 --launch all
        launch 1 "$BUILD/naik" bench dslash $spinors --action wilson --nrhs 1,8,12
        launch 1 "$BUILD/naik" bench dslash $spinors --action clover --recon 12
        launch 1 "$BUILD/naik" bench bicgstab $spinors --action wilson --mass 0.1 --nrhs 1,12
        [ "$ranks" = 1 ] || launch "$ranks" "$BUILD/naik" bench cg $vectors --weak --nrhs 1,8
    } || failed=$((failed + 1))
}

echo "naik $("$BUILD/naik" --version | head -n 1), $(date -u +%Y-%m-%d), $(uname -srm), $ranks devices"
for part in $parts; do
    case $part in
    one_device | many_devices | speed) $part ;;
    *) echo "FAIL there is no part $part" && failed=$((failed + 1)) ;;
    esac
done
echo "check-gpu took $SECONDS s; this is $SUMMARY"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
