#!/usr/bin/env bash
# What a solve runs on a GPU, on lattices of a few sites, under compute-sanitizer:
#
#   make GPU=cuda GPU_ARCH=sm_90 && tests/sanitize.sh [TOOL...]
#
# TOOL is memcheck, racecheck, initcheck or synccheck, all without. RANKS (1) is how many GPUs there are,
# NAIK (build/naik) the program, FLAGS goes with every call (with initcheck, which does not see what
# another process writes, --transport staged too), LIMIT (120) is how many seconds one run may take.
# Every storage of vectors and links, one column and several, every way to divide a site over threads,
# links built on the device. Prints a line "PASS tool what" or "FAIL ..." a run; a run in which the tool
# says nothing has failed. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/env.sh
naik=${NAIK:-build/naik} ranks=${RANKS:-1} limit=${LIMIT:-120} passed=0 failed=0
export OMP_NUM_THREADS=1
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
log=$scratch/log
clean='SUMMARY: 0 errors|SUMMARY: 0 hazards'

look() { # look TOOL WHAT OPTIONS...: `naik bench WHAT OPTIONS`, one sample of it
    local tool=$1 status
    shift
    export XDG_CACHE_HOME=$scratch/$tool # nothing is tuned yet: every variant runs
    # shellcheck disable=SC2086
    timeout -k 10 "$limit" $MPIRUN -n "$ranks" compute-sanitizer --tool "$tool" --error-exitcode 9 \
        "$naik" bench "$@" --backend gpu ${FLAGS-} --repeat 1 --time 1e-6 >"$log" 2>&1 </dev/null
    status=$?
    if [ $status = 0 ] && [ "$(grep -cE "$clean" "$log")" = "$ranks" ] && grep -q '^bench=' "$log"; then
        echo "PASS $tool $*" && passed=$((passed + 1))
    else
        echo "FAIL $tool $*: exit status $status" && failed=$((failed + 1))
        grep -E '^=========|error:' "$log" | grep -vE "$clean" | cut -c 1-200 | head -n 20
    fi
}

[ $# != 0 ] || set -- memcheck racecheck initcheck synccheck
flags=${FLAGS-}
for tool in "$@"; do
    FLAGS=$flags
    [ "$tool" != initcheck ] || FLAGS="$flags --transport staged"
    cg="cg --weak --links random-hisq --size 4,4,4,8 --iterations 12"
    look "$tool" $cg --precision double --nrhs 1,3,8
    look "$tool" $cg --precision double --recon 9 --nrhs 1,8
    look "$tool" $cg --precision single --nrhs 1,3,8
    look "$tool" $cg --precision single --recon 13 --nrhs 1,8
    look "$tool" $cg --precision single --recon 9 --nrhs 1,8
    look "$tool" $cg --precision single --link-precision half --recon 6 --nrhs 1,3,8
    look "$tool" $cg --precision half --nrhs 1,2,8
    look "$tool" $cg --precision half --recon 9 --nrhs 1,8
    look "$tool" $cg --precision half --link-precision single --nrhs 1,8
    look "$tool" $cg --action asqtad --precision single
    for threads in 3 4 12; do
        look "$tool" dslash --size 4,4,8,8 --precision single --threads-per-site $threads --nrhs 1,2
    done
    look "$tool" dslash --size 4,4,8,8 --action naive --recon 12 --temporal-gauge --nrhs 1,4
    look "$tool" dslash --size 4,4,8,8 --action naive --precision single --nrhs 1,4
    look "$tool" dslash --size 4,4,8,8 --action clover --recon 8 --links random --precision half --nrhs 1,4
    [ "$ranks" = 1 ] || look "$tool" halo --size 4,4,4,8 --precision single --nrhs 1,3
done
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed != 0 ]
