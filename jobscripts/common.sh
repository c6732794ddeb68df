# shellcheck shell=bash
# What the job scripts share; sourced after the machine's own file.
#
#   naik_run ARGUMENTS...   srun naik with these arguments, on all ranks of the job
#   naik_solve INPUT ...    the same of naik solve; stops by the clock, should the signal be late
#   naik_end STATUS         ends the job; a stop before the wall time puts it back into the queue
#
# NAIK_DIR is naik's folder (the folder sbatch was called in, unless set), NAIK the program.
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-${SLURM_CPUS_PER_TASK:-1}}
# Since Slurm 22.05 srun does not take --cpus-per-task over from sbatch.
export SRUN_CPUS_PER_TASK=${SLURM_CPUS_PER_TASK:-1}
# Fail where no GPU is found, instead of running on the CPU for days.
export NAIK_BACKEND=${NAIK_BACKEND:-gpu}
NAIK_DIR=${NAIK_DIR:-$SLURM_SUBMIT_DIR}
NAIK=${NAIK:-$NAIK_DIR/build/naik}

naik_run() {
    if [ ! -x "$NAIK" ]; then
        echo "$NAIK is missing: build it (jobscripts/build-*.sh), or submit from naik's folder" >&2
        return 1
    fi
    srun --kill-on-bad-exit=1 "${naik_srun[@]}" "$NAIK" "$@"
}

# A signal can come up to a minute late. Two minutes before the end the clock stops the solve as
# well, where Slurm tells the end of the job.
naik_solve() {
    local input=$1 left=$((${SLURM_JOB_END_TIME:-0} - $(date +%s) - 120)) limit=()
    shift
    [ "$left" -le 0 ] || limit=(--set "run.wall_limit=$left")
    if [ -n "${SLURM_JOB_END_TIME:-}" ] && [ "$left" -lt 300 ]; then
        echo "this job ends in $((left + 120)) s, and Slurm's signal to stop comes 300 s before the end: ask for a longer --time, or for a later --signal"
    fi
    naik_run solve "$input" --skip-complete "${limit[@]}" "$@"
}

# Exit status 5 of naik: stopped before the wall time, everything resumable. The job then asks for
# itself again, up to NAIK_RESTARTS times; NAIK_RESTARTS=0 for jobs that are chained (chain.sh).
naik_end() {
    local status=$1 restarts=${NAIK_RESTARTS:-20}
    if [ "$status" = 5 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt "$restarts" ]; then
        echo "stopped before the wall time: job $SLURM_JOB_ID goes back into the queue"
        scontrol requeue "$SLURM_JOB_ID" && sleep 60 # until Slurm ends this run
    elif [ "$status" = 5 ] || [ "$status" = 2 ] || [ "$status" -gt 128 ]; then
        echo "naik ended with status $status before its output was complete: the same submission continues it"
    fi
    exit "$status"
}
