"""Programs that the CUDA stack fails, as far as that can be had without a GPU: no driver, libraries that are missing, damaged,
of another version or out of reach, builds that do not fit. Libraries are made here and have only the names of the real ones."""

import os
import platform
import struct
import subprocess

from kit import CC, NO_DRIVER, Case, library, missing, native, opens, package, python, shell, venv, write

# As the runtime in a program does: it looks for the driver, and returns a status.
RUNTIME = """
#include <dlfcn.h>
#include <stdio.h>
static int start(void) { return dlopen("libcuda.so.1", RTLD_NOW) ? 0 : 35; }
"""
SAYS = RUNTIME + 'int main(void) { if (start()) { fprintf(stderr, "%s\\n", %s); return 1; } return 0; }\n'
IMPORT_OF_A_CHAIN = "import sys\nsys.path.insert(0, 'site')\nimport {0}\n"


def says(words):
    return native(SAYS % ("%s", '"' + words + '"'), ["-ldl"])


def tries_driver(then):
    return "import ctypes\ntry: ctypes.CDLL('libcuda.so.1')\nexcept OSError: found = False\n" + then


def nvcc(source, *args):
    def make(folder):
        write(folder, "a.cu", source)
        subprocess.run(["nvcc", "-arch=sm_90", "-o", "a", "a.cu"], cwd=folder, check=True)
        return [os.path.join(folder, "a"), *args]
    return make


CU = """
#include <cstdio>
int main(int count, char**) {
  int* place = nullptr;
  cudaError_t error = cudaMalloc(&place, 4);
  if (error != cudaSuccess && count > 1) fprintf(stderr, "cudaMalloc: %s\\n", cudaGetErrorString(error));
  return count > 1 ? 1 : error;
}
"""


def needs_driver(folder):
    library(folder, "stubs/libcuda.so.1", "int cuInit(int f) { return 34; }\n")
    command = native("int cuInit(int); int main(void) { return cuInit(0); }\n", ["stubs/libcuda.so.1"])(folder)
    os.unlink(os.path.join(folder, "stubs/libcuda.so.1"))
    return command


def stub(folder):
    library(folder, "cuda/lib64/stubs/libcuda.so.1", "int cuInit(int f) { return 34; }\n")
    return python(opens("libcuda.so.1").replace("\nctypes", "\ncuda = ctypes") +
                  "assert cuda.cuInit(0) == 0, 'cuInit: CUDA_ERROR_STUB_LIBRARY (34): the CUDA driver is a stub library'\n")(folder)


def damaged(path, damage):
    """A library on LD_LIBRARY_PATH, damaged after it was made."""
    def make(folder):
        where = library(folder, "lib/" + path, "char padding[100000] = {1};\n")
        with open(where, "rb") as file:
            data = bytearray(file.read())
        os.unlink(where)
        data = damage(data, where)
        if data is not None:
            write(folder, "lib/" + path, bytes(data))
        return python(opens(path))(folder)
    return make


def set_class(data, _):
    data[4] = 1
    return data


def set_machine(data, _):
    data[18:20] = struct.pack("<H", 62 if platform.machine() == "aarch64" else 183)
    return data


def link_to_nothing(_, where):
    os.symlink(os.path.basename(where) + ".9.7", where)


def in_venv(code, prepare):
    def make(folder):
        interpreter, site = venv(folder)
        prepare(folder, site)
        write(folder, "train.py", code)
        return [interpreter, "train.py"]
    return make


CUDNN8 = """
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int cudnnCreate(void** handle) {
  if (dlopen("libcudnn_ops_infer.so.8", RTLD_NOW)) return 0;
  fprintf(stderr, "Could not load library libcudnn_ops_infer.so.8. Error: %s\\n", dlerror());
  abort();
}
"""
CREATE = "import ctypes, os\ncudnn = ctypes.CDLL(os.path.abspath('lib/libcudnn.so.8'))\ncudnn.cudnnCreate(ctypes.byref(ctypes.c_void_p()))\n"


def cudnn_without_part(folder):
    library(folder, "lib/libcudnn.so.8", CUDNN8, flags=["-ldl", "-Wl,-rpath,$ORIGIN"])
    return python(CREATE)(folder)


