#!/usr/bin/env bash
# The measurements of tests/results on this machine, as lines of `naik bench`:
#
#   tools/bench.sh cpu > cpu.txt                    # a few minutes on two cores
#   make GPU=cuda GPU_ARCH=sm_90 && tools/bench.sh gpu > h200.txt   # about as long on an H200
#   RANKS=2 tools/bench.sh gpus > two.txt           # a rank a GPU, one node
#   tools/bench.sh light gpu > light.txt            # solves on a stored configuration, down to light
#                                                   # quarks; likewise light cpu
#
# The configurations of `light` are made where FIELDS (build) has none: lat12.h5, lat32.h5. MASSES and
# INNER (double single half auto) say what is solved, CAP the most iterations. NAIK is the program
# (build/naik), FLAGS goes with every call. What fails becomes a line that begins with "# failed", and
# the exit status is 1.
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
        together cg $fixed --size $size --nrhs 1,8
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

case "${1-}" in
cpu) on="--backend cpu" && of_cpu ;;
gpu) on="--backend gpu" && of_gpu ;;
gpus) on="--backend gpu" && of_gpus ;;
light) on="--backend ${2:-cpu}" && of_light "${2:-cpu}" ;;
*)
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
    exit 1
    ;;
esac
exit $failed
