#!/usr/bin/env python3
"""`culprit fleet run --slurm` on 16 nodes of a real Slurm, each with a root of its own: files of a driver, GPUs, CUDA toolkit, cuDNN, Python
packages, an ld.so.cache and variables. Most are alike. What differs is planted, and must be named on its node, and nothing on any other.

usage: roots_test.py PROGRAM     (root; Debian's slurmctld, slurmd, munge; `./test --all`)
"""
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tempfile

sys.dont_write_bytecode = True
import cluster
import made_up_node

TOOLS = (*cluster.SLURM_TOOLS, "cc", "ldconfig")
CUDNN = ("", "_graph", "_ops", "_cnn", "_adv", "_heuristic", "_engines_precompiled", "_engines_runtime_compiled")
LIBRARIES = pathlib.Path("usr/lib") / (sysconfig.get_config_var("MULTIARCH") or "")
SITE = pathlib.Path("opt/venv/lib/python3.11/site-packages")
count = {"passed": 0, "failed": 0, "skipped": 0}


def report(held, what, seen=""):
    count["passed" if held else "failed"] += 1
    print(f"{'passed' if held else 'FAILED'}: {what}" + (f": {str(seen)[-1500:]}" if not held else ""), flush=True)


def library(folder, name, version):
    """A library as packages have it: the file with its full version, and the symlinks."""
    folder.mkdir(parents=True, exist_ok=True)
    major = version.split(".")[0]
    file = folder / f"{name}.so.{version}"
    subprocess.run(["cc", "-nostdlib", "-shared", "-fPIC", "-x", "c", "/dev/null", f"-Wl,-soname,{name}.so.{major}", "-o", file], check=True)
    for link in (folder / f"{name}.so.{major}", folder / f"{name}.so"):
        link.unlink(missing_ok=True)
        link.symlink_to(file.name)


def cudnn(root, version, parts=CUDNN):
    for part in parts:
        for old in (root / LIBRARIES).glob(f"libcudnn{part}.so.9.*"):
            old.unlink()
        library(root / LIBRARIES, f"libcudnn{part}", version)


def package(root, name, version):
    for old in (root / SITE).glob(f"{name}-*.dist-info"):
        shutil.rmtree(old)
    info = root / SITE / f"{name}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


def driver(root, version):
    place = root / "proc/driver/nvidia/version"
    place.write_text(place.read_text().replace(made_up_node.DRIVER, version))
    old = next((root / LIBRARIES).glob("libcuda.so.?*.*"))
    old.rename(old.with_name(f"libcuda.so.{version}"))
    (root / LIBRARIES / "libcuda.so.1").unlink()
    (root / LIBRARIES / "libcuda.so.1").symlink_to(f"libcuda.so.{version}")


def cache(root):
    subprocess.run(["ldconfig", "-r", root, "-f", "/etc/ld.so.conf"], check=True, capture_output=True)


def common(root):
    made_up_node.sound(root)
    cluster.toolkit(root / "usr/local", "12.4.1")
    cudnn(root, "9.14.0")
    (root / "etc/ld.so.conf").write_text(f"/{LIBRARIES}\n")
    (root / "etc/job.env").write_text("PATH=/usr/bin:/bin\nVIRTUAL_ENV=/opt/venv\n")
    (root / "opt/venv/bin").mkdir(parents=True)
    (root / "opt/venv/pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.11.2\n")
    package(root, "numpy", "2.1.0")
    package(root, "triton", "3.2.0")


def gpu(root):
    place = next((root / "proc/driver/nvidia/gpus").glob("*/information"))
    place.write_text(place.read_text().replace("NVIDIA H200", "NVIDIA H100 80GB HBM3"))


def other_toolkit(root):
    shutil.rmtree(root / "usr/local/cuda-12.4")
    cluster.toolkit(root / "usr/local", "12.2.1")


def no_libcuda(root):
    for one in (root / LIBRARIES).glob("libcuda.so*"):
        one.unlink()


def truncated(root):
    with open(root / LIBRARIES / "libcudnn_ops.so.9.14.0", "r+b") as file:
        file.truncate(2000)


