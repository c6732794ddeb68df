#!/bin/bash
# A chain of N jobs for centres where jobs may not requeue themselves: each starts only if the one
# before it was stopped by the wall time (or failed), and is cancelled if that one was finished.
#
#     jobscripts/chain.sh N [options of sbatch] SCRIPT [arguments of the script]
#     jobscripts/chain.sh 5 jobscripts/perlmutter.slurm my.yaml
#
# Prints the numbers of the jobs.
set -eu
[ $# -ge 2 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 1; }
count=$1 after=()
shift
export NAIK_RESTARTS=0
export NAIK_ENDED_JOBS= # whose locks are left over, also where their nodes are lost
for _ in $(seq "$count"); do
    job=$(sbatch --parsable --no-requeue --kill-on-invalid-dep=yes "${after[@]}" "$@")
    job=${job%%;*}
    echo "$job"
    after=(--dependency="afternotok:$job")
    NAIK_ENDED_JOBS+=${NAIK_ENDED_JOBS:+,}$job
done