def mixed_cudnn(folder):
    for place, version in (("lib", "8.9.7"), ("old", "8.2.4")):
        for name in ("cudnn", "cudnn_ops_infer"):
            body = CUDNN8 if name == "cudnn" else "int here(void) { return 1; }\n"
            library(folder, f"{place}/lib{name}.so.{version}", body, flags=["-ldl", "-Wl,--enable-new-dtags,-rpath,$ORIGIN"],
                    soname=f"lib{name}.so.8")
            os.symlink(f"lib{name}.so.{version}", os.path.join(folder, place, f"lib{name}.so.8"))
    return python(CREATE + "raise RuntimeError('cuDNN error: CUDNN_STATUS_VERSION_MISMATCH')\n")(folder)


def jitlink(folder):
    versions = write(folder, "made/new.map", "libnvJitLink.so.12 { global: __nvJitLinkAddData_12_1; __nvJitLinkComplete_12_4; };\n")
    old = write(folder, "made/old.map", "libnvJitLink.so.12 { global: __nvJitLinkAddData_12_1; };\n")
    both = "int __nvJitLinkAddData_12_1(void) { return 0; }\nint __nvJitLinkComplete_12_4(void) { return 0; }\n"
    library(folder, "own/libnvJitLink.so.12", both, flags=["-Wl,--version-script=" + versions])
    library(folder, "own/libcusparse.so.12", "int __nvJitLinkComplete_12_4(void);\nint f(void) { return __nvJitLinkComplete_12_4(); }\n",
            needs=["own/libnvJitLink.so.12"], flags=["-Wl,-z,now", "-Wl,--enable-new-dtags,-rpath,$ORIGIN"])
    library(folder, "other/libnvJitLink.so.12", both.splitlines()[0] + "\n", flags=["-Wl,--version-script=" + old])
    return python(opens("own/libcusparse.so.12"))(folder)


def versioned(path, provider, version):
    """A library that asks `provider` for a version that the real one does not have."""
    def make(folder):
        script = write(folder, "made/v.map", f"{version} {{ global: needed_one; }};\n")
        library(folder, "made/" + provider, "int needed_one(void) { return 0; }\n",
                flags=["-Wl,--version-script=" + script, "-nostdlib"], soname=provider)
        library(folder, path, "int needed_one(void);\nint f(void) { return needed_one(); }\n", needs=["made/" + provider],
                flags=["-nostdlib", "-Wl,-z,now"])
        return python(opens("./" + path))(folder)
    return make


def old_cplusplus(folder):
    """The C++ library of another place comes first and is too old for the extension."""
    new = write(folder, "made/new.map", "GLIBCXX_3.4 { global: a; };\nGLIBCXX_3.4.30 { global: b; } GLIBCXX_3.4;\n")
    old = write(folder, "made/old.map", "GLIBCXX_3.4 { global: a; };\n")
    library(folder, "made/libstdc++.so.6", "int a, b;\n", flags=["-Wl,--version-script=" + new])
    library(folder, "conda/lib/libstdc++.so.6", "int a;\n", flags=["-Wl,--version-script=" + old])
    library(folder, "lib/libtorch_cuda.so", "extern int b; int* f(void) { return &b; }\n", needs=["made/libstdc++.so.6"])
    return python(opens("lib/libtorch_cuda.so"))(folder)


def preload_lacks(folder):
    library(folder, "lib/libnccl.so.2", "int ncclCommInitRank(void) { return 0; } int ncclCommWindowRegister(void) { return 0; }\n")
    library(folder, "old/libnccl.so.2", "int ncclCommInitRank(void) { return 0; }\n")
    library(folder, "lib/libtorch_cuda.so", "int ncclCommWindowRegister(void); int f(void) { return ncclCommWindowRegister(); }\n",
            needs=["lib/libnccl.so.2"], flags=["-Wl,-z,now", "-Wl,-rpath,$ORIGIN"])
    return python(opens("lib/libtorch_cuda.so"))(folder)


