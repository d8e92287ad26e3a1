#!/usr/bin/env python3
"""tests/probe/on_gpu.py [--program CULPRIT] [FAULT...]: what `culprit probe` must show on a real GPU.

Needs a machine with an NVIDIA GPU, root (faults hide files in their own mount namespace) and a cuDNN; it is not part of
./test. For each fault, it compares what `culprit check` predicts and what `culprit probe` finds with
what is known about the fault. Changes are reverted. Prints a line for each fault, then the counts.
"""
import argparse
import json
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


class CannotBeMade(Exception):
    pass


class Machine:
    """The program, and what it finds on this machine if nothing is wrong."""

    def __init__(self, program, work):
        self.program, self.work = program, work
        _, self.facts = self.ask("check")
        stack = self.facts["snapshot"]["stack"]
        self.cudnn = [copy for copy in stack.get("cudnn", {}).get("value", []) if copy.get("version")]
        self.cudnn.sort(key=lambda copy: [int(part) for part in copy["version"].split(".")])
        self.driver_libraries = stack["driver"]["value"].get("libraries", [])

    def ask(self, command, *arguments, environment=None, before=(), seconds=120):
        if before and subprocess.run([*before, "true"], capture_output=True).returncode != 0:
            raise CannotBeMade(subprocess.run([*before, "true"], capture_output=True).stderr.decode().strip())
        done = subprocess.run([*before, self.program, command, *arguments, "--format", "json"], capture_output=True,
                              timeout=seconds, env={**os.environ, **(environment or {})})
        try:
            return done.returncode, json.loads(done.stdout)
        except ValueError:
            raise SystemExit(f"{command}: status {done.returncode}: {done.stderr.decode()[:2000]}")

    def newest(self):
        if not self.cudnn:
            raise CannotBeMade("no cuDNN here")
        return self.cudnn[-1]

    def driver_directory(self):
        for library in self.driver_libraries:
            if library["name"] == "libcuda.so.1" and library["kind"] in ("driver", "container"):
                return os.path.dirname(library["path"])
        raise CannotBeMade("no libcuda.so.1 of a driver here")

    def copy_of(self, cudnn, name):
        """A directory with symlinks to all files of a copy of cuDNN."""
        folder = self.work / name
        folder.mkdir()
        for part in cudnn["parts"]:
            (folder / part["name"]).symlink_to(os.path.realpath(part["path"]))
        return folder


class Fault:
    def __init__(self, name, make, causes, check=True, step=None, words=(), clean=False):
        self.name, self.make = name, make
        self.causes = causes  # any of these is right; the first cause of the report must be one of them
        self.check = check  # whether files and variables show it: then `check` alone must report it
        self.step = step  # that must have failed
        self.words = words  # that must be in the report
        self.clean = clean


def hidden(*commands):
    """A shell in its own mount namespace, in which these commands run first."""
    return ["unshare", "--mount", "--propagation", "private", "sh", "-ec", "; ".join(commands) + '; exec "$@"', "sh"]


def healthy(machine):
    yield {}


def visible(value):
    def make(machine):
        yield {"environment": {"CUDA_VISIBLE_DEVICES": value}}
    return make


def mixed_parts(machine):
    if len(machine.cudnn) < 2:
        raise CannotBeMade("only one cuDNN here")
    older, newer = machine.cudnn[0], machine.newest()
    yield {"environment": {"LD_LIBRARY_PATH": older["directory"]}, "probe": ["--cudnn", newer["directory"]]}


def part_removed(machine):
    folder = machine.copy_of(machine.newest(), "removed")
    (folder / "libcudnn_ops.so.9").unlink()
    # The sub-library of another copy would be loaded instead, so those are hidden.
    yield {"environment": {"LD_LIBRARY_PATH": f"{folder}:{machine.driver_directory()}"}, "probe": ["--cudnn", str(folder)],
           "check": [str(folder / "libcudnn.so.9")],
           "before": hidden("mount --bind /dev/null /etc/ld.so.cache", *without_parts_of(machine, machine.cudnn[:-1]))}


