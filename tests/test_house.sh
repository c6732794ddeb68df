#!/usr/bin/env bash
# The rules of the house that a machine can check. Each check prints what offends, then its verdict.
set -u
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build/cpu}
failures=0

verdict() { # verdict NAME TEXT: passes when TEXT, the list of offenders, is empty
    if [ -z "$2" ]; then
        echo "PASS $1"
    else
        printf '%s\n' "$2" | head -n 25
        echo "FAIL $1"
        failures=$((failures + 1))
    fi
}
sources() { find "$@" -type f \( -name '*.[ch]' -o -name '*.inc' -o -name '*.cu' -o -name '*.cuh' \) 2>/dev/null | sort; }

code=$(sources src include io gpu)
all=$(sources src include io gpu tests)

verdict mpi_is_included_only_in_comm_halo_and_io "$(grep -nE '#[ ]*include[ ]*[<"](mpi|naik/mpi|comm/comm_mpi)\.h' $code |
    grep -vE '^(src/comm/(boxes\.c|comm(_mpi)?\.[ch]|groups\.c)|src/backend/halo\.c|io/[^:]*|include/naik/mpi\.h):')"
verdict hdf5_is_included_only_in_io "$(grep -nE '#[ ]*include[ ]*[<"]H?hdf5' $code | grep -v '^io/')"
# threads.c: there is no pragma for the number of threads of all loops
verdict openmp_is_used_through_pragmas_only "$(grep -nE 'omp\.h|omp_(get|set)_[a-z_]+ *\(' $code | grep -v '^src/comm/threads\.c:')"
# In code; text for people (strings, comments) may say which vendors there are, and MPI asks by name.
verdict vendor_names_stay_in_two_headers "$(grep -niE 'cuda|\bhip|_hip' $code | grep -vE '^gpu/(gpu|order)\.h:' |
    grep -vE '^[^:]*:[0-9]*: *(/\*|\*)' | sed -E 's/"[^"]*"//g; s|/\*.*||; s|//.*||; s/MPIX_[A-Za-z_]*//g' |
    grep -iE ':[0-9]+:.*(cuda|\bhip|_hip)')"
# In code; above the operators the row of a quark is asked (operator/quark.h), not which action it has.
above=$(sources src/run src/session src/plan src/quark src/contract src/correlator src/stored src/input src/keys src/cli src/model io)
verdict no_code_above_the_operators_names_an_action "$(grep -nE 'is_wilson|\bspinors\b|NAIK_INPUT_(NAIVE|ASQTAD|HISQ|LINKS|WILSON|CLOVER|TWISTED)' $above |
    grep -vE '^[^:]*:[0-9]*: *(/\*|\*)' | sed -E 's/"[^"]*"//g; s|/\*.*||' |
    grep -E ':[0-9]+:.*(is_wilson|\bspinors\b|NAIK_INPUT_)')"
# strtod reads a comma where the process has such a locale; base/text.h has another.
verdict numbers_are_read_in_one_file "$(grep -nE '\b(strtod|strtof|strtold|atof) *\(' $(sources src io gpu) | grep -v '^src/base/text\.c:')"
verdict masses_are_looked_up_in_the_input_alone "$(grep -nE '(masses|naik_epsilon)\.data\[' $(sources src io) | grep -v '^src/input/')"
verdict files_have_at_most_600_lines "$(wc -l $all | awk '$2 != "total" && $1 > 600 { print $2 ": " $1 " lines" }')"
verdict folders_have_at_most_30_sources "$(printf '%s\n' $code | xargs -n 1 dirname | sort | uniq -c |
    awk '$1 > 30 { print $2 ": " $1 " sources" }')"
verdict no_file_says_it_is_unfinished "$(grep -nE 'TODO|FIXME|XXX|not (yet )?implemented' $all Makefile inputs/* jobscripts/* 2>/dev/null)"
verdict no_line_has_trailing_space_or_tab "$(grep -nE '[ 	]$|	' $all | cut -c 1-120)"

# Objects in .data or .bss are mutable; .data.rel.ro holds const tables of pointers.
if [ -e "$BUILD/libnaik.a" ] && command -v objdump >/dev/null; then
    verdict the_library_has_no_mutable_globals "$(objdump -t "$BUILD/libnaik.a" | awk '
        /^[^ ]+\.o:/ { object = $1 }
        # value, seven flag characters (the sixth is d for a section itself), section, size, name
        /^[0-9a-f]+ / && substr($0, 23, 1) != "d" {
            section = $(NF - 2)
            # the lock of an omp critical, and what the GPU compilers put beside their kernels
            if ($NF ~ /^\.gomp_critical_|__(cuda|hip|device_stub)|^DW\.ref/) next
            if (section ~ /^(\.bss|\.data|\.tbss|\.tdata|\*COM\*)/ && section !~ /^\.data\.rel\.ro/)
                print object " " $NF " in " section
        }')"