def old_cudnn_lacks(folder):
    library(folder, "lib/libcudnn.so.8", "int cudnnCreate(void) { return 0; } int cudnnBackendPopulateCudaGraph(void) { return 0; }\n")
    library(folder, "old/libcudnn.so.8", "int cudnnCreate(void) { return 0; }\n")
    library(folder, "lib/libapp_ops.so", "int cudnnBackendPopulateCudaGraph(void); int f(void) { return cudnnBackendPopulateCudaGraph(); }\n",
            needs=["lib/libcudnn.so.8"], flags=["-Wl,-z,now", "-Wl,--enable-new-dtags,-rpath,$ORIGIN"])
    return python(opens("lib/libapp_ops.so"))(folder)


def tensorflow(folder):
    missing(folder, "site/tensorflow/libtensorflow_cc.so.2", ["made/libcudart.so.10.1"])
    write(folder, "site/tensorflow/__init__.py", "import ctypes, os\nctypes.CDLL(os.path.join(os.path.dirname(__file__), 'libtensorflow_cc.so.2'))\n")
    return python(IMPORT_OF_A_CHAIN.format("tensorflow"))(folder)


def torch_without_cublas(folder, site):
    missing(folder, f"{site}/torch/lib/libtorch_cuda.so", ["made/libcublas.so.11"])
    package(folder, site, "torch", "2.0.1", "import ctypes, os\n__version__ = '2.0.1+cu118'\n"
            "ctypes.CDLL(os.path.join(os.path.dirname(__file__), 'lib', 'libtorch_cuda.so'), ctypes.RTLD_GLOBAL)\n")
    write(folder, f"{site}/torch/version.py", "__version__ = '2.0.1+cu118'\ncuda = '11.8'\n")


def cpu_torch(folder, site):
    package(folder, site, "torch", "2.4.0+cpu", "from . import version\n__version__ = version.__version__\n"
            "def cuda(): raise AssertionError('Torch not compiled with CUDA enabled')\n")
    write(folder, f"{site}/torch/version.py", "__version__ = '2.4.0+cpu'\ncuda = None\n")


def other_torch(folder, site):
    package(folder, site, "torch", "2.6.0")
    write(folder, f"{site}/torch/version.py", "__version__ = '2.6.0+cu124'\ncuda = '12.4'\n")
    library(folder, f"{site}/torch/lib/libc10_cuda.so")
    library(folder, f"{site}/flash_attn_2_cuda.so", "int _ZN3c104cuda9SetDeviceEi(int); int f(void) { return _ZN3c104cuda9SetDeviceEi(0); }\n",
            needs=[f"{site}/torch/lib/libc10_cuda.so"], flags=["-Wl,-z,now", "-Wl,-rpath,$ORIGIN/torch/lib"])


ONNX = """
import ctypes, os
try:
    ctypes.CDLL(os.path.abspath("lib/libonnxruntime_providers_cuda.so"))
except OSError as error:
    raise RuntimeError("/onnxruntime_src/onnxruntime/core/session/provider_bridge_ort.cc:1419 Failed to load library "
                       "libonnxruntime_providers_cuda.so with error: " + str(error)) from None
"""
CUDNN_NAMES = """
import ctypes
for name in ("libcudnn.so.8.9", "libcudnn.so.8.8", "libcudnn.so.8"):
    try: ctypes.CDLL(name)
    except OSError as error: last = error
raise last
"""


