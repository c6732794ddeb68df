# Sourced: a Slurm cluster of fake GPU nodes on this machine, all of it in one folder.
#
#   cluster_start FOLDER    starts munged, slurmctld and a slurmd a node; sets SLURM_CONF
#   cluster_stop            stops what was started, whatever it was doing
#   cluster_mpi             what ranks on these nodes need in their environment
#
# The nodes have the shape that the scripts of jobscripts/ ask for; their GPUs are character nodes
# that nobody opens. Nothing of the system's own Slurm or munge is touched. Several ranks on
# several of these nodes are real MPI: each node has a folder of its own for the launcher, and
# messages do not go through the shared memory of Open MPI, which would take the nodes for one.

cluster_dir=
cluster_nodes=(pm1 pm2 jb1 lu1)
cluster_pids=()

# The first of a few ranges of ports in which nobody listens.
cluster_port() {
    local base port busy
    for base in 16800 21800 26800 31800 36800 41800 46800; do
        busy=
        for port in 0 1 2 3 4 5; do
            grep -qi ":$(printf '%04X' $((base + port))) " /proc/net/tcp /proc/net/tcp6 2>/dev/null &&
                busy=1
        done
        [ -n "$busy" ] || break
    done
    echo "$base"
}

cluster_configure() {
    local dir=$1 port host i
    port=$(cluster_port)
    host=$(hostname -s)
    mkdir -p "$dir/state" "$dir/dev"
    for i in "${cluster_nodes[@]}"; do mkdir -p "$dir/spool-$i" "$dir/tmp-$i"; done
    for i in 0 1 2 3 4 5 6 7; do mknod "$dir/dev/gpu$i" c 1 3 || return 1; done
    (umask 077 && head -c 1024 /dev/urandom >"$dir/munge.key")
    cat >"$dir/slurm.conf" <<END
ClusterName=naik
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
# cred_expire is also how long a requeued job waits before it starts again
AuthInfo=socket=$dir/munge.socket,cred_expire=5
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool-%n
TmpFS=$dir/tmp-%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd-%n.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=bf_interval=5,batch_sched_delay=1
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=pmix
ReturnToService=2
JobRequeue=1
KillWait=5
MinJobAge=900
SlurmdParameters=config_overrides
GresTypes=gpu
NodeName=pm1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) Sockets=1 CoresPerSocket=64 ThreadsPerCore=2 RealMemory=1000 Feature=gpu Gres=gpu:a100:4
NodeName=pm2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 3)) Sockets=1 CoresPerSocket=64 ThreadsPerCore=2 RealMemory=1000 Feature=gpu Gres=gpu:a100:4
NodeName=jb1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 4)) Sockets=2 CoresPerSocket=24 ThreadsPerCore=2 RealMemory=1000 Gres=gpu:a100:4
NodeName=lu1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 5)) Sockets=1 CoresPerSocket=64 ThreadsPerCore=2 RealMemory=1000 Gres=gpu:mi250:8
PartitionName=perlmutter Nodes=pm1,pm2 Default=YES MaxTime=UNLIMITED
PartitionName=booster Nodes=jb1 MaxTime=UNLIMITED
PartitionName=standard-g Nodes=lu1 MaxTime=UNLIMITED
END
    cat >"$dir/gres.conf" <<END
NodeName=pm1,pm2,jb1 Name=gpu Type=a100 File=$dir/dev/gpu[0-3]
NodeName=lu1 Name=gpu Type=mi250 File=$dir/dev/gpu[0-7]
END
}

# UCX sees the one machine below the nodes, and its System V segments go with the last process that
# has them, however it ends. A rank that leaves MPI after another has gone waits until UCX looks for
# the other, every 20 s unless told. The TCP of Open MPI 4.1 is for machines without UCX: there, when two
# ranks connect to each other at once, a job ends with a fault (7 of 150 with eight ranks).
cluster_mpi() {
    export OMPI_MCA_mpi_yield_when_idle=1
    if ompi_info 2>/dev/null | grep -q "MCA pml: ucx"; then
        export OMPI_MCA_pml=ucx OMPI_MCA_pml_ucx_tls=any OMPI_MCA_pml_ucx_devices=any
        export UCX_TLS=self,sysv,tcp UCX_NET_DEVICES=lo UCX_KEEPALIVE_INTERVAL=1s
    else
        export OMPI_MCA_btl=self,tcp OMPI_MCA_btl_tcp_if_include=lo
    fi
}

cluster_daemon() { # cluster_daemon NAME COMMAND...
    local name=$1
    shift
    setsid "$@" >"$cluster_dir/$name.out" 2>&1 </dev/null 9>&- &
    cluster_pids+=($!)
}

# One cluster at a time: two would take each other's ports, and a rank that was killed in one leaves
# a port of its own on which a rank of the other may then listen.
cluster_start() {
    cluster_dir=$1
    mkdir -p "$cluster_dir"
    chmod 755 "$cluster_dir"
    exec 9>"${TMPDIR:-/tmp}/naik-slurm.lock"
    flock 9
    cluster_start_daemons
}

cluster_start_daemons() {
    local i
    cluster_configure "$cluster_dir" || return 1
    export SLURM_CONF=$cluster_dir/slurm.conf
    cluster_daemon munged munged --foreground --force --key-file="$cluster_dir/munge.key" \
        --socket="$cluster_dir/munge.socket" --pid-file="$cluster_dir/munged.pid" \
        --log-file="$cluster_dir/munged.log" --seed-file="$cluster_dir/munged.seed"
    for i in $(seq 100); do [ -S "$cluster_dir/munge.socket" ] && break || sleep 0.1; done
    cluster_daemon slurmctld slurmctld -D -f "$SLURM_CONF"
    for i in "${cluster_nodes[@]}"; do
        cluster_daemon "slurmd-$i" slurmd -D -N "$i" -f "$SLURM_CONF"
    done
    for i in $(seq 60); do
        [ "$(timeout 5 sinfo -h -N -t idle 2>/dev/null | grep -c .)" = ${#cluster_nodes[@]} ] &&
            return 0
        sleep 0.5
    done
    return 1
}

# Process ids with a name, of those whose environment has a line.
cluster_find() { # cluster_find NAME LINE
    local file pid
    for file in /proc/[0-9]*/comm; do
        [ "$(cat "$file" 2>/dev/null)" = "$1" ] || continue
        pid=${file#/proc/} pid=${pid%/comm}
        { tr '\0' '\n' <"/proc/$pid/environ"; } 2>/dev/null | grep -qxF "$2" && echo "$pid"
    done
}

cluster_kill() { # cluster_kill SIGNAL: everything of this cluster
    local pid
    for pid in $(cluster_find slurmstepd "SLURM_CONF=$SLURM_CONF") "${cluster_pids[@]}"; do
        kill -"$1" "$pid" 2>/dev/null
    done
}

cluster_stop() {
    local pid
    [ -n "$cluster_dir" ] || return 0
    for pid in $(cluster_find naik "SLURM_CONF=$SLURM_CONF"); do kill -KILL "$pid" 2>/dev/null; done
    timeout 3 scancel --user="$(id -un)" 2>/dev/null
    cluster_kill TERM
    sleep 1
    cluster_kill KILL
    wait 2>/dev/null
    rm -rf "$cluster_dir"
    cluster_dir=
    exec 9>&-
}
