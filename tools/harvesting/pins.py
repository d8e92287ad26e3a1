"""data/harvested.toml: pins between packages, from their Requires-Dist."""
import concurrent.futures
import re

from harvesting.index import final_versions, version_key
from harvesting.rows import table

# Package -> first version of interest, and the extras to read beside the plain requirements.
PACKAGES = {
    "torch": ("1.0", []),
    "torchvision": ("0.2", []),
    "torchaudio": ("0.3", []),
    "xformers": ("0.0.12", []),
    "vllm": ("0.1", []),
    "tensorflow": ("2.4", ["and-cuda"]),
    "jax": ("0.4", ["cuda12", "cuda13", "cuda11_pip", "cuda12_pip", "cpu", "minimum-jaxlib"]),
    "jax-cuda12-plugin": ("0.4", ["with_cuda", "with-cuda"]),
    "jax-cuda13-plugin": ("0.7", ["with_cuda", "with-cuda"]),
    "onnxruntime-gpu": ("1.8", ["cuda", "cudnn"]),
    "ctranslate2": ("2.0", []),
    "cupy-cuda11x": ("11", ["ctk"]),
    "cupy-cuda12x": ("11", ["ctk"]),
    "cupy-cuda13x": ("11", ["ctk"]),
    "cuda-toolkit": ("11", ["all"]),
}
# Which of their requirements to keep.
KEPT = re.compile(r"nvidia-(cudnn|cuda-runtime|cuda-nvrtc|cublas|nccl)(-cu\d+)?|cuda-toolkit|triton|torch|jaxlib|keras"
                  r"|torchvision|torchaudio|jax-cuda\d+-(plugin|pjrt)")
# Distributions whose versions are all listed.
WHEELS = ["nvidia-cudnn-cu11", "nvidia-cudnn-cu12", "nvidia-cudnn-cu13"]
PIN_SOURCE = "package index: metadata of that release"
HEADER = """\
# Pins between packages, as the package index has them. Written by tools/harvest; not to be edited.
#
# pin: Requires-Dist of a release, for one extra or none; markers and the extras of what is required are dropped, requirements of no interest here too.
# wheel: the versions of a distribution.

"""


def covers(package, version):
    """Whether the rows here have this release."""
    return package in PACKAGES and version_key(version) >= version_key(PACKAGES[package][0])


def keeps(package, version, name):
    """Whether the rows here have what this release requires of `name`."""
    return covers(package, version) and KEPT.fullmatch(name) is not None


def requirement(line, keep_extras=False):
    """'nvidia-x (==1) ; extra == "cuda"' -> ('nvidia-x==1', 'cuda'); the extra is '' without one."""
    body, _, marker = line.partition(";")
    extra = re.search(r"""extra\s*==\s*["']([^"']+)["']""", marker)
    name = re.match(r"\s*([A-Za-z0-9._-]+)", body).group(1)
    rest = re.sub(r"[()\s]", "", body.strip()[len(name):])
    bounds = re.match(r"(\[[^\]]*\])?(.*)", rest)
    specifiers = ",".join(sorted(bounds.group(2).split(","))) if bounds.group(2) else ""
    extras = bounds.group(1) or "" if keep_extras else ""
    return re.sub(r"[-_.]+", "-", name).lower() + extras + specifiers, extra.group(1) if extra else ""


def pins_of(index, package, version, extras, files):
    lines, _ = index.requirements(package, files)
    own = any(re.search(r"-cp3\d+-cp3\d+m?-manylinux[^-]*x86_64", f["filename"]) for f in files)  # a wheel for one Python
    rows = {"": set()} if own else {}
    for line in lines:
        text, extra = requirement(line)
        if extra and extra not in extras:
            continue
        if KEPT.fullmatch(re.match(r"[a-z0-9-]+", text).group(0)):
            rows.setdefault(extra, set()).add(text)
    for extra, texts in sorted(rows.items()):
        row = {"package": package, "version": version}
        if extra:
            row["extra"] = extra
        if texts:
            row["needs"] = sorted(texts)
        yield {**row, "source": PIN_SOURCE}


def harvest(index, newest):
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        projects = dict(zip([*PACKAGES, *WHEELS], pool.map(index.project, [*PACKAGES, *WHEELS])))
        wanted = [(package, version, extras, projects[package]["releases"][version])
                  for package, (_, extras) in PACKAGES.items()
                  for version in final_versions(projects[package])[-newest:]
                  if covers(package, version)]
        pins = [row for rows in pool.map(lambda w: list(pins_of(index, *w)), wanted) for row in rows]
    wheels = [{"package": name, "versions": final_versions(projects[name]), "source": "package index: files of that distribution"}
              for name in WHEELS]
    return HEADER + table("pin", pins) + table("wheel", wheels)


def compare(new, old):
    keys = ("package", "version", "extra")
    known = {tuple(row.get(k, "") for k in keys): row for row in old["pin"]}
    for row in new["pin"]:
        name = " ".join(row.get(k, "") for k in keys).strip()
        other = known.get(tuple(row.get(k, "") for k in keys))
        if other is None:
            yield f"{name}: not in the data"
        elif other != row:
            yield f"{name}: the index says {row}, the data {other}"
    versions = {row["package"]: row["versions"] for row in old["wheel"]}
    for row in new["wheel"]:
        for version in row["versions"]:
            if version not in versions.get(row["package"], []):
                yield f"{row['package']} {version}: not in the data"
