"""Programs that fail for reasons of their own: nothing of CUDA is to blame, whatever else they tried, loaded or printed."""

from kit import CC, HOST, NET, OWN, Case, library, native, opens, python, shell, write


def nvrtc(folder):
    library(folder, "lib/libnvrtc.so.13", "int nvrtcVersion(int* a, int* b) { *a = 13; *b = 0; return 0; }\n")


# CuPy asks for the names of all releases that it knows.
TRIES_NVRTC = """
import ctypes, os
for name in ("libnvrtc.so.11.2", "libnvrtc.so.12", os.path.join(os.getcwd(), "lib", "libnvrtc.so.13")):
    try:
        nvrtc = ctypes.CDLL(name)
        break
    except OSError:
        pass
"""
COMPILE_ERROR = TRIES_NVRTC + """
class CompileException(Exception): pass
raise CompileException('''/tmp/tmpk2/kern.cubin.cu(3): error: identifier "b" is undefined
    y[i] = x[i] + b;
                  ^

1 error detected in the compilation of "/tmp/tmpk2/kern.cubin.cu".
''')
"""
TRIES_DRIVER = """
import ctypes
try:
    ctypes.CDLL("libcuda.so.1")
    device = "cuda"
except OSError:
    device = "cpu"
print("running on", device)
"""
DUPLICATE = """
import sys
print("node1:4711:4802 [1] init.cc:943 NCCL WARN Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 50000", flush=True)
class DistBackendError(RuntimeError): pass
raise DistBackendError("NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:317, invalid usage (run with NCCL_DEBUG=WARN "
                       "for details), NCCL version 2.21.5\\nncclInvalidUsage: This usually reflects invalid usage of NCCL library.\\n"
                       "Last error:\\nDuplicate GPU detected : rank 1 and rank 0 both on CUDA device 50000")
"""
TF_NOISE = """
import sys
print("2026-01-05 10:12:01.511: W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library "
      "'libcudart.so.11.0'; dlerror: libcudart.so.11.0: cannot open shared object file: No such file or directory", file=sys.stderr)
print("2026-01-05 10:12:01.511: I tensorflow/stream_executor/cuda/cudart_stub.cc:29] Ignore above cudart dlerror if you do not "
      "have a GPU set up on your machine.", file=sys.stderr, flush=True)
raise ValueError("Unknown optimizer: 'adamm'. Please ensure you are using a keras.utils.custom_object_scope")
"""
WORKERS = """
import multiprocessing, sys
def work(batch): return {"x": 1}[batch]
if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool: print(pool.map(work, ["x", "label"]))
"""
UNITTEST = """
import unittest
class Cuda(unittest.TestCase):
    def test_cudnn_version_is_parsed(self): self.assertEqual("9.1.0".split(".")[0], "8")
unittest.main()
"""
EMFILE_LOAD = """
import ctypes, os
held = []
try:
    while True: held.append(os.open("/dev/null", os.O_RDONLY))
except OSError: pass
ctypes.CDLL(os.path.join(os.getcwd(), "lib", "libcublas.so.11"))
"""
OPTIONAL_PLUGIN = """
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
  if (!dlopen("libcupti.so.12", RTLD_NOW)) fprintf(stderr, "profiler: off\\n");
  fprintf(stderr, "model.bin: bad magic 0x7f3a\\n");
  return 3;
}
"""
OLD_LOG = """
print("last lines of the previous run:")
print("  torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB")
print("resuming", flush=True)
raise ValueError("checkpoint step 1200 is newer than the schedule's end 1000")
"""
RETRIED = """
import sys
print("WARNING: CUDA out of memory at batch 64, retrying with 32", file=sys.stderr)
print("epoch 1 done with batch 32", file=sys.stderr, flush=True)
open("checkpoints/epoch1/state.json")
"""


