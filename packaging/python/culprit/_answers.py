"""A document of the program as an object: what Record and Answer can do. _kinds.py names the fields.

A field that the document lacks reads as empty (None, "", [], False). A field that is not named there is kept and can be
read like the others, so a newer program needs no newer module.
"""
import html
import json
import re
import typing
from typing import Any, ClassVar, Dict, Iterator, List, Optional, Tuple, Type, TypeVar

from ._program import Question, Reply


class Record:
    """A part of an answer: its fields are attributes (`finding.code`) and items (`finding["code"]`)."""

    json: Dict[str, Any]  # as the program wrote it

    def __init__(self, document: Dict[str, Any]) -> None:
        self.json = document

    def __getattr__(self, name: str) -> Any:
        hint = None if name == "json" or name.startswith("_") else _hints(type(self)).get(name)
        document = self.__dict__.get("json", {})
        if name not in document and hint is None:
            raise AttributeError(f"{type(self).__name__} has no field {name!r}")
        return _typed(document.get(name), hint)

    def __getitem__(self, name: str) -> Any:
        return self.json[name]

    def __contains__(self, name: object) -> bool:
        return name in self.json

    def __iter__(self) -> Iterator[str]:
        return iter(self.json)

    def __len__(self) -> int:
        return len(self.json)

    def __bool__(self) -> bool:
        return True

    def __dir__(self) -> List[str]:
        return sorted({*object.__dir__(self), *_hints(type(self)), *self.json})

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.json!r})"


_known_hints: Dict[Type[Record], Dict[str, Any]] = {}


def _hints(record: Type[Record]) -> Dict[str, Any]:
    if record not in _known_hints:
        _known_hints[record] = {name: hint for name, hint in typing.get_type_hints(record).items()
                                if name != "json" and typing.get_origin(hint) is not ClassVar}
    return _known_hints[record]


def _typed(value: Any, hint: Any) -> Any:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Union:  # Optional
        return None if value is None else _typed(value, arguments[0])
    if value is None:
        return _nothing(hint, origin)
    if isinstance(value, dict):
        if origin is dict:
            return {key: _typed(one, arguments[1]) for key, one in value.items()}
        return (hint if _is_record(hint) else Record)(value)
    if isinstance(value, list):
        return [_typed(one, arguments[0] if arguments else None) for one in value]
    return value


def _nothing(hint: Any, origin: Any) -> Any:
    if hint in (None, Any):
        return None
    return hint({}) if _is_record(hint) else (origin or hint)()


def _is_record(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Record)