def append(name, text):
    def change(root):
        with open(root / name, "a", encoding="utf-8") as file:
            file.write(text)
    return change


# Node: what is done to it; the facts in which it then differs (by their beginning; none else may); the causes of errors on it.
PLANTED = {
    "n02": (lambda root: driver(root, "550.54.15"), {"driver", "driver: libcuda"}, set()),
    "n04": (no_libcuda, {"driver: libcuda"}, {"driver-missing"}),
    "n06": (lambda root: cudnn(root, "9.1.0"), {"cuDNN "}, set()),
    "n07": (append("etc/job.env", "LD_LIBRARY_PATH=/opt/old\n"), {"variable LD_LIBRARY_PATH"}, set()),
    "n08": (other_toolkit, {"toolkit "}, set()),
    "n10": (lambda root: cudnn(root, "9.1.0", ("_graph",)), {"libcudnn_graph.so.9 of cuDNN "}, set()),  # no program uses it
    "n11": (gpu, {"GPU 0"}, set()),
    "n12": (lambda root: package(root, "triton", "3.1.0"), {"package triton "}, set()),
    "n13": (truncated, {"libcudnn_ops.so.9 of cuDNN "}, set()),
    "n15": (lambda root: (root / "etc/os-release").write_text('ID=ubuntu\nPRETTY_NAME="Ubuntu 22.04.5 LTS"\n'), {"system"}, set()),
}


class Slurm(cluster.Slurm):
    """Each node sees its own root below work/root."""

    def plant(self):
        template = self.work / "template"
        common(template)
        for node in self.nodes:
            root = self.work / "roots" / node
            shutil.copytree(template, root, symlinks=True)
            cache(root)
            if node in PLANTED:
                PLANTED[node][0](root)
            if node != "n13":  # ldconfig would leave a damaged library out
                cache(root)
        shutil.rmtree(template)


def odd_facts(answer):
    return {one["node"]: {fact["what"] for fact in one["differs"]} for one in answer["outliers"]}


def asked(slurm, program, work):
    words = ["--", "--root", work / "root", "--env", work / "root/etc/job.env"]
    run = subprocess.run([program, "fleet", "run", "--slurm", "--hosts", "n[01-16]", "-o", work / "answers", "--quiet", *words],
                         env=slurm.environment, capture_output=True, text=True)
    report(run.returncode == 0, "16 nodes answer", run)
    told = subprocess.run([program, "fleet", "report", work / "answers", "--format", "json", "--quiet"], capture_output=True, text=True)
    return json.loads(told.stdout)


def planted(slurm, program, work):
    slurm.plant()
    slurm.start()
    answer = asked(slurm, program, work)
    odd = odd_facts(answer)
    report(set(odd) == set(PLANTED), "the odd ones, and no other", odd)
    for node, (_, facts, _) in PLANTED.items():
        seen = odd.get(node, set())
        known = all(any(what.startswith(fact) for fact in facts) for what in seen)
        report(known and all(any(what.startswith(fact) for what in seen) for fact in facts), f"{node}: what differs, and nothing else", seen)
    errors = {}
    for one in answer["findings"]:
        for node in one["nodes"] if one["severity"] == "error" else ():
            errors.setdefault(node, set()).add(one["cause"])
    report(errors == {node: causes for node, (_, _, causes) in PLANTED.items() if causes}, "the errors, each on its node", errors)
    report(not answer["unreachable"], "nobody is silent", answer["unreachable"])


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing or os.geteuid() != 0:
        print(f"skipped: roots: {'needs root' if os.geteuid() else 'not there: ' + ', '.join(missing)}\n0 passed, 0 failed, 1 skipped")
        return 0
    carried = pathlib.Path(tempfile.mkdtemp(prefix="fleet.", dir="/tmp")) / "culprit"  # nodes have another /tmp
    shutil.copy(program, carried)
    with tempfile.TemporaryDirectory(prefix="fleet.", dir="/var/tmp") as folder, contextlib.ExitStack() as stack:
        slurm = Slurm(pathlib.Path(folder), 16)
        stack.callback(slurm.stop)
        planted(slurm, str(carried), pathlib.Path(folder))
    shutil.rmtree(carried.parent)
    print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
    return 1 if count["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
