"""The tables that people write, compared with what the index says. Each function yields a line for each thing to be done:
the file, the row and what is wrong or missing."""
import collections
import concurrent.futures
import json
import re

from harvesting import gpu_code, members, pins
from harvesting.distributions import parse_wheel
from harvesting.index import final_versions, version_key

NO_ROW = "no row"  # a new release, as opposed to a row that is wrong


def day_of(project, version):
    return min(f["upload_time"][:10] for f in project["releases"][version])


def newest(versions, count):
    return versions[-count:] if count else versions


def left_out(data, package, version):
    """Whether data/packages.toml says why it has no row."""
    return any(row["package"] == package and version_key(row["version"]) <= version_key(version) <= version_key(row.get("until", row["version"]))
               for row in data("packages")["left_out"])


def cuda(index, data, count):
    """data/drivers.toml [[toolkit]]: every release of cuda-toolkit; nvcc's and the runtime's minor versions."""
    rows = {row["cuda"] for row in data("drivers")["toolkit"]}
    project = index.project("cuda-toolkit")
    for version in newest(final_versions(project), count):
        if version not in rows and not left_out(data, "cuda-toolkit", version):
            yield (f"data/drivers.toml [[toolkit]] {version}: {NO_ROW} (on the index since {day_of(project, version)}); its drivers: "
                   "release notes, table of CUDA and driver versions")
    minors = {row.rpartition(".")[0] for row in rows}
    for package in ("nvidia-cuda-runtime-cu11", "nvidia-cuda-runtime-cu12", "nvidia-cuda-runtime"):
        project = index.project(package)
        for minor in dict.fromkeys(v.rpartition(".")[0] for v in newest(final_versions(project), count)):
            if minor not in minors:
                yield (f"data/drivers.toml [[toolkit]] {minor}: {NO_ROW} for this CUDA; {package} has it. Look for new GPUs and PTX "
                       "(data/architectures.toml) and container images (data/packages.toml), too")


def limits(header):
    """crt/host_config.h -> {column of [[nvcc]]: value}; a column whose test is not found is left out."""
    found = {}
    gcc = re.search(r"#if __GNUC__ > (\d+)\b(?: \|\| \(__GNUC__ == \d+ && __GNUC_MINOR__ > (\d+)\))?", header)
    if gcc:
        found["gcc_max"] = gcc.group(1) + (f".{gcc.group(2)}" if gcc.group(2) else "")
    # The test, not its message, which is out of date in some; there is another one for other kinds of clang.
    clang = re.search(r"#if defined\(__clang__\)[^\n]*\s+#if \(__clang_major__ >= (\d+)\)", header)
    if clang:
        found["clang_max"] = str(int(clang.group(1)) - 1)
    msvc = re.search(r"#if _MSC_VER < (\d+) \|\| _MSC_VER >= (\d+)", header)
    if msvc:
        found["msvc_min"], found["msvc_below"] = map(int, msvc.groups())
    return found


def host_config(index, package, project, version):
    """The header inside the Linux wheel of a compiler package; None without one."""
    file = next((f for f in project["releases"][version] if re.search(r"linux[^-]*x86_64", f["filename"])), None)
    if file is None:
        return None

    def read():
        with index.wheel(package, file) as wheel:
            name = next((n for n in wheel.namelist() if n.endswith("/crt/host_config.h")), None)
            return index.member(wheel, name) if name else b""
    return index.cache.get(file, "host_config", read).decode(errors="replace") or None


def host_compilers(index, data, count):
    """data/host_compilers.toml [[nvcc]], [[header]]: the limits that the headers inside compiler wheels test."""
    rows = {row["cuda"]: row for row in data("host_compilers")["nvcc"]}
    headers = {(row["package"], row["version"]) for row in data("host_compilers")["header"]}
    found = collections.defaultdict(list)  # what is to be said -> the wheels that say it
    for package in ("nvidia-cuda-nvcc-cu11", "nvidia-cuda-nvcc-cu12", "nvidia-cuda-crt"):
        project = index.project(package)
        for version in newest(final_versions(project), count):
            header = host_config(index, package, project, version)
            minor = ".".join(version.split(".")[:2])
            exact = [row for name, row in rows.items() if name == minor or name.startswith(minor + ".")]
            name = f"data/host_compilers.toml [[nvcc]] {minor}"
            if header is not None and (package, version) not in headers:
                found[f"data/host_compilers.toml [[header]] {package} {version}: {NO_ROW}, {limits(header)}"].append(f"{package} {version}")
            if header is not None and not exact:
                found[f"{name}: {NO_ROW}, {limits(header)}"].append(f"{package} {version}")
            for column, value in limits(header or "").items():
                if exact and all(row.get(column) != value for row in exact):
                    found[f"{name} {column}: {exact[-1].get(column)} in the data, {value}"].append(f"{package} {version}")
    for line, wheels in found.items():
        yield f"{line} in crt/host_config.h of {', '.join(wheels)}"


