#!/usr/bin/env bash
# `naik solve` whose correlators are made while solutions are on the GPU, killed at every commit, by signals in mid
# run, and asked to stop: the run that goes on has the correlators, histories and records of an undisturbed one.
# Called by check_gpu.sh and wave64/run.
#
#   tests/killed_on_gpu.sh [RANKS]
#
# BUILD (build/cuda) is the program's; KILLS (2) the number of kills at any moment.
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/env.sh
ranks=${1:-1} naik=${BUILD:-build/cuda}/naik kills=${KILLS:-2} input=in.yaml failed=0
case $naik in /*) ;; *) naik=$PWD/$naik ;; esac
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
export NAIK_BACKEND=${NAIK_BACKEND:-gpu}

run() { # run NAME [OPTION]...: into NAME.log; the exit status is naik's
    local name=$1 command=("$naik" solve "$input" --set "output.file=$1.h5" "${@:2}")
    # shellcheck disable=SC2206 # $MPIRUN may be several words
    [ "$ranks" = 1 ] || command=($MPIRUN -n "$ranks" "${command[@]}")
    "${command[@]}" </dev/null >>"$name.log" 2>&1
}
judge() { # judge NAME WORDS: it has the numbers of `whole`
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
# Rank 0 is killed, because it alone writes records and correlators.
for ((n = 1; n <= writes; n++)); do
    rm -f killed*
    NAIK_INJECT=kill:write:$n@0 run killed 2>/dev/null && echo "FAIL kill at commit $n did nothing" && failed=1
    run killed || failed=1
    judge killed "killed at commit $n of $writes"
    cat killed.log >>told.log
done
judge_words() { # judge_words WORDS FILE: the sentence was said
    grep -q "$1" "$2" && echo "PASS said: $1" || { echo "FAIL not said: $1" && failed=1; }
}
again="solved again, because columns or correlators of their sources are missing or damaged"
judge_words "$again" told.log
# One column of the last source converges in so many iterations, and the others give up: their correlators are in the file.
least=$(grep -o 'source=pt/s0001 .* iterations=[0-9]*' whole.log | sed 's/.*=//' | sort -n | uniq -c)
[ "$(wc -l <<<"$least")" -gt 1 ] || { echo "FAIL all columns of a source take as many iterations" && failed=1; }
rm -f killed*
NAIK_INJECT=kill:write:$writes@0 run killed --set "solver.max_iterations=$(awk 'NR == 1 { print $2 }' <<<"$least")" 2>/dev/null
rm -f killed.log
run killed || failed=1
judge killed "killed, and resumed with more iterations"
judge_words "$again" killed.log
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

# Ranks agree on a signal once in 0.2 s, and the next run is over before that.
[ "$ranks" = 1 ] || exit $failed

# A column of the heavy source is done long before the light source, and waits for the others of its own: asked to stop, a
# run stores it with its solution, and the next one does not solve it again.
input=waits.yaml
cat >$input <<'Y'
lattice: {size: [4, 4, 4, 8], boundary_t: antiperiodic}
gauge: {file: lat.h5}
action: {type: hisq}
solve:
  - {name: light, masses: [0.2], source: {type: point, origin: [0, 0, 0, 0]}}
  - {name: heavy, masses: [2], source: {type: point, origin: [0, 0, 0, 2]}}
solver: {tolerance: 1e-11, batch: 4}
output: {file: x.h5, correlators: [pion5, GX-G1], propagators: false}
Y
rm -f whole* killed*
run whole || { tail whole.log && exit 1; }
numbers whole >whole.numbers
NAIK_INJECT=stop:solve:60 run killed
run killed || failed=1
judge killed "asked to stop while a column waits"
judge_words 'resuming: 1 of 6 solves are done' killed.log
exit $failed
