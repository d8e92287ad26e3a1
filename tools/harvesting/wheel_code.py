"""data/wheel_code.toml: the GPU code inside wheels, as `culprit inspect` finds it in one or two members of each, and for which
CUDA releases a wheel has its own library, by their names.

Code is read only from the newest releases; rows of older ones stay as they are. Names are read from all of them.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import tempfile

from harvesting import gpu_code, projects
from harvesting.distributions import parse_wheel
from harvesting.index import Unreachable, final_versions, version_key
from harvesting.rows import lines

# Package -> the members whose code decides. A group in it is the CUDA of a build: 118 for 11.8.
MEMBERS = {
    "auto-gptq": r"(?:exllama|exllamav2)_kernels\.[^/]*\.so",
    "bitsandbytes": r"bitsandbytes/libbitsandbytes_cuda(\d+)\.(?:so|dll)",
    "libcudf-cu12": r"libcudf/lib64/libcudf\.so",
    "libcudf-cu13": r"libcudf/lib64/libcudf\.so",
    "libcuml-cu12": r"libcuml/lib64/libcuml(?:\+\+)?\.so",
    "libcuml-cu13": r"libcuml/lib64/libcuml(?:\+\+)?\.so",
    "lmdeploy": r"lmdeploy/(?:lib|turbomind)/_turbomind\.[^/]*\.so",
    "nvidia-nvshmem-cu12": r"nvidia/nvshmem/lib/libnvshmem_host\.so\.3",
    "nvidia-nvshmem-cu13": r"nvidia/nvshmem/lib/libnvshmem_host\.so\.3",
    "sgl-kernel": r"sgl_kernel/(?:.*/)?common_ops\.[^/]*\.so",
    "sglang-kernel": r"sgl_kernel/(?:.*/)?common_ops\.[^/]*\.so",
    "torchcodec": r"torchcodec/libtorchcodec_core7\.so",
    "transformer-engine-cu12": r"transformer_engine/(?:wheel_lib/)?libtransformer_engine\.so",
    "transformer-engine-cu13": r"transformer_engine/(?:wheel_lib/)?libtransformer_engine\.so",
    "vllm": r"vllm/_C(?:_stable_libtorch)?\.abi3\.so",
    "xformers": r"xformers/_C\.(?:so|pyd)",
    "xgboost": r"xgboost/lib/(?:libxgboost\.so|xgboost\.dll)",
}
# Package -> the first release of interest; its members above have the CUDA in their names.
BY_CUDA = {"bitsandbytes": "0.36.0.post2"}  # 0.36.0 names its libraries otherwise
NEWEST = 3
PLATFORMS = ("linux-aarch64", "linux-x86_64", "windows-x86_64")
LARGEST = 300 << 20  # bytes of a member, packed
HEADER = """\
# GPU code inside wheels on the package index, in the libraries that decide. Written by tools/harvest with `culprit inspect`;
# not to be edited. A row holds for each of its versions; releases without a row were not looked into.
#
# libraries: the CUDA releases for which a wheel has a library of its own, by the names of its files; none: it has none at all.
# code: cuda is the CUDA that the library was built for, by its name or by the libraries that it loads; several rows for one
#   version and platform: the wheel has a build for each. Without `code` there is no GPU code in that library.

