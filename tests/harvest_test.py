#!/usr/bin/env python3
"""tests/harvest_test.py [--index]: tools/harvest on a package index in memory, and the data files against their sources.

Without --index, only with installed sources: an index changes from day to day. With it, only the newest releases
are queried. A missing source is a skip with its reason.
"""
import pathlib
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
INSTALLED, IN_INDEX = ["gpu_ids"], ["harvested", "distributions", "projects", "by_hand"]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests"))
from harvest_index import FakeIndex, archive, wheel
from harvesting import by_hand, distributions, gpu_code, gpu_ids, markers, members, pins, projects, wheel_code


def requirement_cases():
    """(Requires-Dist line, its parsed form)"""
    yield 'nvidia-cudnn-cu12==9.1.0.70; platform_system == "Linux"', ("nvidia-cudnn-cu12==9.1.0.70", "")
    yield "nvidia-cublas-cu12 (==12.2.5.6) ; extra == 'and-cuda'", ("nvidia-cublas-cu12==12.2.5.6", "and-cuda")
    yield "cuda-toolkit[cublas,cudart]==13.0.2", ("cuda-toolkit==13.0.2", "")
    yield "Nvidia_NCCL.cu12>=2,<3", ("nvidia-nccl-cu12<3,>=2", "")
    yield "keras", ("keras", "")


def wheel_cases():
    """(file name of a wheel, its platforms with their glibc, its Pythons and whether later ones do)"""
    yield "torch-1.8.0-cp37-cp37m-manylinux1_x86_64.whl", {"linux-x86_64": "2.5"}, [(7, False)]
    yield "x-1-cp39-cp39-manylinux_2_17_aarch64.manylinux2014_aarch64.whl", {"linux-aarch64": "2.17"}, [(9, False)]
    yield "vllm-0.6.3-cp38-abi3-manylinux1_x86_64.whl", {"linux-x86_64": "2.5"}, [(8, True)]
    yield "xformers-0.0.35-py39-none-win_amd64.whl", {"windows-x86_64": ""}, [(9, True)]
    yield "triton-2.0.0-1-cp310-cp310-manylinux2014_x86_64.whl", {"linux-x86_64": "2.17"}, [(10, False)]
    yield "jax-0.4.30-py2.py3-none-any.whl", {"any": ""}, [(0, True)]
    yield "torch-2.15.0-cp315-cp315t-win_amd64.whl", {"windows-x86_64": ""}, []
    yield "x-1-cp39-cp39-musllinux_1_1_x86_64.whl", {}, [(9, False)]


def marker_cases():
    """(marker, where it holds for Python 3.9 to 3.12)"""
    yield "", [([], "")]
    yield 'platform_system == "Linux" and platform_machine == "x86_64"', [(["linux-x86_64"], "")]
    yield "sys_platform != 'win32' and (python_version<\"3.11\")", [(["linux-x86_64", "linux-aarch64"], "<3.11")]
    yield "python_version < '3.10' or python_version >= '3.12'", [([], "<3.10"), ([], ">=3.12")]
    yield "'3.10' <= python_version and python_full_version < '3.12.0'", [([], "<3.12,>=3.10")]
    yield "platform_machine not in 'arm64 aarch64'", [(["linux-x86_64", "windows-x86_64"], "")]
    yield "python_version == '3.10.*' or python_version ~= '3.11'", [([], ">=3.10")]
    yield 'extra == "a_b"', []
    yield "python_version < '3.9'", []


def file_rows():
    """A release whose wheels are one for its oldest Python and one for all later ones."""
    names = ["x-1-cp311-cp311-win_amd64.whl", "x-1-cp312-abi3-win_amd64.whl", "x-1.tar.gz"]
    files = [{"filename": name, "requires_python": "<3.16"} for name in names]
    rows = list(distributions.rows_of("x", "1", [*files, {**files[0], "filename": "x-1-cp36-cp36m-win_amd64.whl",
                                                          "yanked": True}]))
    return [(r["platform"], r.get("pythons"), r["python"]) for r in rows]


