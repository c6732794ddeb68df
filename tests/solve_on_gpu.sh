#!/usr/bin/env bash
# What a user runs, on the GPU and on the CPU: gauge fixing, then `naik solve` with every kind of source, sink
# and correlator, of staggered, Wilson and clover quarks. Called by check_gpu.sh, and by wave64/run on devices
# that are executed on this machine.
#
#   tests/solve_on_gpu.sh [RANKS [staggered|wilson|clover]...]
#
# Correlators must agree to LIMIT (1e-8) of the largest number of each; solves end at residuals of 1e-11.
# Links in Coulomb gauge have the same bits. BUILD (build/cuda) is the program's.
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/env.sh
ranks=${1:-1}
[ $# -lt 2 ] && parts="staggered wilson clover" || parts=${*:2}
naik=${BUILD:-build/cuda}/naik limit=${LIMIT:-1e-8} failed=0
case $naik in /*) ;; *) naik=$PWD/$naik ;; esac
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

on() { # on cpu|gpu COMMAND...: with the words of the program kept
    local backend=$1 command=("$naik" "${@:2}")
    # shellcheck disable=SC2206 # $MPIRUN may be several words
    [ "$ranks" = 1 ] || [ "$backend" = cpu ] || command=($MPIRUN -n "$ranks" "${command[@]}")
    NAIK_BACKEND=$backend "${command[@]}" </dev/null >log 2>&1 && return
    tail -n 20 log
    return 1
}
verdict() { # verdict NAME STATUS
    [ "$2" = 0 ] && echo "PASS $1" || { echo "FAIL $1" && failed=1; }
}

# alike NAME: correlators of NAME.cpu.h5 and NAME.gpu.h5
alike() {
    local side
    for side in cpu gpu; do "$naik" info "$1.$side.h5" --correlators >"$1.$side.txt" || return; done
    paste -d '\n' "$1.cpu.txt" "$1.gpu.txt" | awk -v limit="$limit" '
        function judge() {
            if (worst > limit * largest) { if (++bad < 20) print "off by " worst " of " largest ": " name }
            worst = largest = 0
        }
        NR % 2 { a = $0; n = split($0, of_cpu); next }
        /^#/ { judge(); name = $0; named += $0 == a; headings++; next }
        { if (n != NF) bad++ }
        NF > 1 { for (i = 2; i <= NF; i++) {
                x = of_cpu[i] + 0; d = $i - x
                if (d < 0) d = -d
                if (x < 0) x = -x
                if (d > worst || d != d) worst = d
                if (x > largest) largest = x
                numbers++
            } }
        END { judge(); print numbers + 0 " numbers of " headings + 0 " correlators"
              exit bad || numbers == 0 || named != headings }'
}
both() { # both NAME: NAME.yaml solved and compared
    local side
    for side in cpu gpu; do
        on $side solve "$1.yaml" --set "output.file=$1.$side.h5" || return
        grep -q "$([ $side = cpu ] && echo '^naik .*: CPU,' || echo '^naik .*, device ')" log ||
            { echo "not on the $side" && return 1; }
    done
    alike "$1"
}

staggered_sources="
  - {name: point, masses: [0.5, 0.8], source: {type: point, origin: [[0, 0, 0, 0], [1, 2, 3, 5]]}}
  - {name: heavy, masses: [0.9], naik_epsilon: [-0.1], source: {type: point, origin: [[0, 0, 0, 0], [1, 2, 3, 5]]}}
  - {name: corner, masses: [0.5], source: {type: corner_wall, t0: 1, corner: [0, 1, 0]}}
  - {name: even, masses: [0.5], source: {type: even_wall, t0: 2}}
  - {name: both, masses: [0.5], source: {type: evenandodd_wall, t0: [0, 3], momentum: [0, 1, 0]}}
  - {name: minus, masses: [0.5], source: {type: evenminusodd_wall, t0: 2, subset: corner}}
  - {name: gaussian, masses: [0.5], source: {type: gaussian, origin: [0, 0, 0, 1], radius: 1.5}}
  - {name: wall, masses: [0.5], source: {type: random_wall, t0: 2, seed: 3, noise: z3}}
  - {name: noise, masses: [0.5], source: {type: random_volume, seed: 5, noise: z4}}
  - {name: smeared, masses: [0.5], source: {type: covariant_gaussian, origin: [0, 0, 0, 0], radius: 1, iterations: 4}}
  - {name: funny, masses: [0.5], source: {type: funnywall1, t0: 1}}
  - {name: funny2, masses: [0.5], source: {type: funnywall2, t0: 1}}
  - {name: twisted, masses: [0.5], twist: [0.5, 0, 0.25], source: {type: point, origin: [0, 0, 0, 0]}}"
wilson_sources="
  - {name: point, masses: [0.5, 0.8], source: {type: point, origin: [[0, 0, 0, 0], [1, 2, 3, 5]]}}
  - {name: heavy, masses: [0.9], source: {type: point, origin: [[0, 0, 0, 0], [1, 2, 3, 5]]}}
  - {name: wall, masses: [0.5], source: {type: evenandodd_wall, t0: 1}}
  - {name: noise, masses: [0.5], source: {type: random_volume, seed: 5, noise: z4}}
  - {name: smeared, masses: [0.5], source: {type: covariant_gaussian, origin: [0, 0, 0, 0], radius: 1, iterations: 4}}
  - {name: twisted, masses: [0.5], twist: [0.5, 0, 0.25], source: {type: point, origin: [0, 0, 0, 0]}}"

# input NAME ACTION SOURCES CORRELATORS
input() {
    cat >"$1.yaml" <<END
lattice: {size: [4, 4, 4, 8]}
gauge: {file: coulomb.gpu.h5}
action: {$2}
solve:$3
pairs:
  - {name: pair, quark: point, antiquark: heavy}
  - {name: wall_sink, quark: point, antiquark: heavy, sink: wall}
  - {name: smeared_sink, quark: point, antiquark: heavy, sink: covariant_gaussian, radius: 1, iterations: 3}
baryons: [{name: three, quarks: [point, point, heavy]}]
solver: {tolerance: 1e-11}
output:
  file: $1.h5
  correlators: [$4]
  momenta: [[0, 0, 0], [1, 0, 1]]
  baryons: [nucleon]
  condensate: true
  average: true
END
}

# sequential NAME ACTION INSERTION CORRELATOR: a source made of the point source's propagator
sequential() {
    cat >"$1_next.yaml" <<END
lattice: {size: [4, 4, 4, 8]}
gauge: {file: coulomb.gpu.h5}
action: {$2}
solve:
  - name: next
    masses: [0.5]
    source: {type: sequential, file: $1.gpu.h5, propagator: point/s0000, mass: 0.5, insertion: $3, t0: 3, momentum: [1, 0, 0]}
  - {name: guessed, masses: [0.5], guess: $1.gpu.h5, source: {type: point, origin: [0, 0, 0, 0]}}
solver: {tolerance: 1e-11}
output: {file: $1_next.h5, correlators: [$4]}
END
}

# contracted NAME SOLVES REST: staggered quarks whose contractions a device makes
contracted() {
    cat >"$1.yaml" <<END
lattice: {size: [4, 4, 4, 8]}
gauge: {file: coulomb.gpu.h5}
action: {type: hisq}
solve:
  - {name: point, masses: [0.5, 0.8], source: {type: point, origin: [[0, 0, 0, 0], [1, 2, 3, 5]]}}$2
solver: {tolerance: 1e-11}
$3
END
}

on cpu gauge generate --size 4,4,4,8 --beta 5.8 --seed 4 --sweeps 6 -o lat.h5 || exit 1
for side in cpu gpu; do on $side gauge fix lat.h5 -o coulomb.$side.h5 --gauge coulomb --backend $side || exit 1; done
checksums() { "$naik" info "$1" | grep -i 'checksum\|plaquette'; }
[ -n "$(checksums coulomb.gpu.h5)" ] && [ "$(checksums coulomb.cpu.h5)" = "$(checksums coulomb.gpu.h5)" ]
verdict coulomb_gauge_has_the_bits_of_the_cpu $?

for part in $parts; do
    case $part in
    staggered)
        input staggered "type: hisq" "$staggered_sources" "pion5, pion05, rhox, rhoz0"
        sequential staggered "type: hisq" pion5 "pion5, rhox"
        contracted operators "
  - {name: heavy, masses: [0.9], source: {type: point, origin: [[0, 0, 0, 0], [1, 2, 3, 5]]}}
  - {name: noise, masses: [0.5], source: {type: random_volume, seed: 5, noise: z4}}
pairs: [{name: pair, quark: point, antiquark: heavy}]" "
output: {file: operators.h5, correlators: [pion5, GX-G1, GXY-G1, G5-G1], loops: [GX-G1], momenta: [[0, 0, 0], [1, 0, 1]]}"
        contracted low_modes "
  - {name: noise, masses: [0.5], source: {type: random_volume, seed: 5, noise: z3, dilution: [even_odd], hits: 2}}" "
averages: [{type: low_modes, name: lma, solve: point}, {type: low_modes, name: lml, solve: noise}]
deflation: {modes: 16, file: modes.h5}
output: {file: low_modes.h5, correlators: [pion5, rhox, GT-GT], loops: [G1-G1, GX-G1, conserved_vector_t], momentum_weight: exp, momenta: [[0, 0, 0], [1, 0, 1]]}"
        for contraction in operators low_modes; do # the second of both reads the modes of the first
            both $contraction
            verdict ${contraction}_agree_with_the_cpu $?
        done
        ;;
    wilson | clover)
        action="type: $part"
        [ $part = wilson ] || action+=", csw: 1"
        input $part "$action" "$wilson_sources" "pion, rho_x, scalar, t_xy"
        sequential $part "$action" pion "pion, rho_z"
        ;;
    *) echo "FAIL unknown_part_$part" && exit 1 ;;
    esac
    both $part
    verdict ${part}_sources_sinks_and_correlators_agree_with_the_cpu $?
    both ${part}_next
    verdict ${part}_sequential_sources_and_guesses_agree_with_the_cpu $?
done
exit $failed
