#!/usr/bin/env python3
"""packaging/nodes/kubernetes and `culprit fleet run --kubernetes` on a real Kubernetes of one node, made from Debian's packages.

usage: kubernetes_test.py PROGRAM FOLDER     (root; FOLDER: of build-kubernetes, which is called; `./test --all`)

The DaemonSet is the one that we ship; only the folder for its metrics is another, and its image is not pulled. Two more GPU nodes are known to the API
and have no kubelet, so they must be rows, each once. Prints the count at the end.
"""
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import kubernetes_cluster

TOP = pathlib.Path(__file__).resolve().parents[2]
MANIFEST = TOP / "packaging/nodes/kubernetes/daemonset.yaml"
count = {"passed": 0, "failed": 0, "skipped": 0}


def report(held, what, seen=""):
    count["passed" if held else "failed"] += 1
    print(f"{'passed' if held else 'FAILED'}: {what}" + (f": {str(seen)[-1500:]}" if not held else ""), flush=True)


def ask(program, cluster, answers, *words):
    asked = subprocess.run([program, "fleet", "run", "--kubernetes", "-o", answers, "--quiet", "--timeout", "60", *words], env=cluster.environment,
                           capture_output=True, text=True, check=False)
    return asked, {path.stem: json.loads(path.read_text()) for path in answers.iterdir()}


def gpu_node(name):
    return json.dumps({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"nvidia.com/gpu.present": "true"}}})


def libraries(program):
    """Those that a program which is not static needs, where it looks for them: the image has none."""
    said = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    return {path[1:]: pathlib.Path(path).resolve() for path in re.findall(r"(/\S+) \(0x", said)}


def daemon_set(cluster, metrics):
    text = MANIFEST.read_text()
    said = cluster.kubectl("apply", "--dry-run=server", "-f", "-", input=text)
    report("created (server dry run)" in said, "the API takes the manifest", said)
    said = cluster.kubectl("apply", "--dry-run=server", "-f", "-", input=text.replace("mountPropagation", "mountPropagatoin"), check=False)
    report("unknown field" in said, "and refuses another", said)
    changed = text.replace("/var/lib/node_exporter/textfile_collector", str(metrics)).replace("          image: culprit-node:latest\n",
                                                                                             "          image: culprit-node:latest\n          imagePullPolicy: Never\n")
    cluster.kubectl("label", "node", kubernetes_cluster.NAME, "nvidia.com/gpu.present=true")
    for name in ("g2", "g3"):
        cluster.kubectl("apply", "-f", "-", input=gpu_node(name))
    cluster.kubectl("apply", "-f", "-", input=changed)
    try:
        kubernetes_cluster.wait("the metrics", (metrics / "culprit.prom").exists)
    except RuntimeError:
        print(cluster.kubectl("-n", "kube-system", "get", "pods,events", check=False), cluster.kubectl("-n", "kube-system", "logs", "daemonset/culprit", check=False))
        raise
    report("culprit_verdict{" in (metrics / "culprit.prom").read_text(), "its pod leaves the metrics in the folder of the node")


def check(program, cluster, work):
    daemon_set(cluster, work / "metrics")
    said = cluster.kubectl("-n", "kube-system", "exec", "daemonset/culprit", "--", "touch", "/host/tmp/x", check=False)
    report("Read-only file system" in said, "the pod cannot write to the node", said)
    asked, answers = ask(program, cluster, work / "all")
    report(asked.returncode == 2 and set(answers) == {"g1", "g2", "g3"}, "each node is one row", (asked, list(answers)))
    facts = {fact["what"]: fact["value"] for fact in answers["g1"].get("facts", [])}
    name = next(line for line in pathlib.Path("/etc/os-release").read_text().splitlines() if line.startswith("PRETTY_NAME="))
    report(facts.get("system") == name.split("=")[1].strip('"'), "the answer is of the node, not of the image", facts)
    for node in ("g2", "g3"):
        why = answers[node].get("error", "")
        report("Pending" in why and "available" in why, f"{node}: why its pod does not run", why)
    asked, answers = ask(program, cluster, work / "one", "--hosts", "g1")
    report(asked.returncode == 0 and list(answers) == ["g1"], "one node", asked)
    cluster.kubectl("-n", "kube-system", "delete", "daemonset", "culprit", "--wait=false")
    time.sleep(3)
    asked, answers = ask(program, cluster, work / "late", "--hosts", "g1")
    why = answers.get("g1", {}).get("error", "")
    report(asked.returncode == 2 and ("is being removed" in why or "no pod" in why), "a pod that is being removed is a row", (asked, why))


def main():
    program, built = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    why = "needs root" if os.geteuid() else ""
    if not why:
        made = subprocess.run([TOP / "tests/fleet/build-kubernetes", built], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        why = made.stdout[-300:].strip() if made.returncode != 0 else ""
    if why:
        print(f"skipped: Kubernetes: {why}\n0 passed, 0 failed, 1 skipped")
        return 0
    with tempfile.TemporaryDirectory(prefix="kubernetes.", dir="/var/tmp", ignore_cleanup_errors=True) as folder, contextlib.ExitStack() as stack:
        work = pathlib.Path(folder)
        cluster = kubernetes_cluster.Kubernetes(built, work)
        carried = shutil.copy(program, work / "culprit")
        busybox = built / "debian/bin/busybox"
        stack.callback(cluster.stop)
        cluster.start({"culprit-node:latest": ({"bin/busybox": busybox, **{f"bin/{name}": "busybox" for name in ("sh", "sleep", "touch")},
                                                "usr/bin/culprit": pathlib.Path(carried), **libraries(carried)}, ["/bin/sh"])})
        check(str(program), cluster, work)
    print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
    return 1 if count["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
