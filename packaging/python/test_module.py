#!/usr/bin/env python3
"""The Python module against the real program, and against programs that misbehave. Needs no network.

  test_module.py CULPRIT [unittest arguments]
"""
import html.parser
import json
import os
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile
import typing
from unittest import mock

import cases
import culprit
import distribution
from cases import ASKS, NO_KERNEL, PROGRAM, InFolder, program_says
from culprit import _answers, _program
from schemas import Schemas


class Answers(InFolder):
    def test_check_is_the_programs_answer(self):
        answer = culprit.check(root=self.folder)
        self.assertEqual("culprit.check/1", answer.json["schema"])
        alone = subprocess.run([PROGRAM, "check", f"--root={self.folder}", "--format=json"], capture_output=True)
        self.assertEqual(json.loads(alone.stdout), answer.json)
        self.assertEqual((alone.returncode, alone.returncode == 0), (answer.exit_status, answer.ok))
        self.assertEqual(answer.json["headline"], answer.headline)
        self.assertEqual(program_says(["check", f"--root={self.folder}"]), str(answer))
        self.assertGreater(answer.rules.total, 50)

    def test_findings_are_objects(self):
        answer = culprit.check()
        for finding in answer.findings:
            self.assertIsInstance(finding, culprit.Finding)
            self.assertRegex(finding.code, "^CUL[0-9]{4}$")
            self.assertIsInstance(finding.fix.commands, list)
            self.assertTrue(all(isinstance(fact, culprit.Fact) for fact in finding.evidence))

    def test_check_is_about_this_python(self):
        self.assertIn(f"--python={sys.executable}", culprit.check().arguments)
        self.assertNotIn("--python", " ".join(culprit.check(root=self.folder).arguments))

    def test_explain_a_text_and_an_exception(self):
        answer = culprit.explain(NO_KERNEL)
        self.assertEqual(("errors", False, 1), (answer.verdict, answer.ok, answer.exit_status))
        self.assertEqual("arch-unsupported", answer.causes[0].cause)
        self.assertEqual(1, answer.causes[0].evidence[0].line)
        try:
            raise RuntimeError("CUDA error: no kernel image is available for execution on the device")
        except RuntimeError as error:
            current, given = culprit.explain(), culprit.explain(error)
        for answer in (current, given):
            self.assertEqual("arch-unsupported", answer.causes[0].cause)
        self.assertEqual("errors", culprit.explain(NO_KERNEL.encode() + b"\xff\n\n").verdict)

    def test_explain_without_an_exception(self):
        with mock.patch.object(sys, "last_value", None, create=True):
            answer = culprit.explain()
        self.assertEqual(("unknown", "there is no exception to explain"), (answer.verdict, answer.reason))

    def test_explain_reads_only_files_given_as_paths(self):
        log = self.folder / "train.log"
        log.write_text(NO_KERNEL)
        self.assertEqual("unknown", culprit.explain(str(log)).verdict)
        self.assertIn("pathlib.Path", culprit.explain(str(log)).reason)
        self.assertEqual("errors", culprit.explain(log).verdict)
        self.assertEqual("unknown", culprit.explain("no-such-file.log").verdict)

    def test_explain_a_code(self):
        self.assertIn("What it means", culprit.explain("CUL3004").page)
        self.assertEqual("803", culprit.explain("cuda:803").pages[0].number)

    def test_plan(self):
        answer = culprit.plan("torch", host="driver=535.104.05,gpu=V100", python="3.11")
        self.assertEqual(("solution", "ok", True), (answer.outcome, answer.verdict, answer.ok))
        self.assertIn("torch", [package.name for package in answer.packages])
        answer = culprit.plan("torch>=2.9", host="driver=470.82,gpu=sm_37")
        self.assertEqual(("unsolvable", "errors", False), (answer.outcome, answer.verdict, answer.ok))
        self.assertTrue(answer.relaxations[0].text)

    def test_why_inspect_compat(self):
        answer = culprit.why("libc.so.6", for_=sys.executable)
        self.assertEqual("ok", answer.verdict)
        self.assertTrue(answer.resolved.path.endswith("libc.so.6"))
        self.assertEqual("errors", culprit.why("libnowhere.so.3", for_=sys.executable).verdict)
        self.assertIsNone(culprit.why("libnowhere.so.3", for_=sys.executable).resolved)
        self.assertTrue(culprit.why(for_=sys.executable).loads)
        self.assertEqual("elf", culprit.inspect(PROGRAM).files[0].format)
        self.assertEqual(("unknown", "no such file"),
                         (culprit.inspect("/no/such").verdict, culprit.inspect("/no/such").files[0].error))
        self.assertEqual("yes", culprit.compat(cuda="12.4", driver=550).verdict)
        self.assertEqual("no", culprit.compat(cuda="13.0", driver="535").verdict)
        one = culprit.compat(cuda="12.4")
        self.assertEqual(("unknown", False), (one.verdict, one.ok))
        self.assertTrue(any(row.values for row in one.goes_with))

    def test_wrong_use_is_a_reason(self):
        for answer in (culprit.plan(), culprit.inspect(), culprit.compat(nonsense="1"), culprit.check(no_such_option=True),
                       culprit.plan("torch", host="nonsense"), culprit.inspect("a\0b"), culprit.inspect(7)):
            self.assertEqual("unknown", answer.verdict, answer)
            self.assertTrue(answer.reason)
            self.assertIn(answer.reason, str(answer))

    def test_nothing_raises(self):
        class Bad:
            def __str__(self):
                raise RuntimeError("no text")

        class BadPath(os.PathLike):
            def __fspath__(self):
                raise RuntimeError("no path")

        class Unspeakable(Exception):
            def __str__(self):
                raise ValueError("no words")

        def raise_unspeakable(self):
            raise Unspeakable

        bad = type("Bad2", (), {"__str__": raise_unspeakable})()
        for answer in (culprit.explain(Bad()), culprit.explain(bad), culprit.explain(BadPath()), culprit.check(BadPath()),
                       culprit.check(timeout="5"), culprit.check(timeout=float("nan")), culprit.check(timeout=True),
                       culprit.check(1, 2, 3), culprit.check(python=BadPath()), culprit.why(for_=7, root=BadPath())):
            self.assertEqual(("unknown", False), (answer.verdict, answer.ok))
            self.assertTrue(answer.reason)
        self.assertIn("timeout must be a number of seconds, not '5'", culprit.check(timeout="5").reason)

    def test_a_limit_may_be_any_number(self):
        for limit in (None, float("inf"), 1e12, 10**30, 60):
            self.assertEqual("yes", culprit.compat(cuda="12.4", driver=550, timeout=limit).verdict, limit)
        self.assertIn("no answer within 0 s", culprit.check(timeout=-1).reason)

    def test_the_answer_is_the_object(self):
        for option in ("output", "format", "color"):
            answer = culprit.check(**{option: str(self.folder / "file")})
            self.assertIn(f"{option}= is not an option here", answer.reason)
        self.assertEqual([], list(self.folder.iterdir()))

    def test_a_nul_is_only_a_character(self):
        self.assertEqual("errors", culprit.explain(NO_KERNEL + " \0").verdict)

    def test_words_cannot_become_options(self):
        self.assertIn("--version", culprit.explain("--version").reason)
        self.assertEqual("--help", culprit.inspect("--help").files[0].path)

    def test_options_by_name(self):
        self.assertEqual(["--for=/x", "--no-check", "--keep=a", "--keep=b"], culprit._words(
            {"for_": pathlib.Path("/x"), "no_check": True, "verbose": False, "host": None, "keep": ["a", "b"]}))


