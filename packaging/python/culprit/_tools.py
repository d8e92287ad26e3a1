"""The fields of `plan`, `why`, `inspect` and `compat`, as in _kinds.py."""
from typing import Dict, List, Optional

from ._answers import Answer, Record
from ._kinds import Copy, Finding, Knowledge, Load, NotChecked, Tried


class Reason(Record):
    text: str
    source: str


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
    because: List[Reason]


class Choice(Record):
    """One way to do a step, where there are several."""

    how: str
    commands: List[str]
    stays: str
    source: str


class Step(Record):
    title: str
    why: str
    commands: List[str]
    choices: List[Choice]


class Relaxation(Record):
    text: str
    option: str
    packages: List[Package]


class PassedThrough(Record):
    """A requirement that has nothing to do with CUDA."""

    name: str
    specifier: str
    text: str
    kind: str
    editable: bool
    file: str
    line: int


class Conflict(Record):
    text: str
    source: str
    depth: int


class Plan(Answer):
    schemas = ("culprit.plan/1",)

    outcome: str
    headline: str
    question: List[str]
    packages: List[Package]
    removed: List[Package]
    passed_through: List[PassedThrough]
    steps: List[Step]
    commands: List[str]
    document: str
    requirements: List[str]
    conflict: List[Conflict]
    relaxations: List[Relaxation]
    unlisted: List[str]
    uncertain: bool
    notes: List[str]
    knowledge: Knowledge
    checked: bool
    findings: List[Finding]
    not_checked: List[NotChecked]


class Missing(Record):
    name: str
    requested_by: str
    opened_by: str
    error: Optional[str]
    error_code: Optional[int]
    uncertain: bool
    searched: List[Tried]


class MissingFunction(Record):
    """Of Windows: a DLL lacks it."""

    function: str
    dll: str
    requested_by: str


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
    error_code: Optional[int]
    uncertain: bool
    notes: List[str]
    interpreter: Optional[str]
    version: Optional[str]
    cuda: Optional[str]
    version_source: Optional[str]
    loads: List[Load]
    missing: List[Missing]
    missing_functions: List[MissingFunction]
    optional_missing: List[Missing]
    version_errors: List[str]
    warnings: List[str]
    knowledge: Knowledge


class GpuCounts(Record):
    """Pieces of GPU code by target."""

    sass: Dict[str, int]
    ptx: Dict[str, int]
    lto_ir: Dict[str, int]
    other: Dict[str, int]
    containers: int


class GpuCode(GpuCounts):
    ptx_isa: List[str]
    elsewhere: Optional[GpuCounts]
    sections: Dict[str, GpuCounts]
    complete: bool
    problem: Optional[str]


class Binary(Record):
    path: str
    format: str
    error: Optional[str]
    bits: int
    machine: str
    type: str
    endianness: str
    soname: Optional[str]
    needed: List[str]
    rpath: List[str]
    runpath: List[str]
    interpreter: Optional[str]
    version: Optional[str]
    cuda: Optional[str]
    version_source: Optional[str]
    title: Optional[str]
    versions_needed: Dict[str, List[str]]
    versions_defined: List[str]
    executable_stack: bool
    build_id: Optional[str]
    complete: bool
    size: int
    needed_size: int
    gpu_code: Optional[GpuCode]
    # of a file for Windows
    delay_needed: List[str]
    bound: List[str]
    unused: List[str]
    exports: int
    file_version: Optional[str]
    product_version: Optional[str]
    version_strings: Dict[str, str]
    manifest_needs: List[str]
    managed: bool
    certificate_size: int
    overlay_size: int


class Inspection(Answer):
    schemas = ("culprit.inspect/1",)

    files: List[Binary]
    knowledge: Knowledge


class Pair(Record):
    between: List[str]
    verdict: str
    why: str
    source: Optional[str]


class Build(Record):
    package: str
    build: str
    verdict: str
    default: bool
    others: List[str]
    install: Optional[str]


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
    builds: List[Build]
    goes_with: List[GoesWith]
    notes: List[str]
    knowledge: Knowledge
