"""What the tests of this folder share: the program under test (their first argument), and programs that misbehave."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
PROGRAM = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""
os.environ["CULPRIT_PROGRAM"] = PROGRAM
import culprit

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


def main():
    if not PROGRAM:
        sys.exit("usage: test_... CULPRIT [unittest arguments]")
    run = unittest.main(module="__main__", exit=False, verbosity=1).result
    failed = len(run.failures) + len(run.errors)
    print(f"{run.testsRun - failed - len(run.skipped)} passed, {failed} failed, {len(run.skipped)} skipped")
    return 1 if failed else 0
