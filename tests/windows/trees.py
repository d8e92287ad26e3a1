"""Windows trees with CUDA 11.8 and cuDNN 8.9 that a loader can really load, and the ways in which they are broken.

The DLLs are skeletons: the tables of the real ones (facts/, made by harvest.py) without their code. What no wheel on the
index has is made up: a program, a Python, a cuDNN that imports zlibwapi.dll and that zlibwapi.dll (with the functions
of zlib's public header), and sub-libraries of a cuDNN 8.4 (no wheel for Windows is older than 8.9.4): the tables of 8.9.5
without the functions whose name contains "traceback", which stand for whatever came after 8.4.
"""
import json
import os
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "lab" / "stacks"))
import pe_writer  # noqa: E402

CUDA = "Program Files/NVIDIA GPU Computing Toolkit/CUDA/v11.8"
CUDNN = "Program Files/NVIDIA/CUDNN/v8.9/bin"
CUDNN_9 = "Program Files/NVIDIA/CUDNN/v9.1/bin/12.4"
OLD = "Tools/old"
PROGRAM = "Programs/Reader/reader.exe"
PYTHON = "Python311"
MODULE = f"{PYTHON}/Lib/site-packages/fastconv/_fastconv.cp311-win_amd64.pyd"
TOP = ("Program Files/NVIDIA", "Program Files/NVIDIA GPU Computing Toolkit", "Programs", "Tools", "Python311")
CUDNN_8_9_5, CUDNN_8_9_7, CUDNN_9_1 = (
    "nvidia_cudnn_cu11-8.9.5.29", "nvidia_cudnn_cu12-8.9.7.29", "nvidia_cudnn_cu12-9.1.0.70")
WANTED = ["cudnnCreate", "cudnnGetVersion", "cudnnConvolutionForward"]  # by the program, of cuDNN 8
ZLIB = ["adler32", "compress", "crc32", "deflate", "deflateEnd", "deflateInit_", "inflate", "inflateEnd", "inflateInit_",
        "inflateInit2_", "inflateReset", "uncompress", "zlibVersion"]


def windows_path(path):
    return "C:\\" + path.replace("/", "\\")


def facts(package):
    """name -> facts of each DLL of a wheel."""
    (path,) = (HERE / "facts").glob(f"{package}.json")
    return {dll["name"]: dll for dll in json.loads(path.read_text(encoding="utf-8"))["dlls"]}


