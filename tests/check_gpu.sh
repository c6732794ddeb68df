#!/usr/bin/env bash
# The one command of who has GPUs: make GPU=cuda|hip GPU_ARCH=... check-gpu
#
#   tests/check_gpu.sh        # after make GPU=... GPU_ARCH=... all python tests shim
#
# PARTS says what is run; tests/README.md has what each part shows:
#
#   one_device      every test program that has to do with the GPU on one rank, `naik solve` with every
#                   source and correlator against the CPU, sessions in Python
#   many_devices    staged mpi_device peer solves bits, on a rank a device
#   sanitizers      memcheck racecheck initcheck synccheck, each on all devices
#   speed           a line of `naik bench` each; bench: those of tools/bench.sh gpus
#   several         many_devices sanitizers bench: all that several devices can show
#
# and without it one_device, many_devices and speed are. Each word is a part that can be called singly.
# RANKS says how many devices there are where that cannot be seen; PROGRAMS, EXCHANGES (1000000) and KINDS
# narrow the parts; SHARE=1 lets ranks share one device, over peers alone, which is slow. Where a command
# may take only so long, TIME says how many seconds: what does not fit is left out, and with DONE=FILE,
# which keeps the names of what has passed, the same command goes on with the rest. What does not end
# within TIME although nothing ran before it has failed, and is not tried again with that TIME.
#
# What it finds goes to SUMMARY (check-gpu.txt), the file to send with a report; inside a job, run it as
# that job's script. Ends with "N passed, N failed", where something was left out ", N left out"; exit
# status 1 where one failed, 2 where none failed and some are left out.
set -u
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build/cuda} SUMMARY=${SUMMARY:-check-gpu.txt} DONE=${DONE:-/dev/null} passed=0 failed=0 left=0 ran=0
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
export BUILD NAIK_BACKEND=${BACKEND:-gpu} OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
. tools/env.sh
programs=${PROGRAMS-halo halo_words halo_room fields modes bricks low_vectors device_tie multigrid multigrid_kernels multigrid_shared
    gcr dslash dslash_variants cg multishift propagator smear meson clover
    wilson wilson_variants wilson_exact wilson_sums wilson_solvers wilson_propagator wilson_hops}
kinds=${KINDS:-staggered deflated clover twisted_mass multigrid groups hung}

