"""The GPU code that wheels of torch and tensorflow were built for.

torch has the list as a string in libtorch_python.so, tensorflow in its build_info.py: one member of a wheel is read.
"""
import json
import re

from harvesting.index import version_key

KEYS = {"x86_64": "code", "aarch64": "code_aarch64"}  # the index has no CUDA build of these for Windows any more


def notation(names):
    """['sm_75', 'sm_120', 'compute_120'] -> ['7.5', '12.0+PTX'], as data/frameworks.toml has it."""
    machine, ptx = set(), set()
    for name in names:
        kind, major, minor, suffix = re.fullmatch(r"(sm|compute)_(\d+)(\d)([af]?)", name).groups()
        (machine if kind == "sm" else ptx).add((int(major), int(minor), suffix))
    text = {code: "%d.%d%s" % code for code in machine | ptx}
    both = [text[code] + ("+PTX" if code in ptx else "") for code in sorted(machine)]
    return both + ["PTX " + text[code] for code in sorted(ptx - machine)]


def torch_code(index, wheel):
    """None for a build without CUDA."""
    if "torch/lib/libtorch_cuda.so" not in wheel.namelist():
        return None
    one = rb"(?:sm|compute)_\d+[af]?"
    lists = {m.group(0).decode() for m in re.finditer(rb"%b(?: %b)+" % (one, one), index.member(wheel, "torch/lib/libtorch_python.so"))}
    return notation(max(lists, key=len, default="").split())


def tensorflow_code(index, wheel):
    name = "tensorflow/python/platform/build_info.py"
    found = re.search(r"cuda_compute_capabilities', \[(.*?)\]", index.member(wheel, name).decode()) if name in wheel.namelist() else None
    if not found:
        return None
    names = re.findall(r"'(\w+)'", found.group(1))
    return notation(names + ["sm_" + n.removeprefix("compute_") for n in names if n.startswith("compute_")])  # both there


def newest_wheel(files, machine):
    """Any one of them: all Pythons have the same code."""
    fitting = [f["filename"] for f in files if re.search(rf"-cp3\d+m?-(many)?linux[^-]*{machine}\.whl$", f["filename"])]
    return next((f for f in files if fitting and f["filename"] == max(fitting)), None)


READERS = {"torch": torch_code, "tensorflow": tensorflow_code}


def of_release(index, package, files, machine):
    """The code of its Linux wheel for that machine; None without a wheel, or without CUDA."""
    file = newest_wheel(files, machine)
    if file is None:
        return None

    def read():
        with index.wheel(package, file) as wheel:
            return json.dumps(READERS[package](index, wheel)).encode()
    return json.loads(index.cache.get(file, "gpu_code", read))


def covers(row, version):
    """As the program reads a row: "4.8" is every 4.8.x, as the first and as the last of a range."""
    key, first, last = version_key(version), version_key(row["version"]), version_key(row.get("until", row["version"]))
    return first <= key and key[:len(last)] <= last
