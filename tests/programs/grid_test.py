#!/usr/bin/env python3
"""Programs that nvcc makes, against drivers and GPUs: culprit check PROGRAM --host driver=...,gpu=... must say what NVIDIA's
documented rules say. The rules are written down here again, from the documents and not from culprit:

- A CUDA 13 runtime needs driver 580 or newer ("minor-version compatibility" reaches down to the first driver of the
  major; CUDA Compatibility guide).
- Machine code sm_XY runs on GPUs X.Z with Z >= Y. sm_XYa runs on X.Y alone. sm_XYf runs on GPUs of its family with Z >= Y
  (programming guide, compute capabilities; nvcc documentation, GPU code).
- PTX of compute_XY runs on X.Y and everything later; compute_XYa on X.Y alone, compute_XYf in its family; its version must be
  known to the driver, and 580 knows PTX 9.0, which is nvcc 13.0's.

  grid_test.py CULPRIT [--all]     without --all only the first programs: each takes nvcc some seconds
"""
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

KERNEL = """
__global__ void kernel(int* place) { *place = 7; }
int main() {
  int* place = nullptr;
  if (cudaError_t error = cudaMalloc(&place, sizeof(int)); error != cudaSuccess) return error;
  kernel<<<1, 1>>>(place);
  if (cudaError_t error = cudaGetLastError(); error != cudaSuccess) return error;
  return cudaDeviceSynchronize();
}
"""
# What is compiled in: machine code and PTX, as nvcc names them. "shared": with libcudart.so instead of the static runtime.
PROGRAMS = [
    ("sm_90",), ("sm_90a",), ("compute_75",), ("sm_75", "sm_80", "sm_90", "compute_90"), ("sm_100f",), ("sm_100", "shared"),
    ("sm_75",), ("sm_80",), ("sm_86",), ("sm_89",), ("sm_100",), ("sm_100a",), ("sm_103",), ("sm_120",), ("sm_120f",),
    ("compute_90",), ("compute_90a",), ("compute_100f",), ("sm_80", "compute_80"), ("sm_75", "sm_120", "shared"),
]
DRIVERS = ["535.104.05", "550.54.14", "580.65.06"]
GPUS = ["sm_61", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_103", "sm_120", "sm_121"]
LIBRARIES = str(pathlib.Path(shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc").resolve().parent.parent / "lib64")
FAMILIES = [{100, 103}, {110}, {120, 121}]


def number(name):
    digits = name.split("_")[1]
    suffix = digits[-1] if digits[-1].isalpha() else ""
    return int(digits.rstrip("af")), suffix


def runs(target, gpu):
    """One piece of code on one GPU, by the documents."""
    arch, suffix = number(target)
    device, _ = number(gpu)
    if suffix == "a":
        return device == arch
    if suffix == "f":
        return device >= arch and any(arch in family and device in family for family in FAMILIES)
    if target.startswith("compute_"):
        return device >= arch
    return device // 10 == arch // 10 and device >= arch


def works(program, driver, gpu):
    return int(driver.split(".")[0]) >= 580 and any(runs(target, gpu) for target in program if target != "shared")


def build(folder, program):
    path = folder / "-".join(program)
    source = folder / "kernel.cu"
    source.write_text(KERNEL)
    words = ["nvcc", "-o", path, source]
    for target in program:
        if target == "shared":
            words += ["-cudart", "shared"]
        elif target.startswith("compute_"):
            words += ["-gencode", f"arch={target},code={target}"]
        else:
            words += ["-gencode", f"arch=compute_{target.split('_')[1]},code={target}"]
    subprocess.run(words, check=True)
    return path


def verdict(culprit, path, driver, gpu):
    done = subprocess.run([culprit, "check", path, "--host", f"driver={driver},gpu={gpu}", "--format", "json"],
                          capture_output=True, text=True,
                          env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "LD_LIBRARY_PATH": LIBRARIES})
    answer = json.loads(done.stdout)
    return answer["verdict"], [finding["code"] for finding in answer["findings"] if str(path) in json.dumps(finding)
                               or finding["code"].startswith("CUL1")]


def main():
    culprit = pathlib.Path(sys.argv[1]).resolve()
    programs = PROGRAMS if "--all" in sys.argv else PROGRAMS[:6]
    if shutil.which("nvcc") is None:
        print("skipped: nvcc is not installed\n0 passed, 0 failed, 1 skipped")
        return 0
    right, wrong = 0, []
    keep = os.environ.get("CULPRIT_GRID")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for program in programs:
            path = folder / "-".join(program)
            if not path.exists():
                build(folder, program)
            for driver, gpu in itertools.product(DRIVERS, GPUS):
                said, codes = verdict(culprit, path, driver, gpu)
                expected = works(program, driver, gpu)
                if (said != "errors") == expected and said != "unknown":
                    right += 1
                else:
                    wrong.append(f"{' '.join(program)} on driver {driver}, {gpu}: {said} {codes}, should "
                                 f"{'work' if expected else 'fail'}")
    print("\n".join(wrong))
    print(f"{right} passed, {len(wrong)} failed, 0 skipped")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
