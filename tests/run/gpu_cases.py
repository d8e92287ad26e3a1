"""The cases of on_gpu.py: programs that fail in a known way, and what the report about each must say."""

import json
import os
import pathlib
import re
import shutil
import stat
import subprocess

PROGRAMS = pathlib.Path(__file__).resolve().parent / 'programs'
LIMIT = 120  # seconds for one command


class CannotBeMade(Exception):
    pass


class Case:
    def __init__(self, name, make, causes=(), words=(), options=(), same_end=True):
        self.name, self.make = name, make
        self.causes = causes  # the first cause of the report must be one of these
        self.words = words  # patterns that must be in the text of the report
        self.options = options  # of culprit run
        self.same_end = same_end  # compare with the command alone


class Machine:
    def __init__(self, options, work):
        self.program, self.python, self.work = str(options.program.resolve()), options.python, work
        self.out = options.out
        self.made = {}
        done = subprocess.run([self.program, "check", "--format", "json"], capture_output=True, timeout=LIMIT)
        self.cudnn = [
            copy
            for copy in json.loads(done.stdout)["snapshot"]["stack"].get("cudnn", {}).get("value", [])
            if copy.get("version")
        ]
        self.cudnn.sort(key=lambda copy: [int(part) for part in copy["version"].split(".")])

    def once(self, name, make):
        if name not in self.made:
            self.made[name] = make()
        return self.made[name]

    def kernels(self, *flags):
        """The program with the kernels, built with these flags."""

        def build():
            nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
            if not os.path.exists(nvcc):
                raise CannotBeMade("no nvcc here")
            program = self.work / ("kernels" + "".join(flags))
            source = self.work / "kernels.cu"
            shutil.copy(PROGRAMS / "kernels.cu", source)
            done = subprocess.run(
                [nvcc, "-arch=native", *flags, "-o", program, source], capture_output=True, text=True, timeout=LIMIT
            )
            if done.returncode != 0:
                raise CannotBeMade("nvcc: " + done.stderr.strip()[-300:])
            return str(program)

        return self.once("kernels" + "".join(flags), build)

    def library(self, name, text, *flags):
        gcc = shutil.which("gcc") or shutil.which("cc")
        if not gcc:
            raise CannotBeMade("no gcc here")
        source = self.work / (name + ".c")
        source.write_text(text)
        subprocess.run(
            [gcc, "-shared", "-fPIC", "-o", self.work / name, source, "-L", self.work, "-Wl,-rpath,$ORIGIN", *flags],
            check=True,
            timeout=LIMIT,
        )
        return self.work / name

    def environment(self, name):
        """A copy of the Python environment in which files can be removed: (its python, its site-packages)."""

        def make():
            code = "import torch, os; print(os.path.dirname(os.path.dirname(torch.__file__)))"
            site = subprocess.run(
                [self.python, "-c", code], capture_output=True, text=True, check=True, timeout=LIMIT
            ).stdout.strip()
            folder = self.work / name
            subprocess.run([self.python, "-m", "venv", "--without-pip", folder], check=True, timeout=LIMIT)
            copy = next((folder / "lib").glob("python3*")) / "site-packages"
            for entry in os.scandir(site):
                if entry.name in ("torch", "nvidia"):
                    mirror(entry.path, copy / entry.name)
                elif not (copy / entry.name).exists():
                    (copy / entry.name).symlink_to(entry.path)
            return str(folder / "bin" / "python"), copy

        return self.once(name, make)


def mirror(source, target):
    """Creates directories and links files: with hard links if possible, because a symlink could be followed out of it."""
    os.makedirs(target)
    for entry in os.scandir(source):
        to = os.path.join(target, entry.name)
        if entry.is_dir(follow_symlinks=False):
            if entry.name not in ("include", "test", "testing", "_inductor", "_dynamo"):
                mirror(entry.path, to)
            else:
                os.symlink(entry.path, to)
            continue
        try:
            os.link(entry.path, to, follow_symlinks=False)
        except OSError:
            os.symlink(os.path.realpath(entry.path), to)


def torch(code):
    return lambda machine: iter([{"command": [machine.python, "-c", "import torch\n" + code]}])


def mixed(machine):
    if len(machine.cudnn) < 2:
        raise CannotBeMade("only one cuDNN here")
    older = machine.cudnn[0]
    code = "import torch\nprint(torch.backends.cudnn.version())\n" + CONVOLUTION
    yield {
        "command": [machine.python, "-c", code],
        "environment": {"LD_LIBRARY_PATH": older["directory"]},
        "words": [re.escape(older["version"]), re.escape(machine.cudnn[-1]["version"]), re.escape(older["directory"])],
    }


