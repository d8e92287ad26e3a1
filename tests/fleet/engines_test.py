#!/usr/bin/env python3
"""`culprit fleet run` and `fleet report` through a real Slurm and a real sshd, on this machine.

usage: engines_test.py PROGRAM     (root; Debian's slurmctld, slurmd, munge, openssh-server; `./test --all`)

Slurm has 16 nodes, each in a mount namespace with its own /usr/local and /tmp. What differs is planted, and must be
named on its node and nowhere else; one node is down before the run, one is stopped and never answers. Over ssh the nodes are
addresses of the loopback interface. Prints the count at the end.
"""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

NODES = [f"n{i:02}" for i in range(1, 17)]
TOOLS = ("slurmctld", "slurmd", "srun", "munged", "unshare", "sshd", "ssh", "ssh-keygen")
count = {"passed": 0, "failed": 0, "skipped": 0}


def report(held, what, seen=""):
    count["passed" if held else "failed"] += 1
    print(f"{'passed' if held else 'FAILED'}: {what}" + (f": {str(seen)[-1500:]}" if not held else ""), flush=True)


def toolkit(local, version):
    folder = local / f"cuda-{version.rsplit('.', 1)[0]}"
    (folder / "bin").mkdir(parents=True)
    (folder / "version.json").write_text(json.dumps({"cuda": {"name": "CUDA SDK", "version": version}}))


def free_ports(amount):
    with contextlib.ExitStack() as open_ones:
        ports = []
        for _ in range(amount):
            one = open_ones.enter_context(socket.socket())
            one.bind(("127.0.0.1", 0))
            ports.append(one.getsockname()[1])
        return ports


class Slurm:
    """What is different: n03 another toolkit, n05 none, n09 a second one, n07 a variable; n15 is down, n16 stopped."""

    def __init__(self, work):
        self.work, self.daemons = work, {}
        self.environment = {**os.environ, "SLURM_CONF": str(work / "slurm.conf")}
        self.environment.pop("LD_LIBRARY_PATH", None)

    def start(self):
        host, ports = socket.gethostname().split(".")[0], free_ports(len(NODES) + 1)
        for folder in ("state", "spool", "log"):
            (self.work / folder).mkdir()
        key = self.work / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        prolog = self.work / "prolog"
        prolog.write_text('#!/bin/sh\n[ "$SLURMD_NODENAME" != n07 ] || echo export LD_LIBRARY_PATH=/opt/planted\n')
        prolog.chmod(0o755)
        lines = ["ClusterName=fleet", f"SlurmctldHost={host}(127.0.0.1)", f"SlurmctldPort={ports[-1]}", "ProctrackType=proctrack/pgid",
                 "TaskPlugin=task/none", "ReturnToService=2", "SlurmUser=root", "SlurmdUser=root", "AuthType=auth/munge",
                 f"AuthInfo=socket={self.work}/munge.sock", f"StateSaveLocation={self.work}/state",
                 f"SlurmdSpoolDir={self.work}/spool/%n", f"SlurmctldPidFile={self.work}/ctld.pid", f"SlurmdPidFile={self.work}/%n.pid",
                 f"SlurmctldLogFile={self.work}/log/ctld", f"SlurmdLogFile={self.work}/log/%n", "JobAcctGatherType=jobacct_gather/none",
                 "AccountingStorageType=accounting_storage/none", "SelectType=select/cons_tres", "SlurmdTimeout=300", "KillWait=2",
                 f"TaskProlog={prolog}", "PartitionName=p Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4"]
        lines += [f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=1 State=UNKNOWN" for node, port in zip(NODES, ports)]
        (self.work / "slurm.conf").write_text("\n".join(lines) + "\n")
        os.chmod(self.work, 0o755)
        self.spawn("munged", "munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.work}/munge.sock",
                   f"--pid-file={self.work}/munge.pid", f"--log-file={self.work}/log/munge", f"--seed-file={self.work}/munge.seed")
        time.sleep(1)
        self.spawn("slurmctld", "slurmctld", "-D")
        for node in NODES:
            local = self.work / "local" / node
            local.mkdir(parents=True)
            tmp = self.work / "tmp" / node
            tmp.mkdir(parents=True)
            if node != "n05":
                toolkit(local, "12.2.1" if node == "n03" else "12.4.1")
            if node == "n09":
                toolkit(local, "11.8.0")
            (self.work / "spool" / node).mkdir()
            self.spawn(node, "unshare", "--mount", "sh", "-c", 'mount --bind "$1" /usr/local && mount --bind "$2" /tmp && exec slurmd -D -N "$3"', "sh",
                       local, tmp, node)
        for _ in range(60):
            time.sleep(1)
            states = subprocess.run(["sinfo", "-h", "-N", "-o", "%N %T"], env=self.environment, capture_output=True, text=True).stdout
            if states.count(" idle") == len(NODES):
                return
        raise RuntimeError("Slurm does not start: " + states)

    def spawn(self, name, *command):
        out = open(self.work / "log" / f"{name}.out", "wb")
        self.daemons[name] = subprocess.Popen([str(word) for word in command], env=self.environment, stdout=out, stderr=out,
                                              start_new_session=True)

    def stop(self):
        for process in reversed(self.daemons.values()):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGCONT)
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def facts(answer, node):
    return {fact["what"]: (fact["value"], fact["expected"]) for one in answer["outliers"] if one["node"] == node
            for fact in one["differs"]}


