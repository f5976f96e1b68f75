"""A Slurm of one node on this machine, with a configuration and an authentication of its own.

The node may be isolated: it then has a network namespace with a cable to the controller and nothing else.
"""

import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "srun", "sinfo")
PACKAGES = "slurm-wlm and munge of Debian and Ubuntu"
SECONDS = 30
# Addresses of both ends of the cable to an isolated node.
CONTROLLER, NODE = "169.254.77.1", "169.254.77.2"
# Waits for the cable, whose end is named by the first argument, and then becomes what follows.
ISOLATED = f"""
ip link set lo up
until ip link show "$0" > /dev/null 2>&1; do sleep 0.1; done
ip address add {NODE}/30 dev "$0"
ip link set "$0" up
exec "$@"
"""

CONFIGURATION = """
ClusterName=loopback
SlurmctldHost={host}({controller})
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmUser=root
SlurmdUser=root
SlurmctldPort={controller_port}
SlurmdPort={node_port}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=sched_interval=1,batch_sched_delay=0
ReturnToService=2
MinJobAge=86400
KillWait=1
JobRequeue=0
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
MpiDefault=none
NodeName={host} NodeAddr={node} CPUs={cpus} RealMemory={memory} State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def missing(isolated: bool = False) -> str:
    """Why there cannot be one here, whose node is isolated or not; empty where there can."""
    if absent := [program for program in PROGRAMS if not _program(program)]:
        return f"Slurm is missing ({', '.join(absent)}): install {PACKAGES}"
    if os.geteuid() != 0:
        return "Slurm's daemons need root"
    if isolated and subprocess.run(["unshare", "--net", "ip", "link", "add", "type", "veth"], check=False).returncode:
        return "an isolated node needs network namespaces, and unshare and ip (util-linux and iproute2 of Debian)"
    return ""


class LoopbackSlurm:
    """Daemons in a folder. environment: what makes Slurm's commands, and Snakemake, use them."""

    def __init__(self, folder: Path, isolated: bool = False) -> None:
        self.folder, self.isolated, self._daemons = folder, isolated, {}
        for name in ("state", "spool", "bin"):
            (folder / name).mkdir()
        key = folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        ports = _free_ports(2)
        text = CONFIGURATION.format(
            host=socket.gethostname(), folder=folder,
            controller=CONTROLLER if isolated else "127.0.0.1", node=NODE if isolated else "127.0.0.1",
            controller_port=ports[0], node_port=ports[1],
            cpus=os.cpu_count(), memory=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20 - 1000,
        )  # fmt: skip
        self.configuration = folder / "slurm.conf"
        self.configuration.write_text(text)
        # Within a job the plug-in of Snakemake takes away what srun would find this Slurm by.
        srun = folder / "bin" / "srun"
        srun.write_text(f'#!/bin/sh\nSLURM_CONF={self.configuration} exec {_program("srun")} "$@"\n')
        srun.chmod(0o755)
        path = f"{srun.parent}{os.pathsep}{os.environ['PATH']}"
        self.environment = {**os.environ, "SLURM_CONF": str(self.configuration), "PATH": path}

    def start(self) -> None:
        """Start everything; returns when the node takes jobs."""
        files = {"key-file": "munge.key", "socket": "munge.socket", "pid-file": "munge.pid", "seed-file": "munge.seed"}
        placed = [f"--{option}={self.folder / name}" for option, name in files.items()]
        self._start("munged", "--foreground", "--force", "--num-threads=2", *placed)
        self._wait(lambda: (self.folder / "munge.socket").exists(), "munged has no socket")
        self.start_node()
        self.start_controller()
        self._wait(lambda: "idle" in self.run("sinfo", "-h", "-o", "%T"), "the node takes no jobs")

    def start_controller(self) -> None:
        """Start slurmctld, which goes on with the jobs that it knew."""
        self._start("slurmctld", "-D", "-f", str(self.configuration))

    def start_node(self) -> None:
        """Start slurmd, if isolated in its own network namespace, which disappears with it."""
        command = ("slurmd", "-D", "-f", str(self.configuration))
        if not self.isolated:
            self._start(*command)
            return
        inside, outside = (f"slurm{os.getpid()}{side}" for side in "io")
        self._start(*command, before=("unshare", "--net", "sh", "-c", ISOLATED, inside))
        pid = str(self._daemons["slurmd"].pid)
        namespaces = [f"/proc/{process}/ns/net" for process in (pid, "self")]
        self._wait(lambda: len({os.readlink(file) for file in namespaces}) == 2, "the node is not isolated")
        ends = (("link", "add", outside, "type", "veth", "peer", "name", inside, "netns", pid),
                ("address", "add", f"{CONTROLLER}/30", "dev", outside), ("link", "set", outside, "up"))  # fmt: skip
        for end in ends:
            subprocess.run(["ip", *end], check=True)

    def kill(self, daemon: str) -> None:
        """Kill a daemon so that it cannot clean up; jobs go on."""
        process = self._daemons.pop(daemon)
        process.kill()
        process.wait()

    def stop(self) -> None:
        """End all jobs and daemons."""
        self.run("scancel", "--full", "--signal=KILL", "--user=root")
        for daemon in reversed(self._daemons.values()):
            daemon.send_signal(signal.SIGTERM)
            try:
                daemon.wait(SECONDS)
            except subprocess.TimeoutExpired:
                daemon.kill()

    def run(self, *command: str) -> str:
        """Return the output of a Slurm command."""
        return subprocess.run(command, env=self.environment, capture_output=True, text=True).stdout

    def running(self) -> list[str]:
        """Return the ids of the jobs that are running."""
        return self.run("squeue", "-h", "-o", "%A", "-t", "R").split()

    def _start(self, program: str, *arguments: str, before: tuple[str, ...] = ()) -> None:
        with (self.folder / f"{program}.log").open("a") as log:
            command = [*before, _program(program), *arguments]
            self._daemons[program] = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log)

    def _wait(self, ready, otherwise: str) -> None:
        until = time.monotonic() + SECONDS
        while not ready():
            if time.monotonic() > until:
                logs = "\n".join(file.read_text()[-2000:] for file in self.folder.glob("*.log"))
                raise TimeoutError(f"Slurm: {otherwise} after {SECONDS} seconds.\n{logs}")
            time.sleep(0.1)


def _program(name: str) -> str | None:
    return shutil.which(name, path=f"{os.environ['PATH']}{os.pathsep}/usr/sbin{os.pathsep}/sbin")


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports
