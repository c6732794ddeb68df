#!/usr/bin/env bash
# One propagator on every number of devices and every grid of them: the same bits, also after a rank was
# killed and in groups of ranks; and a rank that hangs ends in the watchdog's sentence. Called by check_gpu.sh.
#
#   tests/bits_on_gpus.sh [RANKS [staggered|deflated|clover|twisted_mass|multigrid|groups|hung]...]
#
# BUILD (build/cuda) is the program's. NAIK_BACKEND (gpu) and OpenMP threads of the environment are the runs'.
# FORM=short: no grid but the last one of RANKS, on which the rank is killed: two minutes on four GPUs.
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/env.sh
ranks=${1:-2}
[ $# -lt 2 ] && parts="staggered deflated clover twisted_mass multigrid groups hung" || parts=${*:2}
form=${FORM:-long} naik=${BUILD:-build/cuda}/naik backend=${NAIK_BACKEND:-gpu} failed=0
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
  - {name: q, masses: [$3], source: {type: point, origin: [[0, 0, 0, 0], [3, 2, 1, 5]$more]}}
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
everywhere() { # everywhere NAME: on every grid
    local n=1 grid
    while [ "$((n *= 2))" -le "$ranks" ]; do
        for grid in $(grids_of $n); do
            rm -f "$1.h5" modes.h5
            run $n "$grid" solve "$1.yaml" && same "$1.h5" || { echo "on grid $grid" && return 1; }
        done
    done
}
killed() { # killed NAME ITERATION: a rank, on the last grid
    local grid status
    grid=$(grids_of "$ranks") grid=${grid##* }
    rm -f "$1.h5" modes.h5
    NAIK_INJECT=kill:solve:$2 run "$ranks" "$grid" solve "$1.yaml"
    status=$?
    [ $status != 0 ] && [ ! -e "$1.h5" ] && [ -e "$1.h5.part" ] && run "$ranks" "$grid" solve "$1.yaml" && same "$1.h5"
}
grouped() { # grouped NAME: in every number of groups
    local n=1
    while [ "$((n *= 2))" -le "$ranks" ]; do
        rm -f "$1.h5"
        run "$ranks" "" solve "$1.yaml" --set run.groups=$n && grep -q "groups: $n groups of $((ranks / n)) rank" log &&
            same "$1.h5" || { echo "in $n groups" && return 1; }
    done
}
hung() { # hung NAME
    NAIK_INJECT=stall:solve:5 run "$ranks" "$(grids_of "$ranks" | sed 's/ .*//')" solve "$1.yaml" --set run.watchdog=3
    [ $? != 0 ] && grep -q 'it hangs' log
}

for part in $parts; do
    method='' more='' at=25 # where a rank is killed: multigrid needs fewer iterations
    case $part in
    staggered | hung) input $part "type: hisq" 0.02 "pion5, rhox" ;;
    deflated) input $part "type: hisq" 0.02 "pion5, rhox" "deflation: {modes: 24, file: modes.h5}" ;;
    groups) more=', [1, 1, 1, 1], [2, 2, 2, 9]' && input $part "type: hisq" 0.02 "pion5, rhox" ;;
    clover) input $part "type: clover, csw: 1.5" -0.4 "pion, rho_x" ;;
    multigrid) method=', method: multigrid' at=5 && input $part "type: clover, csw: 1.5" -0.6 "pion, rho_x" ;;
    twisted_mass) input $part "type: twisted_mass, mu: 0.1" -0.4 "pion, rho_x" ;;
    *) echo "FAIL unknown_part_$part" && exit 1 ;;
    esac
    if [ "$part" = hung ]; then
        hung $part
        verdict a_hung_rank_ends_in_the_sentence_of_the_watchdog $?
        continue
    fi
    [ "$part $ranks" != "groups 1" ] || { echo "SKIP groups_of_ranks_make_the_same_bits: one rank" && continue; }
    run 1 1x1x1x1 solve $part.yaml && bits $part.h5 >reference || { verdict "${part}_is_solved" 1 && continue; }
    if [ "$part" = groups ]; then
        grouped $part
        verdict groups_of_ranks_make_the_same_bits $?
        continue
    fi
    [ "$form" = short ] || [ "$ranks" = 1 ] || { everywhere $part; verdict "${part}_has_the_same_bits_on_every_grid" $?; }
    killed $part $at
    verdict "${part}_of_a_killed_rank_goes_on_to_the_same_bits" $?
done
exit $failed
