# shellcheck shell=bash
# LUMI-G (CSC): 4 x MI250X, that is 8 GPU dies a node, one 64-core EPYC of which 56 cores are for
# users, 4 network cards. Sourced by the job scripts and by build-lumi-g.sh. If a module's name has
# changed, change it here only.
module load LUMI partition/G PrgEnv-gnu rocm craype-accel-amd-gfx90a cray-hdf5-parallel

export MPICH_GPU_SUPPORT_ENABLED=1    # MPI takes device pointers
export FI_MR_CACHE_MONITOR=memhooks   # the default monitor can hang with GPU memory

naik_ranks_per_node=8
# What sbatch needs for this machine; the lines #SBATCH of lumi-g.slurm say the same. No GPU is
# hidden from any rank (--gpu-bind=none: binding puts each task into a control group of its own,
# which ends memory shared between dies); the masks give rank 0..7 the cores nearest to GPU die 0..7.
naik_sbatch=(--partition=standard-g --ntasks-per-node=8 --cpus-per-task=7 --gpus-per-node=8 --gpu-bind=none)
naik_srun=(--cpu-bind=mask_cpu:7e000000000000,7e00000000000000,7e0000,7e000000,7e,7e00,7e00000000,7e0000000000)
naik_make=(GPU=hip GPU_ARCH=gfx90a MPICC=cc HDF5_LIBS=-lhdf5)
