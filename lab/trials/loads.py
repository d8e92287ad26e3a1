"""Compares what `culprit why` says is loaded with what that system's own ld.so loads.

glibc's ld.so lists what a library would load (what ldd shows) without running any of it, and reduced files keep
everything that it reads: headers, dynamic sections, symbols, versions. So the lab enters each stack, healthy or broken,
with chroot and runs its own ld.so on the modules and libraries that matter (SUBJECTS), with the variables of the
trial; under qemu for another CPU. It compares the files in load order, what is not found, and every
message about an error or a version. native.py tests what the loader does after start-up (dlopen), with complete files.

ld.so does not accept a subject that is not a library for this CPU (empty, text, truncated, foreign). Then ld.so
preloads it into the Python interpreter instead, and says why that fails.
"""
import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys

# What frameworks import first, then what they load. The first ones that exist are used, MOST of them in a healthy stack.
SUBJECTS = [re.compile(pattern) for pattern in (
    r"/torch/_C\.[^/]*so$", r"/torch/lib/libtorch_cuda(_linalg)?\.so$", r"/torch/lib/libtorch_python\.so$",
    r"/onnxruntime/capi/libonnxruntime_providers_(cuda|tensorrt)\.so$", r"/onnxruntime_pybind11_state[^/]*so$",
    r"/_pywrap_tensorflow_internal\.so$", r"/libtensorflow_(cc|framework)\.so\.2$", r"/_pywrap_tensorflow_common\.so$",
    r"/jaxlib/(_jax|xla_extension)[^/]*so$", r"/xla_cuda_plugin\.so$", r"/jax_cuda[^/]*_plugin/_solver[^/]*so$",
    r"/ctranslate2/_ext[^/]*so$", r"/ctranslate2\.libs/libctranslate2[^/]*$",
    r"/cupy/_core/core[^/]*so$", r"/cupy_backends/cuda/libs/(cublas|cudnn|nvrtc)\.[^/]*so$",
    r"/cupy/cuda/cudnn[^/]*so$", r"/paddle/(base|fluid)/libpaddle\.so$", r"/libphi(_core|_gpu)?\.so$",
    r"/(torchvision|torchaudio|xformers)/_C[^/]*so$",
    r"/libnvinfer(_lean|_plugin)?\.so\.\d+$", r"/tensorrt(_lean|_bindings)?/[^/]*tensorrt[^/]*\.so$",
    r"/libcudnn\.so\.\d+$", r"/libcudnn_[a-z_]+\.so\.\d+$", r"/libcublas(Lt)?\.so\.\d+$", r"/libcusolver\.so\.\d+$",
    r"/libcusparse\.so\.\d+$", r"/libcufft\.so\.\d+$", r"/libnccl\.so\.\d+$", r"/libcudart\.so\.[\d.]+$",
    r"/libnvrtc\.so\.[\d.]+$", r"/bin/python3\.\d+$")]
MOST, MOST_BROKEN = 24, 16
BIND = {"LD_WARN": "1", "LD_BIND_NOW": "1"}  # ldd -r: also whether every symbol is found
MOST_BOUND = 2  # of the frameworks' files, which have hundreds of thousands of symbols, in a broken stack
CUDA_LIBRARY = re.compile(r"/lib(cu|nv|nccl)[^/]*$")
# Symbols that the process already has when the file is loaded.
LATER = {"Provider_GetHost": "of libonnxruntime_providers_shared.so, which ONNX Runtime opens before its providers",
         "Py": "of the interpreter", "_Py": "of the interpreter",
         "_ZN5torch4cuda4nccl6detail16throw_nccl_error": "nowhere in PyTorch 1.4.0: the release has it undefined, and only "
                                                         "an error of NCCL would ask for it"}
# Only loaded by the libcudnn in their directory; on their own they find the libraries of another one.
PART_OF_CUDNN = re.compile(r"/libcudnn_[a-z_]+\.so")
SKIPPED = ("/proc", "/sys", "/dev", "/usr/share", "/var")
PYTHON = "/usr/bin/python3.11"
MACHINES = {"x86_64": ("/lib64/ld-linux-x86-64.so.2", 62), "aarch64": ("/lib/ld-linux-aarch64.so.1", 183)}
ENTER = pathlib.Path(__file__).resolve().parent / "enter.py"
UNBOUND = re.compile(r"(?:undefined )?symbol:? (?P<symbol>[^\s,]+)(?:, version \S+)?.*\t\((?P<file>\S+)\)")
LISTED = re.compile(r"\t(?P<name>\S*)(?: => (?P<path>not found|\S+))?(?: \(0x[0-9a-f]+\))?")
NOT_FOUND = re.compile(": cannot open shared object file|: wrong ELF class: ")
EXEC_OR_DYN = (2, 3)
KILLED, CUT = "; the process is killed by SIGBUS", ": file is cut short"


