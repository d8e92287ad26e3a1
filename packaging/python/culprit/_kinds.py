"""The fields of `check` and `explain`, and what others share. docs/json-output.md says what they mean; these classes only
name and type them. _tools.py has the other commands.
"""
from typing import List, Optional

from ._answers import Answer, Record


class Fact(Record):
    fact: str
    source: str


class Line(Record):
    line: int
    text: str
    file: Optional[str]
    count: Optional[int]


class NotChecked(Record):
    what: str
    why: str
    hosts: List[int]


class Brought(Record):
    """What a fix would bring."""

    code: str
    summary: str


class Proof(Record):
    outcome: str
    why: str
    also: List[str]
    brings: List[Brought]


class Fix(Record):
    text: str
    commands: List[str]
    risk: str
    avoid: Optional[str]
    proof: Optional[Proof]


class Place(Record):
    """A line of a file."""

    file: str
    line: int


class Layer(Record):
    """Of an image."""

    index: int
    digest: str
    created_by: str


class Finding(Record):
    code: str
    cause: str
    severity: str
    summary: str
    subject: str
    affects: List[str]
    evidence: List[Fact]
    fix: Fix
    links: List[str]
    place: Optional[Place]
    layer: Optional[Layer]
    hosts: List[int]


class Ignored(Record):
    code: str
    count: int
    severity: str
    reason: str
    source: str


class Refused(Record):
    """A file of tables that is not used."""

    file: str
    why: str


class Knowledge(Record):
    date: Optional[str]
    days: Optional[int]
    file: Optional[str]
    sha256: Optional[str]
    refused: List[Refused]


class StackRow(Record):
    what: str
    value: str
    where: str
    detail: str
    depth: int


class Host(Record):
    host: str
    name: str
    runs: str
    verdict: str
    headline: str
    findings: List[int]


class Rules(Record):
    run: int
    total: int


class Check(Answer):
    schemas = ("culprit.check/1", "culprit.hosts/1")

    headline: str
    hosts: List[Host]
    findings: List[Finding]
    ignored: List[Ignored]
    stack: List[StackRow]
    not_checked: List[NotChecked]
    rules: Rules
    snapshot: Record  # a document of its own: docs/schemas/culprit.snapshot-1.schema.json
    knowledge: Knowledge

    def _page(self) -> str:
        return self._in("html")


class Cause(Record):
    cause: str
    code: Optional[str]
    confidence: float
    strength: str
    summary: str
    because: str
    evidence: List[Line]
    known: List[str]
    settled: List[str]
    separate_by: Optional[str]
    fix: Fix


class Symptom(Record):
    symptom: str
    signature: str
    role: str
    line: int
    text: str
    captures: Record  # as the signature names them
    file: Optional[str]
    count: Optional[int]
    note: Optional[str]


class LogInput(Record):
    name: str
    lines: int


class StatusPage(Record):
    name: str
    of: str
    number: str
    meaning: str
    causes: List[str]
    source: str


class Copy(Record):
    path: str
    version: Optional[str]
    via: str
    real_path: str
    cuda: Optional[str]
    version_source: Optional[str]
    note: Optional[str]


class Tried(Record):
    path: str
    via: str
    outcome: str
    detail: Optional[str]
    run_path_of: Optional[str]


class Load(Record):
    name: str
    path: str
    via: str
    requested_by: str
    opened_by: str
    real_path: Optional[str]
    title: Optional[str]
    version: Optional[str]
    cuda: Optional[str]
    version_source: Optional[str]
    problem: Optional[str]


class RunLoad(Load):
    """What a process of a run did load."""

    seconds: float
    process: Optional[str]
    closed: bool


class FailedCall(Record):
    seconds: float
    process: Optional[str]
    api: str
    function: str
    code: int
    status: str
    meaning: str
    detail: str
    last_kernel: str
    said: str
    source: str
    count: int


class FailedLoad(Record):
    seconds: float
    process: Optional[str]
    name: str
    requested_by: str
    chain: List[str]
    opened_by: str
    survived: bool
    searched: List[Tried]
    elsewhere: List[Copy]


class Member(Record):
    """Of a mix."""

    seconds: float
    path: str
    version: str
    requested_by: str
    via: str
    odd: bool


class Mix(Record):
    """Libraries of one family from different releases, in one process."""

    process: Optional[str]
    family: str
    because: str
    members: List[Member]


class Frame(Record):
    object: Optional[str]
    version: Optional[str]
    function: Optional[str]
    offset: int
    guessed: bool


class Crash(Record):
    seconds: float
    process: Optional[str]
    signal: str
    what: str
    frames: List[Frame]


class Wait(Record):
    seconds: float
    process: Optional[str]
    thread: str
    function: str
    state: str


class KernelError(Record):
    """By compute-sanitizer or cuda-gdb."""

    tool: str
    kind: str
    kernel: str
    file: Optional[str]
    line: int
    where: str
    detail: str
    count: int
    host_frames: List[str]


class Explanation(Answer):
    """Of a text; of a code of culprit (CUL3004); of the record of a run, whose own exit status is in `json`."""

    schemas = ("culprit.explain/1", "culprit.rule/1", "culprit.run/1")

    causes: List[Cause]
    unknown: List[Line]
    mentioned: List[Line]
    near: List[Cause]
    symptoms: List[Symptom]
    inputs: List[LogInput]
    with_facts: bool
    pages: List[StatusPage]
    knowledge: Knowledge
    # of a code
    code: Optional[str]
    name: Optional[str]
    title: Optional[str]
    cause: Optional[str]
    severity: Optional[str]
    since: Optional[str]
    page: Optional[str]
    # of a run
    command: Optional[str]
    ended: Optional[str]
    failed: bool
    signal: Optional[str]
    seconds: Optional[float]
    headline: Optional[str]
    last_words: Optional[str]
    first_failure: Optional[FailedCall]
    other_failures: List[FailedCall]
    failed_loads: List[FailedLoad]
    mixes: List[Mix]
    crash: Optional[Crash]
    waits: List[Wait]
    kernel_errors: List[KernelError]
    loads: List[RunLoad]
    findings: List[Finding]
    not_watched: List[NotChecked]
