#!/usr/bin/env python3
"""Every answer in JSON fits its schema in docs/schemas: the goldens, and what the program says now.

Each is judged twice: as a reader does, who does not mind new fields; and with every other field forbidden, so that a new
field without an entry in the schema fails here. usage: schemas_test.py PROGRAM
"""
import copy
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib
import unittest

try:
    from jsonschema import Draft202012Validator
except ImportError:  # another Python than Debian's comes first in PATH; the package is there all the same
    sys.path.append("/usr/lib/python3/dist-packages")
    from jsonschema import Draft202012Validator

PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "schemas"
SCHEMAS = {path.name: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}
KIND = re.compile(r'"culprit\.([a-z_-]+)/(\d+)"')
LOG = "RuntimeError: CUDA error: no kernel image is available for execution on the device\n"


def file_of(kind, number=1):
    return f"culprit.{kind}-{number}.schema.json"


def below(schema):
    """The schemas directly inside a schema, but for conditions: these judge nothing by themselves."""
    for key in ("properties", "$defs", "patternProperties"):
        yield from schema.get(key, {}).values()
    for key in ("items", "additionalProperties", "then", "else"):
        if key in schema:
            yield schema[key]
    for key in ("anyOf", "allOf", "oneOf", "prefixItems"):
        yield from schema.get(key, [])


def every(schema):
    if isinstance(schema, dict):
        yield schema
        for inner in below(schema):
            yield from every(inner)


def references(value):
    """The objects that have a $ref, anywhere."""
    if isinstance(value, dict):
        if "$ref" in value:
            yield value
        for inner in value.values():
            yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def bundle(forbid_more):
    """All files as one schema: no reference leads out of it, so that nothing has to be looked up."""
    files = copy.deepcopy(SCHEMAS)
    for name, schema in files.items():
        for key in ("$id", "$schema"):
            del schema[key]
        for one in references(schema):
            file, _, pointer = one["$ref"].partition("#")
            one["$ref"] = f"#/$defs/{file or name}{pointer}"
        if forbid_more:
            for one in every(schema):
                if "properties" in one and "$ref" not in one:  # one with a $ref says more about an object that is closed there
                    one.setdefault("additionalProperties", False)
    return {"$defs": files}


LOOSE, STRICT = bundle(False), bundle(True)


@functools.cache
def validator(file, forbid_more):
    return Draft202012Validator({**(STRICT if forbid_more else LOOSE), "$ref": "#/$defs/" + file})


def mistakes(document, forbid_more):
    """What is wrong with an answer, in words."""
    kind = KIND.fullmatch(json.dumps(document.get("schema")))
    if not kind or file_of(*kind.groups()) not in SCHEMAS:
        return [f"its schema is {document.get('schema')!r}"]
    return [f"{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}"
            for error in validator(file_of(*kind.groups()), forbid_more).iter_errors(document)]


@functools.cache
def goldens():
    """Every answer that is stored here, by its path. What a fuzzer found is not an answer."""
    found = {}
    for folder in ("tests", "fuzz/corpus", "lab", "docs", "data", "examples"):
        for path in sorted((ROOT / folder).rglob("*")):
            if not path.is_file() or path.name.startswith(("crash-", "timeout-", "oom-", "slow-unit-")):
                continue
            with path.open("rb") as file:
                begins = file.read(200)
            if begins.lstrip().startswith(b"{") and re.search(rb'"schema":\s*"culprit\.', begins):
                document = json.loads(path.read_text())
                if document.get("knowledge") in ("DAY", {}):  # the goldens do not keep what changes with the tables
                    document["knowledge"] = {"date": "2026-11-18", "days": 0, "file": None, "sha256": None, "refused": []}
                found[path.relative_to(ROOT).as_posix()] = document
    return found


def tell(*words, text=None):
    """The answer that the program gives."""
    with tempfile.NamedTemporaryFile(suffix=".json") as answer:
        command, *rest = words
        run = subprocess.run([PROGRAM, command, "--format", "json", "--output", answer.name, *rest], input=text or "",
                             capture_output=True, text=True, timeout=120, check=False,
                             env={**os.environ, "SOURCE_DATE_EPOCH": "1800000000"})
        written = pathlib.Path(answer.name).read_text()
    if not written or (run.returncode not in (0, 1, 2) and command != "run"):  # run ends as its command does
        raise AssertionError(f"{words}: exit status {run.returncode}: {run.stderr}")
    return json.loads(written)


