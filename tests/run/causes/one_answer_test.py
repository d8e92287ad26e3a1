#!/usr/bin/env python3
"""One machine, one failure, one answer: check, run, explain --here and, about the driver, probe name the same first cause, and it is the true one.
usage: one_answer_test.py CULPRIT [PART OF A NAME...]

A program that does not load is checked as on a machine with a driver (--host), because check sees whatever else is wrong with a
machine, while the program fails before it gets there."""

import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stack  # noqa: E402
from kit import NO_DRIVER, Case, library, native, python, write  # noqa: E402

HOST = ["--host", "driver=580.95.05,gpu=sm_90"]
HERE = {"LD_LIBRARY_PATH": "{here}/lib"}


def linked(name, spoil, needs=()):
    """A program that needs the library `name`, which is spoilt after it was linked."""
    def make(folder):
        for need in needs:
            library(folder, need)
        path = library(folder, "lib/" + name, needs=needs)
        command = native("int here(void);\nint main(void) { return here(); }\n", [path])(folder)
        for need in needs:
            os.unlink(os.path.join(folder, need))
        if spoil:
            with open(path, "rb") as file:
                data = bytearray(file.read())
            os.unlink(path)
            data = spoil(data, path)
            if data is not None:
                write(folder, "lib/" + name, bytes(data), 0o755)
        return command
    return make


FAULTS = [
    Case("driver insufficient", NO_DRIVER, stack.says("CUDA driver version is insufficient for CUDA runtime version"), without="driver"),
    Case("no device", NO_DRIVER, stack.says("no CUDA-capable device is detected"), without="driver"),
    Case("cuDNN does not start", NO_DRIVER, stack.says("cudnnCreate failed: CUDNN_STATUS_NOT_INITIALIZED"), without="driver"),
    Case("cuBLAS does not start", NO_DRIVER, stack.says("cublasCreate failed: CUBLAS_STATUS_NOT_INITIALIZED"), without="driver"),
    Case("libcuda", NO_DRIVER, python("import ctypes\nctypes.CDLL('libcuda.so.1')\n"), without="driver"),
    Case("cuBLAS nowhere", "cuda-library-missing cuda-version-mismatch", linked("libcublas.so.11", lambda *_: None)),
    Case("cuDNN nowhere", "cudnn-missing cudnn-version-mismatch", linked("libcudnn.so.8", lambda *_: None)),
    Case("empty file", "corrupt-library", linked("libcublas.so.11", lambda *_: b""), HERE),
    Case("no library", "corrupt-library", linked("libcufft.so.11", lambda *_: b"<html>" * 3000), HERE),
    Case("32-bit", "bitness-mismatch", linked("libcudart.so.12", stack.set_class), HERE),
    Case("another CPU", "bitness-mismatch", linked("libcufft.so.11", stack.set_machine), HERE),
    Case("dangling symlink", "broken-symlink", linked("libcudnn.so.8", stack.link_to_nothing), HERE),
    Case("needs another", "dependent-missing", linked("libcublas.so.11", None, ["made/libzspecial.so.1"]), HERE),
]


def first(text, key):
    try:
        found = json.loads(text)[key]
    except ValueError:
        return "no answer"
    return found[0]["cause"] if found else "none"


def watched(culprit, command, folder, more):
    report = os.path.join(folder, "report.json")
    subprocess.run([culprit, "run", "--format", "json", "-o", report, "--", *command], **more)
    with open(report, encoding="utf-8") as file:
        return file.read()


def answers(culprit, case):
    if reason := case.skip():
        return case, None, reason
    with tempfile.TemporaryDirectory(prefix="one-") as folder:
        folder = os.path.realpath(folder)
        command = case.make(folder)
        own = {name: value.replace("{here}", folder) for name, value in case.env.items()}
        more = {"cwd": folder, "env": {**os.environ, "LC_ALL": "C.UTF-8", **own}, "capture_output": True, "text": True,
                "timeout": 240, "check": False}
        alone = subprocess.run(command, **more)
        log = write(folder, "log.txt", alone.stdout + alone.stderr)
        host = [] if case.without else HOST
        target = [] if case.without else command
        said = {
            "check": first(subprocess.run([culprit, "check", "--format", "json", *host, *target], **more).stdout, "findings"),
            "run": first(watched(culprit, command, folder, more), "causes"),
            "explain": first(subprocess.run([culprit, "explain", "--here", "--format", "json", *host, log], **more).stdout, "causes"),
        }
        if case.without:  # what is loaded is not the probe's affair
            said["probe"] = first(subprocess.run([culprit, "probe", "--format", "json"], **more).stdout, "findings")
        return case, said, alone.stderr


def main():
    culprit = os.path.abspath(sys.argv[1])
    chosen = [case for case in FAULTS if len(sys.argv) < 3 or any(part in case.name for part in sys.argv[2:])]
    passed = failed = skipped = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case, said, words in pool.map(lambda case: answers(culprit, case), chosen):
            if said is None:
                skipped += 1
                print(f"skipped: {case.name}: {words}")
                continue
            good = len(set(said.values())) == 1 and said["check"] in case.truth.split()
            passed, failed = passed + good, failed + (not good)
            if not good:
                print(f"FAILED: {case.name}: true {case.truth}: {said}\n    {words.strip()}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
