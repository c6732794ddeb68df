#!/usr/bin/env bash
# Installs what naik needs and this machine lacks; silent and without any call to apt-get when
# nothing is missing. `make demo` and `make check` call it. The MPI is the one that $MPICC names.
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/env.sh

MPICC=${MPICC:-mpicc}
mpi=openmpi
case "$MPICC" in *mpich*) mpi=mpich ;; esac

missing=() # in words, for machines where this script cannot install
packages=()

need() { # need WORDS PACKAGES...   (call it when WORDS are missing)
    missing+=("$1")
    shift
    packages+=("$@")
}
have() { command -v "$1" >/dev/null 2>&1; }
have_header() { [ -e "/usr/include/$1" ] || printf '#include <%s>\n' "$1" | "$MPICC" -E - >/dev/null 2>&1; }

have make || need "make" make
have cc || have gcc || have clang || need "a C compiler" gcc libc6-dev
[ -e /usr/include/stdio.h ] || [ ! -e /etc/debian_version ] || need "the C library's headers" libc6-dev
if [ "$mpi" = mpich ]; then
    have "$MPICC" || need "MPI ($MPICC)" mpich libmpich-dev
else
    { have "$MPICC" && have "${MPIRUN%% *}"; } ||
        need "MPI ($MPICC and its launcher)" openmpi-bin libopenmpi-dev
fi
# A config.mk, HDF5_DIR or a compiler wrapper that knows its libraries speaks for itself.
case "${HDF5_DIR:-}$(grep -s HDF5 config.mk)$MPICC" in
mpicc | mpicc.openmpi | mpicc.mpich)
    have pkg-config || need "pkg-config" pkg-config
    { have pkg-config && pkg-config --exists "hdf5-$mpi"; } || { [ "$mpi" = openmpi ] && have h5pcc; } ||
        need "parallel HDF5" "libhdf5-$mpi-dev"
    ;;
esac
grep -qs YAML config.mk || have_header yaml.h || need "libyaml" libyaml-dev
have_header zlib.h || need "zlib" zlib1g-dev
find_python h5py matplotlib >/dev/null ||
    need "Python with h5py and matplotlib (for the demo's plot and some tests)" python3-h5py python3-matplotlib

[ ${#missing[@]} -eq 0 ] && exit 0

as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
if have apt-get && { [ -z "$as_root" ] || have sudo; }; then
    echo "installing: ${packages[*]}"
    log=$(mktemp)
    export DEBIAN_FRONTEND=noninteractive
    if $as_root apt-get update >"$log" 2>&1 &&
        $as_root apt-get install -y --no-install-recommends "${packages[@]}" >>"$log" 2>&1; then
        rm -f "$log"
        exit 0
    fi
    tail -n 20 "$log" >&2
    echo "apt-get failed (whole log: $log)" >&2
    exit 1
fi
{
    echo "This machine lacks:"
    printf '  %s\n' "${missing[@]}"
    cat <<'END'
Load the modules of your centre that provide them (a compiler, MPI, parallel HDF5, Python), for example
  Perlmutter       module load PrgEnv-gnu cudatoolkit craype-accel-nvidia80 cray-hdf5-parallel cray-python
  JUWELS Booster   module load GCC CUDA OpenMPI MPI-settings/CUDA HDF5 libyaml h5py matplotlib
  LUMI             module load LUMI partition/G PrgEnv-gnu rocm cray-hdf5-parallel cray-python
name the compiler in config.mk (config.mk.example explains), and run the same command again.
END
} >&2
# Python only draws the plot: what computes can go on without it.
case "${missing[*]}" in "Python with"*) exit 0 ;; esac
exit 1
