#!/usr/bin/env python3
"""`culprit fleet run` and `fleet report` through a real Slurm, a real ClusterShell, a real sshd and a real kubectl, on this machine.

usage: engines_test.py PROGRAM [CHECK...]     (root; Debian's slurmctld, slurmd, munge, openssh-server, clustershell, kubernetes-client; `./test --all`)

What differs is planted, and must be named on its node and nowhere else; nodes that are down, stopped or not ready are rows. Over ssh and
ClusterShell the nodes are addresses of the loopback interface; one of them says that it has another CPU, and gets the program for it. The program lies in /tmp,
which each node has for itself, so that it must be carried. Kubernetes is a stand-in for the API (kubernetes_api.py), asked by the real kubectl. Prints the
count at the end.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import cluster
import kubernetes_api

TOOLS = (*cluster.SLURM_TOOLS, *cluster.SSH_TOOLS, "clush", "kubectl")
PLANTED = {"127.0.0.5": {"LD_LIBRARY_PATH": "/opt/planted"}, "127.0.0.9": {"CUDA_VISIBLE_DEVICES": "3"}}
count = {"passed": 0, "failed": 0, "skipped": 0}


def report(held, what, seen=""):
    count["passed" if held else "failed"] += 1
    print(f"{'passed' if held else 'FAILED'}: {what}" + (f": {str(seen)[-1500:]}" if not held else ""), flush=True)


def facts(answer, node):
    return {fact["what"]: (fact["value"], fact["expected"]) for one in answer["outliers"] if one["node"] == node
            for fact in one["differs"]}


def through_slurm(program, work):
    slurm = cluster.Slurm(work, 16)
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
        report(sorted(path.stem for path in answers.iterdir()) == slurm.nodes[:14], "each has its file", list(answers.iterdir()))
        os.killpg(slurm.daemons["n15"].pid, signal.SIGKILL)
        os.killpg(slurm.daemons["n16"].pid, signal.SIGSTOP)
        lost = subprocess.run([program, "fleet", "run", "--slurm", "--hosts", "n[13-16]", "-o", answers, "--quiet", "--timeout", "60"],
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
        shared = work / "culprit"  # that nodes find at the same place
        shutil.copy(program, shared)
        chosen = subprocess.run([shared, "fleet", "run", "--slurm=-N2 --comment='two words' -w n[01-02]", "-o", work / "two", "--quiet", "--", "--verbose"],
                                env=slurm.environment, capture_output=True, text=True)
        report(chosen.returncode == 0 and len(list((work / "two").iterdir())) == 2, "options for srun, and for the snapshot", chosen)
        cluster.toolkit(work / "local" / "n01", "13.0.1")
        subprocess.run([shared, "fleet", "run", "--slurm", "--hosts", "n[01-02]", "-o", work / "later", "--quiet"], env=slurm.environment)
        changed = json.loads(subprocess.run([program, "fleet", "diff", work / "two", work / "later", "--format", "json", "--quiet"],
                                            capture_output=True, text=True).stdout)
        told = {fact["what"] for one in changed["changes"] for fact in one["facts"] if one["nodes"] == ["n01"]}
        report(told and all("cuda-13.0" in what or "toolkit" in what for what in told) and changed["same"] == 1, "what changed between two runs", changed)
        left = [path for node in slurm.nodes[:14] for path in (work / "tmp" / node).glob("culprit*")]
        report(not left, "nothing stays on a node", left)
    finally:
        slurm.stop()


def ask(program, answers, *words, environment=None):
    """(the finished run, the report about its answers)"""
    asked = subprocess.run([program, "fleet", "run", "-o", answers, "--quiet", *words], capture_output=True, text=True, env=environment)
    told = subprocess.run([program, "fleet", "report", answers, "--format", "json", "--quiet"], capture_output=True, text=True)
    return asked, json.loads(told.stdout) if told.stdout else {}


def of_clush():
    """What clush copies lies in /tmp of a node, and that of this machine is shared by everybody on it."""
    return set(pathlib.Path("/tmp").glob("culprit.????????????????????????"))


def expect_planted(how, server, before, asked, answer):
    report(asked.returncode == 2, f"{how}: sixteen answer, one does not", asked)
    report(answer["nodes"] == 16, f"{how}: sixteen nodes", answer["headline"])
    odd = {one["node"]: {fact["what"] for fact in one["differs"]} for one in answer["outliers"]}
    report(odd == {"127.0.0.5": {"variable LD_LIBRARY_PATH"}, "127.0.0.9": {"variable CUDA_VISIBLE_DEVICES"}},
           f"{how}: the odd ones and what differs, and no other", odd)
    report([one["node"] for one in answer["unreachable"]] == ["192.0.2.1"], f"{how}: the silent one is a row", answer["unreachable"])
    left = list(server.tmp.glob("*/culprit.*")) + sorted(of_clush() - before)
    report(not left, f"{how}: nothing stays on a node", left)


def over_ssh(program, work):
    server = cluster.Sshd(work, PLANTED)
    try:
        words = ["--hosts", "127.0.0.[2-17],192.0.2.1", "--timeout", "120"]
        before = of_clush()
        expect_planted("ssh", server, before, *ask(program, work / "ssh", *words, *(f"--with={option}" for option in server.options)))
        options = [f"--with=-o{' '.join(server.options)}"]
        expect_planted("clush", server, before, *ask(program, work / "clush", "--clush", *words, *options))
    finally:
        server.stop()


def never_answers(program, work):
    """One node takes the program and says nothing: a time limit, and somebody who does not want to wait."""
    server = cluster.Sshd(work, {"127.0.0.3": {"STUCK": "yes"}})
    ends = {"ssh": [f"--with={option}" for option in server.options], "clush": ["--clush", f"--with=-o{' '.join(server.options)}"]}
    why = {"ssh": "no answer within 20 s", "clush": "command timeout"}
    try:
        for how, words in ends.items():
            asked, answer = ask(program, work / how, "--hosts", "127.0.0.[2-4]", "--timeout", "20", *words)
            silent = {one["node"]: one["why"] for one in answer["unreachable"]}
            report(asked.returncode == 2 and answer["nodes"] == 2 and silent == {"127.0.0.3": why[how]}, f"{how}: one that never answers is a row",
                   (asked, silent))
            with subprocess.Popen([program, "fleet", "run", "-o", work / f"{how}-ended", "--quiet", "--hosts", "127.0.0.[2-4]", "--timeout", "300", *words],
                                  stderr=subprocess.PIPE, text=True) as run:
                time.sleep(15)
                run.send_signal(signal.SIGINT)
                errors = run.communicate()[1]
            told = subprocess.run([program, "fleet", "report", work / f"{how}-ended", "--format", "json", "--quiet"], capture_output=True, text=True)
            silent = {one["node"]: one["why"] for one in json.loads(told.stdout)["unreachable"]}
            report(run.returncode == -signal.SIGINT and silent == {"127.0.0.3": "the run was ended by SIGINT"}, f"{how}: ended by the user",
                   (run.returncode, errors, silent))
            left = list(server.tmp.glob("*/culprit.*"))
            report(not left, f"{how}: nothing stays then", left)
    finally:
        server.stop()


def other_cpu(program, work):
    """A node whose `uname` names another CPU gets the other program: a stub, which says that it ran."""
    own, other = os.uname().machine, {"aarch64": "x86_64", "x86_64": "aarch64"}.get(os.uname().machine)
    compiler = f"{other}-linux-gnu-gcc"
    if not shutil.which(compiler) or not pathlib.Path(f"/proc/sys/fs/binfmt_misc/qemu-{other}").exists():
        count["skipped"] += 1
        print(f"skipped: another CPU: needs {compiler} and an emulator of {other} in binfmt_misc")
        return
    (work / "bin").mkdir()
    for name, machine in (("uname", other), ("odd", "riscv64")):
        folder = work / "bin" / name
        folder.mkdir()
        (folder / "uname").write_text(f"#!/bin/sh\necho {machine}\n")
        (folder / "uname").chmod(0o755)
    brief = json.dumps({"schema": "culprit.brief/1", "node": "x", "verdict": "ok", "facts": [{"what": "CPU", "value": other}]})
    stub = pathlib.Path(program).with_name("stub")
    (work / "stub.c").write_text(f"#include <stdio.h>\nint main(void) {{ return puts({json.dumps(brief)}) < 0; }}\n")
    subprocess.run([compiler, "-static", "-o", stub, work / "stub.c"], check=True)
    path = "/usr/bin:/bin"
    server = cluster.Sshd(work, {"127.0.0.3": {"PATH": f"{work}/bin/uname:{path}"}, "127.0.0.4": {"PATH": f"{work}/bin/odd:{path}"}})
    try:
        asked, answer = ask(program, work / "ssh", "--hosts", "127.0.0.[2-4]", "--program", stub, "--timeout", "120",
                            *(f"--with={option}" for option in server.options))
        cpus = {group["nodes"][0]: fact["value"] for group in answer["groups"] for fact in group["stack"] if fact["what"] == "CPU"}
        report(cpus == {"127.0.0.2": own, "127.0.0.3": other}, "each node runs the program for its CPU", (cpus, asked))
        silent = {one["node"]: one["why"] for one in answer["unreachable"]}
        report(list(silent) == ["127.0.0.4"] and "riscv64" in silent["127.0.0.4"], "a third CPU is a row with the reason", silent)
        asked, answer = ask(program, work / "one", "--hosts", "127.0.0.3", "--timeout", "120", *(f"--with={option}" for option in server.options))
        report(asked.returncode == 2 and "--program" in answer["unreachable"][0]["why"], "without that program it says what is missing", answer)
    finally:
        server.stop()


def pod(node, **status):
    return {"metadata": {"name": f"culprit-{node}", "namespace": "kube-system", "labels": {"app.kubernetes.io/name": "culprit"}},
            "spec": {"nodeName": node, "containers": [{"name": "culprit", "image": "culprit-node:latest"}]},
            "status": {"phase": "Running", "containerStatuses": [{"name": "culprit", "ready": True, "state": {"running": {}}}], **status}}


def node(name, ready="True", gpus="8"):
    return {"metadata": {"name": name, "labels": {}}, "spec": {},
            "status": {"capacity": {"cpu": "64", **({"nvidia.com/gpu": gpus} if gpus else {})},
                       "conditions": [{"type": "Ready", "status": ready, "reason": "KubeletReady" if ready == "True" else "NodeStatusUnknown",
                                       "message": "Kubelet stopped posting node status." if ready != "True" else ""}]}}


def over_kubernetes(program, work):
    roots = {}
    for name in ("g1", "g2", "g3", "g4"):
        roots[name] = work / "roots" / name
        cluster.toolkit(roots[name] / "usr" / "local", "12.2.1" if name == "g3" else "12.4.1")

    def run(name, words):
        place = name.removeprefix("culprit-")
        if place == "g4":
            return subprocess.CompletedProcess(words, 1, b"", b"culprit: not today\n")
        return subprocess.run([program if word == "culprit" else str(roots[place]) if word == "/host" else word for word in words], capture_output=True)

    pods = [pod("g1"), pod("g2"), pod("g3"), pod("g4"), pod("g5"),
            pod("g6", phase="Pending", containerStatuses=[{"name": "culprit", "ready": False, "state": {"waiting": {
                "reason": "ImagePullBackOff", "message": "Back-off pulling image"}}}])]
    # One that waits for its node, as a DaemonSet makes it.
    waits = pod("g8", phase="Pending", containerStatuses=[], conditions=[{"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
                                                                          "message": "Insufficient memory."}])
    del waits["spec"]["nodeName"]
    waits["spec"]["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["g8"]}]}]}}}
    pods.append(waits)
    nodes = [node("g1"), node("g2"), node("g3"), node("g4"), node("g5", "Unknown"), node("g6"), node("g7"), node("g8"), node("login", gpus="")]
    api = kubernetes_api.Api(pods, nodes, run)
    environment = {**os.environ, "HOME": str(work), "KUBECONFIG": "/dev/null"}
    words = ["--kubernetes", f"--with=--server={api.url()}"]
    try:
        asked, answer = ask(program, work / "all", *words, environment=environment)
        report(asked.returncode == 2 and answer["nodes"] == 3, "Kubernetes: three answer", (asked, answer.get("headline")))
        odd = {one["node"]: {fact["what"] for fact in one["differs"]} for one in answer["outliers"]}
        report(set(odd) == {"g3"} and "toolkit /usr/local/cuda-12.2" in odd["g3"], "Kubernetes: the odd one", odd)
        silent = {one["node"]: one["why"] for one in answer["unreachable"]}
        report(set(silent) == {"g4", "g5", "g6", "g7", "g8"}, "Kubernetes: the others are rows", silent)
        for name, word in (("g4", "exit code 1"), ("g5", "not ready"), ("g6", "ImagePullBackOff"), ("g7", "no pod"), ("g8", "Insufficient memory")):
            report(word in silent.get(name, ""), f"Kubernetes: {name}: the reason", silent)
        api.forbidden = ("nodes",)
        asked, answer = ask(program, work / "some", *words, "--hosts", "g[1-2]", environment=environment)
        report(asked.returncode == 0 and answer["nodes"] == 2, "Kubernetes: some nodes, and nodes may not be listed", (asked, answer))
        asked, _ = ask(program, work / "none", *words, "-n", "elsewhere", environment=environment)
        report(asked.returncode == 2 and "no node answered" in asked.stderr, "Kubernetes: no pods there", asked)
    finally:
        api.shutdown()


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing or os.geteuid() != 0:
        print(f"skipped: fleet: {'needs root' if os.geteuid() else 'not there: ' + ', '.join(missing)}\n0 passed, 0 failed, 1 skipped")
        return 0
    carried = pathlib.Path(tempfile.mkdtemp(prefix="fleet.", dir="/tmp")) / "culprit"
    shutil.copy(program, carried)
    for check in (through_slurm, over_ssh, never_answers, other_cpu, over_kubernetes):
        if sys.argv[2:] and check.__name__ not in sys.argv[2:]:
            continue
        with tempfile.TemporaryDirectory(prefix="fleet.", dir="/var/tmp") as folder:
            check(str(carried), pathlib.Path(folder))
    shutil.rmtree(carried.parent)
    print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
    return 1 if count["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