def live(folder):
    """(what was asked, kind, answer) of the program as it is, on this machine."""
    empty, seeds = folder / "empty", ROOT / "fuzz" / "corpus"
    empty.mkdir()
    windows = folder / "windows"
    (windows / "Windows" / "System32").mkdir(parents=True)
    (folder / "notes.txt").write_text("nothing\n")
    (folder / "log.txt").write_text(LOG)
    host = "driver=550.54.14,gpu=sm_90"

    def ask(kind, *words, text=None):
        return " ".join(map(str, words)), kind, tell(*map(str, words), text=text)

    yield ask("check", "check", "--root", empty)
    yield ask("check", "check", "--root", empty, "--host", host)
    yield ask("hosts", "check", "--root", empty, "--host", host, "--host", "driver=580.95.05,gpu=H100,B200")
    yield ask("hosts", "check", PROGRAM, "--ignore", "CUL1001", "--host", host, "--host", "gpu=L4")
    yield ask("check", "check")
    yield ask("check", "check", "--ignore", "CUL1001")
    yield ask("check", "check", PROGRAM)
    yield ask("check", "check", "--pid", os.getpid())
    for seed in sorted((seeds / "snapshot").iterdir()):
        yield ask("check", "check", seed)
    yield ask("why", "why", "--for", "/bin/sh")
    yield ask("why", "why", "--for", PROGRAM)
    yield ask("why", "why", "libc.so.6")
    yield ask("why", "why", "libnone.so.1")
    yield ask("why", "why", "libc.so.6", "--for", PROGRAM)
    yield ask("why", "why", "cudart64_12.dll", "--root", windows)
    yield ask("inspect", "inspect", PROGRAM, "/bin/sh", folder / "notes.txt", folder, folder / "none")
    yield ask("explain", "explain", folder / "log.txt")
    yield ask("explain", "explain", folder / "log.txt", "--here")
    yield ask("explain", "explain", folder / "log.txt", folder / "notes.txt")
    yield ask("explain", "explain", text=LOG + LOG)
    yield ask("explain", "explain", text="all is well\n")
    yield ask("explain", "explain", text="Traceback (most recent call last):\nFrobnicationError: the flux is inverted\n")
    yield ask("explain", "explain", "CUDA_ERROR_NO_DEVICE")
    yield ask("explain", "explain", "CUDNN_STATUS_NOT_INITIALIZED")
    yield ask("rule", "explain", "CUL3004")
    yield ask("rules", "rules")
    yield ask("plan", "plan", "torch", "--host", host, "--python", "3.11", "--platform", "linux-x86_64")
    yield ask("plan", "plan", "torch", "numpy<2", "--host", host, "--as", "dockerfile")
    yield ask("plan", "plan", "torch", "--host", "driver=390.54,gpu=sm_90", "--python", "3.11")
    yield ask("plan", "plan", "cuda", "cudnn", "--host", host)
    yield ask("compat", "compat", "cuda=12.4")
    yield ask("compat", "compat", "torch=2.7.0", "driver=535.104.05", "gpu=sm_90")
    yield ask("compat", "compat", "torch=99", "cuda=12.4")
    yield ask("fix", "fix", "--root", empty)
    yield ask("fix", "fix")
    yield ask("knowledge", "knowledge")
    yield ask("probe", "probe")
    yield ask("run", "run", "--always", "--save", folder / "true.record", "--", "true")
    yield ask("run", "run", "--always", "--save", folder / "false.record", "--", "sh", "-c", "kill -SEGV $$")
    for name in ("true.record", "false.record"):
        yield f"the record {name}", "record", json.loads((folder / name).read_text())
        yield ask("run", "explain", folder / name)
    for seed in ("false", "seed-empty", "seed-one-process"):
        yield ask("run", "explain", seeds / "record" / seed)
    yield ask("snapshot", "snapshot", "--root", empty)
    (folder / "nodes").mkdir()
    for name in ("n1", "n2"):
        brief = tell("snapshot", "--root", str(empty), "--brief", "--node", name)
        yield f"the brief of {name}", "brief", brief
        (folder / "nodes" / name).write_text(json.dumps(brief))
    (folder / "nodes" / "n3").write_text("not one\n")
    yield ask("fleet", "fleet", "report", folder / "nodes")
    for rank in ("0", "1"):
        subprocess.run([PROGRAM, "run", "--ranks", folder / "ranks", "--", "sh", "-c", f"echo NCCL version 2.1.{rank}; exit {rank}"],
                       env={**os.environ, "RANK": rank, "WORLD_SIZE": "2", "NCCL_DEBUG": rank}, capture_output=True, check=False)
    for record in sorted((folder / "ranks").glob("rank-*.json")):
        yield f"the record {record.name}", "rank", json.loads(record.read_text())
    (folder / "ranks" / "rank-7.json").write_text("not one\n")
    yield ask("ranks", "run", "--merge", folder / "ranks")
    (folder / "later").mkdir()
    for name in ("n1", "n2", "n4"):
        (folder / "later" / name).write_text(json.dumps({"schema": "culprit.brief/1", "node": name, "verdict": "warnings",
                                                         "facts": [{"what": "driver", "value": "580.95.05"}],
                                                         "findings": [{"code": "CUL1001", "cause": "driver-missing", "severity": "error",
                                                                       "summary": "no driver", "subject": "driver"}]}))
    yield ask("fleet-diff", "fleet", "diff", folder / "nodes", folder / "later")
    policy = folder / "site.toml"
    policy.write_text('''[[rule]]
code = "SITE001"
require = 'driver >= 550'
cause = "driver-too-old"
text = "an old driver"
[[rule]]
code = "SITE0002"
require = 'package torch'
cause = "framework-version-conflict"
text = "no torch"
''')
    yield ask("fleet", "fleet", "report", folder / "nodes", "--policy", policy)
    yield ask("check", "check", "--root", empty, "--policy", policy, "--host", "driver=535.1")
    yield ask("check", "check", "--root", empty, "--policy", policy, "--ignore", "SITE0002")
    for name in ("before", "after"):
        (folder / name).write_text(json.dumps(tell("snapshot", "--root", str(empty))))
        (empty / "etc").mkdir(exist_ok=True)
        (empty / "etc" / "ld.so.conf").write_text("/opt/lib\n")
    yield ask("diff", "diff", folder / "before", folder / "after")
    yield ask("diff", "diff", seeds / "snapshot" / "seed-empty", seeds / "snapshot" / "seed-all-fields")
    yield ask("diff", "diff", folder / "true.record", folder / "false.record")


