#!/usr/bin/env python3
"""tests/run/tool_test.py CULPRIT: `culprit run --sanitize` and `--debug` with stand-ins for the tools.

The stand-ins treat a program and its exit status like the real tools: compute-sanitizer writes its report to --log-file and
exits with 0 whatever happened; cuda-gdb prints to its own output.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

SANITIZER = """#!/bin/sh
if [ "$1" = --help ]; then echo "  --target-processes arg"; exit 0; fi
while :; do case $1 in --log-file) log=$2; shift 2;; --*) shift 2;; *) break;; esac; done
echo "========= COMPUTE-SANITIZER" >"$log"
if [ -n "$BROKEN" ]; then echo "========= Error: Could not connect to target" >>"$log"; exit 0; fi
"$@"
for thread in 1 2 3; do
  echo "========= Invalid __global__ write of size 4 bytes"
  echo "=========     at Store(int *)+0x70 in /src/store.cu:12"
  echo "=========     by thread ($thread,0,0) in block (0,0,0)"
  echo "========="
done >>"$log"
echo "========= ERROR SUMMARY: 3 errors" >>"$log"
exit 0
"""
DEBUGGER = """#!/bin/sh
echo chatter
echo 'Thread 1 "app" received signal CUDA_EXCEPTION_14, Warp Illegal Address.'
echo '[Switching focus to CUDA kernel 0, grid 1, block (0,0,0), thread (7,0,0), device 0, sm 0, warp 0, lane 7]'
echo '0x00 in Store<<<(4,1,1),(64,1,1)>>> (p=0x0) at store.cu:12'
while [ "$1" != --args ]; do shift; done
shift
"$@"
printf '\\n[culprit] exit %d\\n' $?
"""


def main():
    culprit = os.path.abspath(sys.argv[1])
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        tools, empty = pathlib.Path(folder) / "tools", pathlib.Path(folder) / "empty"
        tools.mkdir()
        empty.mkdir()
        for name, text in (("compute-sanitizer", SANITIZER), ("cuda-gdb", DEBUGGER)):
            (tools / name).write_text(text)
            (tools / name).chmod(0o755)

        def run(*arguments, path=tools, **variables):
            environment = {"PATH": f"{path}:/usr/bin:/bin", "HOME": folder, "TMPDIR": folder, **variables}
            return subprocess.run(
                [culprit, "run", *arguments], capture_output=True, text=True, env=environment, timeout=120
            )

        def expect(what, condition, done):
            if not condition:
                wrong.append(f"{what}: status {done.returncode}, output {done.stdout!r}, error {done.stderr[-1500:]}")

        program = ["sh", "-c", 'echo "out $1"; echo err >&2; exit 3', "sh", "it's a \"word\""]
        for option in ("--sanitize", "--sanitize=racecheck", "--debug"):
            done = run(option, "--", *program)
            expect(f"{option}: end and output", done.returncode == 3 and done.stdout == "out it's a \"word\"\n", done)
            expect(
                f"{option}: output and report", done.stderr.startswith("err\n") and "chatter" not in done.stderr, done
            )
            expect(f"{option}: kernel and line", "Store" in done.stderr and "store.cu:12" in done.stderr, done)
        done = run("--sanitize", "--", "sh", "-c", "kill -SEGV $$")
        expect("a crash stays one", done.returncode == -11 and "Segmentation fault" not in done.stderr, done)
        record = os.path.join(folder, "record")
        done = run("--sanitize", "--save", record, "--", "true")
        expect("success with errors is reported", done.returncode == 0 and "Store" in done.stderr, done)
        later = subprocess.run([culprit, "explain", record], capture_output=True, text=True, timeout=120)
        expect("explain RECORD", "store.cu:12" in later.stdout, later)

        mark = os.path.join(folder, "mark")
        for option, package in (("--sanitize", "cuda-sanitizer"), ("--debug", "cuda-gdb")):
            done = run(option, "--", "touch", mark, path=empty)
            expect(
                f"{option}: not here",
                done.returncode == 2 and package in done.stderr and done.stderr.count("\n") == 1,
                done,
            )
            expect(f"{option}: the program is not run without it", not os.path.exists(mark), done)
        done = run("--sanitize", "--", "touch", mark, BROKEN="1")
        expect("a tool that fails is no success", done.returncode == 2 and "Could not connect" in done.stderr, done)
        done = run("--sanitize", "--", "nosuchprogram")
        expect("no such program", done.returncode == 127, done)
        for arguments in (["--sanitize=everything"], ["--sanitize", "--debug"]):
            done = run(*arguments, "--", "touch", mark)
            expect(f"{arguments}: usage", done.returncode == 64 and not os.path.exists(mark), done)
        left = [name for name in os.listdir(folder) if name.startswith("culprit-")]
        if left:
            wrong.append(f"left behind: {left}")
    print("\n".join(wrong) or "ok")
    return 1 if wrong else 0


sys.exit(main())
