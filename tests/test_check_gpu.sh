#!/usr/bin/env bash
# The scripts that GPUs are checked with, on the CPU: a machine without a GPU sees whether naik takes their
# inputs, and whether what is left out is said and run by the next call. The long run has every kind of
# propagator, on two ranks.
# waits: 1
set -u
cd "$(dirname "$0")/.." || exit 1
export NAIK_BACKEND=cpu BACKEND=cpu RANKS=2 EXCHANGES=50 PROGRAMS=halo_words failed=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export SUMMARY=$scratch/summary DONE=$scratch/done

call() { # call STATUS SAID: check_gpu.sh ends with that status, and with what is said
    tests/check_gpu.sh >"$scratch/said" 2>&1
    [ $? = "$1" ] && tail -n 1 "$scratch/said" | grep -qxE "$2"
}
verdict() { # verdict NAME STATUS
    [ "$2" = 0 ] && echo "PASS $1" || { echo "FAIL $1" && failed=1 && tail -n 20 "$scratch/said"; }
}

PARTS=staged TIME=0 call 2 '0 passed, 0 failed, 2 left out' && [ ! -s "$DONE" ] &&
    PARTS=staged call 0 '2 passed, 0 failed' && [ "$(wc -l <"$DONE")" = 2 ] &&
    PARTS=staged call 0 '0 passed, 0 failed' && grep -q '^exchanges, 2 ranks, staged .* 1 passed' "$SUMMARY"
verdict what_time_leaves_out_is_run_by_the_next_call $?
export PARTS=staged PROGRAMS='' SUMMARY=$scratch/long DONE=$scratch/more
TIME=1 EXCHANGES=1000000000 call 1 '0 passed, 1 failed' && grep -q 'does not end within 1 s; give TIME more' "$SUMMARY" &&
    TIME=1 call 1 '0 passed, 1 failed' && call 0 '1 passed, 0 failed'
verdict what_takes_longer_than_all_the_time_is_a_failure_until_there_is_more $?
export PROGRAMS=halo_words SUMMARY=$scratch/summary
DONE='' PARTS='staged nonsense' PROGRAMS='' call 1 '1 passed, 1 failed' && grep -q 'there is no part nonsense' "$SUMMARY"
verdict a_part_that_there_is_not_is_a_failure $?
RANKS=1 PARTS=peer DONE='' call 1 '0 passed, 0 failed' && grep -q 'one device: nothing of peer was run' "$SUMMARY"
verdict nothing_run_is_no_success $?
MPIRUN=false RANKS=1 PARTS=memcheck DONE='' call 1 '0 passed, [1-9][0-9]* failed' # no MPI: each of its runs fails, and none is left out
verdict sanitizers_run_on_one_device_as_well $?

[ -z "${NAIK_TEST_LONG:-}" ] && set -- 1 deflated || set -- 2
tests/bits_on_gpus.sh "$@" || failed=1
exit $failed
