#!/usr/bin/env python3
"""tests/index_rows_test.py: the rows written by hand against the package index, as it is today.

Every final release of torch, tensorflow, jax, cuDNN and CUDA has a row, or is left out with a reason; every wheel of
NVIDIA's compiler has a [[header]] row, whose limits are those of the header in the newest wheels. Needs the index.
"""
import pathlib
import re
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))
from harvesting.gpu_code import covers
from harvesting.index import Index, Unreachable, final_versions, version_key

COMPILERS = {"nvidia-cuda-nvcc-cu11": "11.7", "nvidia-cuda-nvcc-cu12": "12.0", "nvidia-cuda-crt": "13.0"}
NEWEST = 3


def data(name):
    return tomllib.loads((ROOT / "data" / f"{name}.toml").read_text())


def is_left_out(package, version):
    key = version_key(version)
    return any(row["package"] == package and version_key(row["version"]) <= key <= version_key(row.get("until", row["version"]))
               for row in data("packages")["left_out"])


def releases_without_a_row(index):
    frameworks, cudnn = data("frameworks")["release"], {row.get("build") for row in data("cudnn")["release"]}
    toolkits = {row["cuda"] for row in data("drivers")["toolkit"]}
    has = {package: lambda v, package=package: any(r["framework"] == package and covers(r, v) for r in frameworks)
           for package in ("torch", "tensorflow", "jax")}
    has |= {f"nvidia-cudnn-cu{major}": lambda v: v.partition(".post")[0] in cudnn for major in (11, 12, 13)}
    has["cuda-toolkit"] = lambda v: v in toolkits
    for package, has_row in has.items():
        for version in final_versions(index.project(package)):
            if not has_row(version) and not is_left_out(package, version):
                yield f"{package} {version}: no row; add one, or a [[left_out]] row in data/packages.toml"


def limits(header):
    """The checks of crt/host_config.h; its messages are not always kept up."""
    clang = re.findall(r"#if \(__clang_major__ >= *(\d+)\)", header)  # the first may be that of another system
    msvc = re.search(r"_MSC_VER < (\d+) \|\| _MSC_VER >= (\d+)", header)
    return {"gcc_max": int(re.search(r"#if __GNUC__ > (\d+)", header).group(1)), "clang_max": int(clang[-1]) - 1,
            "msvc_min": int(msvc.group(1)), "msvc_below": int(msvc.group(2))}


def headers_that_differ(index):
    rows = {(row["package"], row["version"]): row for row in data("host_compilers")["header"]}
    for package, first in COMPILERS.items():
        project = index.project(package)
        versions = [v for v in final_versions(project) if version_key(v) >= version_key(first)]
        for version in versions:
            if (package, version) not in rows:
                yield f"{package} {version}: no [[header]] row in data/host_compilers.toml"
        for version in versions[-NEWEST:]:
            file = next(f for f in project["releases"][version] if "manylinux" in f["filename"] and "x86_64" in f["filename"])
            with index.wheel(package, file) as wheel:
                name = next(n for n in wheel.namelist() if n.endswith("crt/host_config.h"))
                found = limits(wheel.read(name).decode(errors="replace"))
            row = rows.get((package, version), {})
            differs = {key: value for key, value in found.items() if row and row[key] != value}
            if differs:
                yield f"{package} {version}: its header says {differs}"


def main():
    try:
        index = Index()
        wrong = [*releases_without_a_row(index), *headers_that_differ(index)]
    except Unreachable as error:
        print(f"skipped: {error}\n0 passed, 0 failed, 1 skipped")
        return 0
    print("\n".join(wrong))
    print(f"{0 if wrong else 1} passed, {1 if wrong else 0} failed, 0 skipped")
    return 1 if wrong else 0


sys.exit(main())
