"""Written after the judge had learned from the other two tables, to see what it makes of programs that it does not know."""

import os

from innocent import TF_NOISE
from kit import HOST, NO_DRIVER, OWN, Case, library, missing, native, python, shell
from stack import RUNTIME

NOISE = TF_NOISE[:TF_NOISE.index("raise ")]
TRIES_CUDNN = "import ctypes\ntry: ctypes.CDLL('libcudnn.so.8')\nexcept OSError: pass\n"
CUDNN = "cudnn-missing cudnn-version-mismatch"
CUDA = "cuda-library-missing cuda-version-mismatch"

LOGGED = """
import logging
try: raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")
except RuntimeError: logging.exception("step 3 failed, trying again with half the batch")
raise TimeoutError("the data server did not answer")
"""
# As NCCL 2.28 says it with NCCL_DEBUG=INFO: the plug-in may be missing, the GPU is taken twice.
NCCL_PLUGIN = """import ctypes
try: ctypes.CDLL('libnccl-env.so')
except OSError: print('n1:7:7 [0] NCCL INFO ENV/Plugin: Could not find: libnccl-env.so', flush=True)
print('n1:7:9 [0] init.cc:888 NCCL WARN Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 60', flush=True)
raise RuntimeError('NCCL error in: NCCLUtils.cpp:93, invalid usage (run with NCCL_DEBUG=WARN for details), NCCL version 2.28.9')
"""
# The words of NCCL 2.19 for the same, with the loader's own.
NCCL_DLERROR = NCCL_PLUGIN.replace("except OSError: print('n1:7:7 [0] NCCL INFO ENV/Plugin: Could not find: libnccl-env.so', flush=True)",
                                   "except OSError as error: print('n1:7:7 [0] NCCL INFO NET/Plugin : dlerror=' + str(error) + ' No plugin found "
                                   "(libnccl-env.so), using internal implementation', flush=True)")
RANKED = """
import sys
for line in ("WARNING: CUDA out of memory, retrying with batch 8", "[rank0]: Traceback (most recent call last):",
             '[rank0]:   File "/home/me/train.py", line 9, in <module>', "[rank0]:     load(shard)",
             "[rank0]: ValueError: shard 7 has 12 columns, expected 11"):
    print(line, file=sys.stderr)
sys.exit(1)
"""
GROUP = NOISE + """
def one(): raise ValueError("row 3")
def two(): raise KeyError("label")
errors = []
for step in (one, two):
    try: step()
    except Exception as error: errors.append(error)
raise ExceptionGroup("validation failed", errors)
"""
FALLS_BACK = """
#include <dlfcn.h>
#include <iostream>
#include <vector>
int main() {
  if (!dlopen("libcuda.so.1", RTLD_NOW)) std::cerr << "no CUDA, using the CPU\\n";
  return std::vector<int>(3).at(7);
}
"""
ASSERTS = """
#include <assert.h>
#include <dlfcn.h>
int main(int n, char** v) { (void)v; dlopen("libnvidia-ml.so.1", RTLD_NOW); assert(n > 3); return 0; }
"""
PLUGIN = """
#include <dlfcn.h>
#include <stdio.h>
int main(void) { if (!dlopen("./libfft_plugin.so", RTLD_NOW)) { fprintf(stderr, "fft backend failed\\n"); return 1; } return 0; }
"""
ASKS_CUDNN = """
#include <dlfcn.h>
#include <stdio.h>
int main(void) { if (!dlopen("libcudnn.so.8", RTLD_NOW)) { fprintf(stderr, "ERROR: cudnn is not available\\n"); return 2; } return 0; }
"""
CHAINED = """
import ctypes
try: ctypes.CDLL("libcublas.so.11")
except OSError as error: raise RuntimeError("the backend could not be started") from error
"""
NUMBA = """
import ctypes
class CudaSupportError(RuntimeError): pass
try: ctypes.CDLL("libcuda.so.1")
except OSError: raise CudaSupportError("Error at driver init: \\nCUDA driver library cannot be found.\\nIf you are sure that a CUDA "
    "driver is installed, try setting environment variable NUMBA_CUDA_DRIVER\\nwith the file path of the CUDA driver shared library.") from None
"""