def project_cases(cache):
    """(what, found, wanted): the rows of packages with wheels, archives, markers and extras."""
    def metadata(*lines):
        return "Metadata-Version: 2.1\nRequires-Python: >=3.9\n" + "".join(f"Requires-Dist: {line}\n" for line in lines) + "\ntext"
    pure = wheel(metadata("torch>=2.4,<2.9", "numpy", "unheard-of==1", "accelerate[x]>=1; extra == 'torch'",
                          "triton==3.0; platform_system == 'Linux' and python_version < '3.12'"))
    files = {("transformers", "5.0"): {"transformers-5.0-py3-none-any.whl": pure},
             ("transformers", "5.1"): {"transformers-5.1-py3-none-any.whl": pure},
             ("flash-attn", "2.8.3.post1"): {"flash_attn-2.8.3.post1.tar.gz": archive(metadata("torch", "peft==2.8.3.post1"))},
             ("torchao", "0.9"): {"torchao-0.9-cp39-abi3-manylinux_2_28_x86_64.whl": wheel(metadata("torch==2.6.0")),
                                  "torchao-0.9-cp39-abi3-win_amd64.whl": wheel(metadata("torch"))},
             # Extras that name others of the package itself, written in two ways, one of them on Linux alone.
             ("sglang", "0.5"): {"sglang-0.5-py3-none-any.whl": wheel(metadata(
                 "torch==2.8.0; extra == 'srt'", "sglang[runtime_common]; extra == 'srt'", "timm==1.0; extra == 'runtime-common'",
                 "SGLang[srt,test]; extra == 'all' and sys_platform == 'linux'", "peft; extra == 'test'", "sglang[all]; extra == 'test'"))},
             # One that the pins do not have, and one that they have.
             ("vllm", "0.0.5"): {"vllm-0.0.5-py3-none-any.whl": wheel(metadata("torch>=2.1.1", "timm>=1"))},
             ("vllm", "0.6.0"): {"vllm-0.6.0-py3-none-any.whl": wheel(metadata("torch==2.4.0", "timm>=1"))},
             ("torch", "2.6.0"): {"torch-2.6.0-cp39-cp39-manylinux_2_28_x86_64.whl": wheel(metadata("triton==3.2", "keras>=3"))}}
    index = FakeIndex(files, cache)
    rows = tomllib.loads(projects.harvest(index, 0))
    yield "wheels", [(r["package"], r["versions"], r["platform"], r.get("python"), r.get("glibc")) for r in rows["wheels"]], [
        ("flash-attn", ["2.8.3.post1"], "source", ">=3.9", None), ("sglang", ["0.5"], "any", ">=3.9", None),
        ("torchao", ["0.9"], "linux-x86_64", ">=3.9", "2.28"),
        ("torchao", ["0.9"], "windows-x86_64", ">=3.9", None), ("transformers", ["5.0", "5.1"], "any", ">=3.9", None)]
    yield "needs", [(r["package"], r["versions"], r.get("extra"), r.get("platforms"), r.get("python"), r["needs"]) for r in rows["needs"]], [
        ("flash-attn", ["2.8.3.post1"], None, None, None, ["peft=={version}", "torch"]),
        ("sglang", ["0.5"], "all", ["linux-x86_64", "linux-aarch64"], None, ["peft", "timm==1.0", "torch==2.8.0"]),
        ("sglang", ["0.5"], "srt", None, None, ["timm==1.0", "torch==2.8.0"]),
        ("torchao", ["0.9"], None, ["linux-x86_64"], None, ["torch==2.6.0"]),
        ("torchao", ["0.9"], None, ["windows-x86_64"], None, ["torch"]),
        ("transformers", ["5.0", "5.1"], None, None, None, ["torch<2.9,>=2.4"]),
        ("transformers", ["5.0", "5.1"], None, ["linux-x86_64", "linux-aarch64"], "<3.12", ["triton==3.0"]),
        ("transformers", ["5.0", "5.1"], "torch", None, None, ["accelerate[x]>=1"]),
        ("vllm", ["0.0.5"], None, None, None, ["timm>=1", "torch>=2.1.1"]), ("vllm", ["0.6.0"], None, None, None, ["timm>=1"])]
    reads = index.reads
    projects.harvest(index, 0)
    yield "files read a second time", index.reads, reads
    yield "nothing new", list(projects.compare(rows, rows)), []
    old = {table: [{**r, "versions": [v for v in r["versions"] if v != "5.1"]} for r in rows[table]] for table in rows}
    yield "a new release", list(projects.compare(rows, old)), ["transformers 5.1: not in the data"]
    old["needs"] = [r for r in old["needs"] if r.get("extra") != "torch"]
    yield "a requirement that the data lacks", list(projects.compare(rows, old))[1:], [
        'transformers 5.0: the index says {"extra": "torch", "needs": ["accelerate[x]>=1"]}, the data does not']