def cudnn(index, data, count):
    """data/cudnn.toml [[release]]: every cuDNN that has wheels."""
    rows = data("cudnn")["release"]
    for major in ("11", "12", "13"):
        project = index.project(f"nvidia-cudnn-cu{major}")
        for version in newest(final_versions(project), count):
            release = ".".join(version.split(".")[:3])
            row = next((r for r in rows if r["version"] == release), None)
            if row is None and left_out(data, f"nvidia-cudnn-cu{major}", version):
                continue
            if row is None:
                yield (f"data/cudnn.toml [[release]] {release}: {NO_ROW} (nvidia-cudnn-cu{major} {version}, on the index since "
                       f"{day_of(project, version)}); GPUs and drivers: support matrix of that release")
            elif not any(build.split(".")[0] == major for build in row["cuda_builds"]):
                yield f"data/cudnn.toml [[release]] {release} cuda_builds: {row['cuda_builds']} in the data, there is a wheel for CUDA {major}"


# Distribution -> (framework, variant) of its rows.
FRAMEWORKS = {"torch": ("torch", None), "tensorflow": ("tensorflow", None), "jax-cuda12-plugin": ("jax", "cuda12"),
              "jax-cuda13-plugin": ("jax", "cuda13"), "onnxruntime-gpu": ("onnxruntime", None), "ctranslate2": ("ctranslate2", None),
              "cupy-cuda12x": ("cupy", "cuda12x"), "cupy-cuda13x": ("cupy", "cuda13x"), "triton": ("triton", None),
              "tensorrt-cu12": ("tensorrt", "cu12"), "tensorrt-cu13": ("tensorrt", "cu13")}
# Older releases have rows for a range, or none.
FIRST = {"torch": "1.8", "tensorflow": "2.4", "jax-cuda12-plugin": "0.4.29", "jax-cuda13-plugin": "0.7", "onnxruntime-gpu": "1.8",
         "ctranslate2": "3.6", "cupy-cuda12x": "13", "cupy-cuda13x": "13", "triton": "2.0", "tensorrt-cu12": "10", "tensorrt-cu13": "10"}


def pythons_of(files):
    """(first, last) Python with a Linux x86-64 wheel of its own; None without any."""
    minors = [minor for f in files if f["filename"].endswith(".whl") and not f.get("yanked")
              for platforms, pythons in [parse_wheel(f["filename"])] if "linux-x86_64" in platforms
              for minor, more in pythons if not more]
    return (f"3.{min(minors)}", f"3.{max(minors)}") if minors else None


def built_with(lines):
    """{column: value} of what a release requires: the CUDA and the cuDNN."""
    needs = dict(re.fullmatch(r"([a-z0-9-]+)==([0-9.]+)", text).groups() for line in lines
                 if re.fullmatch(r"[a-z0-9-]+==[0-9.]+", text := pins.requirement(line)[0]))
    found = {}
    for name, version in needs.items():
        if re.fullmatch(r"nvidia-cudnn-cu\d+", name):
            found["cudnn"] = version
        elif re.fullmatch(r"nvidia-cuda-runtime(-cu\d+)?|cuda-toolkit", name):
            found["cuda"] = ".".join(version.split(".")[:2])
    return found


