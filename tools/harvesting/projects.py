"""data/projects.toml: wheels and requirements of the packages that people install beside a framework."""
import collections
import concurrent.futures
import datetime
import json
import re

from harvesting import distributions, markers, pins
from harvesting.index import final_versions, version_key
from harvesting.rows import lines

# Those with their own rows in distributions.toml are not here. The extras are read beside the plain requirements.
PACKAGES = {name: [] for name in """
    flash-attn deepspeed sgl-kernel sglang-kernel flashinfer-python flashinfer-cubin bitsandbytes torchao
    torchcodec torchdata torchtext torch-tensorrt torch-geometric torch-scatter torch-sparse torch-cluster torch-spline-conv
    mamba-ssm causal-conv1d flash-linear-attention liger-kernel natten tilelang xgrammar compressed-tensors llama-cpp-python
    transformer-engine-torch transformer-engine-jax transformer-engine-cu12 transformer-engine-cu13
    tensorrt tensorrt-cu12 tensorrt-cu12-libs tensorrt-cu12-bindings tensorrt-cu13 tensorrt-cu13-libs tensorrt-cu13-bindings
    tensorrt-llm cuda-core cuda-pathfinder numba cudf-cu12 cudf-cu13 libcudf-cu12 libcudf-cu13 pylibcudf-cu12 pylibcudf-cu13
    cuml-cu12 cuml-cu13 libcuml-cu12 libcuml-cu13 cugraph-cu12 cugraph-cu13 libcugraph-cu12 libcugraph-cu13 libraft-cu12 libraft-cu13 rmm-cu12 rmm-cu13 librmm-cu12 librmm-cu13
    pylibraft-cu12 pylibraft-cu13 cupy mmcv mmcv-full
    nvidia-nvshmem-cu12 nvidia-nvshmem-cu13 nvidia-cusparselt-cu12 nvidia-cusparselt-cu13 nvidia-cusolver-cu12
    nvidia-cusparse-cu12 nvidia-cufft-cu12 nvidia-curand-cu12 nvidia-cufile-cu12 nvidia-nvjitlink-cu12 nvidia-nvtx-cu12
    nvidia-cuda-cupti-cu12 nvidia-cuda-nvcc-cu12 nvidia-cusolver nvidia-cusparse nvidia-cufft nvidia-curand nvidia-cufile
    nvidia-nvjitlink nvidia-nvtx nvidia-cuda-cupti nvidia-cuda-nvcc nvidia-cuda-crt nvidia-nvvm nvidia-cutlass-dsl
    nvidia-dali-cuda120 nvidia-dali-cuda130 nvidia-modelopt
    faster-whisper openai-whisper whisperx pyannote-audio transformers tokenizers huggingface-hub safetensors accelerate
    diffusers peft trl sentence-transformers optimum datasets lightning pytorch-lightning timm torchmetrics torchrl tensordict
    open-clip-torch kornia fastai stable-baselines3 easyocr axolotl unsloth unsloth-zoo auto-gptq autoawq gptqmodel ultralytics
    lmdeploy setuptools onnxruntime xgboost pycuda keras tf-keras tensorflow-text tensorflow-probability flax optax chex equinox orbax-checkpoint numpy
""".split()} | {
    "sglang": ["all", "srt"],
    "transformer-engine": ["core", "core-cu12", "core-cu13", "pytorch", "jax"],
    "cuda-python": ["all"],
    "cuda-bindings": ["all"],
    "numba-cuda": ["cu12", "cu13"],
    "transformers": ["torch"],
    "diffusers": ["torch"],
    "optimum": ["onnxruntime-gpu"],
}
YEARS, AT_LEAST = 3, 15  # releases of this year and of that many before it, and never fewer than these
LONGER = {"numpy": 6}  # old projects pin old ones
AT_MOST = {"unsloth": 60, "unsloth-zoo": 60, "ultralytics": 200}  # where there are hundreds
# Without a bound these say nothing: every environment has them, and no CUDA hangs on them.
EVERYWHERE = {"numpy", "huggingface-hub", "safetensors", "tokenizers", "datasets"}
HEADER = """\
# Packages that people install beside a framework, as the package index has them. Written by tools/harvest; not to be edited.
# A row holds for each of its versions; releases with equal content share one.
#
# wheels: platform, pythons, python and glibc as in distributions.toml; "source" is a source archive, where there is no wheel
#   for every platform.
# needs: what METADATA requires of packages in these tables (those of the same release in harvested.toml aside), for one extra or none, under a
#   condition: platforms and python are the marker, evaluated where the release can be installed; without them it always holds.
#   "=={version}" is the version of the package itself.
#   Left out without a bound, since every environment has them and no CUDA hangs on them: numpy, huggingface-hub, safetensors,
#   tokenizers, datasets.

"""


def recent(project):
    """Final releases of the last years, with the files that are not yanked."""
    name = project["info"]["name"]
    first = str(datetime.date.today().year - LONGER.get(name, YEARS))
    versions = final_versions(project)[-AT_MOST.get(name, 0):]
    for i, version in enumerate(versions):
        files = [f for f in project["releases"][version] if not f.get("yanked")]
        if i >= len(versions) - AT_LEAST or max(f["upload_time"][:10] for f in files) >= first:
            yield version, files


def wheels_of(package, version, files):
    """[(platform, pythons, python, glibc)]"""
    rows = [(r["platform"], tuple(r.get("pythons", ())), r["python"], r["glibc"])
            for r in distributions.rows_of(package, version, files)]
    archives = [f for f in files if f["filename"].endswith((".tar.gz", ".zip"))]
    if archives and not any(row[0] == "any" for row in rows):
        rows.append(("source", (), re.sub(r"\s", "", archives[0].get("requires_python") or ""), ""))
    return rows


