#!/usr/bin/env bash
# The shipped job scripts on a real Slurm with fake GPU nodes (slurm/cluster.sh), on the CPU
# backend: submitted as they are, stopped before the wall time, requeued, resumed, in arrays and
# chains, and the scaling study.
# timeout: 1500
# waits: 1
set -u
cd "$(dirname "$0")/.." || exit 1
top=$PWD
failed=

skip() { echo "SKIP slurm: $1" && exit 0; }
complain() { printf '  %s\n' "$*" && failed=1; }
verdict() {
    if [ -z "$failed" ]; then echo "PASS $1"; else echo "FAIL $1" && failures=1; fi
    failed=
}
failures=

# ---- what needs no Slurm: the scripts say the same as the machine files, and are sound

module() { :; }
export -f module # the stub of a machine's module system
for machine in perlmutter juwels-booster lumi-g; do
    bash -n "jobscripts/$machine.slurm" || complain "$machine.slurm is no script"
    head=$(sed -n 's/^#SBATCH //p' "jobscripts/$machine.slurm" | sed 's/^--constraint=/-C /')
    options=$(. "jobscripts/machines/$machine.sh" && printf '%s\n' "${naik_sbatch[*]}")
    for option in ${options// -/$'\n'-}; do
        case "$option" in gpu) ;; -C) option="-C gpu" ;; esac
        grep -qF -- "$option" <<<"$head" || complain "$machine.slurm lacks $option"
    done
    while read -r option; do # of the machine; array.slurm has the others
        grep -q -- "^#SBATCH ${option%%=*}" jobscripts/array.slurm || [ "${option%%=*}" = --account ] ||
            grep -qF -- "$option" <<<"$options" || complain "machines/$machine.sh lacks $option"
    done <<<"$head"
    ranks=$(. "jobscripts/machines/$machine.sh" && echo "$naik_ranks_per_node")
    grep -q -- "--ntasks-per-node=$ranks\$" <<<"$head" || complain "$machine.slurm has not $ranks ranks"
done
verdict scripts_ask_for_what_their_machine_file_says

mkdir -p "$SCRATCH/bin"
printf '#!/bin/sh\necho "$@"\n' >"$SCRATCH/bin/make"
chmod +x "$SCRATCH/bin/make"
for pair in perlmutter:GPU=cuda juwels-booster:GPU=cuda lumi-g:GPU=hip; do
    said=$(PATH="$SCRATCH/bin:$PATH" "jobscripts/build-${pair%:*}.sh" extra=1)
    case "$said" in *"${pair#*:} "*extra=1) ;; *) complain "build-${pair%:*}.sh called make $said" ;; esac
done
verdict build_scripts_name_the_gpu_of_their_machine

# A machine of the user's own, by the commands of the page; what its script and array.sh then name is mysite.
mkdir -p "$SCRATCH/site"
cp -r jobscripts "$SCRATCH/site"
printf '#!/bin/sh\necho "$@"\n' >"$SCRATCH/bin/sbatch"
chmod +x "$SCRATCH/bin/sbatch"
(
    cd "$SCRATCH/site" && touch my.yaml && echo lat.1.h5 >list.txt
    export PATH="$SCRATCH/bin:$PATH"
    sed -n '/^## Another machine/,/^## Settings/s/^    //p' jobscripts/README.md >commands && . ./commands
    jobscripts/array.sh mysite my.yaml list.txt
) >"$SCRATCH/said" 2>&1
grep -q "^-j8 GPU=cuda" "$SCRATCH/said" || complain "no build: $(cat "$SCRATCH/said")"
grep -q "^jobscripts/mysite.slurm my.yaml --set run.placement=true$" "$SCRATCH/said" || complain "no job: $(cat "$SCRATCH/said")"
grep -q -- "--gpus-per-node=4.*jobscripts/array.slurm mysite my.yaml" "$SCRATCH/said" || complain "no array: $(cat "$SCRATCH/said")"
bash -n "$SCRATCH/site/jobscripts/mysite.slurm" || complain "mysite.slurm is no script"
grep -q "^\. jobscripts/machines/mysite.sh" "$SCRATCH/site/jobscripts/mysite.slurm" || complain "mysite.slurm reads another machine's file"
rm "$SCRATCH/bin/sbatch"
verdict a_machine_of_the_users_own_is_two_files