class Misbehaving(InFolder):
    """Whatever the program does, there is no exception and no "ok"."""

    def assert_unknown(self, words, **more):
        for name, ask in ASKS.items():
            with self.subTest(name):
                answer = ask()
                self.assertEqual(("unknown", False), (answer.verdict, answer.ok))
                self.assertRegex(answer.reason, words)
                for shown in (str(answer), answer.markdown, answer.html, answer._repr_html_()):
                    self.assertTrue(shown)
                self.assertEqual([], getattr(answer, "findings", []))

    def test_missing(self):
        with mock.patch.dict(os.environ, CULPRIT_PROGRAM="/no/such/program"):
            self.assert_unknown("cannot be run")

    def test_not_found(self):
        with mock.patch.object(_program, "_places", lambda: iter(["/no/such"])), mock.patch.dict(os.environ):
            os.environ.pop("CULPRIT_PROGRAM", None)
            self.assert_unknown("was not found")
            self.assertIsNone(culprit.program())

    def test_without_an_answer_every_field_is_there(self):
        with mock.patch.dict(os.environ, CULPRIT_PROGRAM="/no/such/program"):
            for name, ask in ASKS.items():
                answer = ask()
                for field in _answers._hints(type(answer)):
                    getattr(answer, field)
            self.assertEqual([], culprit.check().ignored)

    def test_crashes(self):
        self.fake("""echo '{"schema": "culprit.'$1'/1", "verdict": "ok"}'; kill -SEGV $$""")
        self.assert_unknown("SIGSEGV")

    def test_ends_oddly(self):
        self.fake("""echo '{"schema": "culprit.'$1'/1", "verdict": "ok"}'; exit 77""")
        self.assert_unknown("status 77")

    def test_hangs(self):
        self.fake("exec sleep 60")
        self.assertRegex(culprit.check(timeout=0.2).reason, "no answer within 0.2 s")
        self.assertEqual("unknown", culprit.check(timeout=0.2).verdict)

    def test_says_nothing(self):
        self.fake("exit 0")
        self.assert_unknown("printed nothing")

    def test_says_garbage(self):
        for garbage in ("hello", '{"schema": ', "\\377\\376", "[" * 5000):
            self.fake(f"printf '{garbage}'")
            self.assert_unknown("not JSON")
        self.fake("echo '[1, 2]'")
        self.assert_unknown("printed nothing")

    def test_another_schema(self):
        self.fake("""echo '{"schema": "culprit.other/2", "verdict": "ok"}'""")
        self.assert_unknown("culprit.other/2")

    def test_a_status_that_contradicts_ok(self):
        self.fake("""echo '{"schema": "culprit.'$1'/1", "verdict": "ok"}'; exit 2""")
        self.assertEqual(("unknown", False), (culprit.check().verdict, culprit.check().ok))
        self.fake("""echo '{"schema": "culprit.'$1'/1", "verdict": ["ok"]}'""")
        self.assertEqual(("unknown", False), (culprit.check().verdict, culprit.check().ok))

    def test_the_working_directory_is_gone(self):
        gone = tempfile.mkdtemp()
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(gone)
        os.rmdir(gone)
        self.assertEqual("unknown", culprit.check().verdict)


