#!/usr/bin/env bash
# Replays the corpus of every fuzz target; in the long run fuzzes for an hour in all as well.
# timeout: 4800
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit 1
. tools/env.sh
BUILD=${BUILD:-build/cpu}
failures=0

for source in tests/fuzz/fuzz_*.c; do
    name=${source##*/fuzz_}
    name=${name%.c}
    # the search for leaks may itself break down where a thread of MPI is just ending: then again
    for attempt in 1 2 3; do
        # shellcheck disable=SC2086
        timeout 600 env ${TESTS_ALONE-} "$BUILD/tests/fuzz/replay_$name" tests/fuzz/corpus/"$name"/* >"$SCRATCH/out" 2>&1
        status=$?
        grep -q "LeakSanitizer has encountered a fatal error" "$SCRATCH/out" || break
        echo "corpus_of_$name, attempt $attempt: no search for leaks"
    done
    if [ $status = 0 ]; then
        echo "PASS corpus_of_$name"
    else
        tail -n 30 "$SCRATCH/out"
        echo "FAIL corpus_of_$name"
        failures=1
    fi
done

if [ -n "${NAIK_TEST_LONG:-}" ]; then
    if ! command -v clang >/dev/null; then
        echo "SKIP fuzzing_for_an_hour_finds_nothing: clang is not installed"
    elif make -s fuzz >"$SCRATCH/make" 2>&1 && tests/fuzz/run "${NAIK_FUZZ_SECONDS:-3600}"; then
        echo "PASS fuzzing_for_an_hour_finds_nothing"
    else
        tail -n 30 "$SCRATCH/make"
        echo "FAIL fuzzing_for_an_hour_finds_nothing"
        failures=1
    fi
fi
exit $failures
