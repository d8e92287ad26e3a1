"""What culprit must say about each tree of trees.py: the ten demonstrations of the Windows side.

Each is the complete expectation: the codes of all errors and warnings, the exit status, and words that must be in the report.
`why` has a line for each DLL that is really loaded (run, in Wine): the flags of LoadLibraryEx, the name,
the resulting code and, for 0, the file. culprit must predict the same.
"""
import dataclasses
import typing

import trees
from trees import CUDA, CUDNN, CUDNN_9, MODULE, OLD, PROGRAM, PYTHON, windows_path

# Where Wine differs from Windows (dlls/ntdll/loader.c of Wine 8.0):
#   if an imported DLL lacks a function, Wine uses a stub that raises an exception when called; Windows ends the load
#   with STATUS_ENTRYPOINT_NOT_FOUND, which LoadLibrary reports as 127;
#   whatever is wrong with an imported DLL, Wine ends the load with STATUS_DLL_NOT_FOUND (126); Windows passes on the
#   actual status, for a corrupt file STATUS_INVALID_IMAGE_FORMAT (193).
WINE_HAS_STUBS = 0
WINE_SAYS_NOT_FOUND = 126

HOST = "driver=522.06,gpu=sm_86"  # came with CUDA 11.8
PYTHON_FLAGS = 0x1100


@dataclasses.dataclass
class Why:
    name: str
    code: int
    file: str = ""  # with code 0
    words: tuple = ()  # in the answer of `culprit why`
    flags: int = 0
    wine: int | None = None  # what Wine gives instead, one of WINE_*


@dataclasses.dataclass
class Demo:
    name: str
    edit: typing.Callable
    expect: tuple = ()  # (code, cause, severity) of every error and warning
    subject: str = ""  # the file that the finding must be about
    words: tuple = ()  # in the finding: summary, evidence, fix
    why: tuple = ()
    made_up: bool = False  # with a file that no wheel has: not with real DLLs
    target: str = PROGRAM
    judge: str = "Programs/Reader/judge.exe"  # the directory from which the real loader is called

    @property
    def status(self):
        return 1 if any(severity == "error" for _, _, severity in self.expect) else 0


def part(name):
    return windows_path(f"{CUDNN}/{name}")


CUDNN_8 = part("cudnn64_8.dll")
OPS, CNN, TRAIN = "cudnn_ops_infer64_8.dll", "cudnn_cnn_infer64_8.dll", "cudnn_cnn_train64_8.dll"

DEMOS = [
    Demo("1-part-absent", trees.ops_infer_absent,
         expect=(("CUL3003", "cudnn-sublibrary-missing", "error"),),
         subject=CUDNN_8, words=(OPS, "8.9.5", windows_path(CUDNN)),
         why=(Why(OPS, 126, words=(OPS,)), Why(CNN, 126, words=(OPS,)), Why("cudnn64_8.dll", 0, CUDNN_8))),
    Demo("2-not-searched", trees.not_searched,
         expect=(("CUL3007", "search-path", "error"),),
         subject="", words=("cudnn64_8.dll", windows_path(CUDNN), "PATH"),
         why=(Why("cudnn64_8.dll", 126, words=(windows_path(CUDNN),)),)),
    Demo("3-zlibwapi-absent", trees.zlibwapi_absent,
         expect=(("CUL5021", "dependent-missing", "error"),),
         words=("zlibwapi.dll", "126"),
         why=(Why("zlibwapi.dll", 126), Why(CNN, 126, words=("zlibwapi.dll",)), Why(OPS, 0, part(OPS))),
         made_up=True),
    Demo("4-cublaslt-absent", trees.cublas_lt_absent,
         expect=(("CUL4006", "cuda-library-missing", "error"),),
         words=("cublasLt64_11.dll", "cublas64_11.dll", "126"),
         why=(Why("cublas64_11.dll", 126, words=("cublasLt64_11.dll",)), Why("cublasLt64_11.dll", 126))),
    Demo("5-mixed-8.4", trees.ops_of_8_4,
         expect=(("CUL3015", "cudnn-mixed-versions", "error"),),
         subject=part(OPS), words=("127", "8.4.0", "8.9.5", "traceback"),
         why=(Why(CNN, 127, words=("traceback", OPS), wine=WINE_HAS_STUBS), Why(OPS, 0, part(OPS))),
         made_up=True),
    Demo("5-mixed-8.9.7", trees.cnn_of_8_9_7,
         expect=(("CUL3015", "cudnn-mixed-versions", "error"),),
         subject=part(CNN), words=("127", "8.9.7", "8.9.5", "launchKernel"),
         why=(Why(TRAIN, 127, words=("launchKernel", CNN), wine=WINE_HAS_STUBS), Why(CNN, 0, part(CNN)))),
    Demo("6-other-bits-first", trees.other_bits_first,
         expect=(("CUL5026", "bitness-mismatch", "warning"),),
         subject=windows_path(OLD + "/zlibwapi.dll"), words=("32", part("zlibwapi.dll")),
         why=(Why("zlibwapi.dll", 0, part("zlibwapi.dll")),), made_up=True),
    Demo("6-other-bits-only", trees.other_bits_only,
         expect=(("CUL5007", "bitness-mismatch", "error"),),
         subject=part("zlibwapi.dll"), words=("32",),
         why=(Why("zlibwapi.dll", 193),), made_up=True),
    Demo("7-truncated", trees.truncated,
         expect=(("CUL5004", "corrupt-library", "error"),),
         subject=part(CNN), words=("truncated",),
         why=(Why(CNN, 193), Why(TRAIN, 193, words=(CNN,), wine=WINE_SAYS_NOT_FOUND), Why(OPS, 0, part(OPS)))),
    Demo("8-python-ignores-path", trees.only_on_path,
         expect=(("CUL5025", "search-path", "error"),),
         subject=CUDNN_8, words=("add_dll_directory", windows_path(CUDNN), "126"),
         why=(Why(windows_path(MODULE), 126, words=("cudnn64_8.dll",), flags=PYTHON_FLAGS),),
         target=MODULE, judge=f"{PYTHON}/judge.exe"),
    Demo("9-cudnn-9", trees.cudnn_9_instead,
         expect=(("CUL3002", "cudnn-version-mismatch", "error"),),
         subject="cudnn64_8.dll", words=("9.1.0", windows_path(CUDNN_9)),
         why=(Why("cudnn64_8.dll", 126), Why("cudnn64_9.dll", 0, windows_path(f"{CUDNN_9}/cudnn64_9.dll")))),
    Demo("10-everything-right", trees.nothing,
         why=tuple(Why(name, 0, part(name)) for name in ("cudnn64_8.dll", OPS, CNN, TRAIN)) +
         (Why("cublas64_11.dll", 0, windows_path(CUDA + "/bin/cublas64_11.dll")),)),
]
