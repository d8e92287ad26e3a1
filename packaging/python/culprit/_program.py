"""The native program: where it is, and one run of it. Whatever goes wrong is a reason in the reply, never an exception."""
import os
import signal
import subprocess
import sys
import sysconfig
from typing import Dict, Iterator, NamedTuple, Optional, Tuple

NAME = "culprit.exe" if os.name == "nt" else "culprit"


def _places() -> Iterator[str]:
    """Where the program of this module may be: beside this Python, in the user's folder, in `pip --target`, on PATH."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    scripts = "Scripts" if os.name == "nt" else "bin"
    yield sysconfig.get_path("scripts")
    yield sysconfig.get_path("scripts", "nt_user" if os.name == "nt" else "posix_user")
    yield os.path.join(here, scripts)
    if os.name == "nt":
        yield os.path.join(here, "bin")
    yield os.path.join(sys.base_prefix, scripts)
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if os.path.isabs(folder):  # never the working directory
            yield folder


def _is_program(path: str) -> bool:
    if not os.path.isfile(path) or not os.access(path, os.X_OK):
        return False
    with open(path, "rb") as file:
        return file.read(2) != b"#!"  # a wrapper script could be one that starts this module


def find() -> Optional[str]:
    """The program to run; CULPRIT_PROGRAM overrides the search. None: there is none."""
    named = os.environ.get("CULPRIT_PROGRAM")
    if named:
        return named
    for folder in _places():
        path = os.path.join(folder, NAME)
        try:
            if _is_program(path):
                return path
        except OSError:
            continue
    return None


def environment() -> Dict[str, str]:
    """The variables of this process, with the environment of this Python as the active one.

    A notebook's kernel is often started without the variables that `activate` sets, or with those of the server.
    """
    variables = dict(os.environ)
    here = os.path.realpath(sys.prefix)
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if name in variables and os.path.realpath(variables[name]) != here:
            del variables[name]
    if sys.prefix != sys.base_prefix:
        variables["VIRTUAL_ENV"] = sys.prefix
    elif os.path.isdir(os.path.join(sys.prefix, "conda-meta")):
        variables["CONDA_PREFIX"] = sys.prefix
    return variables


class Reply(NamedTuple):
    """What one run said. `reason` is empty if the program itself ended the run with a documented exit status."""

    status: Optional[int]
    out: str
    err: str
    reason: str


class Question(NamedTuple):
    """A command line without its format, and what it depends on: it can be asked again in another format."""

    arguments: Tuple[str, ...]
    operands: Tuple[str, ...] = ()
    text: Optional[str] = None
    timeout: Optional[float] = None
    folder: str = ""
    variables: Optional[Dict[str, str]] = None

    def command_line(self, form: str) -> Tuple[str, ...]:
        """In that format; "" leaves it to the arguments."""
        operands = ("--", *self.operands) if self.operands else ()
        return (*self.arguments, *((f"--format={form}", "--color=never") if form else ()), *operands)

    def ask(self, form: str) -> Reply:
        program = find()
        if program is None:
            return Reply(None, "", "", f"the program {NAME} was not found, neither next to this Python nor on PATH "
                                       "(set CULPRIT_PROGRAM to its path)")
        try:
            run = subprocess.run(
                [program, *self.command_line(form)], input=(self.text or "").encode("utf-8", "replace"),
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=self.timeout, cwd=self.folder or None,
                env=self.variables, creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0))
        except subprocess.TimeoutExpired:
            return Reply(None, "", "", f"{program} gave no answer within {self.timeout:g} s")
        except (OSError, ValueError, OverflowError, subprocess.SubprocessError) as error:
            return Reply(None, "", "", f"{program} cannot be run: {error}")
        out, err = (stream.decode("utf-8", "replace") for stream in (run.stdout, run.stderr))
        return Reply(run.returncode, out, err, _unusual(program, run.returncode))


def _unusual(program: str, status: int) -> str:
    if status in (0, 1, 2, 64):
        return ""
    if status < 0:
        try:
            return f"{program} was killed by {signal.Signals(-status).name}"
        except ValueError:
            return f"{program} was killed by signal {-status}"
    return f"{program} ended with status {status}"