@dataclasses.dataclass
class Loads:
    """The outcome of one trial."""
    agreed: int = 0
    bound: int = 0  # subjects whose symbols were looked for
    unbound: dict = dataclasses.field(default_factory=dict)  # file: a symbol of it that is not found
    differs: list = dataclasses.field(default_factory=list)  # "SUBJECT: what"
    not_judged: list = dataclasses.field(default_factory=list)  # "SUBJECT: why"

    @property
    def subjects(self):
        return self.agreed + len(self.differs)


@dataclasses.dataclass
class Told:
    """The answer of one side about one subject."""
    loads: list = dataclasses.field(default_factory=list)  # "name => path" in load order
    missing: set = dataclasses.field(default_factory=set)
    words: set = dataclasses.field(default_factory=set)  # errors and warnings, without the name of the subject
    unbound: set = dataclasses.field(default_factory=set)  # (symbol, who asks); only the real loader says it

    def difference(self, real):
        """In words; "" if both say the same."""
        parts = []
        for what, model, truth in (("missing", self.missing, real.missing), ("says", self.words, real.words)):
            parts += [f"{what} {sorted(model - truth)}, not so ld.so"] if model - truth else []
            parts += [f"ld.so {what} {sorted(truth - model)}"] if truth - model else []
        for mine, true in zip(self.loads + [""] * len(real.loads), real.loads + [""] * len(self.loads)):
            if mine != true:
                parts.append(f"loads {mine or 'nothing more'}, but ld.so {true or 'nothing more'}")
                break
        return "; ".join(parts)


class CannotAsk(Exception):
    """Why the real loader cannot be used."""


class Loader:
    """The ld.so of a root file system."""

    def __init__(self, root, arch):
        self.root = root
        if arch not in MACHINES:
            raise CannotAsk(f"no name of a loader for {arch}")
        self.path, self.machine = MACHINES[arch]
        if not os.path.exists(root / self.path[1:]):
            raise CannotAsk(f"the root has no {self.path}")
        if os.uname().machine == arch:
            self.program, self.command = os.path.realpath(root / self.path[1:]), [self.path]
            return
        self.program = shutil.which(f"qemu-{arch}-static")
        self.command = ["qemu", "-0", self.path, self.path]
        if not self.program:
            raise CannotAsk(f"this machine is {os.uname().machine}, and there is no qemu-{arch}-static")

    def ask(self, questions):
        """What it tells about each (subject, variables)."""
        told = self.run([(subject, {**variables, "LD_TRACE_LOADED_OBJECTS": "1"}) for subject, variables in questions])
        # This mode lists what is missing and continues. If the loader gives up, its other mode says so.
        gives_up = [index for index, one in enumerate(told) if one.missing]
        for index, last in zip(gives_up, self.run([questions[index] for index in gives_up], "--list")):
            told[index].words |= last.words
        return told

    def run(self, questions, *options):
        if not questions:
            return []
        calls = [{"arguments": [*self.command, *options, subject], "variables": variables}
                 for subject, variables in questions]
        done = subprocess.run([sys.executable, "-IS", ENTER, self.root, self.program], input=json.dumps(calls),
                              capture_output=True, text=True)
        if done.returncode == 3:
            raise CannotAsk("no right to enter the root: not root, and no user namespaces")
        if done.returncode:
            raise CannotAsk(f"{ENTER.name}: {done.stderr.strip()[-200:]}")
        return [self.read(subject, answer) for (subject, _), answer in zip(questions, json.loads(done.stdout))]

    def read(self, subject, answer):
        """The listing as Told. It also contains the loader itself, the vdso and the subject, without an arrow."""
        told = Told()
        for line in answer["out"].splitlines() + answer["err"].splitlines():
            found = LISTED.fullmatch(line)
            unbound = UNBOUND.fullmatch(line)
            if unbound:
                told.unbound.add((unbound["symbol"], unbound["file"]))
            elif not found:
                line = line.strip()
                if line and line != "statically linked" and not line.startswith("qemu: uncaught target signal"):
                    told.words.add(line.removeprefix(f"{subject}: "))
            elif found["path"] == "not found":
                told.missing.add(found["name"])
            elif found["path"] or (found["name"].startswith("/") and found["name"] not in (self.path, subject)):
                told.loads.append(f"{found['name']} => {absolute(found['path'] or found['name'])}")
        if answer["status"] < 0:
            told.words.add(f"killed by {signal.Signals(-answer['status']).name}")
        return told


def absolute(path):
    """The loader composes paths from what it is given; the working directory is /."""
    return path if path.startswith("/") else "/" + path


