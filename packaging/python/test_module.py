#!/usr/bin/env python3
"""The Python module against the real program, against programs that misbehave, and the wheels. Needs no network.

  test_module.py CULPRIT [unittest arguments]
"""
import base64
import csv
import hashlib
import html.parser
import io
import json
import os
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile
import types
import typing
import unittest
from unittest import mock

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import culprit
import distribution
from culprit import _answers, _program

PROGRAM = os.environ.get("CULPRIT_PROGRAM", "")
NO_KERNEL = "RuntimeError: CUDA error: no kernel image is available for execution on the device"
ASKS = {"check": lambda: culprit.check(), "explain": lambda: culprit.explain(NO_KERNEL),
        "plan": lambda: culprit.plan("torch"), "why": lambda: culprit.why("libc.so.6"),
        "inspect": lambda: culprit.inspect("x"), "compat": lambda: culprit.compat(cuda="12.4")}


def program_says(arguments):
    return subprocess.run([PROGRAM, *arguments, "--color=never"], capture_output=True, text=True).stdout.rstrip("\n")


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def fake(self, script):
        """Makes a program with this shell script the one that is asked."""
        path = self.folder / "fake"
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(0o755)
        variables = mock.patch.dict(os.environ, CULPRIT_PROGRAM=str(path))
        variables.start()
        self.addCleanup(variables.stop)


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
            self.assert_unknown("is not found")
            self.assertIsNone(culprit.program())

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
        self.assert_unknown("said nothing")

    def test_says_garbage(self):
        for garbage in ("hello", '{"schema": ', "\\377\\376", "[" * 5000):
            self.fake(f"printf '{garbage}'")
            self.assert_unknown("not JSON")
        self.fake("echo '[1, 2]'")
        self.assert_unknown("said nothing")

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
        kinds = [kind for kind in vars(_answers).values() if isinstance(kind, type) and issubclass(kind, culprit.Record)]
        self.assertGreater(len(kinds), 20)
        for kind in kinds:
            self.assertEqual(set(), set(_answers._hints(kind)) - documented, kind)

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
        self.fake(f"""case "$*" in *json*) echo '{{"schema": "culprit.check/1", "verdict": "errors"}}'; exit 1 ;;
                      *) echo fine ;; esac""")
        self.assertEqual("this has changed: the verdict was 'errors' when it was asked\n\nfine", str(culprit.check()))


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
        run = subprocess.run([sys.executable, "-m", "culprit", "--version"], capture_output=True, text=True, cwd=HERE)
        self.assertEqual((0, program_says(["--version"])), (run.returncode, run.stdout.rstrip("\n")))