limit=$(SLURM_JOB_END_TIME=$(($(date +%s) + 1000)) SLURM_SUBMIT_DIR=. bash -c '. jobscripts/common.sh; naik_run() { echo "$@"; }; naik_solve in.yaml a')
[[ $limit =~ ^solve\ in.yaml\ --skip-complete\ --set\ run.wall_limit=8[78][0-9]\ a$ ]] || complain "wall limit: $limit"
limit=$(SLURM_SUBMIT_DIR=. bash -c '. jobscripts/common.sh; naik_run() { echo "$@"; }; naik_solve in.yaml a')
[ "$limit" = "solve in.yaml --skip-complete a" ] || complain "wall limit without a known end: $limit"
for words in "nowhere 1" "perlmutter one"; do
    jobscripts/weak_scaling.sh $words >"$SCRATCH/said" 2>&1 && complain "weak_scaling.sh took '$words'"
    [ "$(wc -l <"$SCRATCH/said")" = 1 ] || complain "weak_scaling.sh $words: $(cat "$SCRATCH/said")"
done
verdict scripts_refuse_what_they_cannot_do_with_one_sentence

# Who has little time is told that the signal comes at once.
said=$(SLURM_JOB_END_TIME=$(($(date +%s) + 400)) SLURM_SUBMIT_DIR=. bash -c '. jobscripts/common.sh; naik_run() { :; }; naik_solve in.yaml')
[[ $said =~ ^"this job ends in "(39[0-9]|400)" s, and Slurm's signal to stop comes 300 s before the end" ]] || complain "little time: $said"
said=$(SLURM_JOB_END_TIME=$(($(date +%s) + 1000)) SLURM_SUBMIT_DIR=. bash -c '. jobscripts/common.sh; naik_run() { :; }; naik_solve in.yaml')
[ -z "$said" ] || complain "enough time: $said"
verdict a_job_with_little_time_is_told_so

# Lists as people write them: blanks, comments, the line ends of other systems. Two configurations of one name would share an output.
mkdir -p "$SCRATCH/list/a" "$SCRATCH/list/b"
cp -r jobscripts "$SCRATCH/list"
printf '#!/bin/sh\necho "$NAIK_ENDED_JOBS" >>jobs\necho $((10 + $(wc -l <jobs)))\n' >"$SCRATCH/bin/sbatch"
chmod +x "$SCRATCH/bin/sbatch"
(
    cd "$SCRATCH/list" && touch my.yaml a/lat.h5 b/lat.h5 lat.1.h5 "with blank"
    export PATH="$SCRATCH/bin:$PATH"
    printf ' # none\n\n  a/lat.h5 \t\r\nwith blank\n\t\nlat.1.h5\n' >good
    printf 'lat.1.h5\ngone.h5\nlost.h5\n' >gone
    printf 'a/lat.h5\nlat.1.h5\nb/lat.h5\n' >twice
    . jobscripts/list.sh
    naik_configurations good | cat -A
    naik_configurations good | while read -r name; do OUTPUT_DIR=out naik_output "$name"; done
    for list in good gone twice; do jobscripts/array.sh perlmutter my.yaml $list; echo "$list: $?"; done 2>&1
    rm jobs && jobscripts/chain.sh 3 script && cat jobs
) >"$SCRATCH/said"
rm "$SCRATCH/bin/sbatch"
cat >"$SCRATCH/want" <<'END'
a/lat.h5$
with blank$
lat.1.h5$
out/lat.h5
out/with blank.h5
out/lat.1.h5
11
good: 0
2 of 3 configurations cannot be read now, the first of them gone.h5: a job whose configuration still cannot be read ends with exit status 1
12
gone: 0
twice has several configurations whose propagators would go to props/lat.h5: list each once, and submit those of the same name from other folders with another OUTPUT_DIR
twice: 1
11
12
13