def invisible(machine):
    yield {
        "command": [machine.python, "-c", "import torch\ntorch.zeros(1).cuda()"],
        "environment": {"CUDA_VISIBLE_DEVICES": "7"},
    }


CONVOLUTION = "torch.nn.functional.conv2d(torch.ones(1, 3, 8, 8).cuda(), torch.ones(4, 3, 3, 3).cuda()).sum().item()\n"

TAKE_MOST = """
import ctypes, time
cuda = ctypes.CDLL("libcuda.so.1")
context, pointer = ctypes.c_void_p(), ctypes.c_uint64()
free, total = ctypes.c_size_t(), ctypes.c_size_t()
assert cuda.cuInit(0) == 0 and cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
assert cuda.cuCtxSetCurrent(context) == 0
cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total))
assert cuda.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(free.value * 95 // 100)) == 0
print("taken", flush=True)
time.sleep(300)
"""


def memory_taken(machine):
    taker = subprocess.Popen([machine.python, "-c", TAKE_MOST], stdout=subprocess.PIPE)
    try:
        if taker.stdout.readline().strip() != b"taken":
            raise CannotBeMade("the memory could not be taken")
        code = "import torch\ntorch.empty(24 << 30, dtype=torch.uint8, device='cuda')"
        yield {"command": [machine.python, "-c", code], "words": [rf"\b{taker.pid}\b"]}
    finally:
        taker.kill()
        taker.wait()


def kernel(word, *flags, interrupt=None):
    def make(machine):
        yield {"command": [machine.kernels(*flags), word], "interrupt": interrupt}

    return make


def part_missing(machine):
    python, site = machine.environment("environment")
    parts = sorted(site.glob("nvidia/**/libcudnn_graph.so.9"))
    if not parts:
        raise CannotBeMade("no libcudnn_graph.so.9 in the environment")
    kept = parts[0].with_name("kept")
    parts[0].rename(kept)
    try:
        # The sub-library of a system cuDNN would be loaded instead, so that is hidden.
        yield {
            "command": [python, "-c", "import torch\n" + CONVOLUTION],
            "before": without_cudnn_of_the_system(machine),
            "words": [r"libcudnn_graph"],
        }
    finally:
        kept.rename(parts[0])


def without_cudnn_of_the_system(machine):
    commands = []
    for number, copy in enumerate(copy for copy in machine.cudnn if "site-packages" not in copy["directory"]):
        directory = os.path.realpath(copy["directory"])
        upper, room = machine.work / f"upper{number}", machine.work / f"room{number}"
        for folder in (upper, room):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        for name in os.listdir(directory):
            if name.startswith("libcudnn"):
                os.mknod(upper / name, stat.S_IFCHR, os.makedev(0, 0))  # how overlayfs writes "gone"
        commands.append(f"mount -t overlay overlay -o lowerdir={directory},upperdir={upper},workdir={room} {directory}")
    if not commands:
        return []
    before = ["unshare", "--mount", "--propagation", "private", "sh", "-ec", "; ".join(commands) + '; exec "$@"', "sh"]
    tried = subprocess.run([*before, "true"], capture_output=True, text=True)
    if tried.returncode != 0:
        raise CannotBeMade("the system's cuDNN cannot be hidden: " + tried.stderr.strip()[-200:])
    return before


def import_fails(machine):
    """torch/_C -> libtorch_python -> libtorch_cuda -> a missing library."""
    python, site = machine.environment("environment")
    for name in ("libcusparseLt.so.0", "libnvshmem_host.so.3", "libnccl.so.2"):
        found = sorted(site.glob(f"nvidia/**/{name}"))
        cached = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout
        if found and name not in cached:
            break
    else:
        raise CannotBeMade("every library of torch lies elsewhere too")
    kept = found[0].with_name("kept")
    found[0].rename(kept)
    try:
        yield {
            "command": [python, "-c", "import torch"],
            "words": [re.escape(name), "libtorch_cuda|libtorch_global_deps"],
        }
    finally:
        kept.rename(found[0])


def third_level_missing(machine):
    machine.library("libthird.so.1", "int third(void) { return 3; }", "-Wl,-soname,libthird.so.1")
    machine.library(
        "libsecond.so.1",
        "int third(void); int second(void) { return third(); }",
        "-Wl,-soname,libsecond.so.1",
        "-l:libthird.so.1",
    )
    machine.library(
        "libfirst.so.1",
        "int second(void); int first(void) { return second(); }",
        "-Wl,-soname,libfirst.so.1",
        "-l:libsecond.so.1",
        "-Wl,-rpath-link," + str(machine.work),
    )
    (machine.work / "libthird.so.1").unlink()
    yield {"command": [machine.python, "-c", f"import ctypes; ctypes.CDLL({str(machine.work / 'libfirst.so.1')!r})"]}