def driver_cases():
    none = {"truth": NO_DRIVER, "without": "driver"}
    return [
        Case("driver asked for by Python", make=python(opens("libcuda.so.1")), **none),
        Case("status 35", make=native(RUNTIME + "int main(void) { return start(); }\n", ["-ldl"]), **none),
        Case("status 100", make=native(RUNTIME + "int main(void) { return start() ? 100 : 0; }\n", ["-ldl"]), **none),
        Case("driver insufficient", make=says("CUDA error: CUDA driver version is insufficient for CUDA runtime version"), **none),
        Case("no device", make=says("cudaGetDeviceCount: no CUDA-capable device is detected"), **none),
        Case("cudnnCreate without driver", make=says("cudnnCreate failed: CUDNN_STATUS_NOT_INITIALIZED"), **none),
        Case("cublasCreate without driver", make=says("cublasCreate failed: CUBLAS_STATUS_NOT_INITIALIZED"), **none),
        Case("PyTorch finds no driver", make=python(tries_driver(
            "raise RuntimeError('Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a "
            "driver from http://www.nvidia.com/Download/index.aspx')\n")), **none),
        Case("JAX finds no GPU", make=python(tries_driver(
            "raise RuntimeError(\"Unable to initialize backend 'cuda': FAILED_PRECONDITION: No visible GPU devices. (you may need to "
            "uninstall the failing plugin package, or set JAX_PLATFORMS=cpu to skip this backend.)\")\n")), **none),
        Case("NVML", make=python("import ctypes\ntry: ctypes.CDLL('libnvidia-ml.so.1')\nexcept OSError:\n"
                                 "  class NVMLError_LibraryNotFound(Exception): pass\n"
                                 "  raise NVMLError_LibraryNotFound('NVML Shared Library Not Found') from None\n"), **none),
        Case("linked with the driver", make=needs_driver, **none),
        Case("nvcc's program", truth=NO_DRIVER, make=nvcc(CU), without="nvcc"),
        Case("nvcc's program speaks", truth=NO_DRIVER, make=nvcc(CU, "aloud"), without="nvcc"),
        Case("stub", truth="search-path " + NO_DRIVER, make=stub, without="driver",
             env={"LD_LIBRARY_PATH": "{here}/cuda/lib64/stubs"}),
    ]


