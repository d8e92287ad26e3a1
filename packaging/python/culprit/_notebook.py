"""%load_ext culprit: `%culprit` explains the exception of the last cell; after `%culprit on`, that happens automatically.

Often the line that matters is not in the exception: a library printed it. So what a cell writes to stderr is kept
(the last part of it) until the next cell. Jupyter's kernel passes on what C libraries print, a terminal does not.
"""
import collections
import shlex
import sys
import time
from typing import Any, Deque, Optional

from IPython.core.magic import Magics, line_magic, magics_class
from IPython.display import display
from traitlets import Bool

import culprit
from ._answers import unasked
from ._program import Question

KEPT = 256 * 1024  # characters of a cell's stderr
COMMANDS = ("check", "plan", "why", "inspect", "compat", "explain")
HELP = """%culprit                    explain the exception of the last cell
%culprit on | off           explain failing cells automatically, or not
%culprit check [TARGET...]  what is wrong with this machine and this Python's environment
%culprit plan torch ...     also why, inspect, compat, explain: arguments as on the command line"""


class Kept:
    """Copies what is written to a stream, and lets go of the stream at the end."""

    def __init__(self) -> None:
        self._parts: Deque[str] = collections.deque()
        self._size = 0
        self._stream: Any = None
        self._write: Any = None
        self._own = False  # whether somebody else has replaced the method of this object before

    def start(self, stream: Any) -> None:
        self.stop()
        self._parts.clear()
        self._size = 0
        try:
            self._write, self._own = stream.write, "write" in vars(stream)
            stream.write = self._copy  # on the object: the kernel's own thread writes through it too
            self._stream = stream
        except (AttributeError, TypeError):
            pass  # nothing is kept of such a stream

    def _copy(self, text: str) -> Any:
        if self._stream is not None and isinstance(text, str):
            self._parts.append(text[-KEPT:])
            self._size += len(self._parts[-1])
            while self._size > 2 * KEPT:
                self._size -= len(self._parts.popleft())
        return self._write(text)

    def stop(self) -> None:
        stream, self._stream = self._stream, None
        if stream is None or vars(stream).get("write") != self._copy:
            return
        if self._own:
            stream.write = self._write
        else:
            del stream.write  # the method of the class is visible again

    def text(self) -> str:
        return "".join(self._parts)[-KEPT:]


@magics_class
class CulpritMagics(Magics):
    auto = Bool(False, help="explain the exception of a failing cell automatically").tag(config=True)

    def __init__(self, shell: Any) -> None:
        super().__init__(shell)
        self.kept = Kept()
        self.failed: Optional[BaseException] = None
        self.text = ""
        self.went_well = False  # the last cell
        self.asks = True  # this cell only asks culprit, or loads it: what was before it counts

    def before_cell(self, info: Any = None) -> None:
        self.asks = False
        self.kept.start(sys.stderr)

    def after_cell(self, result: Any = None) -> None:
        error = getattr(result, "error_in_exec", None) or getattr(result, "error_before_exec", None)
        if error is not None and hasattr(sys.stderr, "watch_fd_thread"):
            time.sleep(0.05)  # the kernel passes on in a thread what libraries print
        self.kept.stop()
        if error is None:
            if not self.asks:
                self.failed, self.text, self.went_well = None, "", True
            return
        self.failed, self.text, self.went_well = error, self.kept.text(), False
        if self.auto:
            found = self.explanation(here=False)
            if found.causes:  # most exceptions have nothing to do with CUDA
                display(self.explanation(here=True))  # type: ignore[no-untyped-call]

    def explanation(self, here: bool) -> culprit.Explanation:
        if self.went_well:
            return unasked(culprit.Explanation, Question(("explain",)),
                           "the last cell raised no exception (an older one: culprit.explain(sys.last_value))")
        if self.failed is None:
            return culprit.explain(here=here)
        traceback = culprit._text_of(self.failed)
        return culprit.explain(f"{self.text}\n{traceback}" if self.text else traceback, here=here)

    @line_magic("culprit")  # type: ignore[arg-type]
    def line(self, line: str) -> Optional[culprit.Answer]:
        """Explain the exception of the last cell: %culprit. More: %culprit help"""
        self.asks = True
        try:
            words = shlex.split(line)
        except ValueError as error:
            print(f"culprit: {error}", file=sys.stderr)
            return None
        if not words or words == ["explain"]:
            return self.explanation(here=True)
        if words in (["on"], ["off"]):
            self.auto = words == ["on"]
        elif words[0] in COMMANDS:
            answer = culprit.check() if words == ["check"] else culprit._as_typed(words[0], words[1:])
            if not isinstance(answer, str):
                return answer
            print(answer)
        else:
            print(HELP)
        return None


def load(shell: Any) -> None:
    unload(shell)
    magics = CulpritMagics(shell)
    shell.register_magics(magics)
    shell.events.register("pre_run_cell", magics.before_cell)
    shell.events.register("post_run_cell", magics.after_cell)


def unload(shell: Any) -> None:
    magics = shell.magics_manager.registry.pop("CulpritMagics", None)
    if magics is None:
        return
    shell.events.unregister("pre_run_cell", magics.before_cell)
    shell.events.unregister("post_run_cell", magics.after_cell)
    magics.kept.stop()
    shell.magics_manager.magics["line"].pop("culprit", None)
