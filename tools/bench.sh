#!/usr/bin/env bash
# The measurements of tests/results on this machine, as lines of `naik bench`:
#
#   tools/bench.sh cpu > cpu.txt                    # a few minutes on two cores
#   make GPU=cuda GPU_ARCH=sm_90 && tools/bench.sh gpu > h200.txt   # about as long on an H200
#   RANKS=2 tools/bench.sh gpus > two.txt           # a rank a GPU, one node
#   tools/bench.sh light gpu > light.txt            # solves on a stored configuration, down to light
#                                                   # quarks; likewise light cpu
#   tools/bench.sh wilson gpu > wilson.txt          # Wilson and clover quarks; likewise wilson cpu, and
#                                                   # RANKS=2 wilson gpus
#   tools/bench.sh modes gpu > modes.txt            # parts of low modes; likewise modes cpu
#
# The configurations of `light` are made where FIELDS (build) has none, lat12.h5, lat32.h5, that of
# `wilson` as wilson8.h5, wilson32.h5. MASSES and
# INNER (double single half auto) say what is solved, CAP the most iterations. NAIK is the program
# (build/naik), FLAGS goes with every call. What fails becomes a line that begins with "# failed", and
# the exit status is 1. Of `gpus`, a line "# predicted" says what the model has for the line above it.
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/env.sh
naik=${NAIK:-build/naik} ranks=${RANKS:-2} failed=0
vectors="--precision single --link-precision half --recon 6" # what a GPU run chooses by itself

bench() { # bench WHAT OPTIONS...
    # shellcheck disable=SC2086
    "$naik" bench "$@" $on ${FLAGS-} </dev/null || { echo "# failed: bench $*" && failed=1; }
}
together() { # the same on several ranks
    # shellcheck disable=SC2086
    $MPIRUN -n "$ranks" "$naik" bench "$@" $on ${FLAGS-} </dev/null ||
        { echo "# failed: $ranks ranks, bench $*" && failed=1; }
}

value() { # value KEY LINE
    sed -n "s/.* $1=\([^ ]*\).*/\1/p" <<<"$2"
}
predicted() { # predicted LINE: of conjugate gradient on several ranks, what the model says, beside it
    local machine said us measured
    case $(sed -n 's/.* device="\([^"]*\)".*/\1/p' <<<"$1") in
    *H200*) machine=h200 ;; *H100*) machine=h100 ;; *A100-SXM4-80GB*) machine=perlmutter-80gb ;;
    *A100-SXM4-40GB*) machine=perlmutter ;; *MI250X*) machine=lumi-g ;; *) return ;;
    esac
    said=$("$naik" bench model --machine $machine --software naik --lines --gpus "$(value ranks "$1")" \
        --local "$(value local "$1")" --nrhs "$(value nrhs "$1")" | tail -n 1)
    us=$(value us_per_iteration "$said") measured=$(value us_per_iteration "$1")
    echo "# predicted: $(value ranks "$1") GPUs, $(value local "$1") each, $(value nrhs "$1") right-hand sides:" \
        "$us us an iteration of one, measured $measured, ratio $(awk "BEGIN { printf \"%.2f\", $us / $measured }")"
}
beside_model() { # beside_model WHAT OPTIONS...: together, and what the model says of it
    local line lines
    lines=$(mktemp)
    together "$@" >"$lines"
    while read -r line; do
        echo "$line"
        [[ $line != bench=cg* ]] || predicted "$line"
    done <"$lines"
    rm -f "$lines"
}

of_cpu() {
    local field="--size 24,24,24,32" solve="--size 16,16,16,16"
    bench dslash $field --precision double --nrhs 1,8
    for recon in 18 13; do bench dslash $field --precision single --recon $recon --nrhs 1,8; done
    bench cg $solve --precision double
    for recon in 18 13; do bench cg $solve --precision single --recon $recon --nrhs 1,8; done
    bench cg $solve --precision single --link-precision half
    NAIK_INSTRUCTIONS=avx2 bench dslash $field --precision double --nrhs 1,8
    bench links $solve
}

of_gpu() {
    local size p recon gauge batches=1,2,3,4,6,8,10,12,14,16
    for size in 32,32,32,32 48,48,48,48; do
        for recon in 18 13 9; do
            for p in double single half; do bench dslash --size $size --precision $p --recon $recon; done
        done
        bench dslash --size $size --precision half --recon 6
        bench dslash --size $size $vectors
    done
    size="--size 32,32,32,32"
    for p in double single half; do bench dslash $size --precision $p --nrhs 2,3,4,6,8,12,16; done
    bench dslash $size --precision single --link-precision half --nrhs 1,2,4,8,12,16
    bench dslash $size $vectors --nrhs 2,4,8,12,16
    for gauge in "" --temporal-gauge; do
        for p in double single; do
            bench dslash $size --action naive --recon 12 --precision $p $gauge --nrhs $batches
        done
    done
    bench cg $size --precision double --nrhs 1,8
    bench cg $size --precision single --recon 13 --nrhs 1,8
    bench cg $size $vectors --nrhs 1,8,16
    bench cg $size --precision half --recon 6 --nrhs 1,8
    bench cg $vectors --launch all
    bench dslash $vectors --threads-per-site all
    bench cg --size 16,16,16,16 $vectors --nrhs 1,8
    for p in hisq asqtad; do bench links $size --action $p; done
    bench cg --size 16,16,16,16 --masses 0.05,0.1,0.2
}

