# shellcheck shell=bash
# JUWELS Booster (JSC): 4 x A100, two 24-core EPYC, 4 x HDR200. Sourced by the job scripts and by
# build-juwels-booster.sh. If a module's name has changed, change it here only.
module load GCC CUDA OpenMPI MPI-settings/CUDA UCX-settings/RC-CUDA HDF5 libyaml

# The launcher would show each rank one GPU; naik chooses by itself, and needs to see all of them
# for direct access between them.
export CUDA_VISIBLE_DEVICES=0,1,2,3

naik_ranks_per_node=4
# What sbatch needs for this machine; the lines #SBATCH of juwels-booster.slurm say the same.
naik_sbatch=(--partition=booster --ntasks-per-node=4 --cpus-per-task=12 --gres=gpu:4)
naik_srun=()
naik_make=(GPU=cuda GPU_ARCH=sm_80 MPICC=mpicc "HDF5_DIR=${EBROOTHDF5:-}")
