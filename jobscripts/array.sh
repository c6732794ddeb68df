#!/bin/bash
# Submits array.slurm over a list of configurations:
#
#     jobscripts/array.sh MACHINE INPUT.yaml LIST [options of sbatch]
#     jobscripts/array.sh lumi-g my.yaml configurations.txt --account=project_1 --nodes=2 --time=6:00:00
#
# AT_ONCE=N runs at most N of them at a time.
set -eu
cd "$(dirname "$0")/.."
[ $# -ge 3 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 1; }
machine=$1 input=$2 list=$3
shift 3
if [ ! -r "jobscripts/machines/$machine.sh" ]; then
    echo "there is no machine '$machine': choose one of $(cd jobscripts/machines && echo *.sh | sed 's/\.sh//g'), or add yours, as jobscripts/README.md says" >&2
    exit 1
fi
for file in "$input" "$list"; do
    [ -r "$file" ] || { echo "$file cannot be read" >&2; exit 1; }
done
module() { :; } # only the options of sbatch are wanted here
. "jobscripts/machines/$machine.sh"
. jobscripts/list.sh
mapfile -t configurations < <(naik_configurations "$list")
count=${#configurations[@]} missing=()
[ "$count" -gt 0 ] || { echo "$list lists no configuration" >&2; exit 1; }
twice=$(for configuration in "${configurations[@]}"; do naik_output "$configuration"; done | sort | uniq -d | head -n 1)
if [ -n "$twice" ]; then
    echo "$list has several configurations whose propagators would go to $twice: list each once, and submit those of the same name from other folders with another OUTPUT_DIR" >&2
    exit 1
fi
for configuration in "${configurations[@]}"; do
    [ -r "$configuration" ] || missing+=("$configuration")
done
if [ ${#missing[@]} -gt 0 ]; then
    echo "${#missing[@]} of $count configurations cannot be read now, the first of them ${missing[0]}: a job whose configuration still cannot be read ends with exit status 1" >&2
fi
sbatch --parsable "${naik_sbatch[@]}" --array="1-$count${AT_ONCE:+%$AT_ONCE}" "$@" \
    jobscripts/array.slurm "$machine" "$input" "$list"
