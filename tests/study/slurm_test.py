#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A study on a cluster of one node: Snakemake submits its points to Slurm, one job of them is killed, and the table is that of
`sweep --jobs 2`, byte for byte.

  slurm_test.py --program build/fredsim

Starts munged, slurmctld and slurmd of its own, with all their files in a temporary folder and on free ports, and
ends them. Needs Debian's slurmctld, slurmd, slurm-client, munge and snakemake.
"""

import argparse
import getpass
import json
import os
import pathlib
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time

LIMIT = 600  # seconds; longer ones hang
END_WITH_PARENT = ["setpriv", "--pdeathsig", "TERM"]  # even if it is killed
JOBS = 8  # concurrent jobs, on a node of as many

# 40 points of milliseconds, of which 4 fail.
STUDY = """
machines: [configs/mesh_2x2.yaml, configs/fred_small.yaml]
run:
- {collective: [all_reduce, reduce_scatter, all_gather, all_to_all], size: [1KiB, 2KiB, 4KiB, 8KiB]}
- {algorithm: in_switch, size: [3KiB, 5KiB, 6KiB, 7KiB]}
"""
POINTS = 40
FAILED = 4

SLURM_CONF = """ClusterName=fredsim_test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
MinJobAge=3600
KillWait=1
NodeName={host} NodeAddr=127.0.0.1 CPUs={jobs} RealMemory=100000 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(number):
    """Ports that nobody uses now."""
    sockets = [socket.socket() for _ in range(number)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def wait_for(condition, what):
    end = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"not within {LIMIT} s: {what}")
        time.sleep(0.2)


class Cluster:
    """Slurm's daemons; ended when it is left."""

    def __init__(self, folder):
        self.folder = folder
        self.daemons = []
        controller_port, node_port = free_ports(2)
        host = socket.gethostname().split(".")[0]
        (folder / "state").mkdir()
        (folder / "spool").mkdir()
        key = folder / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o400)
        conf = folder / "slurm.conf"
        conf.write_text(SLURM_CONF.format(host=host, folder=folder, user=getpass.getuser(), jobs=JOBS,
                                          controller_port=controller_port, node_port=node_port), encoding="utf-8")  # fmt: skip
        self.environment = {**os.environ, "SLURM_CONF": str(conf), "USER": getpass.getuser(),
                            "XDG_CACHE_HOME": str(folder / "cache"),
                            "PATH": f"{os.environ['PATH']}:/usr/sbin:/usr/bin"}  # fmt: skip

    def __enter__(self):
        try:
            munge = [f"--{name}={self.folder}/munge.{name.split('-')[0]}" for name in ("key-file", "socket", "pid-file", "seed-file")]
            self.start("munged", "--foreground", "--force", *munge)
            wait_for((self.folder / "munge.socket").exists, "munged")
            self.start("slurmctld", "-D")
            self.start("slurmd", "-D")
            wait_for(lambda: "idle" in self.run("sinfo", "--noheader", "--format=%T"), "an idle node")
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_):
        self.end()

    def start(self, *command):
        with open(self.folder / f"{command[0]}.log", "wb") as log:
            self.daemons.append(subprocess.Popen([*END_WITH_PARENT, *command], env=self.environment,
                                                 stdin=subprocess.DEVNULL, stdout=log, stderr=log))  # fmt: skip

    def end(self):
        self.run("scancel", "--user", getpass.getuser())
        wait_for(lambda: not self.running_jobs(), "jobs that end")
        for daemon in reversed(self.daemons):
            daemon.send_signal(signal.SIGTERM)
            try:
                daemon.wait(timeout=30)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def run(self, *command):
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        return done.stdout

    def running_jobs(self):
        return self.run("squeue", "--noheader", "--states=RUNNING", "--format=%A").split()

    def state(self, job):
        return self.run("scontrol", "show", "job", job).partition("JobState=")[2].split()[0]

    def logs(self):
        return "".join(f"--- {log.name}\n{log.read_text(errors='replace')[-3000:]}" for log in sorted(self.folder.glob("*.log")))