SOURCES = {path: re.sub(r"^\s*//.*", "", path.read_text(), flags=re.M)
           for path in sorted((ROOT / "src").rglob("*")) if path.suffix in (".h", ".cc")}


def closed_lists():
    """{"WordsOf(Via)": its words, "Name(Severity)": ..., "data/causes.toml": ...} of the source."""
    lists = {"data/causes.toml": {cause["slug"] for cause in tomllib.loads((ROOT / "data/causes.toml").read_text())["cause"]}}
    for text in SOURCES.values():
        for kind, words in re.findall(r" WordsOf\(([\w:]+)\) \{\s*return \{([^}]*)\};", text):
            lists[f"WordsOf({kind})"] = set(re.findall(r'"([^"]*)"', words)) - {""}
        for kind, words in re.findall(r"^std::string_view Name\((\w+) \w+\) \{\n(.*?)\n\}", text, re.S | re.M):
            lists[f"Name({kind})"] = set(re.findall(r'"([^"]*)"', words)) - {""}
    return lists


class Schemas(unittest.TestCase):
    maxDiff = None

    def test_each_is_a_schema(self):
        for name, schema in SCHEMAS.items():
            with self.subTest(name):
                Draft202012Validator.check_schema(schema)
                self.assertEqual(schema["$id"], name)
                self.assertIn("title", schema)
                for one in references(schema):
                    file, _, pointer = one["$ref"].partition("#")
                    target = SCHEMAS[file or name]
                    for step in pointer.split("/")[1:]:
                        target = target[step]

    def test_each_definition_is_used(self):
        used = {(reference["$ref"].partition("#")[0] or name, reference["$ref"].partition("#")[2])
                for name, schema in SCHEMAS.items() for reference in references(schema)}
        for name, schema in SCHEMAS.items():
            for definition in schema.get("$defs", {}):
                self.assertIn((name, f"/$defs/{definition}"), used)

    def test_each_kind_that_the_program_writes_has_one(self):
        written = {match.groups() for path, text in SOURCES.items() if not path.name.endswith("_test.cc")
                   for match in KIND.finditer(text)}
        self.assertGreater(len(written), 12)
        self.assertEqual({file_of(*one) for one in written}, {name for name in SCHEMAS if name.startswith("culprit.")})

    def test_closed_lists_are_those_of_the_source(self):
        lists, count = closed_lists(), 0
        for name, schema in SCHEMAS.items():
            for one in every(schema):
                if "$comment" in one:
                    count += 1
                    with self.subTest(name, comment=one["$comment"]):
                        self.assertEqual({word for word in one["enum"] if word}, lists[one["$comment"]])
        self.assertGreater(count, 30)

    def test_each_documented_field_has_an_entry(self):
        kinds, fields = [], 0
        for line in (ROOT / "docs" / "json-output.md").read_text().splitlines():
            if line.startswith("#") or "schema `culprit." in line:
                kinds = re.findall(r"`culprit\.(\w+)/(\d+)`", line)
            row = re.match(r"\| (`[^|]*`) \|", line)
            if not row or not kinds:
                continue
            known = {field for kind in kinds for one in every(SCHEMAS[file_of(*kind)]) for field in one.get("properties", {})}
            for field in re.findall(r"`(\w+)`", row[1]):
                fields += 1
                self.assertIn(field, known, kinds)
        self.assertGreater(fields, 150)

    def test_each_field_in_the_source_has_an_entry(self):
        known = {field for schema in SCHEMAS.values() for one in every(schema) for field in one.get("properties", {})}
        written = {}
        for path, text in SOURCES.items():
            place = path.relative_to(ROOT / "src").as_posix()
            if place.startswith("snapshot/"):
                found = re.findall(r'\b(?:visit|json|item)(?:\.\w+)?\("(\w+)"', text)
            elif place.startswith("render/") and "Json" in text and not re.search(r"sarif|render/(?:page|site)/", place):
                found = [one or other for one, other in re.findall(r'\{"([a-z]\w*)",|\bjson\["(\w+)"\]', text)]
            else:
                continue
            if not place.endswith("_test.cc"):
                written.update(dict.fromkeys(found, place))
        self.assertGreater(len(written), 250)
        self.assertEqual({field: place for field, place in written.items() if field not in known}, {})

    def judge(self, name, document):
        with self.subTest(name):
            self.assertEqual(next(iter(document)), "schema")
            self.assertEqual(mistakes(document, False), [])
            self.assertEqual(mistakes(document, True), [], "a field that docs/schemas does not have?")

    def test_goldens(self):
        count = 0
        for name, document in goldens().items():
            self.judge(name, document)
            count += 1
        print(f"{count} goldens")
        self.assertGreaterEqual(count, 16)

    def test_what_the_program_says(self):
        count, kinds = 0, set()
        with tempfile.TemporaryDirectory() as folder:
            for name, kind, document in live(pathlib.Path(folder)):
                self.assertEqual(document.get("schema"), f"culprit.{kind}/1", name)
                self.judge(name, document)
                count += 1
                kinds.add(file_of(kind))
        print(f"{count} answers of the program")
        self.assertEqual(kinds, {name for name in SCHEMAS if name.startswith("culprit.")})

    def test_wrong_ones_are_refused(self):
        stored = {name.rpartition("/")[2]: document for name, document in goldens().items() if name.startswith("tests/cli/golden")}

        def change(name, *path, to=None):
            document = copy.deepcopy(stored[name])
            place = document
            for step in path[:-1]:
                place = place[step]
            if to is None:
                del place[path[-1]]
            else:
                place[path[-1]] = to
            return document

        wrong = [
            change("check_ok.json", "schema"), change("check_ok.json", "schema", to="culprit.check/2"),
            change("check_ok.json", "schema", to="culprit.why/1"), change("check_ok.json", "verdict", to="fine"),
            change("check_ok.json", "not_checked"), change("check_ok.json", "rules", "run", to="all"),
            change("check_ok.json", "ignored", to=[{"code": "CUL1001", "count": 0}]),
            change("check_ok.json", "snapshot", "stack", "driver", to={"state": "value"}),
            change("check_ok.json", "snapshot", "stack", "driver", to={"state": "absent", "value": {}}),
            change("check_mixed.json", "findings", 0, "code", to="CUL12"),
            change("check_mixed.json", "findings", 0, "cause", to="gremlins"),
            change("check_mixed.json", "findings", 0, "fix", "risk", to="some"),
            change("check_mixed.json", "findings", 0, "evidence", 0, "source"),
            change("why_load.json", "loads"), change("why_load.json", "loads", 0, "via", to="luck"),
            change("why_library.json", "searched", 0, "outcome", to="lost"), change("why_library.json", "resolved"),
            change("inspect.json", "files", 0, "bits"), change("inspect.json", "files", 0, "bits", to=48),
            change("inspect_dll.json", "files", 0, "exports"),
            change("inspect_gpu_code.json", "files", 0, "gpu_code", "containers", to=-1),
            change("compat_no.json", "verdict", to="maybe"), change("compat_no.json", "pairs", 0, "between", to=["one"]),
            change("fix.json", "fixes", 0, "proof", "outcome", to="proven")]
        for document in wrong:
            self.assertNotEqual(mistakes(document, False), [], document)

        more = [change("check_ok.json", "verdikt", to="ok"), change("check_ok.json", "rules", "left", to=1),
                change("check_mixed.json", "findings", 0, "fix", "proof", "sure", to=True),
                change("check_ok.json", "snapshot", "stack", "driver", "value", "colour", to="red"),
                change("check_ok.json", "snapshot", "stack", "driver", "reason", to="none"),
                change("why_load.json", "loads", 0, "seconds", to=1), change("inspect.json", "files", 0, "colour", to="red")]
        for document in more:
            self.assertEqual(mistakes(document, False), [])
            self.assertNotEqual(mistakes(document, True), [], document)


unittest.main()
