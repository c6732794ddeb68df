# shellcheck shell=bash
# Perlmutter (NERSC), GPU nodes: 4 x A100, one 64-core EPYC, 4 network cards. Sourced by the job
# scripts and by build-perlmutter.sh. If a module's name has changed, change it here only.
module load PrgEnv-gnu cudatoolkit craype-accel-nvidia80 cray-hdf5-parallel

export CRAY_ACCEL_TARGET=nvidia80  # links the GPU transport layer of Cray MPICH
export MPICH_GPU_SUPPORT_ENABLED=1 # MPI takes device pointers
export MPICH_OFI_NIC_POLICY=GPU    # each rank uses the network card nearest to its GPU

naik_ranks_per_node=4
# What sbatch needs for this machine; the lines #SBATCH of perlmutter.slurm say the same. All GPUs
# stay visible to every rank: hiding them would break direct access between them.
naik_sbatch=(--qos=regular -C gpu --ntasks-per-node=4 --cpus-per-task=32 --gpus-per-node=4 --gpu-bind=none)
naik_srun=(--cpu-bind=cores)
naik_make=(GPU=cuda GPU_ARCH=sm_80 MPICC=cc HDF5_LIBS=-lhdf5)