def frameworks(index, data, count):
    """data/frameworks.toml [[release]]: every release on the index; what the files tell about torch's default build, GPU code of tensorflow."""
    rows = data("frameworks")["release"]
    for package, (framework, variant) in FRAMEWORKS.items():
        project = index.project(package)
        for version in newest(final_versions(project), count):
            if version_key(version) < version_key(FIRST[package]):
                continue
            fitting = [r for r in rows if r["framework"] == framework and gpu_code.covers(r, version)
                       and variant in (None, r.get("variant"))]
            if not fitting and left_out(data, package, version):
                continue
            if not fitting:
                told = f"; the default build: {default_build(index, project, version)}" if package == "torch" else ""
                yield (f"data/frameworks.toml [[release]] {framework} {version}{' ' + variant if variant else ''}: {NO_ROW} "
                       f"({package}, on the index since {day_of(project, version)}){told}")
            elif package == "tensorflow":
                for machine, column in gpu_code.KEYS.items():
                    code = gpu_code.of_release(index, package, project["releases"][version], machine)
                    if code and fitting[0].get(column) != code:
                        yield (f"data/frameworks.toml [[release]] tensorflow {version} {column}: {fitting[0].get(column)} in the data, "
                               f"{code} in the wheel")
            elif package == "torch":
                row = next((r for r in fitting if r.get("is_default")), {})
                for column, value in default_build(index, project, version).items():
                    if row.get(column) != value and (row.get(column) or "python" not in column):
                        yield (f"data/frameworks.toml [[release]] torch {version} {row.get('variant', 'is_default')} {column}: "
                               f"{row.get(column)} in the data, {value} on the index")


def default_build(index, project, version):
    """What the files of a torch release tell about its row: {column: value}."""
    files = project["releases"][version]
    told = built_with(index.requirements("torch", files)[0])
    if pythons := pythons_of(files):
        told["python"], told["python_until"] = pythons
    for machine, column in gpu_code.KEYS.items():
        if code := gpu_code.of_release(index, "torch", files, machine):
            told[column] = code
    return told


def companions(index, data, count):
    """data/frameworks.toml [[companion]] and data/extensions.toml: what METADATA does not say about torch's companions."""
    rows = {(r["package"], r["version"]) for r in data("frameworks")["companion"]}
    built = {(r["package"], r["version"]) for r in data("extensions")["extension"]}
    for package, first in (("torchaudio", "0.8"), ("torchvision", "0.9"), ("xformers", "0.0.16")):
        project = index.project(package)
        for version in newest(final_versions(project), count):
            if version_key(version) < version_key(first):
                continue
            lines, _ = index.requirements(package, project["releases"][version])
            bound = [text for line in lines if re.match(r"torch[=<>~]", text := pins.requirement(line)[0])]
            if package == "xformers" and any(text.startswith("torch==") for text in bound) and (package, version) not in built:
                yield f"data/extensions.toml [[extension]] xformers {version}: {NO_ROW} ({bound[0]}; cpp_lib.json of its wheel says CUDA and GPU code)"
            elif package != "xformers" and not bound and (package, version) not in rows:
                yield f"data/frameworks.toml [[companion]] {package} {version}: {NO_ROW}, and METADATA does not say which torch it belongs to"


def member_of(index, package, file, name):
    """The text of a member of a wheel; "" if it has none of that name."""
    def read():
        with index.wheel(package, file) as wheel:
            return index.member(wheel, name) if name in wheel.namelist() else b""
    return index.cache.get(file, name.rpartition("/")[2], read).decode(errors="replace")


def linux_wheel(files):
    return next((f for f in files if re.search(r"linux[^-]*x86_64\.whl$", f["filename"])), None)


def tensorflow_pythons(index, data, count):
    """data/frameworks.toml [[release]] of tensorflow: the Pythons of every release of a row."""
    for row in data("frameworks")["release"]:
        project = index.project(row["package"]) if row["framework"] == "tensorflow" else {"releases": {}}
        for version in newest([v for v in project["releases"] if gpu_code.covers(row, v)], count):
            found = pythons_of(project["releases"][version])
            if found and found != (row["python"], row["python_until"]) and version in final_versions(project):
                yield f"data/frameworks.toml [[release]] tensorflow {row['version']} python: wheels of {version} are for {' to '.join(found)}"


def onnxruntime(index, data, count):
    """data/frameworks.toml [[release]] of onnxruntime: the CUDA that its wheels name, since 1.21."""
    rows = [r for r in data("frameworks")["release"] if r["framework"] == "onnxruntime" and r.get("is_default")]
    project = index.project("onnxruntime-gpu")
    for version in newest(final_versions(project), count):
        file = linux_wheel(project["releases"][version])
        text = member_of(index, "onnxruntime-gpu", file, "onnxruntime/capi/build_and_package_info.py") if file else ""
        told = re.search(r"cuda_version = '([0-9.]+)'", text)
        fitting = [r for r in rows if gpu_code.covers(r, version)]
        if told and fitting and told.group(1) not in [r["cuda"] for r in fitting]:
            yield f"data/frameworks.toml [[release]] onnxruntime {version} cuda: {fitting[0]['cuda']} in the data, {told.group(1)} in the wheel"