def model(program, root, env_file, subject):
    """What culprit tells about a subject. CannotAsk where it gives no answer."""
    command = [program, "why", "--no-dlopen", "--format", "json", "--root", root, "--env", env_file, "--for", subject]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        raise CannotAsk(f"culprit why: status {done.returncode}: {' '.join(done.stderr.split())[:200]}") from None
    if answer["uncertain"]:
        raise CannotAsk(f"culprit why is not certain: {answer['error']}")
    told = Told(loads=[f"{row['name']} => {row['path']}" for row in answer["loads"]],
                words={*answer["warnings"], *answer.get("version_errors", ())})
    fatal = []
    for row in answer["missing"]:
        if NOT_FOUND.search(row["error"]):
            told.missing.add(row["name"])
        else:
            fatal.append(row["error"])
    error = answer["error"] or ""
    if error.endswith(KILLED) or any(text.endswith(CUT) for text in fatal):
        return Told(words={"killed by SIGBUS"})
    told.words |= {line.removeprefix(f"{subject}: ") for line in error.splitlines()}
    # ldd's mode lists what is missing and continues; anything worse ends it before it lists anything.
    if fatal:
        last = f"error while loading shared libraries: {fatal[0]}"
        return Told(words={word for word in told.words if word.startswith("ERROR: ld.so")} | {last})
    return told


def is_library(path, machine):
    """Is it a program or library for this CPU, so that ld.so accepts it?"""
    try:
        with open(path, "rb") as file:
            head = file.read(20)
    except OSError:
        return False
    if len(head) < 20 or head[:6] != b"\x7fELF\x02\x01":
        return False
    kind, its_machine = struct.unpack_from("<HH", head, 16)
    return kind in EXEC_OR_DYN and its_machine == machine


def subjects(root):
    """Paths inside the root, those that matter most first."""
    found = []
    for folder, folders, files in os.walk(root):
        inside = folder[len(str(root)):]
        folders[:] = [name for name in folders if f"{inside}/{name}" not in SKIPPED]
        for name in files:
            if ".so" in name or name.startswith("python3."):
                path = f"{inside}/{name}"
                ranks = [rank for rank, pattern in enumerate(SUBJECTS) if pattern.search(path)]
                if ranks:
                    found.append((ranks[0], path))
    return [path for _, path in sorted(found)]


class Comparison:
    """Both sides about the subjects of the stack in `folder`."""

    def __init__(self, program, folder, arch, variables):
        self.program, self.folder, self.root, self.variables = program, folder, folder / "root", variables
        self.loader, self.result, self.bind = Loader(self.root, arch), Loads(), set()

    def judge(self, questions):
        """Questions are (what is asked about, variables, subject). Returns what culprit refuses, and why."""
        refused, env_file = [], self.folder / "env-of-load"
        truths = self.loader.ask([question[:2] for question in questions])
        loaded = [question for question, truth in zip(questions, truths) if not truth.missing | truth.words]
        self.look_for_symbols([question[:2] for question in loaded])
        for (asked, variables, subject), truth in zip(questions, truths):
            env_file.write_text("".join(f"{name}={value}\n" for name, value in variables.items()))
            try:
                difference = model(self.program, self.root, env_file, asked).difference(truth)
            except CannotAsk as reason:
                refused.append((subject, str(reason)))
                continue
            if difference:
                self.result.differs.append(f"{subject}: {difference}")
            else:
                self.result.agreed += 1
        return refused

    def look_for_symbols(self, questions):
        """Only for what loads completely: if a library is missing, so are its symbols, which adds no information."""
        asked_for = [(asked, known | BIND) for asked, known in questions
                     if asked in self.bind and not PART_OF_CUDNN.search(asked)]
        for truth in self.loader.ask(asked_for):
            self.result.bound += 1
            for symbol, file in sorted(truth.unbound):
                if not symbol.startswith(tuple(LATER)):
                    self.result.unbound[file] = symbol

    def as_preload(self, subject):
        """The question about a file that is no library: what is said when Python is to preload it."""
        preloads = f"{subject} {self.variables.get('LD_PRELOAD', '')}".strip()
        return PYTHON, {**self.variables, "LD_PRELOAD": preloads}, subject

    def run(self, most):
        whole, broken = [], []
        for subject in subjects(self.root)[:most]:
            (whole if is_library(self.root / subject[1:], self.loader.machine) else broken).append(subject)
        frameworks = [subject for subject in whole if not CUDA_LIBRARY.search(subject)]
        self.bind = set(whole) - set(frameworks[MOST_BOUND:] if most < MOST else ())
        broken += [subject for subject, _ in self.judge([(subject, self.variables, subject) for subject in whole])]
        if os.path.exists(self.root / PYTHON[1:]):
            refused = self.judge([self.as_preload(subject) for subject in broken])
            self.result.differs += [f"{subject}: {why}" for subject, why in refused]
        else:
            self.result.not_judged += [f"no library, no {PYTHON} to preload it into: {subject}" for subject in broken]


def compare(program, folder, arch, variables, most=MOST):
    try:
        comparison = Comparison(program, folder, arch, variables)
        comparison.run(most)
    except CannotAsk as reason:
        return Loads(not_judged=[str(reason)])
    return comparison.result
