#!/usr/bin/env bash
# The program as its user types it: help, version, mistakes with their sentence and exit status.
# timeout: 240
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit 1
. tools/env.sh
NAIK=${NAIK:-$top/build/naik}
case "$NAIK" in /*) ;; *) NAIK=$top/$NAIK ;; esac
SCRATCH=${SCRATCH:-$(mktemp -d)}
cd "$SCRATCH" || exit 1
failures=0 failed=0

alone() { env ${TESTS_ALONE-} "$NAIK" "$@"; }
complain() { # complain WHAT EXPECTED GOT
    printf '  %s:\n    expected %s\n    got      %s\n' "$1" "$2" "$3"
    failed=1
}
verdict() { # verdict NAME: of everything since the last verdict
    if [ "$failed" = 0 ]; then echo "PASS $1"; else echo "FAIL $1" && failures=1; fi
    failed=0
}
refuses() { # refuses SENTENCE ARGUMENT...: one line on standard error, nothing beside, status 1
    local sentence=$1 status
    shift
    alone "$@" >out 2>err
    status=$?
    [ "$status" = 1 ] || complain "exit status of naik $*" 1 "$status"
    [ "$(cat err)" = "naik: error: $sentence" ] ||
        complain "naik $*" "naik: error: $sentence" "$(cat err)"
    [ ! -s out ] || complain "standard output of naik $*" "nothing" "$(head -n 3 out)"
}
shows() { # shows TEXT ARGUMENT...: TEXT is in standard output, status 0, no line above 100 columns
    local text=$1 status
    shift
    alone "$@" >out 2>err
    status=$?
    [ "$status" = 0 ] || complain "exit status of naik $*" 0 "$status"
    grep -qF -- "$text" out || complain "naik $*" "... $text ..." "$(head -n 3 out)"
    [ ! -s err ] || complain "standard error of naik $*" "nothing" "$(cat err)"
    awk 'length > 100 { exit 1 }' out || complain "naik $*" "at most 100 columns" "more"
}

shows "naik COMMAND --help" --help
shows "naik - staggered, Wilson, clover and twisted-mass quark propagators" --help
shows "Exit status: 0 done" -h
shows "naik solve INPUT.yaml" help solve
shows "source.momentum" help solve
shows "gaussian, random_wall, file, random_volume, covariant_gaussian" help solve
shows "naik gauge generate" gauge --help
shows "naik gauge generate" gauge generate --help
shows "naik links INPUT.yaml" links --help
shows "naik info FILE" help info
shows "naik bench dslash" help bench
shows "naik import-milc INPUT" import-milc --help
shows "naik report FILE.h5" report --help
shows "naik 0." --version
verdict help_and_version_are_printed

refuses "no command given; 'naik --help' lists them"
refuses "unknown command 'guage'; did you mean 'naik gauge'?" guage check x
refuses "unknown command 'frobnicate'; 'naik --help' lists the commands" frobnicate
refuses "unknown option '--verson'; did you mean 'naik --version'?" --verson
refuses "there is no help on 'solver'; did you mean 'naik solve --help'?" help solver
refuses "naik links: INPUT.yaml is missing; 'naik links --help' has examples" links -o f.h5
refuses "naik links: unknown option '--outptu'; did you mean '--output'?" links a --outptu f.h5
refuses "naik links: option '--set' may be given at most 64 times" links a -o f.h5 $(printf -- "--set a=1 %.0s" $(seq 65))
refuses "missing.yaml cannot be opened: No such file or directory" links missing.yaml -o f.h5
refuses "/ cannot be read: Is a directory" links / -o f.h5
verdict mistyped_commands_end_with_one_sentence

# test_params.c sees every bad input in one process; here the program ends over one in eight of them,
# over all with make check-long.
sed -e '/^#/d' -e '/^----$/,$d' "$top/tests/bad_inputs.txt" >good.yaml
base=$(cat good.yaml)
rows=0
while IFS= read -r from && IFS= read -r to && IFS= read -r sentence && IFS= read -r _; do
    rows=$((rows + 1))
    [ -n "${NAIK_TEST_LONG:-}" ] || [ $((rows % 8)) = 0 ] || continue
    from=$(printf '%b' "$from") to=$(printf '%b' "$to")
    printf '%s\n' "${base/"$from"/"$to"}" >input.yaml
    refuses "$sentence" solve input.yaml --dry-run
done < <(sed '1,/^----$/d' "$top/tests/bad_inputs.txt" | sed '1d;/^----$/,$d')
[ "$rows" -ge 100 ] || complain "rows of bad_inputs.txt" "at least 100" "$rows"
verdict bad_inputs_end_with_their_sentence_and_status_1

# The mistakes about files: what is in them decides, so the whole program runs. A damaged file is the
# one that only the run itself notices. "[rank 0, io/h5/h5.c:1]" is not part of the sentence.
flip() { # flip FILE OFFSET: one bit
    local byte
    byte=$(od -An -tu1 -j"$2" -N1 "$1")
    printf '%b' "$(printf '\\%03o' $((byte ^ 4)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
alone gauge generate --size 8,8,8,16 --beta 6 --sweeps 1 -o lat.h5 >out || complain "lat.h5" made "$(cat out)"
alone gauge generate --size 8,8,8,16 --beta 6 --sweeps 0 -o unit.h5 >out || complain "unit.h5" made "$(cat out)"
alone gauge generate --size 4,4,4,8 --beta 6 --sweeps 1 -o small.h5 >out || complain "small.h5" made "$(cat out)"
sed -e 's/\[8, 8, 8, 16\]/[4, 4, 4, 8]/' -e 's/lat.h5/small.h5/' good.yaml >small.yaml
alone links small.yaml -o links.h5 >out || complain "links.h5" made "$(cat out)"
head -c 300000 lat.h5 >cut.h5 && cp lat.h5 flipped.h5 && flip flipped.h5 3000000
alone gauge convert small.h5 small.ildg --to ildg >out || complain "small.ildg" made "$(cat out)"
head -c 100000 small.ildg >cut.ildg && sed s/complete/complets/ lat.h5 >undone.h5
echo "hello" >text && : >empty && mkdir folder begun.part && mkfifo fifo
rows=0
while IFS= read -r from && IFS= read -r to && read -r status sentence && IFS= read -r _; do
    rows=$((rows + 1))
    from=$(printf '%b' "$from") to=$(printf '%b' "$to")
    printf '%s\n' "${base/"$from"/"$to"}" >input.yaml
    case "$from$to" in
    *flipped*) hows="--dry-run --fresh" ;;
    "file: out"*links.h5) hows=--dry-run ;;
    "file: out"*) hows="--dry-run --fresh" ;;
    *unit.h5*) hows=--fresh ;; # what the links lead to is seen when they are used
    *) hows=--dry-run ;;
    esac
    for how in $hows; do
        alone solve input.yaml $how >out 2>err
        got="$? $(sed 's/ \[rank 0, [^]]*\]$//' err | tail -n 1)"
        expected="$status naik: error: $sentence"
        case "$expected" in *...) expected=${expected%...} got=${got:0:${#expected}} ;; esac
        [ "$got" = "$expected" ] || complain "naik solve $how with $to" "$status $sentence" "$got"
        [ ! -e out.h5 ] || complain "naik solve $how with $to" "no output" "out.h5"
        rm -f out.h5.part out.h5.journal
    done
done < <(sed '1,/^----$/d' "$top/tests/bad_inputs.txt" | sed '1,/^----$/d' | sed 1d && echo)
[ "$rows" -ge 20 ] || complain "rows about files" "at least 20" "$rows"
verdict bad_files_end_with_their_sentence_and_status

# A name that leads nowhere is the user's mistake, whoever looks at it.
ln -s loop loop
while IFS='|' read -r words sentence; do
    # shellcheck disable=SC2086
    alone $words >out 2>err
    got="$? $(sed 's/ \[rank 0, [^]]*\]$//' err | tail -n 1)"
    [ "$got" = "1 naik: error: $sentence" ] || complain "naik $words" "$sentence" "$got"
done <<'END'
info -- --help|there is no file '--help'
info loop|'loop' cannot be looked at: Too many levels of symbolic links
gauge check loop|cannot open the gauge configuration 'loop': Too many levels of symbolic links
solve good.yaml --set output.file=loop|loop is a symbolic link to nothing: remove the link, or choose another name
END
verdict names_that_lead_nowhere_are_refused_with_status_1

# A user who is not root, as most are, and folders that are closed to him.
as_user=
[ "$(id -u)" != 0 ] || as_user="setpriv --reuid=65534 --regid=65534 --clear-groups"
mkdir closed shut && cp good.yaml input.yaml && chmod 555 closed && chmod 711 . && chmod 000 shut
if $as_user test -x "$NAIK" -a -r lat.h5 -a ! -w closed 2>err; then
    for row in "closed is not writable: Permission denied" "shut is not writable: Permission denied" \
        "shut/in cannot be used: Permission denied"; do
        for how in --dry-run --fresh; do
            $as_user "$NAIK" solve input.yaml $how --set "output.file=${row%% *}/o.h5" >out 2>err
            got="$? $(sed 's/ \[rank 0, [^]]*\]$//' err | tail -n 1)"
            expected="1 naik: error: the folder ${row%% *} of ${row%% *}/o.h5 ${row#* }"
            [ "$got" = "$expected" ] || complain "naik solve $how as another user" "$expected" "$got"
        done
    done
    verdict folders_that_are_closed_are_refused_before_the_work
    sed 's/{type: corner_wall, t0: 0}/{type: file, file: own.h5}/' good.yaml >vector.yaml
    cp lat.h5 own.h5 && cp input.yaml own.yaml && chmod 000 own.h5 own.yaml
    while IFS='|' read -r words sentence; do
        # shellcheck disable=SC2086
        $as_user "$NAIK" $words >out 2>err
        got="$? $(tail -n 1 err)"
        [ "$got" = "1 naik: error: $sentence: Permission denied" ] || complain "naik $words" "$sentence" "$got"
    done <<'END'
solve own.yaml --dry-run|own.yaml cannot be opened
solve input.yaml --dry-run --set gauge.file=own.h5|cannot open the gauge configuration 'own.h5'
solve vector.yaml --dry-run|cannot open the file of vectors 'own.h5'
gauge check own.h5|cannot open the gauge configuration 'own.h5'
info own.h5|cannot open the gauge configuration 'own.h5'
END
    verdict files_that_may_not_be_read_are_named
else
    echo "SKIP folders_that_are_closed_are_refused_before_the_work: no other user can run naik here"
fi
chmod 755 closed shut

# What nobody can read is no success: a full disk behind standard output, or none at all.
sed 's/out.h5/whole.h5/' small.yaml >whole.yaml
unheard() { # unheard REASON ARGUMENT...: standard output is on descriptor 3
    local reason=$1 status
    shift
    alone "$@" 2>err >&3
    status=$?
    [ "$status" = 2 ] || complain "exit status of naik $*, unheard" 2 "$status"
    [ "$(tail -n 1 err | sed 's/ \[rank 0, [^]]*\]$//')" = "naik: error: standard output cannot be written: $reason" ] ||
        complain "naik $*, unheard" "... cannot be written: $reason" "$(cat err)"
}
for command in --version --help "help solve" "links --help" "info small.h5" "info small.h5 --json" \
    "gauge check small.h5" "gauge convert small.h5 again.h5" "solve whole.yaml --dry-run" "solve whole.yaml" \
    "report whole.h5" "export whole.h5 --to usqcd -o whole" \
    "bench model --machine perlmutter --local 32,32,32,32"; do
    # shellcheck disable=SC2086
    unheard "No space left on device" $command 3>/dev/full
done
alone solve whole.yaml --fresh 2>err >&-
[ $? = 2 ] && grep -q "standard output cannot be written: Bad file descriptor" err ||
    complain "naik solve without standard output" 2 "$(cat err)"
alone info whole.h5 >out 2>err || complain "the output of naik solve without standard output" whole "$(cat err)"
verdict what_cannot_be_printed_ends_with_status_2

# Outputs are never written over what is no file, and are looked at before the work.
mknod null c 1 3 2>err && for command in "gauge generate --size 4,4,4,4 --beta 6 -o null" "gauge convert small.h5 null" \
    "gauge convert small.h5 null --to milc --precision 32" "links small.yaml -o null"; do
    # shellcheck disable=SC2086
    alone $command >out 2>err
    [ -c null ] && grep -q "null is there already and is no regular file" err ||
        complain "naik $command" "a refusal" "$(cat err)"
    grep -q sweep out && complain "naik $command" "a refusal before the sweeps" "$(head -n 1 out)"
done
verdict outputs_replace_nothing_but_files

# What a command reads it does not write over, whatever name that has.
ln -s small.h5 other-name && ln whole.h5 second-name && sha256sum small.h5 whole.h5 small.yaml whole.yaml >sums
while IFS='|' read -r name output words; do
    # shellcheck disable=SC2086
    refuses "'$name' is '$output', which is read as input" $words
done <<'END'
OUT|other-name|gauge convert small.h5 other-name
-o|./small.h5|links small.yaml -o ./small.h5
-o|small.yaml|links small.yaml -o small.yaml
-o|second-name|report whole.h5 -o second-name
-o|whole.h5|export whole.h5 --source 0 --mass 0 -o whole.h5
output.file|whole.yaml|solve whole.yaml --set output.file=whole.yaml --fresh
run.events|other-name|solve whole.yaml --set run.events=other-name
END
sha256sum --status -c sums || complain "files that were read" "as they were" "$(sha256sum -c sums 2>&1)"
verdict what_is_read_is_not_written_over

# An output of another input is found before the work, by --dry-run and --skip-complete too.
for how in --dry-run --skip-complete ""; do
    for begun in whole.h5 half.h5.part; do
        [ $begun = whole.h5 ] || mv whole.h5 half.h5.part
        # shellcheck disable=SC2086
        refuses "$begun was begun with the input 'solve.0.masses = [0.05, 0.1]', now it is 'solve.0.masses = [0.3]': go \
back to the first, choose another output.file, or begin again with --fresh" solve whole.yaml $how \
            --set output.file=${begun%.part} --set "solve.0.masses=[0.3]" --set run.threads=1
        grep -q plaquette out && complain "$how" "a refusal before the configuration is read" "$(cat out)"
    done
    mv half.h5.part whole.h5
done
verdict outputs_of_other_inputs_are_found_before_the_work

cp good.yaml input.yaml
refuses "--set solver.tolerence=1: unknown key 'solver.tolerence'; did you mean 'solver.tolerance'?" \
    links input.yaml -o f.h5 --set solver.tolerence=1
NAIK_GRID=2x2 refuses "NAIK_GRID=2x2: expected ranks in each direction, such as 1x1x2x4, or auto" \
    links input.yaml -o f.h5
NAIK_BACKEND=gpux refuses "NAIK_BACKEND=gpux: 'run.backend' must be one of auto, cpu, gpu, not 'gpux'; \
did you mean 'gpu'?" links input.yaml -o f.h5
verdict overrides_and_environment_are_checked

# On several ranks the sentence appears once, and the status reaches the launcher's caller.
$MPIRUN -n 2 "$NAIK" links missing.yaml -o f.h5 >out 2>err
status=$?
[ "$status" = 1 ] || complain "exit status on two ranks" 1 "$status"
count=$(grep -c "naik: error: missing.yaml cannot be opened: No such file or directory" err)
[ "$count" = 1 ] || complain "sentences on two ranks" 1 "$count"
$MPIRUN -n 2 "$NAIK" --version >out 2>err
count=$(grep -c "^naik 0" out)
[ "$count" = 1 ] || complain "versions on two ranks" 1 "$count"
verdict one_rank_speaks_for_all

exit $failures