def representatives(files):
    """One file for each platform: {platform: file}. "any" stands for all that have none; a source archive counts without wheels."""
    chosen = {}
    for file in sorted(files, key=lambda f: f["filename"]):
        name = file["filename"]
        of = distributions.parse_wheel(name)[0] if name.endswith(".whl") else {"source": ""} if name.endswith(".tar.gz") else {}
        for platform in of:
            chosen.setdefault(platform, file)
    archive = chosen.pop("source", None)
    general = chosen.pop("any", None) or (archive if not chosen else None)
    if general:
        chosen = {platform: chosen.get(platform, general) for platform in markers.ENVIRONMENTS}
    return chosen


def with_own(package, lines, extra, platforms, minors):
    """{extra: {(platform, minor)}}: one, and those that it names of its own package, "sglang[runtime_common]; extra == 'srt'"."""
    found = {extra: {(platform, minor) for platform in platforms for minor in minors}}
    for one in (waiting := [extra]):  # grows on the way
        for line in lines:
            text = pins.requirement(line, keep_extras=True)[0]
            named = re.match(re.escape(package) + r"\[([^\]]+)\]", text)
            for other in named.group(1).split(",") if named else []:
                there = found[one] & markers.where(line.partition(";")[2], one, platforms, minors)
                if not there <= found.setdefault(other, set()):
                    found[other] |= there
                    waiting.append(other)
    return found


def needs_of(index, package, version, files, extras, known):
    """[(extra, platforms, python, needs)]"""
    platforms = representatives(files)
    holds = collections.defaultdict(set)  # (extra, requirement) -> {(platform, minor)}
    allowed = None
    for file in {f["filename"]: f for f in platforms.values()}.values():
        message = index.metadata(package, file)
        own = [p for p in markers.ENVIRONMENTS if platforms.get(p) is file]
        python = message and message.get("Requires-Python") or file.get("requires_python") or ""
        minors = [minor for minor in markers.MINORS if markers.allows(python, minor)]
        allowed = allowed or minors
        lines = message.get_all("Requires-Dist") or [] if message else []
        wider = {extra: with_own(package, lines, extra, own, minors) for extra in extras}
        for line in lines:
            text = pins.requirement(line, keep_extras=True)[0]
            name = re.match(r"[a-z0-9-]+", text).group(0)
            if name not in known or pins.keeps(package, version, name) or text in EVERYWHERE or name == package:
                continue
            if text.endswith("==" + version):
                text = text.removesuffix(version) + "{version}"
            marker = line.partition(";")[2]
            always = markers.where(marker, "", own, minors)
            holds["", text] |= always
            for extra in extras:
                for one, there in wider[extra].items():
                    holds[extra, text] |= markers.where(marker, one, own, minors) & there - always
    rows = collections.defaultdict(list)
    own = [p for p in markers.ENVIRONMENTS if p in platforms]
    for (extra, text), places in holds.items():
        for where, python in markers.conditions(places, own, allowed):
            rows[extra, tuple(where), python].append(text)
    return sorted((*key, tuple(sorted(texts))) for key, texts in rows.items())


def merged(releases):
    """[(version, [content])] -> {content: [version]}, in the order of their first versions."""
    rows = {}
    for version, contents in releases:
        for content in contents:
            rows.setdefault(content, []).append(version)
    return rows


def harvest(index, newest):
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        everyone = dict.fromkeys([*PACKAGES, *distributions.PACKAGES, *pins.PACKAGES])
        projects = dict(zip(everyone, pool.map(index.project, everyone)))
        known = set(everyone)
        jobs = [(package, version, files) for package in sorted(everyone) for version, files in list(recent(projects[package]))[-newest:]]
        needs = list(pool.map(lambda j: (j[0], j[1], needs_of(index, *j, PACKAGES.get(j[0], []), known)), jobs))
    wheels = [{"package": package, "versions": versions, "platform": row[0], "pythons": row[1], "python": row[2], "glibc": row[3],
               "source": "package index: files"}
              for package in sorted(PACKAGES)
              for row, versions in merged((v, wheels_of(p, v, files)) for p, v, files in jobs if p == package).items()]
    asked = [{"package": package, "versions": versions, "extra": row[0], "platforms": row[1], "python": row[2], "needs": row[3],
              "source": "package index: METADATA"}
             for package in sorted(everyone)
             for row, versions in merged((v, rows) for p, v, rows in needs if p == package).items()]
    return HEADER + lines("wheels", wheels) + "\n" + lines("needs", asked)


def compare(new, old):
    """What the index has and the data not, release by release."""
    listed = contents(old["wheels"])
    for table in ("wheels", "needs"):
        known = contents(old[table])
        for release, rows in contents(new[table]).items():
            name = " ".join(release)
            if release[0] in PACKAGES and release not in listed:
                if table == "wheels":
                    yield f"{name}: not in the data"
            else:
                for row in sorted(rows - known.get(release, set())):
                    yield f"{name}: the index says {row}, the data does not"


def contents(rows):
    """{(package, version): {content}}"""
    found = collections.defaultdict(set)
    for row in rows:
        content = json.dumps({key: value for key, value in row.items() if key not in ("package", "versions", "source")}, sort_keys=True)
        for version in row["versions"]:
            found[row["package"], version].add(content)
    return found