def jax(index, data, count):
    """data/frameworks.toml [[release]] of jax: its cuDNN and lowest CUDA in the requirements of its plug-in, since 0.4.30."""
    for major in ("12", "13"):
        project = index.project(f"jax-cuda{major}-plugin")
        for version in newest(final_versions(project), count):
            text = " ".join(index.requirements(f"jax-cuda{major}-plugin", project["releases"][version])[0])
            row = next((r for r in data("frameworks")["release"] if r["framework"] == "jax" and r["variant"] == f"cuda{major}"
                        and gpu_code.covers(r, version)), None)
            cudnn = re.search(r"nvidia-cudnn-cu\d+ ?<([0-9.]+),>=([0-9.]+)", text)
            cuda = re.search(r"nvidia-cuda-runtime(?:-cu\d+)? ?>=(\d+\.\d+)", text)
            if not row or not cudnn or not cuda:
                continue
            lowest = row.get("cuda_from") or f"{row['cuda'].split('.')[0]}.0"
            told = (cudnn.group(2), cudnn.group(1), cuda.group(1))
            if (row.get("cudnn"), row.get("cudnn_below"), lowest) != told:
                yield (f"data/frameworks.toml [[release]] jax {version} cuda{major} cudnn, cudnn_below, cuda_from: {row.get('cudnn')}, "
                       f"{row.get('cudnn_below')}, {lowest} in the data, {', '.join(told)} in METADATA")


def xformers(index, data, count):
    """data/extensions.toml [[extension]] of xformers: the torch and the GPU code that cpp_lib.json of its wheels names."""
    project = index.project("xformers")
    for row in newest(data("extensions")["extension"], count):
        file = linux_wheel(project["releases"].get(row["version"], [])) if row["package"] == "xformers" else None
        text = member_of(index, "xformers", file, "xformers/cpp_lib.json") if file else ""
        told = json.loads(text) if text else {}
        code = list(dict.fromkeys(re.findall(r"[0-9]+\.[0-9]a?(?:\+PTX)?", (told.get("env") or {}).get("TORCH_CUDA_ARCH_LIST") or "")))
        code = [one for one in code if one + "+PTX" not in code]
        torch = (told.get("version") or {}).get("torch") or ""
        if code and code != row["code"]:
            yield f"data/extensions.toml [[extension]] xformers {row['version']} code: {row['code']} in the data, {code} in the wheel"
        if torch and torch.partition("+")[0] != row["of_version"]:
            yield f"data/extensions.toml [[extension]] xformers {row['version']} of_version: {row['of_version']} in the data, {torch} in the wheel"


def kernel_source(index, package, file):
    """The first CUDA source of a wheel, or of its files that are named after Triton the first with a kernel; "" without one."""
    names = members.read(index, package, file, "names", "").splitlines()
    of_triton = [name for name in names if "triton" in name and name.endswith(".py") and not name.endswith("/__init__.py")]
    return next((name for name in names if name.endswith(".cu")), "") or \
        next((name for name in of_triton if "@triton.jit" in member_of(index, package, file, name)), "")


def projects(index, data, count):
    """data/extensions.toml [[project]] "none": packages whose newest wheel brings CUDA sources, or kernels in Triton."""
    for row in newest([r for r in data("extensions")["project"] if r["gpu"] == "none" and "note" not in r], count):
        project = index.project(row["package"])
        files = [f for v in final_versions(project)[-1:] for f in project["releases"][v] if not f.get("yanked")]
        file = linux_wheel(files) or next((f for f in files if f["filename"].endswith("-any.whl")), None)
        if source := kernel_source(index, row["package"], file) if file else "":
            yield (f"data/extensions.toml [[project]] {row['package']} gpu: none in the data, {file['filename']} has {source}; if it "
                   "compiles that when it is used, say so, else what it is in a note")


CHECKS = (cuda, host_compilers, cudnn, members.cudnn_parts, members.status_codes, members.sonames, members.runtime_names, frameworks,
          companions, tensorflow_pythons, onnxruntime, xformers, jax, projects)


def check(index, data, count):
    """All of them; `data` gives a data file by its name."""
    def run(one):
        return list(one(index, data, count))
    with concurrent.futures.ThreadPoolExecutor(len(CHECKS)) as pool:
        return [line for lines in pool.map(run, CHECKS) for line in lines]