class Tree:
    """A folder that is drive C:, and the PATH of a process on it."""

    def __init__(self, root, real=None):
        """real: (package, DLL name) -> the real file, to use in the tree instead of a skeleton."""
        self.root, self.real = root, real
        self.path = [CUDA + "/bin", CUDNN]
        self.variables = {"CUDA_PATH": windows_path(CUDA), "CUDA_PATH_V11_8": windows_path(CUDA)}

    def file(self, path):
        return self.root / path

    def dll(self, path, spec, **changes):
        target = self.file(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        pe_writer.write(target, {**spec, **changes})

    def part(self, package, name, folder, **changes):
        """One DLL of a wheel."""
        if self.real is None:
            self.dll(f"{folder}/{name}", facts(package)[name], **changes)
            return
        target = self.file(f"{folder}/{name}")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        os.link(self.real(package, name), target)

    def package(self, package, folder):
        for name, spec in facts(package).items():
            if spec["machine"] == "x86-64":
                self.part(package, name, folder)

    def remove(self, path):
        self.file(path).unlink()

    def path_variable(self):
        return ";".join([*map(windows_path, self.path), "C:\\Windows\\system32", "C:\\Windows"])

    def environment(self):
        return {"SystemDrive": "C:", "SystemRoot": "C:\\Windows", "windir": "C:\\Windows",
                "ProgramFiles": "C:\\Program Files", "ProgramData": "C:\\ProgramData",
                "PATHEXT": ".COM;.EXE;.BAT;.CMD", **self.variables, "PATH": self.path_variable()}


def zlibwapi(machine="x86-64"):
    return {"machine": machine, "exports": ZLIB,
            "version": {"file": "1.2.13.0", "strings": {"FileVersion": "1.2.13", "ProductName": "zlib"}}}


def wants_cudnn_8(**more):
    return {"imports": [["cudnn64_8.dll", WANTED, []], ["KERNEL32.dll", ["ExitProcess"], []]], **more}


def healthy(root, real=None):
    """CUDA 11.8 and cuDNN 8.9.5 on PATH, a program that uses cuDNN 8."""
    tree = Tree(root, real)
    for package in ("nvidia_cuda_runtime_cu11-11.8.89", "nvidia_cublas_cu11-11.11.3.6", "nvidia_cuda_nvrtc_cu11-11.8.89"):
        tree.package(package, CUDA + "/bin")
    tree.file(CUDA + "/version.json").write_text(json.dumps(
        {"cuda": {"name": "CUDA SDK", "version": "11.8.20220929"},
         "cuda_cudart": {"name": "CUDA Runtime (cudart)", "version": "11.8.89"}}, indent=3))
    tree.dll(CUDA + "/bin/nvcc.exe", {"program": True, "data": b"Cuda compilation tools, release 11.8, V11.8.89\0",
                                      "imports": [["KERNEL32.dll", ["ExitProcess"], []]]})
    tree.file(CUDA + "/include").mkdir()
    tree.file(CUDA + "/include/cuda.h").write_text("#define CUDA_VERSION 11080\n")
    tree.package(CUDNN_8_9_5, CUDNN)
    shim = facts(CUDNN_8_9_5)["cudnn64_8.dll"]
    tree.part(CUDNN_8_9_5, "cudnn64_8.dll", CUDNN, exports=sorted({*shim["exports"], *WANTED}))
    tree.dll(PROGRAM, wants_cudnn_8(program=True))
    return tree


def python_with_module(tree):
    """Python 3.11 and an extension module that imports cuDNN 8."""
    version = {"file": "3.11.9150.1013", "product": "3.11.9150.1013",
               "strings": {"CompanyName": "Python Software Foundation", "FileDescription": "Python",
                           "FileVersion": "3.11.9", "ProductName": "Python", "ProductVersion": "3.11.9"}}
    runtime = {"file": "14.38.33135.0", "strings": {"FileVersion": "14.38.33135.0",
                                                    "ProductName": "Microsoft Visual Studio"}}
    tree.dll(f"{PYTHON}/vcruntime140.dll", {"exports": ["memcpy", "memset"], "version": runtime})
    tree.dll(f"{PYTHON}/vcruntime140_1.dll", {"exports": ["__CxxFrameHandler4"], "version": runtime})
    tree.dll(f"{PYTHON}/python311.dll", {"exports": ["Py_Main", "PyModule_Create2"], "version": version,
                                         "imports": [["VCRUNTIME140.dll", ["memcpy"], []]]})
    tree.dll(f"{PYTHON}/python.exe", {"program": True, "version": version,
                                      "imports": [["python311.dll", ["Py_Main"], []]]})
    (tree.root / PYTHON / "Lib" / "os.py").parent.mkdir(parents=True)
    (tree.root / PYTHON / "Lib" / "os.py").write_text("# a mark of a Python library\n")
    module = wants_cudnn_8(exports=["PyInit__fastconv"])
    module["imports"].insert(0, ["python311.dll", ["PyModule_Create2"], []])
    tree.dll(MODULE, module)
    (tree.file(MODULE).parent / "__init__.py").write_text("from fastconv import _fastconv\n")


def cut_in_half(tree, path):
    with open(tree.file(path), "rb") as file:
        half = file.read(tree.file(path).stat().st_size // 2)
    tree.remove(path)  # it may be a hard link to a file that others use
    tree.file(path).write_bytes(half)


def without_traceback(spec):
    version = {"file": "8.4.0.27", "strings": {**spec["version"]["strings"], "FileVersion": "8.4.0.27",
                                               "ProductVersion": "8.4.0.27"}}
    return {**spec, "exports": [name for name in spec["exports"] if "traceback" not in name], "version": version,
            "words": {name: 8 << 16 | 4 << 8 for name in spec["words"]}}


# ---- the edits, one for each demonstration

def ops_infer_absent(tree):
    tree.remove(CUDNN + "/cudnn_ops_infer64_8.dll")


def not_searched(tree):
    tree.path.remove(CUDNN)


def asks_for_zlib(tree):
    """cudnn_cnn_infer64_8.dll with an import of zlibwapi.dll, as reported for 8.3 to 8.9.3; no wheel has it."""
    spec = facts(CUDNN_8_9_5)["cudnn_cnn_infer64_8.dll"]
    imports = [*spec["imports"], ["zlibwapi.dll", ["inflate", "inflateInit_", "inflateEnd"], []]]
    tree.dll(CUDNN + "/cudnn_cnn_infer64_8.dll", {**spec, "imports": imports})
    tree.dll(CUDNN + "/zlibwapi.dll", zlibwapi())


def zlibwapi_absent(tree):
    asks_for_zlib(tree)
    tree.remove(CUDNN + "/zlibwapi.dll")


def cublas_lt_absent(tree):
    tree.remove(CUDA + "/bin/cublasLt64_11.dll")


def ops_of_8_4(tree):
    spec = facts(CUDNN_8_9_5)["cudnn_ops_infer64_8.dll"]
    tree.dll(CUDNN + "/cudnn_ops_infer64_8.dll", without_traceback(spec))


def cnn_of_8_9_7(tree):
    tree.part(CUDNN_8_9_7, "cudnn_cnn_infer64_8.dll", CUDNN)


def other_bits_first(tree):
    asks_for_zlib(tree)
    tree.dll(OLD + "/zlibwapi.dll", zlibwapi("386"))
    tree.path.insert(0, OLD)


def other_bits_only(tree):
    asks_for_zlib(tree)
    tree.dll(CUDNN + "/zlibwapi.dll", zlibwapi("386"))


def truncated(tree):
    cut_in_half(tree, CUDNN + "/cudnn_cnn_infer64_8.dll")


def only_on_path(tree):
    python_with_module(tree)


def cudnn_9_instead(tree):
    shutil.rmtree(tree.file("Program Files/NVIDIA/CUDNN"))
    tree.package(CUDNN_9_1, CUDNN_9)
    tree.path[tree.path.index(CUDNN)] = CUDNN_9


def nothing(tree):
    del tree


def make(folder, edit, real=None):
    """folder/root and folder/env of a healthy tree after one edit. Returns the tree."""
    shutil.rmtree(folder, ignore_errors=True)
    root = folder / "root"
    root.mkdir(parents=True)
    tree = healthy(root, real)
    edit(tree)
    (folder / "env").write_text("".join(f"{name}={value}\n" for name, value in tree.environment().items()))
    return tree
