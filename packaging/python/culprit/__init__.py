"""culprit finds what is wrong with a CUDA/cuDNN stack, proves it, and gives the fix.

    import culprit
    print(culprit.check())              # this machine, and the environment of this Python
    culprit.explain("CUDA error: ...")  # also an exception; nothing: the last one
    culprit.plan("torch", host="driver=535.104.05,gpu=V100")

Each function runs the native program once and returns its answer as an object (docs/json-output.md names the fields).
None of them raises: if the program is missing, hangs or crashes, the verdict is "unknown" and `reason` says why.
Other options of a command are keywords: `--no-check` is no_check=True, `--keep torch` is keep="torch".
In IPython and Jupyter, `%load_ext culprit` adds `%culprit`.
"""
import functools
import math
import numbers
import os
import sys
import traceback
from typing import Any, Callable, Dict, List, Optional, Sequence, Type, TypeVar, Union, cast

from ._answers import A, Answer, Record, answer, unasked
from ._kinds import (Brought, Cause, Check, Copy, Crash, Explanation, Fact, FailedCall, FailedLoad, Finding, Fix,
                     Frame, Host, Ignored, KernelError, Knowledge, Layer, Line, Load, LogInput, Member, Mix,
                     NotChecked, Place, Proof, Refused, Rules, RunLoad, StackRow, StatusPage, Symptom, Tried, Wait)
from ._program import Question, environment, find
from ._tools import (Binary, Build, Choice, Compat, Conflict, GoesWith, GpuCode, GpuCounts, Inspection, Missing,
                     MissingFunction, Package, Pair, PassedThrough, Plan, Reason, Relaxation, Step, Why)

__all__ = ["Answer", "Binary", "Brought", "Build", "Cause", "Check", "Choice", "Compat", "Conflict", "Copy", "Crash",
           "Explanation", "Fact", "FailedCall", "FailedLoad", "Finding", "Fix", "Frame", "GoesWith", "GpuCode",
           "GpuCounts", "Host", "Ignored", "Inspection", "KernelError", "Knowledge", "Layer", "Line", "Load",
           "LogInput", "Member", "Missing", "MissingFunction", "Mix", "NotChecked", "Package", "Pair",
           "PassedThrough", "Place", "Plan", "Proof", "Reason", "Record", "Refused", "Relaxation", "Rules", "RunLoad",
           "StackRow", "StatusPage", "Step", "Symptom", "Tried", "Wait", "Why", "check", "compat", "explain",
           "inspect", "plan", "program", "why"]

Path = Union[str, "os.PathLike[str]"]
Option = Union[None, bool, int, float, str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]]

TIMEOUT = 120.0  # seconds that the program has for an answer
LONGEST = 1e6  # more than this is no limit; the system calls below take no more than 24 days
OURS = {"output", "format", "color"}  # the module's own: the answer is an object

F = TypeVar("F", bound=Callable[..., Answer])


def _never_raises(kind: Type[Answer]) -> Callable[[F], F]:
    """Whatever goes wrong on the way to the program is a reason, never an exception: also in __str__ of an argument."""
    def around(function: F) -> F:
        @functools.wraps(function)
        def asked(*arguments: Any, **keywords: Any) -> Answer:
            try:
                return function(*arguments, **keywords)
            except Exception as error:  # pylint: disable=broad-except
                return unasked(kind, Question((function.__name__,)), f"cannot pass this to culprit: {_said_by(error)}")
        return cast(F, asked)
    return around


def _said_by(error: Exception) -> str:
    try:
        return str(error) or type(error).__name__
    except Exception:  # pylint: disable=broad-except
        return type(error).__name__


@_never_raises(Check)
def check(target: Union[None, Path, Sequence[Path]] = None, *, host: Union[None, str, Sequence[str]] = None,
          hosts: Optional[Path] = None, root: Optional[Path] = None, env: Optional[Path] = None,
          python: Optional[Path] = None, pid: Optional[int] = None, strict: bool = False,
          timeout: Optional[float] = TIMEOUT, **options: Option) -> Check:
    """What is wrong with this machine, or with a program, library, environment, image, wheel or snapshot.

    Without a target: this machine, with the environment of this Python. pid=os.getpid() checks what is loaded now.
    With several hosts, or a file of them, the answer has `hosts`: on which of them it runs.
    """
    if target is None and root is None and pid is None and python is None and sys.executable:
        python = sys.executable
    options.update(host=host, hosts=hosts, root=root, env=env, python=python, pid=pid, strict=strict)
    return _ask(Check, "check", _several(target), timeout, options)


@_never_raises(Explanation)
def explain(text: Union[None, str, bytes, BaseException, "os.PathLike[str]"] = None, *, here: bool = False,
            host: Optional[str] = None, snapshot: Optional[Path] = None, timeout: Optional[float] = TIMEOUT,
            **options: Option) -> Explanation:
    """The causes behind a message, log, traceback or exception; or the page of a code such as "CUL3004" or "cuda:803".

    A str is always the text itself; pass a pathlib.Path to read a file. Nothing: the exception that is being handled,
    or the last one that was shown. here=True uses the facts of this machine.
    """
    options.update(here=here, host=host, snapshot=snapshot)
    if text is None:
        text = sys.exc_info()[1] or getattr(sys, "last_value", None)
        if text is None:
            return unasked(Explanation, Question(("explain",)), "there is no exception to explain")
    if isinstance(text, os.PathLike):
        return _ask(Explanation, "explain", [text], timeout, options)
    text = _text_of(text)
    line = text.strip()
    if not line or "\n" in line or "\0" in line or len(line) > 400 or line == "-":
        return _ask(Explanation, "explain", [], timeout, options, text)
    if _is_file(line):  # the program would read it, and its name as a text would look healthy
        return unasked(Explanation, Question(("explain",)),
                       f"{line!r} is a file: pass pathlib.Path({line!r}) to read it, or its contents")
    return _ask(Explanation, "explain", [line], timeout, options)


