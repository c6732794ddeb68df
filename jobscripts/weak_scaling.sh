#!/bin/bash
# Submits the weak-scaling study: a fixed box a GPU, the numbers of nodes given, a fixed number of
# iterations, REPEAT runs each, one JSON line a run.
#
#     jobscripts/weak_scaling.sh MACHINE NODES...
#     SBATCH_ACCOUNT=m0000 jobscripts/weak_scaling.sh perlmutter 1 2 4 8 16
#     jobscripts/collect_scaling.py scaling/perlmutter-*.jsonl
#
# From the environment, with what they are unless set:
#     LOCAL        boxes of a GPU, "32,32,32,32 24,24,24,48"
#     PRECISIONS   of vectors:links in the iteration, "double:double single:half"
#     NRHS         right-hand sides, "1,8"
#     ITERATIONS   of a solve, 200        REPEAT   runs, 3        TIME   of a job, 00:30:00
#     OUT          folder of the results, scaling
set -eu
cd "$(dirname "$0")/.."
[ $# -ge 2 ] || { sed -n '2,13s/^# \{0,1\}//p' "$0" >&2; exit 1; }
machine=$1
shift
if [ ! -r "jobscripts/machines/$machine.sh" ]; then
    echo "there is no machine '$machine': choose one of $(cd jobscripts/machines && echo *.sh | sed 's/\.sh//g'), or add yours, as jobscripts/README.md says" >&2
    exit 1
fi
module() { :; } # only the options of sbatch are wanted here
. "jobscripts/machines/$machine.sh"
export LOCAL=${LOCAL:-32,32,32,32 24,24,24,48} PRECISIONS=${PRECISIONS:-double:double single:half}
export NRHS=${NRHS:-1,8} ITERATIONS=${ITERATIONS:-200} REPEAT=${REPEAT:-3} OUT=${OUT:-scaling}
mkdir -p "$OUT"
for nodes in "$@"; do
    case "$nodes" in '' | *[!0-9]* | 0) echo "'$nodes' is no number of nodes" >&2 && exit 1 ;; esac
done
for nodes in "$@"; do
    sbatch --parsable "${naik_sbatch[@]}" --nodes="$nodes" --time="${TIME:-00:30:00}" \
        --output="$OUT/$machine-$nodes-%j.out" jobscripts/weak_scaling.slurm "$machine"
done