class Fields(InFolder):
    def answer(self, document):
        (self.folder / "document").write_text(document)
        self.fake(f"cat '{self.folder}/document'")
        return culprit.check()

    def test_unknown_fields_are_kept(self):
        answer = self.answer('{"schema": "culprit.check/1", "verdict": "ok", "later": {"deep": [{"x": 1}]},'
                             ' "findings": [{"code": "CUL1", "later": 2}]}')
        self.assertTrue(answer.ok)
        self.assertEqual(1, answer.later.deep[0].x)
        self.assertEqual(2, answer.findings[0].later)
        self.assertEqual({"deep": [{"x": 1}]}, answer["later"])
        self.assertIn("later", dir(answer))

    def test_documented_fields_are_never_missing(self):
        answer = self.answer('{"schema": "culprit.check/1", "verdict": "ok", "findings": [{"fix": null}]}')
        self.assertEqual(("", [], None), (answer.headline, answer.stack, answer.knowledge.days))
        self.assertEqual(("", [], ""), (answer.findings[0].code, answer.findings[0].fix.commands, answer.findings[0].fix.text))
        with self.assertRaises(AttributeError):
            answer.no_such_field

    def test_a_pickled_answer_stays_what_it_was(self):
        with mock.patch.dict(os.environ, A_SECRET="hunter2"):
            answer = culprit.compat(cuda="12.4", driver="550")
        stored, text, markdown = pickle.dumps(answer), str(answer), answer.markdown
        self.assertNotIn(b"hunter2", stored)
        with mock.patch.dict(os.environ, CULPRIT_PROGRAM="/no/such/program"):
            copy = pickle.loads(stored)
            self.assertEqual(("yes", text, markdown), (copy.verdict, str(copy), copy.markdown))

    def test_every_field_is_documented(self):
        documented = set(re.findall(r"\w+", (distribution.ROOT / "docs" / "json-output.md").read_text()))
        kinds = [kind for kind in vars(culprit).values() if isinstance(kind, type) and issubclass(kind, culprit.Record)]
        self.assertGreater(len(kinds), 20)
        for kind in kinds:
            self.assertEqual(set(), set(_answers._hints(kind)) - documented, kind)

    def test_every_documented_field_is_typed(self):
        schemas = Schemas(distribution.ROOT / "docs" / "schemas")
        untyped = []
        for kind in (culprit.Check, culprit.Explanation, culprit.Plan, culprit.Why, culprit.Inspection, culprit.Compat):
            for name in kind.schemas:
                schema = schemas.documents[name.replace("/", "-") + ".schema.json"]
                untyped += schemas.untyped(kind, (schema, schema), name)
        # Properties of Answer, and a document of its own.
        ours = re.compile(r"^culprit\.\w+/1\.(verdict|exit_status)$|^culprit\.check/1\.snapshot$")
        self.assertEqual([], [field for field in untyped if not ours.match(field)])

    def test_everything_public_is_typed(self):
        for name in ("check", "explain", "plan", "why", "inspect", "compat"):
            hints = typing.get_type_hints(getattr(culprit, name))
            self.assertTrue(issubclass(hints["return"], culprit.Answer), name)