class Notebook(InFolder):
    """With stand-ins for IPython, which is not part of a distribution; packaging/test-wheels has the real one."""

    class Shell:
        def __init__(self):
            self.callbacks = []
            self.events = types.SimpleNamespace(register=lambda *one: self.callbacks.append(one),
                                                unregister=lambda *one: self.callbacks.remove(one))
            self.magics_manager = types.SimpleNamespace(registry={}, magics={"line": {}})

        def register_magics(self, magics):
            self.magics_manager.registry["CulpritMagics"] = magics

        def run(self, error=None, printed=""):
            for name, callback in list(self.callbacks):
                if name == "pre_run_cell":
                    callback(None)
            sys.stderr.write(printed)
            for name, callback in list(self.callbacks):
                if name == "post_run_cell":
                    callback(types.SimpleNamespace(error_in_exec=error, error_before_exec=None))

    class Stream(io.StringIO):
        pass

    def setUp(self):
        super().setUp()
        self.displayed = []

        class Magics:
            def __init__(self, shell):
                self.shell = shell

        class Bool:
            def __init__(self, value, help=""):
                self.value = value

            def tag(self, config):
                return self.value
        stand_ins = {
            "IPython": types.ModuleType("IPython"), "IPython.core": types.ModuleType("IPython.core"),
            "IPython.core.magic": types.SimpleNamespace(Magics=Magics, magics_class=lambda kind: kind,
                                                        line_magic=lambda name: lambda function: function),
            "IPython.display": types.SimpleNamespace(display=self.displayed.append),
            "traitlets": types.SimpleNamespace(Bool=Bool), "culprit._notebook": None}
        modules = mock.patch.dict(sys.modules, stand_ins)
        modules.start()
        self.addCleanup(modules.stop)
        del sys.modules["culprit._notebook"]
        self.stream = self.Stream()
        stream = mock.patch.object(sys, "stderr", self.stream)
        stream.start()
        self.addCleanup(stream.stop)
        self.shell = self.Shell()
        culprit.load_ipython_extension(self.shell)
        self.magics = self.shell.magics_manager.registry["CulpritMagics"]

    def test_explains_the_last_exception(self):
        self.shell.run(RuntimeError(NO_KERNEL))
        self.shell.run()
        self.assertEqual("arch-unsupported", self.magics.explanation(here=False).causes[0].cause)
        self.assertTrue(self.magics.line("").with_facts)
        self.assertEqual([], self.displayed)

    def test_explains_what_a_library_printed(self):
        self.shell.run(OSError("it failed"), printed="Could not load library libcudnn_ops_infer.so.8. Error: "
                       "libcudnn_ops_infer.so.8: cannot open shared object file: No such file or directory\n")
        self.assertIn("cudnn-missing", [cause.cause for cause in self.magics.explanation(here=False).causes])
        self.assertIn("libcudnn_ops_infer", self.stream.getvalue())
        self.assertNotIn("write", vars(self.stream))

    def test_automatically(self):
        self.magics.line("on")
        self.shell.run(NameError("name 'x' is not defined"))
        self.assertEqual([], self.displayed)
        self.shell.run(RuntimeError(NO_KERNEL))
        self.assertEqual(1, len(self.displayed))
        self.magics.line("off")
        self.shell.run(RuntimeError(NO_KERNEL))
        self.assertEqual(1, len(self.displayed))

    def test_commands(self):
        self.assertEqual("culprit.check/1", self.magics.line("check")["schema"])
        self.assertEqual("yes", self.magics.line("compat cuda=12.4 driver=550").verdict)
        self.assertEqual("errors", self.magics.line(f"explain '{NO_KERNEL}'").verdict)
        with mock.patch("builtins.print") as said:
            self.assertIsNone(self.magics.line("nonsense"))
            self.assertIsNone(self.magics.line("check 'unclosed"))
        self.assertEqual(2, said.call_count)

    def test_a_long_output_is_cut(self):
        from culprit import _notebook
        self.shell.run(OSError("x"), printed="")
        kept = _notebook.Kept()
        kept.start(self.stream)
        for _ in range(100):
            self.stream.write("y" * 10000)
        self.stream.write("end")
        kept.stop()
        self.assertEqual(_notebook.KEPT, len(kept.text()))
        self.assertTrue(kept.text().endswith("end"))

    def test_another_who_replaced_the_stream_is_left_alone(self):
        from culprit import _notebook
        kept, seen = _notebook.Kept(), []
        kept.start(self.stream)
        self.stream.write = seen.append
        kept.stop()
        self.stream.write("x")
        self.assertEqual(["x"], seen)
        kept.start(self.stream)
        kept.stop()
        self.stream.write("y")
        self.assertEqual(["x", "y"], seen)

    def test_unload(self):
        culprit.load_ipython_extension(self.shell)  # twice is once
        self.assertEqual(2, len(self.shell.callbacks))
        culprit.unload_ipython_extension(self.shell)
        self.assertEqual([], self.shell.callbacks)


def elf(machine, segments):
    header = b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + (2).to_bytes(2, "little") + machine.to_bytes(2, "little")
    header = header.ljust(32, b"\0") + (64).to_bytes(8, "little")
    header = header.ljust(54, b"\0") + (56).to_bytes(2, "little") + len(segments).to_bytes(2, "little")
    return header.ljust(64, b"\0") + b"".join(kind.to_bytes(4, "little").ljust(56, b"\0") for kind in segments)