11
11,12
END
diff "$SCRATCH/said" "$SCRATCH/want" || complain "lists and chains"
verdict lists_are_read_as_people_write_them_and_chains_name_the_jobs_before

# A job is put back as often as NAIK_RESTARTS says, and only after a stop before its wall time.
for row in "5 0 2 yes" "5 1 2 yes" "5 2 2 no" "5 3 2 no" "1 0 2 no" "137 0 2 no" "2 0 2 no" "0 0 2 no" "5 19 '' yes" "5 20 '' no"; do
    eval "set -- $row"
    said=$(
        SLURM_SUBMIT_DIR=. && . jobscripts/common.sh
        scontrol() { echo "$@"; }
        sleep() { :; }
        SLURM_JOB_ID=7 SLURM_RESTART_COUNT=$2 NAIK_RESTARTS=$3 naik_end "$1"
    )
    status=$?
    [ "$status" = "$1" ] || complain "naik_end $row ended with $status"
    continues="naik ended with status $1 before its output was complete: the same submission continues it"
    case $4$1$said in yes*"requeue 7" | no[01] | "no5$continues" | "no137$continues" | "no2$continues") ;; *) complain "naik_end $row: $said" ;; esac
done
verdict a_job_goes_back_into_the_queue_as_often_as_it_may

# Efficiency: of a fixed box the ratio of times, of a fixed lattice that of time x ranks.
for point in "weak 1 2 8" "weak 2 8 10" "strong 1 2 12" "strong 1 2 8" "strong 1 2 7" "strong 2 8 4"; do
    set -- $point
    printf '{"bench": "cg", "mode": "%s", "nodes": %d, "ranks": %d, "us_per_iteration": %d, "local": [4], "size": [8], ' "$@"
    echo '"precision": "single", "links": "half", "recon": 18, "nrhs": 1, "action": "hisq", "device": "x", "rank_mean_us": 3, "rank_max_us": 4}'
done >"$SCRATCH/points.jsonl"
"${PYTHON:-python3}" jobscripts/collect_scaling.py "$SCRATCH/points.jsonl" >"$SCRATCH/said"
for row in "| 1 | 2 | 1 | 8.0 | 8.0 | 8.0 | 0.75 | 1.000 |" "| 2 | 8 | 1 | 10.0 | 10.0 | 10.0 | 0.75 | 0.800 |" \
    "| 1 | 2 | 3 | 8.0 | 7.0 | 12.0 | 0.75 | 1.000 |" "| 2 | 8 | 1 | 4.0 | 4.0 | 4.0 | 0.75 | 0.500 |"; do
    grep -qF "$row" "$SCRATCH/said" || complain "$row is not in: $(cat "$SCRATCH/said")"
done
verdict a_table_of_scaling_has_medians_and_efficiencies

# ---- the cluster

for tool in slurmctld slurmd sbatch munged; do
    command -v $tool >/dev/null || skip "$tool is not installed (slurm-wlm, munge)"