def through_slurm(program, work):
    slurm = Slurm(work)
    try:
        slurm.start()
        answers = work / "answers"
        bare = time.monotonic()
        subprocess.run(["srun", "-N14", "--ntasks-per-node=1", "hostname"], env=slurm.environment, check=True, capture_output=True)
        bare = time.monotonic() - bare
        began = time.monotonic()
        all_well = subprocess.run([program, "fleet", "run", "--slurm", "--hosts", "n[01-14]", "-o", answers, "--quiet"],
                                  env=slurm.environment, capture_output=True, text=True)
        print(f"14 nodes: {time.monotonic() - began:.1f} s; srun hostname alone: {bare:.1f} s")
        report(all_well.returncode == 0, "14 nodes answer", all_well.stderr)
        report(sorted(path.stem for path in answers.iterdir()) == NODES[:14], "each has its file", list(answers.iterdir()))
        os.killpg(slurm.daemons["n15"].pid, signal.SIGKILL)
        os.killpg(slurm.daemons["n16"].pid, signal.SIGSTOP)
        lost = subprocess.run([program, "fleet", "run", "--slurm", "--hosts", "n[13-16]", "-o", answers, "--quiet", "--timeout", "20"],
                              env=slurm.environment, capture_output=True, text=True)
        report(lost.returncode == 2, "a node that is down and one that does not answer: status 2", lost)
        told = subprocess.run([program, "fleet", "report", answers, "--format", "json", "--quiet"], capture_output=True, text=True)
        answer = json.loads(told.stdout)
        odd = {one["node"] for one in answer["outliers"]}
        report(odd == {"n03", "n05", "n07", "n09"}, "the odd ones, and no other", answer["outliers"])
        report(set(facts(answer, "n07")) == {"variable LD_LIBRARY_PATH"}, "n07: the variable", facts(answer, "n07"))
        report({"toolkit /usr/local/cuda-12.2", "toolkit /usr/local/cuda-12.4"} <= set(facts(answer, "n03")), "n03: its toolkit", facts(answer, "n03"))
        report("toolkit /usr/local/cuda-11.8" in facts(answer, "n09"), "n09: a second toolkit", facts(answer, "n09"))
        report("toolkit /usr/local/cuda-12.4" in facts(answer, "n05"), "n05: no toolkit", facts(answer, "n05"))
        silent = {one["node"]: one["why"] for one in answer["unreachable"]}
        report(set(silent) == {"n15", "n16"}, "the silent ones are rows, and no other", silent)
        report(told.returncode in (1, 2), "the report does not end with 0", told.returncode)
        left = [path for node in NODES[:14] for path in (work / "tmp" / node).glob("culprit*")]
        report(not left, "nothing stays on a node", left)
    finally:
        slurm.stop()


def over_ssh(program, work):
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", work / name], check=True)
    port = free_ports(1)[0]
    (work / "sshd.conf").write_text(f"Port {port}\nListenAddress 0.0.0.0\nHostKey {work}/host\nAuthorizedKeysFile {work}/user.pub\n"
                                    f"PermitRootLogin yes\nStrictModes no\nMaxStartups 200\nPidFile none\n")
    pathlib.Path("/run/sshd").mkdir(exist_ok=True)
    server = subprocess.Popen([shutil.which("sshd"), "-D", "-f", work / "sshd.conf"], stderr=subprocess.DEVNULL)
    options = [f"--with=-p{port}", f"--with=-i{work}/user", "--with=-oStrictHostKeyChecking=no", "--with=-oUserKnownHostsFile=/dev/null"]
    try:
        time.sleep(1)
        answers = work / "answers"
        asked = subprocess.run([program, "fleet", "run", "--hosts", "127.0.0.[2-17],192.0.2.1", "-o", answers, "--quiet", "--timeout", "30",
                                *options], capture_output=True, text=True)
        report(asked.returncode == 2, "sixteen answer, one does not", asked)
        told = subprocess.run([program, "fleet", "report", answers, "--format", "json", "--quiet"], capture_output=True, text=True)
        answer = json.loads(told.stdout)
        report(answer["nodes"] == 16 and len(answer["groups"]) == 1, "sixteen that are alike", answer["headline"])
        report([one["node"] for one in answer["unreachable"]] == ["192.0.2.1"], "the silent one is a row", answer["unreachable"])
        left = [path for path in pathlib.Path(tempfile.gettempdir()).glob("culprit.*")]
        report(not left, "ssh: nothing stays on a node", left)
    finally:
        server.kill()
        server.wait()


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing or os.geteuid() != 0:
        print(f"skipped: fleet: {'needs root' if os.geteuid() else 'not there: ' + ', '.join(missing)}\n0 passed, 0 failed, 1 skipped")
        return 0
    for check in (through_slurm, over_ssh):
        with tempfile.TemporaryDirectory(prefix="fleet.", dir="/var/tmp") as folder:
            check(program, pathlib.Path(folder))
    print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
    return 1 if count["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
