#!/usr/bin/env bash
# One propagator on every number of devices and every grid of them: the same bits, also after a rank was
# killed; and a rank that hangs ends in the watchdog's sentence. Called by check_gpu.sh.
#
#   tests/bits_on_gpus.sh [RANKS [staggered|deflated|clover|twisted_mass|multigrid]...]
#
# BUILD (build/cuda) is the program's. BACKEND (gpu) and OpenMP threads of the environment are the runs'.
# FORM=short: no grid but the last one of RANKS, on which the rank is killed: two minutes on four GPUs.
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/env.sh
ranks=${1:-2}
[ $# -lt 2 ] && parts="staggered deflated clover twisted_mass multigrid" || parts=${*:2}
form=${FORM:-long} naik=${BUILD:-build/cuda}/naik backend=${BACKEND:-gpu} failed=0
case $naik in /*) ;; *) naik=$PWD/$naik ;; esac
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

grids_of() { # of 8,8,8,16: no box is shorter than four sites
    case $1 in
    1) echo 1x1x1x1 ;;
    2) echo 1x1x1x2 1x1x2x1 2x1x1x1 ;;
    4) echo 1x1x1x4 1x1x2x2 1x2x2x1 2x2x1x1 2x1x1x2 ;;
    esac
}
run() { # run RANKS GRID COMMAND...: with its words kept in log
    local n=$1 grid=$2
    shift 2
    # shellcheck disable=SC2086 # $MPIRUN may be several words
    NAIK_GRID=$grid NAIK_BACKEND=$backend $MPIRUN -n "$n" "$naik" "$@" </dev/null >log 2>&1
}
verdict() { # verdict NAME STATUS
    [ "$2" = 0 ] && echo "PASS $1" || { echo "FAIL $1" && failed=1 && tail -n 20 log; }
}
# what a file holds, to the last bit: every solve but for its seconds, every correlator
bits() {
    "$naik" info "$1" | sed -n 's/ seconds=[^ ]*//; s/ session=[^ ]*//; /^  - set=/p' &&
        "$naik" info "$1" --correlators
}
same() { # same FILE: as reference, and there is something to compare
    bits "$1" >now && [ -s now ] && grep -q 'state=done' now && cmp now reference >>log 2>&1
}

input() { # input NAME ACTION MASS CORRELATORS [DEFLATION]
    cat >"$1.yaml" <<END
lattice: {size: [8, 8, 8, 16]}
gauge: {file: lat.h5}
action: {$2}
solve:
  - {name: q, masses: [$3], source: {type: point, origin: [[0, 0, 0, 0], [3, 2, 1, 5]]}}
solver: {tolerance: 1e-9, batch: 4$method}
run: {watchdog: 20}
output: {file: $1.h5, correlators: [$4]}
${5-}
END
}

run 1 1x1x1x1 gauge generate --size 8,8,8,16 --beta 5.8 --seed 4 --sweeps 6 -o lat.h5 || {
    cat log
    exit 1
}
for part in $parts; do
    method='' at=25 # where a rank is killed: multigrid needs fewer iterations
    case $part in
    staggered) input $part "type: hisq" 0.02 "pion5, rhox" ;;
    deflated) input $part "type: hisq" 0.02 "pion5, rhox" "deflation: {modes: 24, file: modes.h5}" ;;
    clover) input $part "type: clover, csw: 1.5" -0.4 "pion, rho_x" ;;
    multigrid) method=', method: multigrid' at=5 && input $part "type: clover, csw: 1.5" -0.6 "pion, rho_x" ;;
    twisted_mass) input $part "type: twisted_mass, mu: 0.1" -0.4 "pion, rho_x" ;;
    *) echo "FAIL unknown_part_$part" && exit 1 ;;
    esac
    run 1 1x1x1x1 solve $part.yaml && bits $part.h5 >reference
    status=$?
    n=1
    while [ "$form" = long ] && [ $status = 0 ] && [ "$((n *= 2))" -le "$ranks" ]; do
        for grid in $(grids_of $n); do
            rm -f $part.h5 modes.h5
            run $n "$grid" solve $part.yaml && same $part.h5 || { status=1 && echo "on grid $grid" && break; }
        done
    done
    [ "$form" = short ] && [ $status = 0 ] || verdict "${part}_has_the_same_bits_on_every_grid" $status

    rm -f $part.h5 modes.h5
    grid=$(grids_of "$ranks") grid=${grid##* }
    NAIK_INJECT=kill:solve:$at run "$ranks" "$grid" solve $part.yaml
    killed=$?
    [ $killed != 0 ] && [ ! -e $part.h5 ] && [ -e $part.h5.part ] &&
        run "$ranks" "$grid" solve $part.yaml && same $part.h5
    verdict "${part}_of_a_killed_rank_goes_on_to_the_same_bits" $?
done

part=${parts%% *}
rm -f $part.h5 modes.h5
NAIK_INJECT=stall:solve:5 run "$ranks" "$(grids_of "$ranks" | sed 's/ .*//')" solve $part.yaml --set run.watchdog=3
[ $? != 0 ] && grep -q 'it hangs' log
verdict a_hung_rank_ends_in_the_sentence_of_the_watchdog $?
exit $failed