done
[ "$(id -u)" = 0 ] || skip "needs root"
[ -n "${PYTHON:-}" ] || skip "no Python with h5py"
ldd "$NAIK" | grep -q libmpich && skip "Slurm starts ranks of Open MPI here (pmix), not of MPICH"
. tests/slurm/cluster.sh
cluster=$(mktemp -d /tmp/naik-slurm.XXXXXX)
trap 'cluster_stop; rm -rf "$cluster"' EXIT
trap 'exit 1' TERM INT
cluster_start "$cluster" || {
    tail -n 5 "$cluster"/*.log "$cluster"/*.out
    skip "no cluster on this machine"
}

# A submit folder as a user has it: naik's, with results of its own.
work=$SCRATCH/work
mkdir -p "$work/build" "$work/ranks"
ln -s "$top/jobscripts" "$work/jobscripts"
# The ranks of a job that was submitted with HELD=yes leave word of themselves and wait to be let go.
cat >"$work/build/naik" <<END
#!/bin/sh
if [ "\${HELD:-}" = yes ]; then
    echo \$\$ >"ranks/\$SLURM_JOB_ID.\$SLURM_PROCID"
    until [ -e "ranks/go.\$SLURM_JOB_ID" ]; do sleep 0.1; done
fi
exec "$NAIK" "\$@"
END
chmod +x "$work/build/naik"
cd "$work" || exit 1
export NAIK_BACKEND=cpu OMP_NUM_THREADS=1
cluster_mpi
unset NAIK # the scripts find the program in the folder

for seed in 1 2 3; do
    $MPIRUN -n 2 build/naik gauge generate --size 4,8,8,8 --beta 6 --seed $seed --sweeps 2 \
        -o lat.$seed.h5 >/dev/null || complain "no configuration"
done
# Masses that take a while: a job must not be over before its first solve is seen.
cat >run.yaml <<'END'
lattice: {size: [4, 8, 8, 8]}
gauge: {file: lat.1.h5}
action: {type: hisq}
solve:
  - {name: pt, masses: [0.03, 0.06], source: {type: point, origin: [[0, 0, 0, 0], [1, 2, 3, 4], [2, 4, 6, 1], [3, 1, 5, 7]]}}
solver: {tolerance: 1e-9, batch: 1}
output: {file: run.h5, correlators: [pion5]}
END

# The same with one source, for jobs that nobody holds.
sed 's/origin: .*]]}}/origin: [0, 0, 0, 0]}}/' run.yaml >brief.yaml

field() { timeout 10 scontrol -o show job "$1" 2>/dev/null | head -n 1 | grep -o "\b$2=[^ ]*" | cut -d = -f 2; }
patience=300 # seconds until something that takes seconds is said to hang
# Waits until the job is over, and says how: COMPLETED 0:0
wait_job() { # wait_job JOB
    local end=$((SECONDS + patience)) state=
    while [ $SECONDS -lt $end ]; do
        state=$(field "$1" JobState)
        case "$state" in PENDING | RUNNING | COMPLETING | REQUEUED | CONFIGURING | '') sleep 0.5 ;; *) break ;; esac
    done
    echo "$state $(field "$1" ExitCode)"
}
expect_job() { # expect_job JOB "STATE CODE" OUTPUT
    local end
    end=$(wait_job "$1")
    [ "$end" = "$2" ] || { complain "job $1 ended as $end, not as $2:" && tail -n 20 $3 2>/dev/null; }
}
wait_for() { # wait_for COMMAND...: until the command succeeds
    local end=$((SECONDS + patience))
    until "$@"; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.2
    done
}
# Every byte under /prop and /corr is the same in two files.
same() { # same A B
    "$PYTHON" - "$1" "$2" <<'END' || complain "$1 and $2 differ"
import sys, h5py
def found(name):
    all = {}
    with h5py.File(name) as f:
        for group in ("prop", "corr"):
            f[group].visititems(lambda key, item: all.__setitem__(group + key, item[...].tobytes())
                                if isinstance(item, h5py.Dataset) else None)
    return all
a, b = found(sys.argv[1]), found(sys.argv[2])
sys.exit(a != b or len(a) < 4)
END
}

pm=$(sbatch --parsable jobscripts/perlmutter.slurm run.yaml --set output.file=pm.h5 \
    --set run.placement=true)
jb=$(sbatch --parsable jobscripts/juwels-booster.slurm brief.yaml --set output.file=jb.h5)
lu=$(sbatch --parsable jobscripts/lumi-g.slurm brief.yaml --set output.file=lu.h5)
nogpu=$(NAIK_BACKEND= sbatch --parsable jobscripts/perlmutter.slurm run.yaml --set output.file=nogpu.h5)
expect_job "$pm" "COMPLETED 0:0" "naik-$pm.out"
expect_job "$jb" "COMPLETED 0:0" "naik-$jb.out"
expect_job "$lu" "COMPLETED 0:0" "naik-$lu.out"
grep -q "4 ranks" "naik-$pm.out" || complain "perlmutter.slurm started not 4 ranks"
[ "$(grep -cE "^rank [0-3]: host .*, numa -1, cpus [0-9]" "naik-$pm.out")" = 4 ] ||
    complain "$(head -n 12 "naik-$pm.out")"
grep -q "4 ranks" "naik-$jb.out" || complain "juwels-booster.slurm started not 4 ranks"
grep -q "8 ranks" "naik-$lu.out" || complain "lumi-g.slurm started not 8 ranks"
verdict machine_scripts_run_unchanged
same jb.h5 lu.h5
verdict four_and_eight_ranks_write_the_same_bytes
expect_job "$nogpu" "FAILED 1:0" "naik-$nogpu.out"
grep -q "no GPU" "naik-$nogpu.out" || complain "$(cat "naik-$nogpu.out")"
[ ! -e nogpu.h5 ] || complain "a propagator was made without a GPU"
verdict production_scripts_fail_without_a_gpu

# The ranks are held still from the first solve until the signal has come, so that a fast machine
# and a slow one do the same. The signal comes up to 30 s before it is due, at Slurm's next look.
ranks_of() { # ranks_of JOB: process ids, once all four have started
    local pids
    pids=$(cat ranks/"$1".[0-3] 2>/dev/null)
    [ "$(wc -w <<<"$pids")" = 4 ] && echo $pids
}
signalled() { # signalled PIDS...: SIGUSR1 (bit 9) waits in every rank, or one has gone by it
    local pid
    for pid in "$@"; do
        [ -e "/proc/$pid" ] || return 0 # Slurm had woken it, and it has heard the signal
        [ $((0x$(sed -n 's/^ShdPnd:\t*//p' "/proc/$pid/status") & 512)) != 0 ] || return 1
    done
}
# The ranks run a moment at a time: what they say comes late, through Slurm, and all could be over by then.
held= # process ids: a job that starts again has others
hold() { # hold JOB OUTPUT: lets the ranks go, and stops them after their first solve
    local end
    wait_for ranks_of "$1" >/dev/null || { complain "no four ranks of job $1" && return; }
    held=$(ranks_of "$1")
    touch "ranks/go.$1"
    end=$((SECONDS + patience))
    while kill -STOP $held && [ $SECONDS -lt $end ]; do
        sleep 0.1
        grep -qs "^solve 1/" "$2" && return
        kill -CONT $held
        sleep 0.04
    done
    complain "no first solve in $2 while the ranks were there"
}
wall=$(HELD=yes sbatch --parsable --time=4 --signal=USR1@149 jobscripts/perlmutter.slurm run.yaml --set output.file=wall.h5)
hold "$wall" "naik-$wall.out"
(wait_for signalled $held && kill -CONT $held 2>/dev/null) & # Slurm may have woken the ranks itself
watch=$!