class Answer(Record):
    """What one command answered. `str()` is its text; a notebook shows it as a page.

    verdict: as documented for the command; "ok", "errors" or "unknown" by the exit status where its document has none.
    ok: exit status 0 and a verdict other than "unknown". False if anything went wrong with the program itself.
    reason: why there is no answer, in one line; "" if there is one.
    """

    schemas: ClassVar[Tuple[str, ...]] = ()

    schema: str

    def __init__(self, question: Question, document: Dict[str, Any], status: Optional[int], reason: str) -> None:
        super().__init__(document)
        self._question, self._status, self._reason = question, status, reason
        self._shown: Dict[str, str] = {}
        self._stored = False  # read back from a file, perhaps elsewhere: the program is not asked again

    def __getstate__(self) -> Dict[str, Any]:
        for form in ("text", "markdown"):
            self._in(form)
        # Variables may hold secrets.
        return {**self.__dict__, "_question": self._question._replace(variables=None), "_stored": True}

    @property
    def verdict(self) -> str:
        by_status = {0: "ok", 1: "errors"}.get(-1 if self._status is None else self._status, "unknown")
        said = self.json.get("verdict", by_status)
        doubtful = by_status == "unknown" and said in ("ok", "yes", "warnings")
        return "unknown" if self._reason or doubtful or not isinstance(said, str) else said

    @property
    def ok(self) -> bool:
        return self._status == 0 and self.verdict != "unknown"

    @property
    def reason(self) -> str:
        return self._reason

    @property
    def exit_status(self) -> Optional[int]:
        return self._status

    @property
    def arguments(self) -> Tuple[str, ...]:
        """The command line, without the program."""
        return (*self._question.arguments, *self._question.operands)

    @property
    def markdown(self) -> str:
        """The answer in Markdown; home directory and user name are redacted where the program does that."""
        return self._in("markdown") or "```\n" + self._no_answer().replace("`", "'") + "\n```\n"

    @property
    def html(self) -> str:
        """The page of the commands that have one (`check`); otherwise the text, ready to be put into a page."""
        return self._page() or self._framed_text()

    def _page(self) -> str:
        return ""

    def _in(self, form: str) -> str:
        """The program's own rendering, asked for when it is first shown; "" if there is none."""
        if self._reason:
            return ""
        if form not in self._shown and not self._stored:
            reply = self._question.ask(form)
            shown = "" if reply.reason or not reply.out.strip() else reply.out
            if shown and reply.status != self._status:
                return self._changed(form, shown)
            self._shown[form] = shown
        return self._shown.get(form, "")

    def _changed(self, form: str, shown: str) -> str:
        note = f"this has changed since then: the verdict was {self.verdict!r}"
        return {"text": f"{note}\n\n{shown}", "markdown": f"*{note}*\n\n{shown}"}.get(form, shown)

    def _no_answer(self) -> str:
        if self._reason:
            return f"unknown: {self._reason}"
        return f"{self.verdict} (the program gave no text; .json has the answer)"

    def __str__(self) -> str:
        return (self._in("text") or self._no_answer()).rstrip("\n")

    def __repr__(self) -> str:
        said = self._reason or self.json.get("headline") or ""
        return f"<culprit {' '.join(self._question.arguments[:1])}: {self.verdict}{', ' if said else ''}{said}>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        for number, line in enumerate(str(self).split("\n")):
            if number:
                printer.break_()
            printer.text(line)

    def _repr_markdown_(self) -> str:
        return self.markdown

    def _repr_html_(self) -> str:
        page = self._page()
        if not page:
            return self._framed_text()
        # A document of its own, sandboxed: its script cannot reach the notebook.
        return (f'<iframe title="{html.escape(repr(self))}" sandbox="allow-scripts allow-popups" '
                'style="width:100%;height:36rem;border:1px solid #8884;border-radius:4px;resize:vertical" '
                f'srcdoc="{html.escape(page)}"></iframe>')

    def _framed_text(self) -> str:
        color = {"errors": "#c4301c", "no": "#c4301c", "unknown": "#8f5a00", "warnings": "#8f5a00"}
        return (f'<div style="border-left:4px solid {color.get(self.verdict, "#1c7048")};padding-left:1em">'
                f"<strong>{html.escape(self.verdict)}</strong>"
                '<pre style="white-space:pre-wrap;overflow-wrap:anywhere;background:none;color:inherit">'
                f"{html.escape(str(self))}</pre></div>")


A = TypeVar("A", bound=Answer)


def answer(kind: Type[A], question: Question) -> A:
    """Asks, and reads the document. Without the schema that belongs to this kind there is no answer, only a reason."""
    reply = question.ask("json")
    if reply.reason:
        return kind(question, {}, reply.status, reply.reason)
    try:
        document = json.loads(reply.out) if reply.out.strip() else None
    except (ValueError, RecursionError) as error:
        return kind(question, {}, reply.status, f"the answer of the program is not JSON: {error}")
    if not isinstance(document, dict):
        return kind(question, {}, reply.status, _said(reply))
    if document.get("schema") not in kind.schemas:
        return kind(question, document, reply.status,
                    f"the program answered with schema {document.get('schema')!r}, expected {kind.schemas[0]!r}")
    return kind(question, document, reply.status, "")


def _said(reply: Reply) -> str:
    lines = [line.strip() for line in reply.err.splitlines() if line.strip()]
    if not lines:
        return f"the program printed nothing and ended with status {reply.status}"
    return re.sub(r"^culprit( \w+)?: ", "", lines[0])


def unasked(kind: Type[A], question: Question, reason: str) -> A:
    return kind(question, {}, None, reason)