HOST_CONFIG = """
#if __GNUC__ > 13
#error -- unsupported GNU version!
#if (__clang_major__ >= 16) || (__clang_major__ < 3)
#error -- unsupported HOS clang version!
#if defined(__clang__) && !defined(__ibmxl_vrm__)

#if (__clang_major__ >= 18) || (__clang_major__ < 3)
#error -- unsupported clang version! clang version must be less than 16
#if _MSC_VER < 1910 || _MSC_VER >= 1950
"""


def by_hand_cases(cache):
    """(what, found, wanted): tables that lack the newest releases, or contradict them."""
    linux = "py3-none-manylinux2014_x86_64.whl"
    torch = wheel("Requires-Dist: nvidia-cuda-runtime-cu12==12.4.127\nRequires-Dist: nvidia-cudnn-cu12==9.1.0.70\n\n")
    index = FakeIndex({
        ("cuda-toolkit", "12.3.1"): {f"cuda_toolkit-12.3.1-{linux}": wheel()},
        ("cuda-toolkit", "12.4.0"): {f"cuda_toolkit-12.4.0-{linux}": wheel()},
        ("cuda-toolkit", "12.4.1"): {f"cuda_toolkit-12.4.1-{linux}": wheel()},
        ("nvidia-cuda-runtime-cu12", "12.4.99"): {f"nvidia_cuda_runtime_cu12-12.4.99-{linux}": wheel(**{"n/lib/libcudart.so.12": "_cudaNew"})},
        ("nvidia-cuda-runtime-cu12", "12.5.39"): {f"nvidia_cuda_runtime_cu12-12.5.39-{linux}": wheel(**{"n/lib/libcudart.so.12": "\0cudaNew"})},
        ("nvidia-cuda-nvcc-cu12", "12.4.99"): {f"nvcc-12.4.99-{linux}": wheel(**{"n/include/crt/host_config.h": HOST_CONFIG})},
        ("nvidia-cuda-nvcc-cu12", "12.4.131"): {f"nvcc-12.4.131-{linux}": wheel(**{"n/include/crt/host_config.h": HOST_CONFIG})},
        ("nvidia-cudnn-cu12", "9.1.0.70"): {f"cudnn-9.1.0.70-{linux}": wheel()},
        ("nvidia-cudnn-cu12", "9.2.0.82"): {f"cudnn-9.2.0.82-{linux}": wheel(**{"n/lib/libcudnn.so.9": "", "n/lib/libcudnn_new.so.9": ""})},
        ("nvidia-cublas", "13.1"): {f"cublas-13.1-{linux}": wheel(**{
            "n/lib/libcublas.so.13": "", "n/lib/libcublas.so.14": "", "n/lib/libother.so.1": "",
            "n/include/cublas_api.h": "CUBLAS_STATUS_SUCCESS = 0,\nCUBLAS_STATUS_NEW = 17,"})},
        ("torch", "2.5.1"): {"torch-2.5.1-cp39-cp39-manylinux1_x86_64.whl": torch, "torch-2.5.1-cp313-cp313-manylinux1_x86_64.whl": torch},
        ("torch", "2.6.0"): {"torch-2.6.0-cp39-cp39-manylinux1_x86_64.whl": wheel("Requires-Dist: cuda-toolkit[cublas]==12.6.3\n\n", **{
            "torch/lib/libtorch_cuda.so": "", "torch/lib/libtorch_python.so": "\0sm_80 sm_90 compute_90\0"})},
        ("triton", "3.1.4"): {"triton-3.1.4-cp39-cp39-manylinux1_x86_64.whl": wheel()},
        ("jax-cuda12-plugin", "0.6.0"): {"jax_cuda12_plugin-0.6.0-cp312-cp312-manylinux2014_x86_64.whl": wheel(
            "Requires-Dist: nvidia-cudnn-cu12<10.0,>=9.8\nRequires-Dist: nvidia-cuda-runtime-cu12>=12.1.105\n\n")},
        ("peft", "0.20"): {"peft-0.20-py3-none-any.whl": wheel()},
        ("peft", "0.21"): {"peft-0.21-py3-none-any.whl": wheel(**{"peft/kernel.cu": ""})},
        ("optimum", "2.3"): {"optimum-2.3-py3-none-any.whl": wheel(**{"optimum/triton/a.py": "import triton", "optimum/triton_b.py": "@triton.jit\n"})},
        ("ultralytics", "8.4"): {"ultralytics-8.4-py3-none-any.whl": wheel(**{"ultralytics/triton.py": "class Client:", "u/jit.py": "@triton.jit\n"})},
    }, cache)
    data = {"drivers": {"toolkit": [{"cuda": "12.4.0"}], "runtime": [{"cuda": "12.4", "name": "cudaNew"}]},
            "host_compilers": {"nvcc": [{"cuda": "12.4", "gcc_max": "13.2", "clang_max": "17", "msvc_min": 1910, "msvc_below": 1950}],
                               "header": [{"package": "nvidia-cuda-nvcc-cu12", "version": "12.4.99"}]},
            "packages": {"left_out": [{"package": "cuda-toolkit", "version": "12.3.0", "until": "12.3.2"}]},
            "cudnn": {"release": [{"version": "9.1.0", "cuda_builds": ["11"]}], "part": [{"linux": "libcudnn.so.9"}]},
            "status_codes": {"cuda": [], "nvrtc": [], "cudnn": [], "cublas": [{"code": 0, "name": "CUBLAS_STATUS_SUCCESS"}]},
            "sonames": {"soname": [{"name": "libcublas.so.13", "cuda": ["13"]}, {"name": "libcublas.so.12", "cuda": ["13"]}]},
            "frameworks": {"companion": [], "release": [
                {"framework": "torch", "version": "2.5.1", "variant": "cu124", "is_default": True, "cuda": "12.4", "cudnn": "9.1.0.69",
                 "python": "3.9", "python_until": "3.12"},
                {"framework": "jax", "version": "0.6.0", "variant": "cuda12", "cuda": "12.8", "cudnn": "9.1", "cudnn_below": "10.0"},
                {"framework": "triton", "version": "3.0", "until": "3.1"}]},
            "extensions": {"extension": [], "project": [
                {"package": name, "gpu": "own" if name == "trl" else "none"} for name in ("peft", "optimum", "ultralytics", "trl")]}}
    lines = by_hand.check(index, data.get, 0)
    yield "the row of a new torch", next(line for line in lines if "torch 2.6.0" in line).partition("; ")[2], \
        "the default build: {'cuda': '12.6', 'python': '3.9', 'python_until': '3.9', 'code': ['8.0', '9.0+PTX']}"
    yield "by hand", [line.partition(" (")[0].partition(";")[0] for line in lines], [
        "data/drivers.toml [[toolkit]] 12.4.1: no row",
        "data/drivers.toml [[toolkit]] 12.5: no row for this CUDA",
        "data/host_compilers.toml [[nvcc]] 12.4 gcc_max: 13.2 in the data, 13 in crt/host_config.h of nvidia-cuda-nvcc-cu12 12.4.99, "
        "nvidia-cuda-nvcc-cu12 12.4.131",
        "data/host_compilers.toml [[header]] nvidia-cuda-nvcc-cu12 12.4.131: no row, {'gcc_max': '13', 'clang_max': '17', 'msvc_min': 1910, "
        "'msvc_below': 1950} in crt/host_config.h of nvidia-cuda-nvcc-cu12 12.4.131",
        "data/cudnn.toml [[release]] 9.1.0 cuda_builds: ['11'] in the data, there is a wheel for CUDA 12",
        "data/cudnn.toml [[release]] 9.2.0: no row",
        "data/cudnn.toml [[part]] libcudnn_new.so.9: no row",
        "data/status_codes.toml [[cublas]] CUBLAS_STATUS_NEW = 17: no row",
        "data/sonames.toml [[soname]] libcublas.so.14: no row",
        "data/sonames.toml [[soname]] libcublas.so.12: CUDA 13 in the data, its newest wheel has libcublas.so.13, libcublas.so.14",
        "data/drivers.toml [[runtime]] cudaNew: 12.4 in the data, libcudart has it from 12.5 on",
        "data/frameworks.toml [[release]] torch 2.5.1 cu124 cudnn: 9.1.0.69 in the data, 9.1.0.70 on the index",
        "data/frameworks.toml [[release]] torch 2.5.1 cu124 python_until: 3.12 in the data, 3.13 on the index",
        "data/frameworks.toml [[release]] torch 2.6.0: no row",
        "data/frameworks.toml [[release]] jax 0.6.0 cuda12 cudnn, cudnn_below, cuda_from: 9.1, 10.0, 12.0 in the data, 9.8, 10.0, 12.1 "
        "in METADATA",
        "data/extensions.toml [[project]] peft gpu: none in the data, peft-0.21-py3-none-any.whl has peft/kernel.cu",
        "data/extensions.toml [[project]] optimum gpu: none in the data, optimum-2.3-py3-none-any.whl has optimum/triton_b.py"]
    yield "codes", list(members.codes("A_OK = 0x0, /* A_NO = 9 */\n A_BAD,\n A_OLD X_ENUM = A_BAD,\n A_END = 7\n}", "A_")), [
        ("A_OK", 0), ("A_BAD", 1), ("A_END", 7)]
    yield "limits", by_hand.limits("#if __GNUC__ > 6 || (__GNUC__ == 6 && __GNUC_MINOR__ > 3)"), {"gcc_max": "6.3"}


