# Sourced by the scripts that start MPI programs or Python: how to do so on this machine.
# Sets MPIRUN (call it as `$MPIRUN -n 2 program`) and PYTHON (empty where h5py is missing).

# The launcher that belongs to the compiler: mpirun beside mpicc, mpirun.mpich beside mpicc.mpich.
if [ -z "${MPIRUN:-}" ]; then
    case "${MPICC:-mpicc}" in
    *mpicc*) MPIRUN=$(printf '%s' "${MPICC:-mpicc}" | sed 's/mpicc/mpirun/') ;;
    *) MPIRUN=srun ;;
    esac
fi
export MPIRUN

# More ranks than cores, on any machine, also as root in a container. Each launcher reads its own
# names and ignores the others.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none
export OMPI_MCA_mpi_yield_when_idle=1 # a waiting rank leaves its core to others
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_btl_base_warn_component_unused=0
export HYDRA_BINDING=none

# The first Python that has the packages; a distribution's packages belong to /usr/bin/python3.
find_python() {
    for candidate in ${PYTHON:-} python3 /usr/bin/python3; do
        if "$candidate" - "$@" 2>/dev/null <<'END'; then
import importlib.util, sys
sys.exit(not all(importlib.util.find_spec(name) for name in sys.argv[1:]))
END
            command -v "$candidate"
            return 0
        fi
    done
    return 1
}