devices() { # as the kernel shows them: NVIDIA's, else AMD's
    local found=(/dev/nvidia[0-9]*)
    [ -e "${found[0]}" ] || found=(/dev/dri/renderD*)
    [ -e "${found[0]}" ] && echo ${#found[@]} || echo 1
}
ranks=${RANKS:-$(devices)}
grids=$((ranks < 2 ? 1 : ranks < 4 ? 2 : 4)) # the most ranks that bits_on_gpus.sh has grids for
transports="staged mpi_device peer"
[ "${SHARE-}" != 1 ] || { export NAIK_SHARED_PEERS=1 && transports=peer; }
[ -s "$DONE" ] || : >"$SUMMARY"
: >>"$DONE"
exec > >(tee -a "$SUMMARY") 2>&1
tee=$!

# run NAME SIGN COMMAND...: with what it says in $log; $good of its lines begin with SIGN, $bad with FAIL.
# A crash, or silence, is a failure. False: it had passed before, or there was no time for it.
run() {
    local name=$1 sign=$2 start=$SECONDS status=124 limit=${LIMIT:-1800} time=${TIME:-1000000}
    local end=$((time - (ran ? start : 0))) too_long="more than $time s: $1"
    shift 2
    ! grep -qxF "$name" "$DONE" || return 1
    ! grep -qxF "$too_long" "$DONE" || { longer && return 1; }
    [ "$end" -gt "$limit" ] || limit=$end
    [ "$limit" -lt 1 ] || { timeout -k 10 "$limit" "$@" >"$log" 2>&1 </dev/null && status=0 || status=$?; }
    if [ $status = 124 ] && [ "$limit" = "$end" ]; then
        [ "$ran" = 1 ] || [ "$limit" -lt 1 ] || { echo "$too_long" >>"$DONE" && longer && ran=1 && return 1; }
        echo "left out: $name"
        left=$((left + 1))
        return 1
    fi
    ran=1
    good=$(grep -c "^$sign" "$log") bad=$(grep -c '^FAIL ' "$log")
    [ "$status" = 0 ] && [ "$good" != 0 ] || bad=$((bad + (bad == 0)))
    # what was to be tested was not
    [ "${NAIK_TRANSPORT-}" != peer ] || ! grep -q 'halo transport peer\|halos go through MPI' "$log" || bad=$((bad + 1))
    [ "$bad" = 0 ] || grep -v '^PASS\|^SKIP' "$log" | cut -c 1-300 | tail -n 30 | sed 's/^/    /'
    grep 'halo transport' "$log" | sort -u | cut -c 1-200 | sed 's/^/    /'
    [ "$status" != 124 ] || echo "    ended after $limit s"
    printf '%-44s %3d passed, %d failed (%d s)\n' "$name" "$good" "$bad" $((SECONDS - start))
    passed=$((passed + good)) failed=$((failed + bad))
    [ "$bad" != 0 ] || echo "$name" >>"$DONE"
}
longer() {
    echo "FAIL $name: does not end within $time s; give TIME more, or narrow PROGRAMS, EXCHANGES or KINDS"
    failed=$((failed + 1))
}
count() { run "$1" 'PASS ' "${@:2}"; } # count NAME COMMAND...
judge() {                              # judge NAME RANKS COMMAND...
    local preload=()
    # an MPI that takes no device memory itself is helped to
    [ "${NAIK_TRANSPORT-}" != mpi_device ] || [ "${MPICH_GPU_SUPPORT_ENABLED-}" = 1 ] ||
        preload=(env MPICH_GPU_SUPPORT_ENABLED=1 "LD_PRELOAD=$BUILD/tests/shim/mpi_device_shim.so")
    # shellcheck disable=SC2086 # $MPIRUN may be several words
    count "$1" $MPIRUN -n "$2" "${preload[@]}" "${@:3}"
}
lines() { # lines RANKS OPTIONS...: of `naik bench OPTIONS`
    # shellcheck disable=SC2086
    run "bench ${*:2}, $1 ranks" bench= $MPIRUN -n "$1" "$BUILD/naik" bench "${@:2}" && grep '^bench=' "$log"
}

most_ranks() { # most_ranks PROGRAM: of those it says it runs on (tests/run), the most that have a device each
    local n best=0 said
    said=$(sed -n '1,20s/^.*ranks: *\([0-9 ]*\).*/\1/p' "tests/test_$1.c")
    for n in ${said:-1 2 4}; do [ "$n" -gt "$ranks" ] || best=$n; done
    echo "$best"
}

one_device() {
    for program in $programs; do
        [[ $program = halo* ]] || judge "test_$program, 1 rank" 1 "$BUILD/tests/test_$program"
    done
    count "naik solve against the CPU, 1 rank" tests/solve_on_gpu.sh 1
    count "killed runs of contractions, 1 rank" tests/killed_on_gpu.sh 1
    # sessions and naik solve make the same bits there too; both of its ranks have one device
    scratch=$(mktemp -d) && mkdir "$scratch/numpy" "$scratch/device"
    ! python=$(find_python h5py numpy) ||
        count "naik inside Python" env NAIK="$BUILD/naik" SCRATCH="$scratch/numpy" "$python" -B tests/test_session.py
    ! python=$(find_python cupy torch numpy) ||
        count "arrays of CuPy and torch" env NAIK="$BUILD/naik" SCRATCH="$scratch/device" "$python" -B tests/cupy_and_torch.py
    rm -rf "$scratch"
}
over() { # over TRANSPORT: the exchanges, then every program that runs on several ranks
    export NAIK_TRANSPORT=$1 NAIK_TEST_EXCHANGES=${EXCHANGES:-1000000}
    n=$(most_ranks halo)
    judge "exchanges, $n ranks, $1" "$n" "$BUILD/tests/test_halo" every_exchange
    unset NAIK_TEST_EXCHANGES
    for program in $programs; do
        n=$(most_ranks "$program")
        [ "$n" -lt 2 ] || judge "test_$program, $n ranks, $1" "$n" "$BUILD/tests/test_$program"
    done
    unset NAIK_TRANSPORT
}
solves() {
    count "naik solve against the CPU, 2 ranks" tests/solve_on_gpu.sh 2
    count "killed runs of contractions, 2 ranks" tests/killed_on_gpu.sh 2
}
bits() {
    for kind in $kinds; do count "bits, $kind, $grids ranks" tests/bits_on_gpus.sh $grids "$kind"; done
}
sanitizer() { # sanitizer TOOL: on all devices, be it one
    count "$1, $ranks ranks" env NAIK="$BUILD/naik" RANKS="$ranks" tests/sanitize.sh "$1"
}
speed() {
    vectors="--size 32,32,32,32 --precision single --link-precision half --recon 6"
    spinors="--size 32,32,32,32 --precision single"
    # shellcheck disable=SC2086
    {
        lines 1 dslash $vectors --nrhs 1,4,8,12
        lines 1 cg $vectors --nrhs 1,8 --launch all
        lines 1 dslash $spinors --action wilson --nrhs 1,8,12
        lines 1 dslash $spinors --action clover --recon 12
        lines 1 bicgstab $spinors --action wilson --mass 0.1 --nrhs 1,12
        [ "$ranks" = 1 ] || lines "$ranks" cg $vectors --weak --nrhs 1,8
    }
}
bench() { # with the lines of cards that one may keep
    for what in gpus "wilson gpus"; do
        # shellcheck disable=SC2086
        run "tools/bench.sh $what, $ranks ranks" bench= env NAIK="$BUILD/naik" RANKS="$ranks" tools/bench.sh $what &&
            grep '^bench=\|^# ' "$log"
    done
}

part() { # part NAME
    case $1 in
    several) for p in many_devices sanitizers bench; do part $p; done ;;
    many_devices) for p in $transports solves bits; do part "$p"; done ;;
    sanitizers) for p in memcheck racecheck initcheck synccheck; do part $p; done ;;
    one_device | speed) "$1" ;;
    memcheck | racecheck | initcheck | synccheck) sanitizer "$1" ;;
    staged | mpi_device | peer | solves | bits | bench) shared "$1" ;;
    *) echo "FAIL there is no part $1" && failed=$((failed + 1)) ;;
    esac
}
shared() { # shared PART: of several devices
    [ "$ranks" -gt 1 ] || { echo "one device: nothing of $1 was run" && return; }
    case $1 in
    staged | mpi_device | peer) over "$1" ;;
    *) "$1" ;;
    esac
}

log=$BUILD/tests/check_gpu.log
echo "naik $("$BUILD/naik" --version | head -n 1), $(date -u +%Y-%m-%d), $(uname -srm), $ranks devices"
for name in ${PARTS:-one_device many_devices speed}; do part "$name"; done
echo "check-gpu took $SECONDS s; this is $SUMMARY"
[ $left = 0 ] && echo "$passed passed, $failed failed" || echo "$passed passed, $failed failed, $left left out"
code=$((left > 0 ? 2 : 0))
[ "$failed" = 0 ] && { [ "$passed" != 0 ] || [ -s "$DONE" ] || [ $left != 0 ]; } || code=1
exec >&- 2>&-
wait "$tee" # all of it is in the summary
exit $code