@_never_raises(Plan)
def plan(*want: Path, host: Optional[str] = None, python: Optional[str] = None, cuda: Optional[str] = None,
         root: Optional[Path] = None, timeout: Optional[float] = TIMEOUT, **options: Option) -> Plan:
    """Versions that work together on this machine (or `host`), with reasons and commands; or the smallest conflict."""
    options.update(host=host, python=python, cuda=cuda, root=root)
    return _ask(Plan, "plan", want, timeout, options)


@_never_raises(Why)
def why(library: Optional[str] = None, *, for_: Optional[Path] = None, root: Optional[Path] = None,
        env: Optional[Path] = None, timeout: Optional[float] = TIMEOUT, **options: Option) -> Why:
    """Which file is loaded for a library name, and every place that is searched; without a name, all that is loaded."""
    options.update(for_=for_, root=root, env=env)
    return _ask(Why, "why", _several(library), timeout, options)


@_never_raises(Inspection)
def inspect(*file: Path, timeout: Optional[float] = TIMEOUT, **options: Option) -> Inspection:
    """What a binary says about itself."""
    return _ask(Inspection, "inspect", file, timeout, options)


@_never_raises(Compat)
def compat(*, timeout: Optional[float] = TIMEOUT, **versions: Union[str, int, float]) -> Compat:
    """Whether versions work together: compat(cuda="12.4", driver="535", gpu="sm_61")."""
    return _ask(Compat, "compat", [f"{key}={value}" for key, value in versions.items()], timeout, {})


def program() -> Optional[str]:
    """The native program that answers, or None. CULPRIT_PROGRAM names another one."""
    return find()


def load_ipython_extension(shell: Any) -> None:
    from ._notebook import load
    load(shell)


def unload_ipython_extension(shell: Any) -> None:
    from ._notebook import unload
    unload(shell)


def __getattr__(name: str) -> Any:
    if name == "__version__":  # of the installed package; read when asked for, since that takes a while
        from importlib import metadata
        try:
            return metadata.version("culprit")
        except metadata.PackageNotFoundError:
            return "unknown"
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _several(value: Union[None, Path, Sequence[Path]]) -> Sequence[Path]:
    if value is None:
        return ()
    return (value,) if isinstance(value, (str, os.PathLike)) else value


def _text_of(text: Union[str, bytes, BaseException]) -> str:
    if isinstance(text, BaseException):
        return "".join(traceback.format_exception(type(text), text, text.__traceback__))
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)


def _is_file(name: str) -> bool:
    try:
        return os.path.exists(name)
    except (OSError, ValueError):
        return False


def _words(options: Dict[str, Option]) -> List[str]:
    """for_="x" is --for=x, no_check=True is --no-check; None and False say nothing."""
    words = []
    for name, value in options.items():
        if name in OURS and value is not None:
            raise ValueError(f"{name}= is not an option here: use str(answer), answer.markdown, answer.html or answer.json")
        word = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(word)
        else:
            values = value if isinstance(value, (list, tuple)) else [value]
            words += [f"{word}={os.fspath(one) if isinstance(one, os.PathLike) else one}" for one in values]
    return words


def _seconds(timeout: Any) -> Optional[float]:
    if timeout is None:
        return None
    seconds = float(timeout) if isinstance(timeout, numbers.Real) and not isinstance(timeout, bool) else math.nan
    if math.isnan(seconds):
        raise ValueError(f"timeout must be a number of seconds, not {timeout!r}")
    return None if seconds > LONGEST else max(0.0, seconds)


def _ask(kind: Type[A], command: str, operands: Sequence[Path], timeout: Optional[float], options: Dict[str, Option],
         text: Optional[str] = None) -> A:
    words, names = _words(options), tuple(str(os.fspath(one)) for one in operands)
    return answer(kind, Question((command, *words), names, text, _seconds(timeout), os.getcwd(), environment()))


def _as_typed(command: str, words: Sequence[str]) -> Union[Answer, str]:
    """A command line, for the magic: its answer; or what the program prints, if it was asked for help or another form."""
    kinds: Dict[str, Type[Answer]] = {"check": Check, "explain": Explanation, "plan": Plan, "why": Why,
                                      "inspect": Inspection, "compat": Compat}
    question = Question((command, *words), (), None, TIMEOUT, os.getcwd(), environment())
    plain = ("-h", "--help", "-o", "--output", "--format", "--color")
    if any(word.split("=")[0] in plain or word.startswith("-o") for word in words):
        reply = question.ask("")
        return (reply.out + reply.err or reply.reason).rstrip("\n")
    return answer(kinds[command], question)
