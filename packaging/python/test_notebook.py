#!/usr/bin/env python3
"""%culprit with stand-ins for IPython, which a bare machine does not have; packaging/test-wheels --all has the real one.

  test_notebook.py CULPRIT [unittest arguments]
"""
import io
import sys
import types
from unittest import mock

import cases
import culprit
from cases import NO_KERNEL, InFolder


class Notebook(InFolder):
    class Shell:
        def __init__(self):
            self.callbacks = []
            self.events = types.SimpleNamespace(register=lambda *one: self.callbacks.append(one),
                                                unregister=lambda *one: self.callbacks.remove(one))
            self.magics_manager = types.SimpleNamespace(registry={}, magics={"line": {}})

        def register_magics(self, magics):
            self.magics_manager.registry["CulpritMagics"] = magics

        def run(self, error=None, printed="", does=lambda: None):
            for name, callback in list(self.callbacks):
                if name == "pre_run_cell":
                    callback(None)
            sys.stderr.write(printed)
            does()
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
        self.assertEqual("arch-unsupported", self.magics.explanation(here=False).causes[0].cause)
        for _ in range(2):  # a cell that only asks changes nothing
            self.shell.run(does=lambda: self.assertTrue(self.magics.line("").with_facts))
        self.assertEqual([], self.displayed)

    def test_a_cell_that_went_well_has_nothing_to_explain(self):
        self.shell.run(RuntimeError(NO_KERNEL))
        self.shell.run()
        with mock.patch.object(sys, "last_value", RuntimeError(NO_KERNEL), create=True):
            answer = self.magics.line("")
        self.assertEqual(("unknown", []), (answer.verdict, answer.causes))
        self.assertIn("the last cell raised no exception", answer.reason)
        self.shell.run(RuntimeError(NO_KERNEL))
        self.assertEqual("errors", self.magics.line("").verdict)

    def test_loaded_after_the_failure(self):
        with mock.patch.object(sys, "last_value", RuntimeError(NO_KERNEL), create=True):
            for name, callback in self.shell.callbacks:  # of the cell with %load_ext
                if name == "post_run_cell":
                    callback(types.SimpleNamespace(error_in_exec=None, error_before_exec=None))
            self.assertEqual("errors", self.magics.line("").verdict)

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
        for words, part in (("check --help", "Exit status"), ("compat cuda=12.4 driver=550 --format=markdown", "|"),
                            (f"compat cuda=12.4 driver=550 -o {self.folder}/out", "")):
            with mock.patch("builtins.print") as said:
                self.assertIsNone(self.magics.line(words))
            self.assertIn(part, said.call_args[0][0])
        self.assertIn("yes", (self.folder / "out").read_text())

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


if __name__ == "__main__":
    sys.exit(cases.main())
