#!/usr/bin/env bash
# `naik solve` whose correlators are made while solutions are on the GPU, killed at every commit, by signals in mid
# run, and asked to stop: the run that goes on has the correlators, histories and records of an undisturbed one.
# Called by check_gpu.sh.
#
#   tests/killed_on_gpu.sh [RANKS]
#
# BUILD (build/cuda) is the program's; KILLS (2) the number of kills at any moment.
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/env.sh
ranks=${1:-1} naik=${BUILD:-build/cuda}/naik kills=${KILLS:-2} failed=0
case $naik in /*) ;; *) naik=$PWD/$naik ;; esac
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
export NAIK_BACKEND=${NAIK_BACKEND:-gpu}

run() { # run NAME [OPTION]...: into NAME.log; the exit status is naik's
    local name=$1 command=("$naik" solve in.yaml --set "output.file=$1.h5" "${@:2}")
    # shellcheck disable=SC2206 # $MPIRUN may be several words
    [ "$ranks" = 1 ] || command=($MPIRUN -n "$ranks" "${command[@]}")
    "${command[@]}" </dev/null >>"$name.log" 2>&1
}
judge() { # judge NAME WORDS
    local told=FAIL
    cmp -s whole.numbers <(numbers "$1") && told=PASS
    [ $told = PASS ] || { failed=1 && diff whole.numbers <(numbers "$1") | head -n 5 && tail -n 5 "$1.log"; }
    echo "$told $2"
}
# Correlators, and of every solve its iterations and residuals.
numbers() {
    "$naik" info "$1.h5" --correlators
    "$naik" info "$1.h5" --json | tr , "\n" | grep -oE "\"(iterations|restarts|true_residual|source_residual|norm|stop_reason|suma|sumb)\": .*"
}

"$naik" gauge generate --size 4,4,4,8 --beta 6 --seed 11 --sweeps 4 -o lat.h5 >gen.log 2>&1 || { tail gen.log && exit 1; }
cat >in.yaml <<'Y'
lattice: {size: [4, 4, 4, 8], boundary_t: antiperiodic}
gauge: {file: lat.h5}
action: {type: hisq}
solve:
  - {name: pt, masses: [0.4], source: {type: point, origin: [[0, 0, 0, 0], [1, 2, 3, 5]]}}
  - {name: both, masses: [0.4], correlators: [pion5], source: {type: point, origin: [0, 0, 0, 2]}}
pairs: [{name: two, quark: both, antiquark: both}]
solver: {tolerance: 1e-11, batch: 6}
output: {file: x.h5, correlators: [pion5, rhox, GX-G1, GXY-G5, G5X-G1], momenta: [[0, 0, 0], [1, 0, 0]], propagators: false}
Y
run whole || { tail whole.log && exit 1; }
numbers whole >whole.numbers
grep -c . whole.numbers | sed 's/^/numbers of an undisturbed run, lines: /'
grep 'contractions: ' whole.log
writes=$("$naik" info whole.h5 --json | tr , '\n' | grep -c '"true_residual"')
for ((n = 1; n <= writes; n++)); do
    rm -f killed*
    NAIK_INJECT=kill:write:$n run killed 2>/dev/null && echo "FAIL kill at commit $n did nothing" && failed=1
    run killed || failed=1
    judge killed "killed at commit $n of $writes"
    cat killed.log >>told.log
done
judge_words() { # judge_words WORDS FILE: the sentence was said
    grep -q "$1" "$2" && echo "PASS said: $1" || { echo "FAIL not said: $1" && failed=1; }
}
judge_words "solves of sources that were not contracted yet are solved again" told.log
for order in stop:solve:3 stop:solve:11 kill:solve:11; do
    rm -f killed*
    NAIK_INJECT=$order run killed
    run killed || failed=1
    judge killed "$order, $(grep -c 'resuming' killed.log) resumed"
done
for signal in KILL TERM; do
    for ((k = 1; k <= kills; k++)); do
        rm -f killed*
        run killed &
        job=$!
        sleep "0.$((RANDOM % 9 + 1))"
        pkill -"$signal" -P "$job" 2>/dev/null || kill -"$signal" "$job" 2>/dev/null
        wait "$job" 2>/dev/null
        run killed || failed=1
        judge killed "SIG$signal at any moment"
    done
done
exit $failed
