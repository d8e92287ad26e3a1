"""What the newest wheels of CUDA's libraries contain, compared with tables that people write: error codes in headers, names
of libraries."""
import re

from harvesting.index import final_versions

# Package, header, how the names of its codes begin -> the table of data/status_codes.toml, its column for the number and
# for the name.
HEADERS = (
    ("nvidia-cuda-runtime", "driver_types.h", r"cuda(?:Error|Success)", "cuda", "code", "runtime_name"),
    ("nvidia-cuda-runtime", "cuda.h", r"CUDA_(?:ERROR_|SUCCESS)", "cuda", "code", "driver_name"),
    ("nvidia-cublas", "cublas_api.h", r"CUBLAS_STATUS_", "cublas", "code", "name"),
    ("nvidia-cuda-nvrtc", "nvrtc.h", r"NVRTC_(?:ERROR_|SUCCESS)", "nvrtc", "code", "name"),
    ("nvidia-cudnn-cu13", "cudnn_graph.h", r"CUDNN_STATUS_", "cudnn", "v9", "name"),
    ("nvidia-cusolver", "cusolver_common.h", r"CUSOLVER_STATUS_", "cusolver", "code", "name"),
    ("nvidia-cusparse", "cusparse.h", r"CUSPARSE_STATUS_", "cusparse", "code", "name"),
    ("nvidia-cufft", "cufft.h", r"CUFFT_(?!COMPATIBILITY|[A-Z]2[A-Z]|FORWARD|INVERSE)", "cufft", "code", "name"),
    ("nvidia-nvjitlink", "nvJitLink.h", r"NVJITLINK_(?:ERROR_|SUCCESS)", "nvjitlink", "code", "name"),
    ("nvidia-nvml-dev", "nvml.h", r"NVML_(?:ERROR_|SUCCESS)", "nvml", "code", "name"),
    ("nvidia-nccl-cu13", "nccl.h", r"nccl(?:Success|Unhandled|Invalid|InProgress|Timeout|\w+Error\b)", "nccl", "code", "name"),
)
LIBRARIES = ("nvidia-cuda-runtime", "nvidia-cublas", "nvidia-cuda-nvrtc", "nvidia-cufft", "nvidia-curand", "nvidia-cusolver",
             "nvidia-cusparse", "nvidia-cuda-cupti", "nvidia-nvjitlink", "nvidia-nvvm", "nvidia-nvfatbin", "nvidia-nvjpeg",
             "nvidia-npp", "nvidia-cufile")
NOT_ERRORS = {"cudaErrorApiFailureBase"}  # where a range begins


def newest(index, package, kind):
    """(version, file) of the newest release with such a wheel; None without one."""
    project = index.project(package)
    for version in reversed(final_versions(project)):
        for file in project["releases"][version]:
            if re.search(kind, file["filename"]):
                return version, file
    return None


def read(index, package, file, kind, pattern):
    """The first member whose name matches, as text; with kind "names", the names of all members."""
    def content():
        with index.wheel(package, file) as wheel:
            if kind == "names":
                return "\n".join(wheel.namelist()).encode()
            name = next((n for n in wheel.namelist() if n.endswith("/" + pattern)), None)
            return index.member(wheel, name) if name else b""
    return index.cache.get(file, kind, content).decode(errors="replace")


def codes(text, prefix):
    """(name, number) of the members of C enumerations that begin so; without a number of its own a member follows the last."""
    text, number = re.sub(r"/\*.*?\*/|//[^\n]*|^\s*#.*?$", "", text, flags=re.DOTALL | re.MULTILINE), -1
    for name, given in re.findall(rf"\b({prefix}\w*)(?:\s+\w+_ENUM)?\s*(?:=\s*(\w+)\s*)?(?=[,}}])", text):
        if not given or re.fullmatch(r"\d+|0x[0-9a-fA-F]+", given):
            number = int(given, 0) if given else number + 1
            yield name, number


