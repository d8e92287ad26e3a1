"""data/distributions.toml: which wheels of a package there are, by platform and Python, and the day this was read."""
import collections
import concurrent.futures
import datetime
import re

from harvesting.index import final_versions, version_key
from harvesting.rows import lines

# Package -> first version of interest.
PACKAGES = {
    "torch": "1.0", "torchvision": "0.2", "torchaudio": "0.3", "xformers": "0.0.12", "triton": "0", "vllm": "0.1",
    "tensorflow": "2.4", "tensorflow-gpu": "1.0", "tensorflow-cpu": "2.4",
    "mxnet-cu80": "1.5", "mxnet-cu90": "1.5", "mxnet-cu92": "1.5", "mxnet-cu100": "1.5", "mxnet-cu101": "1.5",
    "mxnet-cu102": "1.5", "mxnet-cu110": "1.5", "mxnet-cu112": "1.5",
    "jax": "0.4", "jaxlib": "0.4", "jax-cuda12-plugin": "0", "jax-cuda12-pjrt": "0", "jax-cuda13-plugin": "0",
    "jax-cuda13-pjrt": "0",
    "onnxruntime-gpu": "1.8", "ctranslate2": "2.0", "paddlepaddle-gpu": "2.0",
    "cupy-cuda102": "11", "cupy-cuda110": "11", "cupy-cuda111": "11", "cupy-cuda11x": "11", "cupy-cuda12x": "11",
    "cupy-cuda13x": "11",
    "nvidia-cudnn-cu11": "1", "nvidia-cudnn-cu12": "1", "nvidia-cudnn-cu13": "1",
    "nvidia-cublas-cu11": "1", "nvidia-cublas-cu12": "1", "nvidia-cublas": "1",
    "nvidia-cuda-runtime-cu11": "1", "nvidia-cuda-runtime-cu12": "1", "nvidia-cuda-runtime": "1",
    "nvidia-cuda-nvrtc-cu11": "1", "nvidia-cuda-nvrtc-cu12": "1", "nvidia-cuda-nvrtc": "1",
    "nvidia-nccl-cu11": "1", "nvidia-nccl-cu12": "1", "nvidia-nccl-cu13": "1",
    "cuda-toolkit": "11",
}
SOURCE = "package index: files of that release"
HEADER = """\
# Wheels of final releases on the package index, by platform. Written by tools/harvest; not to be edited.
#
# harvest: the day on which the package index was read.
# distribution: pythons are those with a wheel of their own, empty where one wheel serves all that `python` allows
#   (Requires-Python, and the Python of an abi3 or py39 tag); glibc is that of the manylinux tag. Free-threaded Pythons,
#   macOS, musl and 32 bit are left out, as are releases of source archives alone.

"""
# manylinux names from before glibc stood in them.
MANYLINUX = {"manylinux1": "2.5", "manylinux2010": "2.12", "manylinux2014": "2.17"}


def platform_of(tag):
    """One platform tag -> (platform, glibc), None for those left out."""
    old_or_new = re.fullmatch(r"(manylinux(?:1|2010|2014)|manylinux_(\d+)_(\d+)|linux)_(x86_64|aarch64)", tag)
    if old_or_new:
        name, major, minor, machine = old_or_new.groups()
        return f"linux-{machine}", f"{major}.{minor}" if major else MANYLINUX.get(name, "")
    return {"win_amd64": ("windows-x86_64", ""), "any": ("any", "")}.get(tag)


def python_of(tag, abi):
    """One Python tag -> (minor, whether later ones do as well); None for those left out."""
    found = re.fullmatch(r"(cp|py)3(\d*)", tag)
    if not found or abi.endswith("t"):
        return None
    kind, minor = found.groups()
    return int(minor or 0), kind == "py" or abi == "abi3" or not minor


def parse_wheel(name):
    """File name of a wheel -> ({platform: lowest glibc}, [(minor, open)])."""
    pythons, abi, platforms = name.removesuffix(".whl").rsplit("-", 3)[1:]
    found = collections.defaultdict(list)
    for tag in platforms.split("."):
        if (known := platform_of(tag)) is not None:
            found[known[0]].append(known[1])
    lowest = {platform: min(texts, key=version_key) for platform, texts in found.items()}
    return lowest, [p for tag in pythons.split(".") if (p := python_of(tag, abi))]


def at_least(requires, minor):
    """Requires-Python with 'at least 3.minor' added where it does not say so already."""
    bounds = [bound for bound in requires.split(",") if bound]
    if minor == 0 or any(b.startswith(">=") and version_key(b) >= [3, minor] for b in bounds):
        return requires
    return ",".join(sorted([b for b in bounds if not b.startswith(">=")] + [f">=3.{minor}"]))


def rows_of(package, version, files):
    """One row for each platform, two where the wheels of some Python ask for a newer glibc than others."""
    wheels = collections.defaultdict(dict)  # platform -> (minor, open) -> glibc
    files = [f for f in files if not f.get("yanked")]
    for file in files:
        if not file["filename"].endswith(".whl"):
            continue
        platforms, pythons = parse_wheel(file["filename"])
        for platform, glibc in platforms.items():
            for python in pythons:
                known = wheels[platform].get(python, glibc)
                wheels[platform][python] = min(known, glibc, key=version_key)
    requires = next((f["requires_python"] for f in files if f.get("requires_python")), "")
    for platform, pythons in sorted(wheels.items()):
        for glibc in sorted(set(pythons.values()), key=version_key):
            minors = {minor for (minor, more), own in pythons.items() if own == glibc and not more}
            floors = [minor for (minor, more), own in pythons.items() if own == glibc and more]
            row = {"package": package, "version": version, "platform": platform}
            python = re.sub(r"\s", "", requires)
            if floors:
                floor = min(floors)
                while floor - 1 in minors:
                    floor -= 1
                python = at_least(python, floor)
            else:
                row["pythons"] = [f"3.{minor}" for minor in sorted(minors)]
            yield {**row, "python": python, "glibc": glibc, "source": SOURCE}


def harvest(index, newest):
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        projects = dict(zip(PACKAGES, pool.map(index.project, PACKAGES)))
    rows = [row for package, first in sorted(PACKAGES.items())
            for version in final_versions(projects[package])[-newest:] if version_key(version) >= version_key(first)
            for row in rows_of(package, version, projects[package]["releases"][version])]
    day = {"date": datetime.date.today().isoformat(), "source": "package index: the files it lists"}
    return HEADER + lines("harvest", [day]) + "\n" + lines("distribution", rows)


def compare(new, old):
    def key(row):
        return row["package"], row["version"], row["platform"], row.get("glibc", "")
    known = {key(row): row for row in old["distribution"]}
    for row in new["distribution"]:
        name = " ".join(key(row)).strip()
        if (other := known.get(key(row))) is None:
            yield f"{name}: not in the data"
        elif other != row:
            yield f"{name}: the index says {row}, the data {other}"
