#!/usr/bin/env python3
"""What culprit run puts into the directory for temporary files. usage: files_test.py CULPRIT [TEST...]"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import run_test
from run_test import PYTHON, run, shown


class Files(unittest.TestCase):
    """The directory for temporary files, and what lies in it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run(self, result=None):
        old = os.umask(0)  # what culprit makes must not depend on it
        try:
            return super().run(result)
        finally:
            os.umask(old)

    def test_nobody_else_can_change_anything(self):
        show = ("for path in os.environ['LD_AUDIT'].split(':')[0], os.environ['CULPRIT_JOURNAL']:",
                "    for one in path, os.path.dirname(path): print(oct(os.lstat(one).st_mode))")
        done = run(*shown("import os", *show), env={**os.environ, "TMPDIR": self.folder})
        modes = [int(line, 8) for line in done.stdout.split()]
        self.assertEqual(len(modes), 4, done.stderr)
        for mode in modes:
            self.assertEqual(mode & 0o022, 0, oct(mode))
        self.assertEqual(modes[2] & 0o077, 0, "the journal is the user's alone")

    def test_not_where_others_could_replace_it(self):
        os.chmod(self.folder, 0o777)
        done = run("sh", "-c", "echo $LD_AUDIT", env={**os.environ, "TMPDIR": self.folder})
        self.assertNotIn(self.folder.encode(), done.stdout)
        self.assertEqual(os.listdir(self.folder), [])

    def test_what_a_kill_leaves_is_swept_by_the_next_run(self):
        environment = {**os.environ, "TMPDIR": self.folder}
        code = f"echo $CULPRIT_JOURNAL; exec {PYTHON} -c 'import time; time.sleep(600)'"
        killed = subprocess.Popen([run_test.CULPRIT, "run", "--", "sh", "-c", code], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, env=environment, start_new_session=True)
        journal = killed.stdout.readline().decode().strip()
        self.assertTrue(os.path.exists(journal), journal)
        run("true", env=environment)
        self.assertTrue(os.path.exists(journal), "that one lives")
        os.killpg(killed.pid, signal.SIGKILL)  # culprit and the program
        killed.wait()
        killed.stdout.close()
        self.assertTrue(os.path.exists(journal))
        until = time.monotonic() + 120  # the program may take a moment to die
        while os.path.exists(os.path.dirname(journal)) and time.monotonic() < until:
            run("true", env=environment)
        self.assertEqual(os.listdir(self.folder), [])

    def test_valgrind_gets_no_audit_library_wherever_it_is_started(self):
        """It would report what the loader frees for one as an error of the program. `env` stands in for it."""
        launcher = os.path.join(self.folder, "valgrind.bin")
        shutil.copy(shutil.which("env"), launcher)
        for command in (launcher, "env"), ("sh", "-c", f"{launcher} env"):
            self.assertNotIn(b"\nLD_AUDIT=", b"\n" + run(*command).stdout, command)
        self.assertIn(b"\nLD_AUDIT=", b"\n" + run("sh", "-c", "env").stdout)

    def test_a_journal_that_became_a_pipe(self):
        done = run("sh", "-c", "rm $CULPRIT_JOURNAL; mkfifo $CULPRIT_JOURNAL; exit 5", env={**os.environ,
                                                                                       "TMPDIR": self.folder})
        self.assertEqual(done.returncode, 5)


if __name__ == "__main__":
    run_test.CULPRIT = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
