#!/usr/bin/env python3
"""tests/harvest_test.py [--index]: compares the data files that tools/harvest writes with their sources.

Without --index, only with installed sources: an index changes from day to day. With it, only the newest releases
are queried. A missing source is a skip with its reason.
"""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INSTALLED, IN_INDEX = ["gpu_ids"], ["harvested", "distributions", "gpu_code"]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))
from harvesting import distributions, gpu_code, pins


def requirement_cases():
    """(Requires-Dist line, its parsed form)"""
    yield 'nvidia-cudnn-cu12==9.1.0.70; platform_system == "Linux"', ("nvidia-cudnn-cu12==9.1.0.70", "")
    yield "nvidia-cublas-cu12 (==12.2.5.6) ; extra == 'and-cuda'", ("nvidia-cublas-cu12==12.2.5.6", "and-cuda")
    yield "cuda-toolkit[cublas,cudart]==13.0.2", ("cuda-toolkit==13.0.2", "")
    yield "Nvidia_NCCL.cu12>=2,<3", ("nvidia-nccl-cu12<3,>=2", "")
    yield "keras", ("keras", "")


def wheel_cases():
    """(file name of a wheel, its platforms with their glibc, its Pythons and whether later ones do)"""
    yield "torch-1.8.0-cp37-cp37m-manylinux1_x86_64.whl", {"linux-x86_64": "2.5"}, [(7, False)]
    yield "x-1-cp39-cp39-manylinux_2_17_aarch64.manylinux2014_aarch64.whl", {"linux-aarch64": "2.17"}, [(9, False)]
    yield "vllm-0.6.3-cp38-abi3-manylinux1_x86_64.whl", {"linux-x86_64": "2.5"}, [(8, True)]
    yield "xformers-0.0.35-py39-none-win_amd64.whl", {"windows-x86_64": ""}, [(9, True)]
    yield "triton-2.0.0-1-cp310-cp310-manylinux2014_x86_64.whl", {"linux-x86_64": "2.17"}, [(10, False)]
    yield "jax-0.4.30-py2.py3-none-any.whl", {"any": ""}, [(0, True)]
    yield "torch-2.15.0-cp315-cp315t-win_amd64.whl", {"windows-x86_64": ""}, []
    yield "x-1-cp39-cp39-musllinux_1_1_x86_64.whl", {}, [(9, False)]


def file_rows():
    """A release whose wheels are one for its oldest Python and one for all later ones."""
    names = ["x-1-cp311-cp311-win_amd64.whl", "x-1-cp312-abi3-win_amd64.whl", "x-1.tar.gz"]
    files = [{"filename": name, "requires_python": "<3.16", "upload_time": "2026-01-02T03:04:05"} for name in names]
    rows = list(distributions.rows_of("x", "1", [*files, {**files[0], "filename": "x-1-cp36-cp36m-win_amd64.whl",
                                                          "yanked": True}]))
    return [(r["platform"], r.get("pythons"), r["python"], r["date"]) for r in rows]


def mistakes():
    for line, wanted in requirement_cases():
        if (got := pins.requirement(line)) != wanted:
            yield f"{line}: {got}, not {wanted}"
    for name, *wanted in wheel_cases():
        if (got := list(distributions.parse_wheel(name))) != wanted:
            yield f"{name}: {got}, not {wanted}"
    if (got := gpu_code.notation(["sm_120", "sm_75", "sm_90a", "compute_120", "compute_80"])) != \
            ["7.5", "9.0a", "12.0+PTX", "PTX 8.0"]:
        yield f"GPU code: {got}"
    if (got := file_rows()) != [("windows-x86_64", None, "<3.16,>=3.11", "2026-01-02")]:
        yield f"rows of a release with an abi3 wheel: {got}"


def main():
    subjects = INSTALLED + (IN_INDEX if "--index" in sys.argv[1:] else [])
    passed = failed = skipped = 0
    wrong = list(mistakes())
    print("\n".join(wrong))
    passed, failed = (0, 1) if wrong else (1, 0)
    run = subprocess.run([sys.executable, ROOT / "tools" / "harvest", "--check", "--newest", "1", *subjects],
                         capture_output=True, text=True)
    print(run.stdout + run.stderr, end="")
    for subject in subjects:
        lines = [line for line in run.stdout.splitlines() if line.startswith((f"{subject}: ", f"skipped: {subject}: "))]
        # A new release is not a mistake; everything else that --check finds is one.
        if any(line.startswith("skipped: ") for line in lines):
            skipped += 1
        elif lines and all(line.endswith((": not in the data", ": as the source says")) for line in lines):
            passed += 1
        else:
            failed += 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


sys.exit(main())
