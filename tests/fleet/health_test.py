#!/usr/bin/env python3
"""The scripts of packaging/nodes/slurm in a real Slurm of 16 nodes: as HealthCheckProgram and as Prolog they must drain the one node
that has a fault and GPUs for jobs, with the code as the reason, and no other.

usage: health_test.py PROGRAM     (root; Debian's slurmctld, slurmd, munge; `./test --all`)
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import cluster
import made_up_node

TOP = pathlib.Path(__file__).resolve().parents[2]
count = {"passed": 0, "failed": 0, "skipped": 0}


def report(held, what, seen=""):
    count["passed" if held else "failed"] += 1
    print(f"{'passed' if held else 'FAILED'}: {what}" + (f": {str(seen)[-1500:]}" if not held else ""), flush=True)


class Slurm(cluster.Slurm):
    """n10 has no GPU for jobs. Each node has its files below a folder of its own, because this machine may have no driver: n10 and n11
    have no libcuda there."""

    def configure(self):
        super().configure()
        lines = (self.work / "slurm.conf").read_text().splitlines()
        self.lines = ["GresTypes=gpu"] + [line + " Gres=gpu:1" if line.startswith("NodeName=") and "=n10 " not in line else line for line in lines]
        self.write()
        (self.work / "gres.conf").write_text(f"NodeName={','.join(set(self.nodes) - {'n10'})} Name=gpu File=/dev/null\n")

    def write(self, *more):
        (self.work / "slurm.conf").write_text("\n".join([*self.lines, *more]) + "\n")

    def plant(self, program):
        sound = made_up_node.sound(self.work / "sound")
        for node in self.nodes:
            root = self.work / "roots" / node
            shutil.copytree(sound, root, symlinks=True)
            for library in root.rglob("libcuda.so*") if node in ("n10", "n11") else ():
                library.unlink()
        # Nodes have a /tmp of their own, so all that they start is here.
        shutil.copytree(TOP / "packaging/nodes", self.work / "nodes")
        shutil.copy(program, self.work / "culprit")
        for script in ("health-check", "prolog"):
            wrapper = self.work / f"start-{script}"
            wrapper.write_text(f"#!/bin/sh\nexport CULPRIT={self.work}/culprit CULPRIT_ROOT={self.work}/roots/$SLURMD_NODENAME "
                               f"SLURM_CONF={self.work}/slurm.conf\nexec {self.work}/nodes/slurm/{script}\n")
            wrapper.chmod(0o755)

    def reconfigure(self, *more):
        self.write(*more)
        self.run("scontrol", "reconfigure")

    def run(self, *command):
        return subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True).stdout

    def drained(self):
        """{node: reason}"""
        rows = (line.split("|") for line in self.run("sinfo", "-h", "-N", "-o", "%N|%T|%E").splitlines())
        return {node: reason for node, state, reason in rows if "drain" in state}

    def wait_drained(self):
        for _ in range(90):
            if self.drained():
                break
            time.sleep(1)
        time.sleep(15)  # and nobody else, in the next round either
        return self.drained()


def drains(program, work):
    slurm = Slurm(work, 16)
    try:
        slurm.start()
        slurm.plant(program)
        slurm.reconfigure(f"HealthCheckProgram={work}/start-health-check", "HealthCheckInterval=10")
        said = slurm.wait_drained()
        report(said == {"n11": "culprit: CUL1002"}, "HealthCheckProgram drains the node with the fault, with its code, and no other", said)
        slurm.reconfigure(f"Prolog={work}/start-prolog")
        slurm.run("scontrol", "update", "NodeName=n11", "State=RESUME")
        said = slurm.run("srun", "-w", "n12", "--gres=gpu:1", "echo", "ran")
        report("ran\n" in said, "with the prolog, a job starts on a sound node", said)
        said = slurm.run("srun", "-w", "n11", "echo", "ran")
        report("ran\n" in said and not slurm.drained(), "a job without GPUs starts unchecked", (said, slurm.drained()))
        with subprocess.Popen(["srun", "-w", "n11", "--gres=gpu:1", "echo", "ran"], env=slurm.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as job:
            said = slurm.wait_drained()
            job.terminate()
            words = job.communicate()[0]
        report(said == {"n11": "culprit: CUL1002"} and "ran\n" not in words, "the prolog drains the node, and the job does not start there", (said, words))
    finally:
        slurm.stop()


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    missing = [tool for tool in cluster.SLURM_TOOLS if not shutil.which(tool)]
    if missing or os.geteuid() != 0:
        print(f"skipped: health: {'needs root' if os.geteuid() else 'not there: ' + ', '.join(missing)}\n0 passed, 0 failed, 1 skipped")
        return 0
    with tempfile.TemporaryDirectory(prefix="fleet.", dir="/var/tmp") as folder:
        drains(program, pathlib.Path(folder))
    print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
    return 1 if count["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
