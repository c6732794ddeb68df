# shellcheck shell=bash
# A list of configurations, for array.sh and its jobs: a path a line; empty lines and lines that begin with # are none.
#
#   naik_configurations LIST       the paths, without blanks around them
#   naik_output CONFIGURATION      where its propagators go
naik_configurations() { sed 's/^[[:space:]]*//; s/[[:space:]]*$//; /^#/d; /^$/d' "$1"; }

naik_output() {
    local name=${1##*/}
    echo "${OUTPUT_DIR:-props}/${name%.h5}.h5"
}