def code_cases():
    """(what, found, wanted): how rows of GPU code are merged, and what stays."""
    old = {"code": [{"package": "x", "versions": ["1", "2"], "platforms": ["linux-x86_64"], "cuda": "12", "code": ["8.0"]}]}
    found = [("x", "2", "linux-x86_64", "12", ("9.0",)), ("x", "3", "linux-x86_64", "12", ("9.0",)), ("x", "3", "linux-x86_64", "13", ())]
    rows = tomllib.loads(wheel_code.rewrite(found, old))["code"]
    yield "rows of GPU code", [(r["versions"], r["cuda"], r.get("code")) for r in rows], [
        (["1"], "12", ["8.0"]), (["2", "3"], "12", ["9.0"]), (["3"], "13", None)]
    yield "GPU code that differs", [line.partition(":")[0] for line in wheel_code.compare(found, old)], [
        "x 2 linux-x86_64", "x 3 linux-x86_64", "x 3 linux-x86_64"]
    yield "PTX that every relocatable part has", wheel_code.linkable({
        "__nv_relfatbin": {"sass": {"sm_80": 6}, "ptx": {"compute_80": 1, "compute_90": 6}, "containers": 6},
        ".nv_fatbin": {"sass": {"sm_80": 1}, "ptx": {}, "containers": 1}}), ["compute_90"]
    yield "a row until 4.8 and 4.8.3", gpu_code.covers({"version": "4.6.3", "until": "4.8"}, "4.8.3"), True
    yield "a row until 4.8 and 4.10", gpu_code.covers({"version": "4.6.3", "until": "4.8"}, "4.10.0"), False