class Tags(html.parser.HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.text = [], {}, ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes.update(attrs)

    def handle_data(self, data):
        self.text += data


class Shown(InFolder):
    HOSTILE = """</pre></iframe>"'><script>alert(1)</script><img src=x onerror=alert(1)>"""

    def test_text_is_escaped(self):
        (self.folder / "text").write_text(self.HOSTILE)
        self.fake(f"""case "$*" in *json*) echo '{{"schema": "culprit.'$1'/1", "verdict": "<b>"}}' ;;
                      *) cat '{self.folder}/text' ;; esac""")
        for name in ("explain", "plan", "why", "inspect", "compat"):
            page = Tags(ASKS[name]()._repr_html_())
            self.assertEqual(["div", "strong", "pre"], page.tags)
            self.assertIn(self.HOSTILE, page.text)

    def test_a_page_stays_in_its_frame(self):
        (self.folder / "text").write_text(self.HOSTILE)
        self.fake(f"""case "$*" in *json*) echo '{{"schema": "culprit.check/1", "verdict": "errors", "headline": "\\"><b>"}}' ;;
                      *) cat '{self.folder}/text' ;; esac""")
        page = Tags(culprit.check()._repr_html_())
        self.assertEqual(["iframe"], page.tags)
        self.assertEqual(self.HOSTILE, page.attributes["srcdoc"])
        self.assertEqual("allow-scripts allow-popups", page.attributes["sandbox"])  # not the notebook's origin

    def test_a_reason_is_escaped(self):
        self.fake("""printf '%s' '</pre><script>`x' >&2; exit 2""")
        answer = culprit.explain("x y")
        self.assertEqual(["div", "strong", "pre"], Tags(answer._repr_html_()).tags)
        self.assertEqual(2, answer.markdown.count("```"))

    def test_the_real_page(self):
        page = Tags(culprit.check(root=self.folder)._repr_html_())
        self.assertEqual(["iframe"], page.tags)
        self.assertTrue(page.attributes["srcdoc"].startswith("<!doctype html>"))

    def test_markdown_and_repr(self):
        answer = culprit.plan("torch", host="driver=535.104.05,gpu=V100", python="3.11")
        self.assertEqual(program_says(["plan", "torch", "--host=driver=535.104.05,gpu=V100", "--python=3.11",
                                       "--format=markdown"]), answer._repr_markdown_().rstrip("\n"))
        self.assertRegex(repr(answer), "^<culprit plan: ok, torch .*>$")

    def test_no_text_is_not_a_verdict(self):
        self.fake("""case "$*" in *json*) echo '{"schema": "culprit.check/1", "verdict": "errors"}'; exit 1 ;; esac""")
        self.assertEqual("errors (the program gave no text; .json has the answer)", str(culprit.check()))

    def test_a_change_since_is_said(self):
        self.fake("""case "$*" in *json*) echo '{"schema": "culprit.check/1", "verdict": "errors"}'; exit 1 ;;
                      *) echo fine ;; esac""")
        self.assertEqual("this has changed since then: the verdict was 'errors'\n\nfine", str(culprit.check()))


class Finding(InFolder):
    def find(self, *places):
        with mock.patch.dict(os.environ), mock.patch.object(_program, "_places", lambda: iter(map(str, places))):
            os.environ.pop("CULPRIT_PROGRAM", None)
            return culprit.program()

    def program(self, folder, contents=b"\x7fELF"):
        path = self.folder / folder / _program.NAME
        path.parent.mkdir()
        path.write_bytes(contents)
        path.chmod(0o755)
        return str(path)

    def test_the_first_program_wins(self):
        self.program("script", b"#!/usr/bin/python3\n")
        first, second = self.program("first"), self.program("second")
        self.assertEqual(first, self.find(self.folder / "none", self.folder / "script", self.folder / "first", second))

    def test_the_variable_overrides(self):
        with mock.patch.dict(os.environ, CULPRIT_PROGRAM="/x"):
            self.assertEqual("/x", culprit.program())

    def test_the_scripts_of_this_python_before_path_and_never_the_working_directory(self):
        import sysconfig
        with mock.patch.dict(os.environ, PATH=os.pathsep.join(["", ".", "relative", "/on/path"])):
            places = list(_program._places())
        self.assertEqual(sysconfig.get_path("scripts"), places[0])
        self.assertEqual("/on/path", places[-1])
        self.assertTrue(all(map(os.path.isabs, places)))

    def test_this_python_is_the_active_environment(self):
        with mock.patch.dict(os.environ, VIRTUAL_ENV="/other", CONDA_PREFIX="/other"), \
                mock.patch.object(sys, "prefix", "/opt/venv"):
            variables = _program.environment()
        self.assertEqual("/opt/venv", variables["VIRTUAL_ENV"])
        self.assertNotIn("CONDA_PREFIX", variables)

    def test_as_a_module(self):
        run = subprocess.run([sys.executable, "-m", "culprit", "--version"], capture_output=True, text=True,
                             cwd=os.path.dirname(cases.__file__))
        alone = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True)
        self.assertEqual((0, alone.stdout), (run.returncode, run.stdout))


if __name__ == "__main__":
    sys.exit(cases.main())
