#!/usr/bin/env python3
"""Every answer in JSON fits its schema in docs/schemas: the goldens, and what the program says now.

Each is judged twice: as a reader does, who does not mind new fields; and with every other field forbidden, so that a new
field without an entry in the schema fails here. usage: schemas_test.py PROGRAM
"""
import copy
import functools
import json
import pathlib
import re
import sys
import tempfile
import tomllib
import unittest

try:
    from jsonschema import Draft202012Validator
except ImportError:  # another Python than Debian's comes first in PATH; the package is there all the same
    sys.path.append("/usr/lib/python3/dist-packages")
    from jsonschema import Draft202012Validator

from schemas_live import Live

PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "schemas"


def unique(members):
    """A table of JSON whose keys all differ: of two equal ones json would silently keep the last."""
    table = dict(members)
    if len(table) != len(members):
        names = [name for name, _ in members]
        raise ValueError(f"twice in one table: {sorted({name for name in names if names.count(name) > 1})}")
    return table


SCHEMAS = {path.name: json.loads(path.read_text(), object_pairs_hook=unique) for path in sorted(FOLDER.glob("*.json"))}
KIND = re.compile(r'"culprit\.([a-z_-]+)/(\d+)"')



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
            for name, kind, document in Live(PROGRAM, pathlib.Path(folder)).answers():
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