def loop(folder):
    os.makedirs(os.path.join(folder, "lib"))
    os.symlink("libcublas.so.11", os.path.join(folder, "lib", "libcublas.so.11"))
    return python("import ctypes\nctypes.CDLL('libcublas.so.11')\n")(folder)


def script_over_program(folder):
    native(RUNTIME + "int main(void) { return start(); }\n", ["-ldl"])(folder)
    return ["sh", "-c", "echo starting; ./app; exit $?"]


def cases():
    none = {"truth": NO_DRIVER, "without": "driver"}
    return [
        Case("missing argument", OWN, python(TRIES_CUDNN + "def f(a, b): pass\nf(1)\n")),
        Case("exit with words", OWN, python("import sys\nsys.exit('error: the GPU budget of this project is used up')\n")),
        Case("logged and tried again", OWN, python(LOGGED)),
        Case("vector out of range", OWN, native(FALLS_BACK, ["-ldl"])),
        Case("assert in C", OWN, native(ASSERTS, ["-ldl"])),
        Case("cp fails", OWN, shell("cp cuda_weights.bin /dev/null")),
        Case("child fails", OWN, python("import os, subprocess\nprint('CUDA_VISIBLE_DEVICES=0', flush=True)\n"
                                        "subprocess.run(['sh', '-c', 'echo bad input >&2; exit 4'], check=True)\n")),
        Case("circular import", OWN, python("import gpu_utils\n", {"gpu_utils.py": "import gpu_more\nx = 1\n",
                                                                 "gpu_more.py": "from gpu_utils import x\n"})),
        Case("file too large", HOST, python("open('out.bin', 'wb').write(b'x' * 5000000)\n", limits="ulimit -f 10")),
        Case("stack overflow", OWN, native("int f(int n) { volatile char a[4000]; a[0] = (char)n; return f(n + 1) + a[0]; }\n"
                                           "int main(void) { return f(0); }\n", ["-w"])),
        Case("bad pickle", OWN, python("import pickle\npickle.loads(b'cudnn')\n")),
        Case("bad zip", OWN, python(NOISE + "import io, zipfile\nzipfile.ZipFile(io.BytesIO(b'x' * 99))\n")),
        Case("interrupted", OWN, python("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")),
        Case("exception group", OWN, python(GROUP)),
        Case("error of a rank", OWN, python(RANKED)),
        Case("NCCL without a plug-in", "communication", python(NCCL_PLUGIN)),
        Case("NCCL without a plug-in, the loader's words", "communication", python(NCCL_DLERROR)),
        Case("Java without libcudart 9.2", CUDA, shell(
            "echo 'java.lang.UnsatisfiedLinkError: /tmp/javacpp/libjnicudart.so: libcudart.so.9.2: cannot open shared object file: "
            "No such file or directory' >&2; exit 1")),
        Case("cuDNN asked for, own words", CUDNN, native(ASKS_CUDNN, ["-ldl"])),
        Case("chained exceptions", CUDA, python(CHAINED)),
        Case("Numba without driver", make=python(NUMBA), **none),
        Case("status 35 through a shell", make=script_over_program, **none),
        Case("nvidia-smi", make=shell("nvidia-smi"), **none),
        Case("symlink to itself", "broken-symlink", loop, {"LD_LIBRARY_PATH": "{here}/lib"}),
        Case("plug-in without cuFFT", CUDA, lambda folder: (
            missing(folder, "libfft_plugin.so", ["made/libcufft.so.10"]), native(PLUGIN, ["-ldl"])(folder))[1]),
        Case("32-bit cuDNN for a plug-in", "bitness-mismatch", lambda folder: narrow(folder), {"LD_LIBRARY_PATH": "{here}/lib"}),
    ]


def narrow(folder):
    path = library(folder, "lib/libcudnn.so.8")
    library(folder, "libnet_plugin.so", needs=["lib/libcudnn.so.8"])
    with open(path, "r+b") as file:
        file.seek(4)
        file.write(b"\x01")
    return native(PLUGIN.replace("fft", "net"), ["-ldl"])(folder)