def library_cases(folder):
    """(what, found, wanted): the CUDA releases in the names of libraries."""
    def names(*libraries):
        return wheel(**{f"bitsandbytes/libbitsandbytes_{one}": "" for one in libraries})
    index = FakeIndex({("bitsandbytes", "0.36.0"): {"bitsandbytes-0.36.0-py3-none-any.whl": names("cuda118.so")},
                       ("bitsandbytes", "0.42.0"): {"bitsandbytes-0.42.0-py3-none-any.whl": names(
                           "cpu.so", "cuda118.so", "cuda118_nocublaslt.so", "cuda110.so")},
                       ("bitsandbytes", "0.50.0"): {
                           "bitsandbytes-0.50.0-py3-none-manylinux_2_24_x86_64.whl": names("cuda130.so", "rocm64.so", "cuda128.so"),
                           "bitsandbytes-0.50.0-py3-none-win_amd64.whl": names("cuda130.dll", "cuda128.dll")}}, folder)
    found = wheel_code.libraries(index)
    yield "CUDA in the names of libraries", [(list(r["versions"]), r["platforms"], list(r["cuda"])) for r in found], [
        (["0.42.0"], ["linux-aarch64", "windows-x86_64"], []), (["0.42.0"], ["linux-x86_64"], ["11.0", "11.8"]),
        (["0.50.0"], ["linux-x86_64", "windows-x86_64"], ["12.8", "13.0"])]
    old = tomllib.loads(wheel_code.rewrite([], {}, found[1:]))
    yield "libraries that differ", list(wheel_code.compare([], old, found)), [
        "bitsandbytes 0.42.0 linux-aarch64: libraries for CUDA none, the data has None",
        "bitsandbytes 0.42.0 windows-x86_64: libraries for CUDA none, the data has None"]