# Meanwhile, on the other nodes: chained jobs; the first is signalled by hand.
chain=($(HELD=yes jobscripts/chain.sh 3 jobscripts/juwels-booster.slurm run.yaml --set output.file=chain.h5))
[ ${#chain[@]} = 3 ] || complain "chain.sh printed ${chain[*]}"
touch "ranks/go.${chain[1]}" "ranks/go.${chain[2]}"
hold "${chain[0]}" "naik-${chain[0]}.out"
scancel --signal=USR1 "${chain[0]}"
wait_for signalled $held || complain "no signal in job ${chain[0]}"
kill -CONT $held 2>/dev/null
expect_job "${chain[0]}" "FAILED 5:0" "naik-${chain[0]}.out"
expect_job "${chain[1]}" "COMPLETED 0:0" "naik-${chain[1]}.out"
expect_job "${chain[2]}" "CANCELLED 0:0" "naik-${chain[2]}.out"
grep -q "^resuming: " "naik-${chain[1]}.out" || complain "the second job of the chain did not resume"
same pm.h5 chain.h5
verdict chained_jobs_continue_and_end

# ---- an array over a list, twice, on the node that the held job leaves
printf '# three configurations\nlat.1.h5\nlat.2.h5\n\nlat.3.h5\n' >list.txt
over() { [ -z "$(timeout 10 squeue -h -j "$1" 2>/dev/null)" ]; }
array=$(jobscripts/array.sh perlmutter brief.yaml list.txt --time=10)
wait_for over "$array" || complain "the array did not end"
for i in 1 2 3; do
    [ -e props/lat.$i.h5 ] || { complain "no props/lat.$i.h5" && tail -n 5 "naik-array-${array}_$i.out"; }
done
same jb.h5 props/lat.1.h5
before=$(stat -c %Y.%s props/*.h5)
again=$(AT_ONCE=2 jobscripts/array.sh perlmutter brief.yaml list.txt --time=10)
wait_for over "$again" || complain "the second array did not end"
for i in 1 2 3; do
    grep -q "skipped" "naik-array-${again}_$i.out" || complain "$(cat "naik-array-${again}_$i.out")"
done
[ "$before" = "$(stat -c %Y.%s props/*.h5)" ] || complain "the second array wrote"
verdict an_array_solves_every_configuration_once

# A signal that came while the ranks ran a moment has been taken already: what follows shows whether it came.
wait "$watch"
expect_job "$wall" "COMPLETED 0:0" "naik-$wall.out"
grep -q "goes back into the queue" "naik-$wall.out" || complain "the job did not requeue itself"
grep -q "^resuming: " "naik-$wall.out" || complain "the job did not resume"
[ "$(field "$wall" Restarts)" -ge 1 ] || complain "Slurm counted no restart"
verdict a_wall_time_signal_requeues_the_job
same pm.h5 wall.h5
verdict a_requeued_job_writes_the_same_bytes

# ---- the scaling study, on one node and on two
study=($(LOCAL=4,4,4,4 PRECISIONS=single:half NRHS=1,2 ITERATIONS=5 REPEAT=3 TIME=5 \
    jobscripts/weak_scaling.sh perlmutter 1 2))
[ ${#study[@]} = 2 ] || complain "weak_scaling.sh printed ${study[*]}"
for i in 0 1; do
    expect_job "${study[i]}" "COMPLETED 0:0" "scaling/perlmutter-$((i + 1))-${study[i]}.out"
done
jobscripts/collect_scaling.py scaling/*.jsonl >table.txt || complain "no table"
grep -q "^weak, 4x4x4x4 a rank, vectors single, links half recon 18, nrhs 2" table.txt || complain "$(cat table.txt)"
[ "$(grep -cE '^\| 1 \| 4 \| 3 \| .* \| 1\.000 \|$' table.txt)" = 2 ] || complain "$(cat table.txt)"
[ "$(grep -cE '^\| 2 \| 8 \| 3 \| ' table.txt)" = 2 ] || complain "$(cat table.txt)"
grep -q '"grid": \[1, 2, 2, 2\], "nodes": 2, "ranks": 8' scaling/perlmutter-2-*.jsonl || complain "$(cat scaling/perlmutter-2-*.jsonl)"
verdict the_scaling_study_makes_its_table
if "$PYTHON" -c 'import matplotlib' 2>/dev/null; then
    "$PYTHON" jobscripts/collect_scaling.py scaling/*.jsonl --plot scaling.png >/dev/null || complain "no plot"
    [ -s scaling.png ] || complain "an empty plot"
    verdict the_scaling_study_makes_its_plot
else
    echo "SKIP the_scaling_study_makes_its_plot: no matplotlib"
fi

cluster_stop
left=$(for name in munged slurmctld slurmd slurmstepd naik; do
    grep -lsx "$name" /proc/[0-9]*/comm
done | sed 's/comm$/environ/' | xargs -r grep -lsF "$cluster/slurm.conf")
[ -z "$left" ] || complain "daemons left: $left"
verdict nothing_of_the_cluster_is_left
[ -z "$failures" ]