def status_codes(index, data, _):
    for package, header, prefix, table, number, name in HEADERS:
        if (found := newest(index, package, r"linux[^-]*x86_64")) is None:
            continue
        rows = {(row.get(number), row.get(name)) for row in data("status_codes")[table]}
        for own, code in codes(read(index, package, found[1], header, header), prefix):
            if (code, own) not in rows and own not in NOT_ERRORS:
                yield f"data/status_codes.toml [[{table}]] {own} = {code}: no row ({header} of {package} {found[0]})"


def sonames(index, data, _):
    """New names of libraries that sonames.toml knows under older ones; names that CUDA 12 or 13 is said to have and has not."""
    rows = data("sonames")["soname"]
    names, known = {row["name"] for row in rows}, {re.sub(r"[\d_]*\.dll$|\.so[\d.]*$", "", row["name"]) for row in rows}
    there = {"12": {}, "13": {}}  # a library's stem on a system -> its names
    for package in LIBRARIES:
        for kind in (r"linux[^-]*x86_64", r"win_amd64"):
            for cuda, own in (("13", package), ("12", package + "-cu12")):
                if own == "nvidia-nvvm-cu12" or (found := newest(index, own, kind)) is None:
                    continue
                for member in read(index, own, found[1], "names", "").splitlines():
                    name = member.rpartition("/")[2]
                    stem = re.fullmatch(r"(.*?)(?:\.so\.\d+(?:\.\d+)?|[\d_]+\.dll)", name)
                    if not stem or stem.group(1) not in known:
                        continue
                    there[cuda].setdefault((stem.group(1), kind), set()).add(name)
                    if name not in names:
                        yield f"data/sonames.toml [[soname]] {name}: no row ({own} {found[0]})"
    for row in rows:
        stem = re.sub(r"[\d_]*\.dll$|\.so[\d.]*$", "", row["name"])
        for cuda in {release.split(".")[0] for release in row.get("cuda", ())} & set(there):
            own = there[cuda].get((stem, r"win_amd64" if row["name"].endswith(".dll") else r"linux[^-]*x86_64"))
            if own and row["name"] not in own:
                yield f"data/sonames.toml [[soname]] {row['name']}: CUDA {cuda} in the data, its newest wheel has {', '.join(sorted(own))}"


def runtime_names(index, data, _):
    """data/drivers.toml [[runtime]]: the first release whose libcudart has the name."""
    names = []  # (CUDA, its names), oldest first
    for package in ("nvidia-cuda-runtime-cu11", "nvidia-cuda-runtime-cu12", "nvidia-cuda-runtime"):
        project = index.project(package)
        for version in final_versions(project):
            for file in project["releases"][version]:
                if re.search(r"linux[^-]*x86_64", file["filename"]):
                    names.append((".".join(version.split(".")[:2]), set(runtime_of(index, package, file).split())))
                    break
    for row in data("drivers").get("runtime", ()):
        first = next((cuda for cuda, own in names if row["name"] in own), None)
        if first and first != row["cuda"] and first != names[0][0]:
            yield f"data/drivers.toml [[runtime]] {row['name']}: {row['cuda']} in the data, libcudart has it from {first} on"


def runtime_of(index, package, file):
    def content():
        with index.wheel(package, file) as wheel:
            name = next((n for n in wheel.namelist() if re.search(r"/libcudart\.so\.\d", n)), None)
            return b"\n".join(sorted(set(re.findall(rb"(?<!\w)cuda[A-Z]\w+", index.member(wheel, name) if name else b""))))
    return index.cache.get(file, "cudart_names", content).decode()


def cudnn_parts(index, data, _):
    """Libraries of cuDNN's newest wheels that data/cudnn.toml does not have."""
    rows = data("cudnn")["part"]
    known = {row.get(system) for row in rows for system in ("linux", "windows")}
    for package in ("nvidia-cudnn-cu12", "nvidia-cudnn-cu13"):
        for kind in (r"linux[^-]*x86_64", r"win_amd64"):
            if (found := newest(index, package, kind)) is None:
                continue
            for member in read(index, package, found[1], "names", "").splitlines():
                name = member.rpartition("/")[2]
                if re.fullmatch(r"libcudnn\w*\.so\.\d+|cudnn\w*\.dll", name) and name not in known:
                    yield f"data/cudnn.toml [[part]] {name}: no row ({package} {found[0]})"