class StudyTest:
    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        (folder / "study.yaml").write_text(STUDY, encoding="utf-8")

    def sweep(self, results, *options, code):
        command = [self.program, "sweep", str(self.folder / "study.yaml"), "--results", str(self.folder / results), *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != code:
            raise SystemExit(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")

    def tables(self, results):
        return [(self.folder / results / name).read_text(encoding="utf-8") for name in ("table.csv", "table.jsonl")]

    def check(self, condition, what):
        if not condition:
            raise SystemExit(f"wrong: {what}")

    def expected(self):
        self.sweep("local", "--jobs", "2", code=1)
        rows = [json.loads(line) for line in self.tables("local")[1].splitlines()]
        self.check(len(rows) == POINTS, f"{len(rows)} points")
        self.check(sum(row["status"] == "failed" for row in rows) == FAILED, "points that fail")
        return self.tables("local")

    def snakemake(self, cluster, *options):
        """The running process, and the file that it writes to."""
        log = self.folder / "snakemake.log"
        with open(log, "wb") as file:
            process = subprocess.Popen([*END_WITH_PARENT, "snakemake", *options], cwd=self.folder / "flow", env=cluster.environment,
                                       stdin=subprocess.DEVNULL, stdout=file, stderr=file)  # fmt: skip
        return process, log

    @staticmethod
    def kill_one(cluster, process):
        """Its number; a job that runs, and has not ended before."""
        killed = []

        def kill():
            killed[:] = cluster.running_jobs()[-1:]
            for job in killed:
                cluster.run("scancel", "--signal=KILL", "--full", job)
            return process.poll() is not None or (killed and cluster.state(killed[0]) != "COMPLETED")

        wait_for(kill, "a job that runs")
        return killed[0]

    def run(self, cluster):
        expected = self.expected()
        self.sweep("cluster", "--export", "snakemake", str(self.folder / "flow"), code=0)
        process, log = self.snakemake(cluster, "--profile", "slurm", "--jobs", str(JOBS),
                                      "--max-status-checks-per-second", "1")  # fmt: skip
        try:
            killed = self.kill_one(cluster, process)
            process.wait(timeout=LIMIT)
        finally:
            process.kill()
            process.wait()
        text = log.read_text()
        self.check(process.returncode == 0, f"snakemake: exit code {process.returncode}\n{text}")
        state = cluster.state(killed)
        self.check(state in ("FAILED", "CANCELLED"), f"the job that was killed is {state}")
        self.check("Trying to restart job" in text, "the job that was killed is not run again")
        self.check(self.tables("cluster") == expected, "the table is another than that of --jobs 2")
        self.check(len(list((self.folder / "cluster/points").iterdir())) == POINTS, "points are missing")
        self.sweep("cluster", "--quiet", code=1)
        self.check(self.tables("cluster") == expected, "the table is another after sweep has come by")

        self.sweep("cores", "--export", "snakemake", str(self.folder / "flow"), code=0)
        process, log = self.snakemake(cluster, "--cores", "2")
        process.wait(timeout=LIMIT)
        self.check(process.returncode == 0, f"snakemake --cores: exit code {process.returncode}\n{log.read_text()}")
        self.check(self.tables("cores") == expected, "the table is another with --cores")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=os.path.abspath)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    with tempfile.TemporaryDirectory(prefix="fredsim_slurm_") as name:
        folder = pathlib.Path(name)
        (folder / "cluster_files").mkdir()
        with Cluster(folder / "cluster_files") as cluster:
            try:
                StudyTest(options.program, folder).run(cluster)
            except BaseException:
                print(cluster.logs(), file=sys.stderr)
                raise
    print("40 points by Slurm, one of them twice: the same table")


if __name__ == "__main__":
    main()
