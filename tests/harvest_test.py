#!/usr/bin/env python3
"""The data files that tools/harvest makes, against the sources they were made from where those are at hand.

A source that is not there is a skip with its reason; the newest releases alone are asked of the package index.
"""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHECKS = {"gpu_ids": [], "harvested": ["--newest", "2"]}


def requirement_cases():
    """(Requires-Dist line, what harvest makes of it)"""
    yield 'nvidia-cudnn-cu12==9.1.0.70; platform_system == "Linux"', ("nvidia-cudnn-cu12==9.1.0.70", "")
    yield "nvidia-cublas-cu12 (==12.2.5.6) ; extra == 'and-cuda'", ("nvidia-cublas-cu12==12.2.5.6", "and-cuda")
    yield "cuda-toolkit[cublas,cudart]==13.0.2", ("cuda-toolkit==13.0.2", "")
    yield "Nvidia_NCCL.cu12>=2,<3", ("nvidia-nccl-cu12<3,>=2", "")
    yield "keras", ("keras", "")


def reads_requirements():
    namespace = {"__name__": "harvest", "__file__": str(ROOT / "tools" / "harvest")}
    exec(compile((ROOT / "tools" / "harvest").read_text(), "harvest", "exec"), namespace)
    return [f"{line}: {got}, not {wanted}" for line, wanted in requirement_cases()
            if (got := namespace["requirement"](line)) != wanted]


def main():
    passed = failed = skipped = 0
    wrong = reads_requirements()
    print("\n".join(wrong))
    passed, failed = (0, 1) if wrong else (1, 0)
    for subject, options in CHECKS.items():
        run = subprocess.run([sys.executable, ROOT / "tools" / "harvest", "--check", *options, subject],
                             capture_output=True, text=True)
        print(run.stdout + run.stderr, end="")
        # A release that appeared since is news, not a mistake: the rest of what --check finds is one.
        news = [line for line in run.stdout.splitlines() if line.endswith(": not in the data")]
        if run.returncode == 2:
            skipped += 1
        elif run.returncode == 0 or (run.returncode == 1 and len(news) == len(run.stdout.splitlines())):
            passed += 1
        else:
            failed += 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


sys.exit(main())