def library_cases():
    here = {"LD_LIBRARY_PATH": "{here}/lib"}
    old = {"LD_LIBRARY_PATH": "{here}/old"}
    # Where the machine has another major of the library, as one with a toolkit does, both causes are true: the needed version is
    # nowhere, and the program was built for another one. check then names the second (CUL3002, CUL4008). The truths as written
    # first were the first cause alone.
    cudnn = "cudnn-missing cudnn-version-mismatch"
    cuda = "cuda-library-missing cuda-version-mismatch"
    return [
        Case("cuDNN 8", cudnn, python(opens("libcudnn.so.8"))),
        Case("part of cuDNN 8", cudnn, python(opens("libcudnn_ops_infer.so.8"))),
        Case("cuDNN under three names", cudnn, python(CUDNN_NAMES)),
        Case("cuBLAS 11", cuda, python(opens("libcublas.so.11"))),
        Case("NVRTC 11.2", cuda, python(opens("libnvrtc.so.11.2"))),
        Case("TensorFlow without libcudart 10.1", cuda, tensorflow),
        Case("PyTorch without libcublas 11", cuda, in_venv("import torch\n", torch_without_cublas)),
        Case("onnxruntime without cuBLAS", cuda, lambda folder: (
            missing(folder, "lib/libonnxruntime_providers_cuda.so", ["made/libcublasLt.so.11"]), python(ONNX)(folder))[1]),
        Case("cuDNN without a part", "cudnn-sublibrary-missing", cudnn_without_part),
        Case("truncated", "corrupt-library", damaged("libcublas.so.11", lambda data, _: data[:9000]), here),
        Case("empty", "corrupt-library", damaged("libcudnn.so.8", lambda *_: b""), here),
        Case("text in place of a library", "corrupt-library",
             damaged("libnvrtc.so.12", lambda *_: b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n"), here),
        Case("32-bit", "bitness-mismatch", damaged("libcudart.so.12", set_class), here),
        Case("of another CPU", "bitness-mismatch", damaged("libcufft.so.11", set_machine), here),
        Case("dangling symlink", "broken-symlink", damaged("libcudnn.so.8", link_to_nothing), here),
        Case("in the environment, not searched", "search-path", in_venv(
            opens("libcublas.so.11"), lambda folder, site: library(folder, f"{site}/nvidia/cublas/lib/libcublas.so.11"))),
        Case("two cuDNNs", "cudnn-mixed-versions", mixed_cudnn, old),
        Case("nvJitLink of another release", "cuda-mixed-versions", jitlink, {"LD_LIBRARY_PATH": "{here}/other"}),
        Case("glibc too old", "glibc-too-old", versioned("lib/libcudnn_graph.so.9", "libc.so.6", "GLIBC_2.99")),
        Case("libstdc++ too old", "glibc-too-old", versioned("lib/libtorch_python.so", "libstdc++.so.6", "GLIBCXX_3.4.99")),
        Case("libstdc++ of another place", "glibc-too-old", old_cplusplus, {"LD_LIBRARY_PATH": "{here}/conda/lib"}),
        Case("preloaded NCCL lacks a function", "cuda-mixed-versions cuda-version-mismatch search-path framework-version-conflict",
             preload_lacks, {"LD_PRELOAD": "{here}/old/libnccl.so.2"}),
        Case("older cuDNN lacks a function", "cudnn-version-mismatch cudnn-mixed-versions", old_cudnn_lacks, old),
        Case("cuDNN needs another library", "dependent-missing", lambda folder: (
            missing(folder, "lib/libcudnn.so.8", ["made/libzspecial.so.1"]), python(opens("libcudnn.so.8"))(folder))[1], here),
        Case("OpenCV without libGL", "dependent-missing none", lambda folder: (
            missing(folder, "lib/cv2.so", ["made/libGLspecial.so.1"]), python(opens("lib/cv2.so"))(folder))[1]),
    ]


def framework_cases():
    nothing = {"CUDA_HOME": "", "CUDA_PATH": ""}
    compiler = f"'{CC}' -c -I. main.c"
    return [
        Case("PyTorch for the CPU", "framework-cpu-only", in_venv("import torch\ntorch.cuda()\n", cpu_torch)),
        Case("extension of another PyTorch", "framework-version-conflict", in_venv(
            "import torch, flash_attn_2_cuda\n", other_torch)),
        Case("torchvision of another PyTorch", "framework-version-conflict",
             python("raise RuntimeError('operator torchvision::nms does not exist')\n")),
        Case("jaxlib too new", "framework-version-conflict", python(
            "raise RuntimeError('jaxlib version 0.4.30 is newer than and incompatible with jax version 0.4.25. Please update your jax "
            "and/or jaxlib packages.')\n")),
        Case("compiled for another cuDNN", "cudnn-version-mismatch", python(
            "import sys\nprint('E tensorflow/stream_executor/cuda/cuda_dnn.cc:371] Loaded runtime CuDNN library: 8.0.5 but source was "
            "compiled with: 8.6.0.  CuDNN library needs to have matching major version and equal or higher minor version.', "
            "file=sys.stderr, flush=True)\nraise RuntimeError('DNN library is not found.')\n")),
        Case("no CUDA_HOME", "toolkit-missing", python(
            "raise OSError('CUDA_HOME environment variable is not set. Please set it to your CUDA install root.')\n"), nothing),
        Case("no libdevice", "toolkit-missing", python(
            "raise RuntimeError('INTERNAL: libdevice not found at ./libdevice.10.bc')\n"), nothing),
        Case("linker finds no cuDNN", "build-config cudnn-missing", shell(f"'{CC}' main.c -lcudnn_ops_infer -o app", {"main.c": "int main(void) { return 0; }\n"})),
        Case("no header of cuDNN 8", "header-library-mismatch cudnn-missing build-config cudnn-version-mismatch", shell(
            compiler, {"main.c": "#include <cudnn_ops_infer_v8.h>\n"})),
        Case("host compiler too new", "host-compiler", shell(compiler, {
            "main.c": "#include \"crt/host_config.h\"\n",
            "crt/host_config.h": "#error -- unsupported GNU version! gcc versions later than 12 are not supported!\n"})),
        Case("GPU too old for nvcc", "arch-unsupported-by-compiler", lambda folder: (
            write(folder, "a.cu", "int main() {}\n"), ["nvcc", "-arch=sm_35", "-o", "a", "a.cu"])[1], without="nvcc"),
        Case("executable stack", "permissions", python(
            "raise ImportError('libcudnn_cnn_infer.so.8: cannot enable executable stack as shared object requires: Permission denied')\n")),
    ]


def cases():
    return driver_cases() + library_cases() + framework_cases()