def crash(machine):
    library = machine.library(
        "libplugin.so.1", "int Deep(volatile int* p) { return *p; } int Plugin(void) { return Deep(0) + 1; }", "-O0"
    )
    yield {
        "command": [
            machine.python,
            "-c",
            f"import torch, ctypes; torch.zeros(1).cuda(); ctypes.CDLL({str(library)!r}).Plugin()",
        ]
    }


def hang(machine):
    code = "import torch\ntorch.cuda._sleep(1 << 60)\nprint('waits', flush=True)\ntorch.cuda.synchronize()"
    yield {"command": [machine.python, "-c", code], "interrupt": "waits"}


def line_of(mark):
    for number, line in enumerate((PROGRAMS / "kernels.cu").read_text().splitlines(), 1):
        if f"// line: {mark}" in line:
            return number
    raise KeyError(mark)


CASES = [
    Case(
        "cuDNN 9.14 parts under 9.19 by LD_LIBRARY_PATH",
        mixed,
        ("cudnn-mixed-versions",),
        (r"libcudnn_\w+\.so\.9", "LD_LIBRARY_PATH"),
    ),
    Case("CUDA_VISIBLE_DEVICES=7", invisible, ("gpu-not-visible",), ("CUDA_VISIBLE_DEVICES",)),
    Case(
        "16 TiB asked for",
        torch("torch.empty(16 << 40, dtype=torch.uint8, device='cuda')"),
        ("out-of-memory",),
        ("16 TiB|16384",),
    ),
    Case("memory held by another process", memory_taken, ("out-of-memory",)),
    Case(
        "illegal access in a kernel",
        kernel("illegal", "-lineinfo"),
        ("application-bug",),
        ("illegal", "cuda(DeviceSynchronize|Memcpy)"),
    ),
    Case("assert in a kernel", kernel("assert", "-lineinfo"), ("application-bug",), ("assert",)),
    Case(
        "assert in a kernel of torch",
        torch("torch.zeros(5).cuda()[torch.tensor([7]).cuda()]\ntorch.cuda.synchronize()"),
        ("application-bug",),
        ("assert",),
    ),
    Case("a part of cuDNN removed", part_missing, ("cudnn-sublibrary-missing",), ("libcudnn_graph",)),
    Case("import fails three levels down", import_fails, ("cuda-library-missing", "dependent-missing")),
    Case(
        "library three levels down missing",
        third_level_missing,
        ("dependent-missing", "cuda-library-missing", "search-path"),
        (r"libthird\.so\.1", r"libsecond\.so\.1", r"libfirst\.so\.1"),
    ),
    Case("SIGSEGV in a library", crash, (), ("SIGSEGV", r"libplugin\.so\.1", "Deep")),
    Case("hang in torch, ended by Ctrl-C", hang, (), ("SIGINT|nterrupt", r"cu\w*Synchronize"), same_end=False),
    Case(
        "hang in a kernel, ended by Ctrl-C",
        kernel("hang", "-lineinfo", interrupt="begins"),
        (),
        ("SIGINT|nterrupt", "cudaDeviceSynchronize"),
        same_end=False,
    ),
    Case("nothing wrong (--always)", torch(CONVOLUTION), ("",), options=("--always",)),
    Case(
        "--sanitize: illegal access",
        kernel("illegal", "-lineinfo"),
        (),
        ("Invalid __global__ write", "Store", rf"kernels\.cu:{line_of('illegal')}\b"),
        ("--sanitize",),
    ),
    Case("--sanitize: assert", kernel("assert", "-lineinfo"), (), ("assert",), ("--sanitize",)),
    Case(
        "--sanitize=racecheck",
        kernel("race", "-lineinfo"),
        (),
        ("[Rr]ace", "Sum", r"kernels\.cu:\d"),
        ("--sanitize=racecheck",),
    ),
    Case(
        "--sanitize=initcheck",
        kernel("uninitialised", "-lineinfo"),
        (),
        ("Uninitialized", "Copy", rf"kernels\.cu:{line_of('uninitialised')}\b"),
        ("--sanitize=initcheck",),
    ),
    Case(
        "--debug: illegal access",
        kernel("illegal", "-G"),
        (),
        ("Illegal Address|Out-of-range", "Store", rf"kernels\.cu:{line_of('illegal')}\b"),
        ("--debug",),
        same_end=False,
    ),
    Case("--debug: assert", kernel("assert", "-G"), (), ("Assert", "Guard"), ("--debug",), same_end=False),
    Case(
        "--debug: hang, ended by Ctrl-C",
        kernel("hang", "-G", interrupt="begins"),
        (),
        ("Spin",),
        ("--debug",),
        same_end=False,
    ),
]