of_gpus() {
    local size way fixed="--weak --links random --iterations 600 $vectors"
    for size in 16,16,16,16 32,32,32,32; do
        bench cg $fixed --size $size --nrhs 1,8
        beside_model cg $fixed --size $size --nrhs 1,8
    done
    together cg --strong --links random $vectors --size 48,48,48,48 --iterations 100
    for way in peer staged; do
        together halo --size 32,32,32,64 --precision single --nrhs 1,8 --transport $way
    done
}

of_light() { # of_light cpu|gpu
    local size=32,32,32,32 beta=6 seed=3 sweeps=40 nrhs=1,12 inner
    local masses=${MASSES:-0.05,0.01,0.002,0.0005}
    if [ "$1" = cpu ]; then
        size=12,12,12,12 beta=5.7 seed=5 sweeps=60 nrhs=1,3 masses=${MASSES:-0.02,0.005,0.001,0.0002}
    fi
    local field=${FIELDS:-build}/lat${size%%,*}.h5
    [ -e "$field" ] || "$naik" gauge generate --size $size --beta $beta --seed $seed \
        --sweeps $sweeps --over-relaxations 3 -o "$field" >&2 || { failed=1 && return; }
    for inner in ${INNER:-double single half auto}; do
        bench cg --gauge "$field" --source point --mass "$masses" --inner-precision "$inner" \
            --nrhs $nrhs --repeat 1 --max-iterations "${CAP:-60000}"
    done
}

of_wilson() { # of_wilson cpu|gpu|gpus
    local size=32,32,32,32 large=48,48,48,48 nrhs=1,8,12 p recon field
    [ "$1" != cpu ] || size=16,16,16,16 large=24,24,24,24 nrhs=1,8
    if [ "$1" = gpus ]; then
        for p in double single half; do
            bench dslash --action wilson --size $size --precision $p --nrhs 1,8
            together dslash --action wilson --size 32,32,32,$((32 * ranks)) --precision $p --nrhs 1,8
        done
        return
    fi
    for p in double single half; do
        for recon in 18 12 8; do
            bench dslash --action wilson --size $size --precision $p --recon $recon --nrhs $nrhs
        done
        bench dslash --action clover --size $size --precision $p --recon 12
        bench dslash --action wilson --size $large --precision $p
    done
    if [ "$1" = cpu ]; then
        NAIK_INSTRUCTIONS=avx2 bench dslash --action wilson --size $size --precision single --nrhs 1,8
        size=8,8,8,8 nrhs=1,3
    else
        bench dslash --action wilson --size 16,16,16,16 --precision single
        bench dslash --action wilson --size 16,16,16,16 --precision half --recon 12
        bench dslash --action wilson --size 8,8,8,8 --precision single
    fi
    field=${FIELDS:-build}/wilson${size%%,*}.h5
    [ -e "$field" ] || "$naik" gauge generate --size $size --beta 5.7 --seed 3 --sweeps 40 \
        --over-relaxations 3 -o "$field" >&2 || { failed=1 && return; }
    for p in "double --recon 18" "single --recon 18" "single --recon 12" "single --recon 8" "half --recon 12"; do
        bench bicgstab --action wilson --gauge "$field" --mass -0.95 --precision $p --nrhs $nrhs
    done
    bench multigrid --action wilson --gauge "$field" --mass -0.95 --nrhs $nrhs
    for p in single half; do
        bench cg --action wilson --gauge "$field" --mass -0.95 --precision $p --recon 12
    done
}

of_modes() { # of_modes cpu|gpu
    local p size=32,32,32,32 modes=512
    [ "$1" != cpu ] || size=16,16,16,16 modes=128
    for p in half single; do
        bench modes --size $size --modes $modes --precision $p --nrhs 1,8,12,16
    done
}

case "${1-}" in
cpu) on="--backend cpu" && of_cpu ;;
gpu) on="--backend gpu" && of_gpu ;;
gpus) on="--backend gpu" && of_gpus ;;
wilson | modes) on="--backend ${2:-cpu}" && on=${on/gpus/gpu} && "of_$1" "${2:-cpu}" ;;
light) on="--backend ${2:-cpu}" && of_light "${2:-cpu}" ;;
*)
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
    exit 1
    ;;
esac
exit $failed