def cases():
    return [
        Case("syntax error", OWN, python("def f(:\n  pass\n")),
        Case("file not found", OWN, python("open('data/train.csv')\n")),
        Case("assertion", OWN, python("x = 3\nassert x == 4, 'loss went up'\n")),
        Case("key of a configuration", OWN, python("config = {'device': 'cuda:0'}\nconfig['lr']\n")),
        Case("key named cuda", OWN, python("devices = {'cpu': 0}\ndevices['cuda']\n")),
        Case("module of nobody", OWN, python("import data_loading_utilities\n")),
        Case("relative import", OWN, python("from . import cuda_kernels\n")),
        Case("test suite", OWN, python(UNITTEST)),
        Case("pytest summary", OWN, shell("echo 'FAILED tests/test_cuda.py::test_cudnn_loads - AssertionError: assert 1 == 2'; "
                                          "echo '1 failed, 3 passed in 0.12s'; exit 1")),
        Case("wrong argument", OWN, python("import argparse\np = argparse.ArgumentParser()\n"
                                           "p.add_argument('--device', choices=['cpu', 'cuda'])\np.parse_args()\n",
                                           args=["--device", "cuda:x"])),
        Case("text for a number", OWN, python("float('0.1e')\n")),
        Case("wrong dtype", OWN, python("raise RuntimeError('expected scalar type Float but found Double')\n")),
        Case("wrong shapes", OWN, python("raise RuntimeError('mat1 and mat2 shapes cannot be multiplied (4x3 and 4x3)')\n")),
        Case("bad JSON", OWN, python("import json\njson.loads('{\"cudnn\": true,}')\n")),
        Case("bad UTF-8", OWN, python("b'\\xff\\xfe'.decode()\n")),
        Case("recursion", OWN, python("def f(n): return f(n + 1)\nf(0)\n")),
        Case("memory limit in Python", HOST, python("x = bytearray(2 << 30)\n", limits="ulimit -v 1000000")),
        Case("memory limit in C++", HOST, native("#include <vector>\nint main() { std::vector<long> v(1ul << 30); return (int)v[5]; }\n",
                                                 limits="ulimit -v 1000000")),
        Case("mmap without memory", HOST, python("import mmap\nmmap.mmap(-1, 2 << 30)\n", limits="ulimit -v 1000000")),
        Case("too many open files", HOST, python("held = [open('/dev/null') for _ in range(100)]\n", limits="ulimit -n 40")),
        Case("library but too many open files", HOST, lambda folder: (
            library(folder, "lib/libcublas.so.11"), python(EMFILE_LOAD, limits="ulimit -n 40")(folder))[1]),
        Case("disk full", HOST, python("import os\nos.write(os.open('/dev/full', os.O_WRONLY), b'x' * 9999)\n")),
        Case("not executable", "none permissions", python("import subprocess\nsubprocess.run(['./cuda_tool'])\n",
                                                          {"cuda_tool": "#!/bin/sh\n"})),
        Case("port in use", NET, python("import socket\na = socket.create_server(('127.0.0.1', 0))\n"
                                        "socket.create_server(a.getsockname())\n")),
        Case("connection refused", NET, python("import socket\ns = socket.socket(); s.bind(('127.0.0.1', 0))\n"
                                               "socket.create_connection(s.getsockname())\n")),
        Case("null pointer", OWN, native("int main(int n, char** v) { (void)v; return *(volatile int*)(long)(n - 1); }\n")),
        Case("abort", OWN, native("#include <stdlib.h>\nint main(void) { abort(); }\n")),
        Case("division by zero", OWN, native("#include <signal.h>\nint main(void) { return raise(SIGFPE); }\n")),
        Case("C++ exception", OWN, native("#include <stdexcept>\nint main() { throw std::runtime_error(\"config: no key 'cuda'\"); }\n")),
        Case("killed", HOST, shell("kill -9 $$")),
        Case("terminated", OWN, shell("kill -15 $$")),
        Case("timeout", OWN, shell("timeout 0.2 sleep 60")),
        Case("no words at all", OWN, shell("exit 1")),
        Case("status 100 of apt", OWN, shell("echo 'E: Unable to locate package frobnicate'; exit 100")),
        Case("status 35 of curl", OWN, shell("echo 'curl: (35) TLS connect error' >&2; exit 35")),
        Case("grep finds nothing", OWN, shell("grep -q libcudnn.so.9 list.txt", {"list.txt": "libfoo.so.1\n"})),
        Case("command not found", OWN, shell("frobnicate-cuda --version")),
        Case("git", OWN, python("import subprocess\nsubprocess.run(['false'], check=True)\n")),
        Case("C compiler", OWN, shell(f"'{CC}' -c cuda_helper.c", {"cuda_helper.c": "int f(void) { return 1 }\n"})),
        Case("a path with cuda in it", OWN, python("open('/data/cuda-12.4/cudnn_runs/config.yaml')\n")),
        Case("INFO about CUDA", OWN, python("print('INFO: CUDA 12.8, cuDNN 9.1.0, device cuda:0', flush=True)\n[1, 2][5]\n")),
        Case("survived NVRTC", OWN, lambda folder: (nvrtc(folder), python(TRIES_NVRTC + "undefined_name\n")(folder))[1]),
        Case("CuPy's kernel does not compile", OWN, lambda folder: (nvrtc(folder), python(COMPILE_ERROR)(folder))[1]),
        Case("survived driver", OWN, python(TRIES_DRIVER + "print(1 / 0)\n")),
        Case("survived plug-in", OWN, native(OPTIONAL_PLUGIN, ["-ldl"])),
        Case("survived TensorFlow's warning", OWN, python(TF_NOISE)),
        Case("two ranks on one GPU", OWN + " communication", python(DUPLICATE)),
        Case("a folder named torch", OWN, python("import torch\ntorch.zeros(3)\n", {"first/torch/notes.txt": "x"}),
             env={"PYTHONPATH": "{here}/first"}),
        Case("error in a worker", OWN, python(WORKERS)),
        Case("error of an old log", OWN, python(OLD_LOG)),
        Case("retried out of memory", OWN, python(RETRIED)),
        Case("preload ignored", OWN, lambda folder: (
            write(folder, "lib/libnccl.so.2", "version https://git-lfs.github.com/spec/v1\n"),
            python("{}['epochs']\n")(folder))[1], env={"LD_PRELOAD": "{here}/lib/libnccl.so.2"}),
        Case("function of a plain library", OWN, lambda folder: (
            library(folder, "lib/libplain.so"), python(opens(folder + "/lib/libplain.so") .replace("\nctypes", "\nx = ctypes")
                                                       + "x.frobnicate()\n")(folder))[1]),
    ]