"""


def program():
    """The culprit of this tree, or the one that CULPRIT names."""
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    found = [path for path in (os.environ.get("CULPRIT"), root / "build/release/culprit") if path and pathlib.Path(path).exists()]
    if not found:
        raise Unreachable("no program to read GPU code with: build it (build/release/culprit), or name one in CULPRIT")
    return found[0]


def inspect(content):
    """(GPU code, major version of its CUDA or '') of a library."""
    with tempfile.NamedTemporaryFile(suffix=".so") as library:
        library.write(content)
        library.flush()
        run = subprocess.run([program(), "inspect", library.name, "--format", "json"], capture_output=True, text=True)
    file = json.loads(run.stdout)["files"][0]
    found = file.get("gpu_code") or {}
    names = [*found.get("sass", {}), *found.get("ptx", {}), *linkable(found.get("sections", {}))]
    majors = re.findall(r"(?:libcudart\.so\.|cudart64_)(\d\d)", " ".join(file.get("needed") or []))
    return gpu_code.notation(names), majors[0] if majors else ""


def linkable(sections):
    """PTX that every part of the code of -rdc=true has: the driver links again from it, beside linked code."""
    parts = [section for name, section in sections.items() if name in ("__nv_relfatbin", "__nv_rel")]
    return [name for part in parts for name, count in part["ptx"].items() if count == part["containers"]]


def of_wheel(index, package, file):
    """[[cuda, code]] of a wheel; None if its members are too large."""
    with index.wheel(package, file) as wheel:
        members = [(entry, found) for entry in wheel.infolist() if (found := re.fullmatch(MEMBERS[package], entry.filename))]
        if any(entry.compress_size > LARGEST for entry, _ in members):
            return None
        builds = collections.defaultdict(set)
        for entry, found in members:
            code, cuda = inspect(index.member(wheel, entry.filename))
            if found.groups() and found.group(1):
                cuda = f"{found.group(1)[:2]}.{found.group(1)[2:]}"
            builds[cuda or suffix(package)].update(code)
    return [[cuda, sorted(code, key=lambda c: (version_key(c), c))] for cuda, code in sorted(builds.items(), key=lambda b: version_key(b[0]))]


def suffix(package):
    found = re.search(r"-cu(\d+)$", package)
    return found.group(1) if found else ""


def harvest(index, newest):
    program()
    jobs = []
    for package in MEMBERS:
        for version, files in list(projects.recent(index.project(package)))[-(newest or NEWEST):]:
            chosen = {}
            for file in sorted(files, key=lambda f: f["filename"]):
                if file["filename"].endswith(".whl"):
                    for platform in parse_wheel(file["filename"])[0]:
                        chosen.setdefault(platform, file)
            jobs += [(package, version, platform, file) for platform, file in chosen.items() if platform != "any"]

    def read(job):
        package, version, platform, file = job
        text = index.cache.get(file, f"linkable{LARGEST >> 20}", lambda: json.dumps(of_wheel(index, package, file)).encode())
        return [(package, version, platform, cuda, tuple(code)) for cuda, code in json.loads(text) or []]

    with concurrent.futures.ThreadPoolExecutor(2) as pool:  # libraries are large, and inspecting them takes a processor
        return [row for rows in pool.map(read, jobs) for row in rows]


def libraries(index):
    """Rows of the CUDA releases in the names of libraries."""
    merged = collections.defaultdict(list)
    for package, first in BY_CUDA.items():
        project = index.project(package)
        for version in final_versions(project):
            if version_key(version) < version_key(first):
                continue
            has = collections.defaultdict(set)
            for file in project["releases"][version]:
                if not file["filename"].endswith(".whl") or file.get("yanked"):
                    continue
                platforms = parse_wheel(file["filename"])[0]
                for name in names(index, package, file):
                    found = re.fullmatch(MEMBERS[package], name)
                    for platform in [p for p in PLATFORMS if p in platforms or "any" in platforms]:
                        # A wheel for every platform has libraries for some of them.
                        there = found and ("any" not in platforms or platform == {"so": "linux-x86_64"}.get(name.rpartition(".")[2], ""))
                        has[platform] |= {f"{found.group(1)[:2]}.{found.group(1)[2:]}"} if there else set()
            for platform, cudas in has.items():
                merged[package, platform, tuple(sorted(cudas, key=version_key))].append(version)
    rows = collections.defaultdict(list)
    for (package, platform, cudas), versions in merged.items():
        rows[package, cudas, tuple(versions)].append(platform)
    return sorted(({"package": package, "versions": versions, "platforms": platforms, "cuda": cudas,
                    "source": "package index: names of the files in these wheels"}
                   for (package, cudas, versions), platforms in ((key, sorted(found)) for key, found in rows.items())),
                  key=lambda r: (r["package"], version_key(r["versions"][0]), r["platforms"]))


def names(index, package, file):
    def read():
        with index.wheel(package, file) as wheel:
            return "\n".join(wheel.namelist()).encode()
    return index.cache.get(file, "names", read).decode(errors="replace").split("\n")


def rewrite(found, old, named=()):
    """The text of the file: what was found, and the rows of other releases."""
    read = {row[:3] for row in found}
    kept = [(r["package"], version, platform, r.get("cuda", ""), tuple(r.get("code", ())))
            for r in old.get("code", []) for version in r["versions"] for platform in r["platforms"]]
    rows = collections.defaultdict(lambda: collections.defaultdict(set))
    for package, version, platform, cuda, code in [*found, *(r for r in kept if r[:3] not in read)]:
        rows[package, cuda, code][version].add(platform)
    merged = collections.defaultdict(list)
    for (package, cuda, code), versions in rows.items():
        for version, platforms in versions.items():
            merged[package, cuda, code, tuple(sorted(platforms))].append(version)
    ordered = sorted(({"package": package, "versions": sorted(versions, key=version_key), "platforms": platforms, "cuda": cuda,
                       "code": code, "source": "package index: the libraries in these wheels"}
                      for (package, cuda, code, platforms), versions in merged.items()),
                     key=lambda r: (r["package"], version_key(r["versions"][0]), r["platforms"], version_key(r["cuda"])))
    return HEADER + lines("libraries", named or old.get("libraries", [])) + "\n" + lines("code", ordered)


def compare(found, old, named=()):
    known = {(r["package"], version, platform): True for r in old["code"] for version in r["versions"] for platform in r["platforms"]}
    exact = {(r["package"], version, platform, r.get("cuda", ""), tuple(r.get("code", ())))
             for r in old["code"] for version in r["versions"] for platform in r["platforms"]}
    for row in found:
        name = " ".join(row[:3])
        if row[:3] not in known:
            yield f"{name}: not in the data"
        elif row not in exact:
            yield f"{name}: the wheel has {list(row[4])} for CUDA {row[3] or 'unknown'}, the data does not"
    listed = {(r["package"], version, platform): list(r.get("cuda", [])) for r in old.get("libraries", [])
              for version in r["versions"] for platform in r["platforms"]}
    for row in named:
        for release in ((row["package"], version, platform) for version in row["versions"] for platform in row["platforms"]):
            if listed.get(release) != list(row["cuda"]):
                yield f"{' '.join(release)}: libraries for CUDA {', '.join(row['cuda']) or 'none'}, the data has {listed.get(release)}"