else
    echo "SKIP the_library_has_no_mutable_globals: needs $BUILD/libnaik.a and objdump"
fi

# A binary of the baseline runs on every node: AVX only where the program or the loader has asked the
# processor, in the kernels' tables and in clones (base/clones.h). And all clones give the same bits: no
# product becomes part of a sum that -ffp-contract=off keeps apart.
if [ "$(uname -m)" != x86_64 ] || ! command -v objdump >/dev/null || ! [ -e "$BUILD/libnaik.a" ] ||
    grep -qE -- ' -m(arch|avx|fma|cpu)' "$BUILD/flags"; then
    echo "SKIP only_kernels_and_clones_need_more_than_the_baseline: not x86, no objdump, or OPT names a processor"
else
    found=$(objdump -d --no-show-raw-insn "$BUILD/libnaik.a" | awk '
        /^[^ ]+\.o:/ { object = $1 }
        /^[0-9a-f]+ <.*>:$/ { name = $2; clone = name ~ /\.arch_x86/ }
        $2 ~ /^vfm(addsub|subadd)/ && !contracted[object name]++ { print "contracted: " object " " name " " $2 }
        object ~ /^(kernels|wilson|multigrid)\.(avx2|avx512|scalar_fma)\.o/ || clone { next }
        $2 ~ /^v[a-z]/ && !seen[object name]++ { print object " " name " " $2 }')
    verdict only_kernels_and_clones_need_more_than_the_baseline "$(grep -v '^contracted' <<<"$found")"
    verdict no_clone_contracts_sums_and_products "$(grep '^contracted' <<<"$found")"
fi

if command -v clang-format >/dev/null; then
    verdict clang_format_changes_nothing "$(clang-format -n $(sources src include io gpu tests examples) 2>&1 |
        grep -E 'warning:' | cut -d ' ' -f 1 | sort -u)"
else
    echo "SKIP clang_format_changes_nothing: clang-format is not installed"
fi

# Some headers need flags of their own (HDF5's folder, MPI): take those the build used. What the source beside
# a header includes before anything else has been compiled alone with it.
flags=$(grep -oE -- '-I[^ ]+' "$BUILD/flags" 2>/dev/null | tr '\n' ' ')
headers=$(for header in $(sources src include io | grep '\.h$'); do
    first=$(sed -nE '/^#include/ { s/^#include [<"]([^>"]+).*/\1/p; q }' "${header%.h}.c" 2>/dev/null)
    case "$header" in */"$first") [ -n "$first" ] || echo "$header" ;; *) echo "$header" ;; esac
done)
# simd.h is written for the one file that defines LANES
verdict every_header_compiles_alone "$(${MPICC:-mpicc} -std=c17 -D_GNU_SOURCE -Wall -Wextra -Werror \
    -Wno-unused-function -fsyntax-only -Iinclude -Isrc -I. -DLANES=16 $flags -x c $headers 2>&1 | grep -iE 'error|warning')"

verdict every_file_is_named_in_the_readme_of_its_folder "$(for folder in src src/* src/backend/*/ include io io/*/ gpu gpu/*/ inputs jobscripts packaging python python/naik examples doc tests tests/fuzz tests/mutants tools; do
    [ -d "$folder" ] || continue
    folder=${folder%/}
    files=$(git ls-files "$folder" 2>/dev/null || find "$folder" -type f)
    # the corpus is data; the files of a folder with its own README are named there
    files=$(grep -v '^tests/fuzz/corpus/' <<<"$files")
    [ "$folder" = tests ] && files=$(grep -vE '^tests/(fuzz|mutants)/' <<<"$files")
    case "$folder" in src* | io* | gpu* | python) files=$(grep -E "^$folder/[^/]*\$" <<<"$files") ;; esac
    [ -n "$files" ] || continue
    [ -e "$folder/README.md" ] || { echo "$folder/README.md is missing" && continue; }
    for file in $files; do
        case "$file" in */README.md | tests/results/* | tests/said/* | */.gitkeep) continue ;; esac
        grep -qF "\`$(basename "$file")\`" "$folder/README.md" || echo "$folder/README.md does not name \`$(basename "$file")\`"
    done
done)"
# What has no test is named in tests/untested_messages.txt, which may only become shorter
verdict every_message_has_a_test "$("${PYTHON:-python3}" tests/untested.py 2>&1)"
verdict no_file_names_this_build_machine "$(git ls-files 2>/dev/null |
    xargs -r -d '\n' grep -lE '/(wo)rk/|/(ro)ot/' 2>/dev/null)"

[ "$failures" = 0 ]