def without_parts_of(machine, copies):
    """Commands that mount a file system without these files over the directories of these cuDNN copies."""
    for number, copy in enumerate(copies):
        directory = os.path.realpath(copy["directory"])
        upper, room = machine.work / f"upper{number}", machine.work / f"room{number}"
        upper.mkdir()
        room.mkdir()
        for name in os.listdir(directory):
            if name.startswith("libcudnn"):
                os.mknod(upper / name, stat.S_IFCHR, os.makedev(0, 0))  # how overlayfs writes "gone"
        yield f"mount -t overlay overlay -o lowerdir={directory},upperdir={upper},workdir={room} {directory}"


def part_truncated(machine):
    folder = machine.copy_of(machine.newest(), "truncated")
    part = folder / "libcudnn_ops.so.9"
    real = os.path.realpath(part)
    part.unlink()
    shutil.copy(real, part)
    os.truncate(part, os.path.getsize(part) // 3)
    yield {"environment": {"LD_LIBRARY_PATH": str(folder)}, "probe": ["--cudnn", str(folder)], "check": [str(folder / "libcudnn.so.9")]}


def stub_first(machine):
    stubs = [library for library in machine.driver_libraries if library["kind"] == "stub"]
    if not stubs:
        raise CannotBeMade("no stub of libcuda here")
    folder = machine.work / "stub"
    folder.mkdir()
    (folder / "libcuda.so.1").symlink_to(os.path.realpath(stubs[0]["path"]))
    yield {"environment": {"LD_LIBRARY_PATH": str(folder)}}


def compat_first(machine):
    compat = [library for library in machine.driver_libraries if library["kind"] == "compat"]
    if not compat:
        raise CannotBeMade("no compat libcuda here")
    yield {"environment": {"LD_LIBRARY_PATH": os.path.dirname(compat[0]["path"])}}


TAKE_ALL = """
import ctypes, sys, time
cuda = ctypes.CDLL("libcuda.so.1")
context, pointer = ctypes.c_void_p(), ctypes.c_uint64()
assert cuda.cuInit(0) == 0 and cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0 and cuda.cuCtxSetCurrent(context) == 0
size = 1 << 36
while size >= 1 << 20:
    if cuda.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(size)) != 0: size //= 2
print("taken", flush=True)
time.sleep(300)
"""


def memory_taken(machine):
    taker = subprocess.Popen([sys.executable, "-c", TAKE_ALL], stdout=subprocess.PIPE)
    try:
        if taker.stdout.readline().strip() != b"taken":
            raise CannotBeMade("the memory could not be taken")
        yield {"words": [str(taker.pid)]}
    finally:
        taker.kill()
        taker.wait()


def child(text):
    def make(machine):
        script = machine.work / "child"
        script.write_text("#!/bin/sh\n" + text)
        script.chmod(0o755)
        yield {"environment": {"CULPRIT_PROBE": str(script)}, "probe": ["--timeout", "2"]}
        script.unlink()
    return make


def no_driver(machine):
    empty = machine.work / "none"
    empty.mkdir()
    files, directories = [], []
    for library in machine.driver_libraries:
        path = os.path.realpath(library["path"])
        if library["kind"] not in ("driver", "container") or not os.path.exists(path):
            continue
        if "/nvidia/" in path:
            directories.append(f"mount --bind {empty} {os.path.dirname(path)}")
        else:
            files.append(f"mount --bind /dev/null {path}")
    yield {"before": hidden("mount --bind /dev/null /etc/ld.so.cache", *dict.fromkeys(files), *dict.fromkeys(directories))}


def uvm_not_permitted(machine):
    node = "/dev/nvidia-uvm"
    before = stat.S_IMODE(os.stat(node).st_mode)
    os.chmod(node, 0o600)
    try:
        yield {"before": NOBODY}
    finally:
        os.chmod(node, before)


FAULTS = [
    Fault("healthy", healthy, (), clean=True),
    Fault("CUDA_VISIBLE_DEVICES=-1", visible("-1"), ("gpu-not-visible",), step="init"),
    Fault("CUDA_VISIBLE_DEVICES=7", visible("7"), ("gpu-not-visible",), step="init"),
    Fault("cuDNN parts of another version on LD_LIBRARY_PATH", mixed_parts, ("cudnn-mixed-versions",), words=("libcudnn_graph.so.9",)),
    Fault("a part of cuDNN removed", part_removed, ("cudnn-sublibrary-missing",), words=("libcudnn_ops",)),
    Fault("a part of cuDNN cut short", part_truncated, ("corrupt-library",), words=("libcudnn_ops.so.9",)),
    Fault("stub libcuda first", stub_first, ("search-path",), step="init"),
    Fault("compat libcuda first", compat_first, ("driver-library-mismatch",)),
    Fault("all memory taken by another process", memory_taken, ("out-of-memory",), check=False, step="context"),
    Fault("a child that crashes", child("kill -SEGV $$"), (), check=False, words=("SIGSEGV",)),
    Fault("a child that hangs", child("echo culprit-probe 1; echo begin libcuda libcuda.so.1; sleep 100"), (), check=False,
          step="libcuda", words=("hung",)),
    Fault("a child that prints garbage", child("echo hello; cat /dev/urandom"), (), check=False, words=("garbage",)),
    Fault("no driver", no_driver, ("driver-missing", "container-runtime"), step="libcuda"),
    Fault("/dev/nvidia-uvm not permitted", uvm_not_permitted, ("gpu-not-visible", "permissions"), step="init"),
]


def first_cause(report):
    """Findings come worst first. A variable that hides all GPUs is only a warning in `check`: it may be intentional."""
    return next((finding["cause"] for finding in report["findings"] if finding["severity"] != "note"), None)


def judge(fault, machine, verbose):
    """(what is wrong, what was seen)"""
    wrong, seen = [], []
    for given in fault.make(machine):
        common = {key: given[key] for key in ("environment", "before") if key in given}
        start = time.monotonic()
        status, probe = machine.ask("probe", *given.get("probe", ()), **common)
        seconds = time.monotonic() - start
        check_status, check = machine.ask("check", *given.get("check", ()), **common)
        failed = [step for step in probe["steps"] if step["ok"] is False]
        codes = [f"{finding['code']} {finding['cause']}" for finding in probe["findings"] if finding["severity"] == "error"]
        seen.append(f"probe {seconds:.2f} s: " + ("; ".join(codes) or probe["verdict"]) +
                    " | failed: " + ", ".join(f"{step['name']}={step['status']}->{step.get('code') or '?'}" for step in failed) +
                    " | check: " + "; ".join(f"{finding['code']} {finding['cause']}" for finding in check["findings"]
                                             if finding["severity"] == "error"))
        if verbose:
            seen.append(json.dumps(probe, indent=1)[:12000])
        if fault.clean:
            if failed or status != 0:
                wrong.append(f"a healthy machine: status {status}, failed: {[step['name'] for step in failed]}")
            continue
        if status != 1:
            wrong.append(f"exit status {status}")
        if not failed:
            wrong.append("no step failed")
        if fault.step and fault.step not in [step["name"] for step in failed]:
            wrong.append(f"step {fault.step} did not fail")
        if fault.causes and first_cause(probe) not in fault.causes:
            wrong.append(f"probe: first cause {first_cause(probe)}, expected {' or '.join(fault.causes)}")
        if fault.check and first_cause(check) not in fault.causes:
            wrong.append(f"check alone: first cause {first_cause(check)}, expected {' or '.join(fault.causes)}")
        text = json.dumps(probe)
        for word in (*fault.words, *given.get("words", ())):
            if word not in text:
                wrong.append(f"the report does not say {word!r}")
    return wrong, seen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("faults", nargs="*", help="parts of their names")
    parser.add_argument("--program", type=pathlib.Path, default=HERE.parent.parent / "build" / "release" / "culprit")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    passed = failed = skipped = 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that changes are reverted
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        machine = Machine(str(options.program.resolve()), pathlib.Path(folder))
        for fault in FAULTS:
            if options.faults and not any(name in fault.name for name in options.faults):
                continue
            try:
                wrong, seen = judge(fault, machine, options.verbose)
            except CannotBeMade as reason:
                print(f"skipped: {fault.name}: {reason}")
                skipped += 1
                continue
            failed, passed = failed + bool(wrong), passed + (not wrong)
            print(f"{'FAILED' if wrong else 'ok'} {fault.name}" + "".join(f"\n    {line}" for line in wrong + seen), flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


sys.exit(main())
