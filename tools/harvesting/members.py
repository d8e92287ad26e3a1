"""What the newest wheels of CUDA's libraries contain, compared with tables that people write: error codes in headers, names
of libraries."""
import re

from harvesting.index import final_versions

# Package, header, how it writes a code -> the table of data/status_codes.toml, its column for the number and for the name.
HEADERS = (
    ("nvidia-cuda-runtime", "driver_types.h", r"\b(cuda(?:Error|Success)\w*)\s*=\s*(\d+)", "cuda", "code", "runtime_name"),
    ("nvidia-cublas", "cublas_api.h", r"\b(CUBLAS_STATUS_\w+)\s*=\s*(\d+)", "cublas", "code", "name"),
    ("nvidia-cuda-nvrtc", "nvrtc.h", r"\b(NVRTC_(?:ERROR_\w+|SUCCESS))\s*=\s*(\d+)", "nvrtc", "code", "name"),
    ("nvidia-cudnn-cu13", "cudnn_graph.h", r"\b(CUDNN_STATUS_\w+)\s*=\s*(\d+)", "cudnn", "v9", "name"),
)
LIBRARIES = ("nvidia-cuda-runtime", "nvidia-cublas", "nvidia-cuda-nvrtc", "nvidia-cufft", "nvidia-curand", "nvidia-cusolver",
             "nvidia-cusparse", "nvidia-cuda-cupti", "nvidia-nvjitlink", "nvidia-nvvm")
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


def status_codes(index, data, _):
    for package, header, pattern, table, number, name in HEADERS:
        if (found := newest(index, package, r"linux[^-]*x86_64")) is None:
            continue
        rows = {(row.get(number), row.get(name)) for row in data("status_codes")[table]}
        for own, code in re.findall(pattern, read(index, package, found[1], header, header)):
            if (int(code), own) not in rows and own not in NOT_ERRORS:
                yield f"data/status_codes.toml [[{table}]] {own} = {code}: no row ({header} of {package} {found[0]})"


def sonames(index, data, _):
    """New names of libraries that sonames.toml knows under older ones."""
    rows = data("sonames")["soname"]
    names, known = {row["name"] for row in rows}, {re.sub(r"[\d_]*\.dll$|\.so[\d.]*$", "", row["name"]) for row in rows}
    for package in LIBRARIES:
        for kind in (r"linux[^-]*x86_64", r"win_amd64"):
            if (found := newest(index, package, kind)) is None:
                continue
            for member in read(index, package, found[1], "names", "").splitlines():
                name = member.rpartition("/")[2]
                stem = re.fullmatch(r"(.*?)(?:\.so\.\d+(?:\.\d+)?|[\d_]+\.dll)", name)
                if stem and stem.group(1) in known and name not in names:
                    yield f"data/sonames.toml [[soname]] {name}: no row ({package} {found[0]})"


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