def pci_ids_cases(folder):
    """(what, found, wanted): data from a newer pci.ids is not overwritten."""
    path = pathlib.Path(folder) / "pci.ids"
    path.write_text("#\tVersion: 2023.04.10\n10de  NVIDIA\n\t2684  AD102 [GeForce RTX 4090]\n")
    rows = [{"source": f"pci.ids of {day} (pci-ids.ucw.cz)"} for day in ("2023.04.10", "2026.08.22")]
    yield "a newer pci.ids in the data", gpu_ids.is_older(path, {"range": rows}), True
    yield "the same pci.ids", gpu_ids.is_older(path, {"range": rows[:1]}), False


def mistakes():
    for line, wanted in requirement_cases():
        if (got := pins.requirement(line)) != wanted:
            yield f"{line}: {got}, not {wanted}"
    for name, *wanted in wheel_cases():
        if (got := list(distributions.parse_wheel(name))) != wanted:
            yield f"{name}: {got}, not {wanted}"
    platforms, minors = list(markers.ENVIRONMENTS), [9, 10, 11, 12]
    for marker, wanted in marker_cases():
        if (got := markers.conditions(markers.where(marker, "", platforms, minors), platforms, minors)) != wanted:
            yield f"{marker}: {got}, not {wanted}"
    if (got := gpu_code.notation(["sm_120", "sm_75", "sm_90a", "compute_120", "compute_80"])) != \
            ["7.5", "9.0a", "12.0+PTX", "PTX 8.0"]:
        yield f"GPU code: {got}"
    if (got := file_rows()) != [("windows-x86_64", None, "<3.16,>=3.11")]:
        yield f"rows of a release with an abi3 wheel: {got}"
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        for what, got, wanted in [*project_cases(one), *by_hand_cases(other), *code_cases(), *library_cases(one), *pci_ids_cases(one)]:
            if got != wanted:
                yield f"{what}: {got}, not {wanted}"


def main():
    subjects = INSTALLED + (IN_INDEX if "--index" in sys.argv[1:] else [])
    passed = failed = skipped = 0
    wrong = list(mistakes())
    print("\n".join(wrong))
    passed, failed = (0, 1) if wrong else (1, 0)
    run = subprocess.run([sys.executable, ROOT / "tools" / "harvest", "--check", "--newest", "1", *subjects],
                         capture_output=True, text=True)
    print(run.stdout + run.stderr, end="")
    for subject in subjects:
        prefixes = (f"{subject}: ", f"skipped: {subject}: ", *(["left for you: "] if subject == "by_hand" else []))
        lines = [line for line in run.stdout.splitlines() if line.startswith(prefixes)]
        # A new release is not a mistake; everything else that --check finds is one.
        if any(line.startswith("skipped: ") for line in lines):
            skipped += 1
        elif lines and all(line.endswith((": not in the data", ": as the source says")) or f": {by_hand.NO_ROW}" in line
                           for line in lines):
            passed += 1
        else:
            failed += 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


sys.exit(main())