class Wheels(InFolder):
    def test_the_same_bytes_every_time(self):
        platform = distribution.TARGETS["linux-x86_64"][2][0]
        wheels = []
        for name in "ab":
            (self.folder / name).mkdir()
            wheels.append(distribution.write_wheel(elf(62, [1]), platform, self.folder / name))
        self.assertEqual(wheels[0].read_bytes(), wheels[1].read_bytes())
        self.assertEqual(f"culprit-{distribution.version()}-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
                         wheels[0].name)

    def test_the_record_is_right(self):
        import zipfile
        wheel = zipfile.ZipFile(distribution.write_wheel(b"MZ", "win_amd64", self.folder))
        name = f"culprit-{distribution.version()}"
        rows = list(csv.reader(wheel.read(f"{name}.dist-info/RECORD").decode().splitlines()))
        self.assertEqual(sorted(wheel.namelist()), sorted(row[0] for row in rows))
        self.assertEqual([f"{name}.dist-info/RECORD", "", ""], rows[-1])
        for path, digest, size in rows[:-1]:
            contents = wheel.read(path)
            expected = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).decode().rstrip("=")
            self.assertEqual((f"sha256={expected}", str(len(contents))), (digest, size))
        self.assertEqual(0o100755, wheel.getinfo(f"{name}.data/scripts/culprit.exe").external_attr >> 16)
        self.assertIn("culprit/py.typed", wheel.namelist())
        self.assertFalse([path for path in wheel.namelist() if "test" in path or "__pycache__" in path])
        self.assertIn(b"Tag: py3-none-win_amd64\n", wheel.read(f"{name}.dist-info/WHEEL"))
        self.assertTrue(wheel.read(f"{name}.dist-info/METADATA").startswith(b"Metadata-Version: 2.1\nName: culprit\n"))

    def test_only_programs_that_start_there(self):
        check = distribution.check_program
        self.assertEqual("", check(elf(62, [1]), "linux-x86_64"))
        self.assertEqual("", check(elf(183, [1]), "linux-aarch64"))
        self.assertIn("another CPU", check(elf(62, [1]), "linux-aarch64"))
        self.assertIn("not static", check(elf(62, [1, 3]), "linux-x86_64"))
        self.assertIn("not a 64-bit Linux", check(b"#!/bin/sh", "linux-x86_64"))
        self.assertIn("not a 64-bit Windows", check(elf(62, [1]), "windows-x86_64"))
        self.assertEqual("", check(b"MZ".ljust(0x3C, b"\0") + (0x40).to_bytes(4, "little") + b"PE\0\0\x64\x86",
                                   "windows-x86_64"))

    def test_the_readme_stands_alone(self):
        links = re.findall(r"\]\(([^)]*)\)", distribution.README.read_text())
        self.assertEqual([], [link for link in links if not link.startswith("https://")])

    def test_the_source_distribution(self):
        import tarfile
        with mock.patch.object(distribution, "sources", lambda: ["test", "CMakeLists.txt"]):
            first = distribution.write_sdist(self.folder).read_bytes()
            path = distribution.write_sdist(self.folder)
        self.assertEqual(first, path.read_bytes())
        entries = {entry.name.split("/", 1)[1]: entry for entry in tarfile.open(path).getmembers()}
        self.assertEqual(["CMakeLists.txt", "PKG-INFO", "pyproject.toml", "test"], sorted(entries))
        self.assertEqual((0o755, 0o644), (entries["test"].mode, entries["PKG-INFO"].mode))


def main():
    global PROGRAM
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PROGRAM = os.environ["CULPRIT_PROGRAM"] = os.path.abspath(sys.argv.pop(1))
    run = unittest.main(exit=False, verbosity=1).result
    failed = len(run.failures) + len(run.errors)
    print(f"{run.testsRun - failed - len(run.skipped)} passed, {failed} failed, {len(run.skipped)} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
