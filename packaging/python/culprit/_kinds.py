"""The fields of every answer. docs/json-output.md says what they mean; these classes only name and type them."""
from typing import Any, Dict, List, Optional

from ._answers import Answer, Record


class Fact(Record):
    fact: str
    source: str


class Line(Record):
    line: int
    text: str
    file: Optional[str]


class NotChecked(Record):
    what: str
    why: str


class Fix(Record):
    text: str
    commands: List[str]
    risk: str
    avoid: Optional[str]
    proof: Optional[Record]


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


class Knowledge(Record):
    date: Optional[str]
    days: Optional[int]
    file: Optional[str]
    sha256: Optional[str]
    refused: List[Record]


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


class Check(Answer):
    schemas = ("culprit.check/1", "culprit.hosts/1")

    headline: str
    hosts: List[Host]
    findings: List[Finding]
    stack: List[StackRow]
    not_checked: List[NotChecked]
    rules: Record
    snapshot: Record
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
    known: List[Any]
    settled: List[Any]
    separate_by: Optional[str]
    fix: Fix


class Symptom(Record):
    symptom: str
    signature: str
    role: str
    line: int
    text: str
    captures: Record


class Explanation(Answer):
    """Of a text; of a code of culprit (CUL3004); of the record of a run."""

    schemas = ("culprit.explain/1", "culprit.rule/1", "culprit.run/1")

    causes: List[Cause]
    unknown: List[Line]
    mentioned: List[Line]
    near: List[Cause]
    symptoms: List[Symptom]
    inputs: List[Record]
    with_facts: bool
    pages: List[Record]
    code: Optional[str]
    title: Optional[str]
    page: Optional[str]


class Package(Record):
    name: str
    version: str
    channel: str
    role: str
    extra: str
    wanted: bool
    present: bool
    from_source: bool
    was: Optional[str]
    because: List[Record]


class Step(Record):
    title: str
    why: str
    commands: List[str]


class Relaxation(Record):
    text: str
    option: str
    packages: List[Record]


class Plan(Answer):
    schemas = ("culprit.plan/1",)

    outcome: str
    headline: str
    question: List[str]
    packages: List[Package]
    removed: List[Package]
    passed_through: List[Record]
    steps: List[Step]
    commands: List[str]
    document: str
    requirements: List[str]
    conflict: List[Record]
    relaxations: List[Relaxation]
    notes: List[str]
    knowledge: Knowledge
    checked: bool
    findings: List[Finding]
    not_checked: List[NotChecked]


class Copy(Record):
    path: str
    version: Optional[str]
    via: str
    real_path: str
    cuda: Optional[str]
    note: Optional[str]


class Tried(Record):
    path: str
    via: str
    outcome: str
    detail: Optional[str]


class Load(Record):
    name: str
    path: str
    via: str
    requested_by: str
    opened_by: str
    version: Optional[str]
    problem: Optional[str]


class Missing(Record):
    name: str
    requested_by: str
    opened_by: str
    error: Optional[str]


class Why(Answer):
    """Of one library, or of everything that a program loads."""

    schemas = ("culprit.why/1",)

    library: Optional[str]
    target: Optional[str]
    resolved: Optional[Copy]
    requested_by: Optional[str]
    opened_by: Optional[str]
    searched: List[Tried]
    other_copies: List[Copy]
    also_requested_by: List[str]
    error: Optional[str]
    target_error: Optional[str]
    uncertain: bool
    notes: List[str]
    interpreter: Optional[str]
    version: Optional[str]
    loads: List[Load]
    missing: List[Missing]
    missing_functions: List[Record]
    optional_missing: List[Missing]
    warnings: List[str]


class GpuCode(Record):
    sass: Dict[str, int]
    ptx: Dict[str, int]
    containers: int
    ptx_isa: List[str]
    complete: bool


class Binary(Record):
    path: str
    format: str
    error: Optional[str]
    bits: int
    machine: str
    type: str
    soname: Optional[str]
    needed: List[str]
    rpath: List[str]
    runpath: List[str]
    interpreter: Optional[str]
    version: Optional[str]
    cuda: Optional[str]
    versions_needed: Dict[str, List[str]]
    versions_defined: List[str]
    complete: bool
    size: int
    gpu_code: Optional[GpuCode]


class Inspection(Answer):
    schemas = ("culprit.inspect/1",)

    files: List[Binary]


class Pair(Record):
    between: List[str]
    verdict: str
    why: str
    source: Optional[str]


class GoesWith(Record):
    what: str
    values: List[str]
    range: Optional[str]
    why: str
    source: Optional[str]


class Compat(Answer):
    """The verdict is "yes", "no" or "unknown"."""

    schemas = ("culprit.compat/1",)

    pairs: List[Pair]
    builds: List[Record]
    goes_with: List[GoesWith]
    notes: List[str]
    knowledge: Knowledge
