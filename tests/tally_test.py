#!/usr/bin/env python3
"""tools/tally counts what happened, including crashes, skips and truncated reports."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TALLY = pathlib.Path(__file__).resolve().parent.parent / "tools" / "tally"
PASSES = '<testcase name="Good" status="run" result="completed" classname="Suite"/>'
FAILS = '<testcase name="Bad" status="run" result="completed" classname="Suite"><failure message="1 != 2"/></testcase>'
SKIPS = '<testcase name="Idle" status="run" result="skipped" classname="Suite"><skipped message="f.cc:3&#x0A;no GPU"/></testcase>'
OFF = '<testcase name="DISABLED_Off" status="notrun" result="suppressed" classname="Suite"/>'


class Tally(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "gtest").mkdir()

    def tally(self, *arguments, ci="false"):
        run = subprocess.run([TALLY, *map(str, arguments)], capture_output=True, text=True,
                             env={**os.environ, "CI": ci, "CULPRIT_MAY_SKIP": str(self.folder / "may_skip")})
        self.assertEqual("", run.stderr)
        return run

    def count(self):
        return self.tally("sum", self.folder / "results")

    def ctest(self, *testcases, ci="false"):
        (self.folder / "junit.xml").write_text(f"<testsuite>{''.join(testcases)}</testsuite>")
        return self.tally("ctest", "release", self.folder / "junit.xml", self.folder / "gtest",
                          self.folder / "results", ci=ci).stdout

    def gtest_report(self, name, *testcases):
        (self.folder / "gtest" / f"{name}.xml").write_text(
            f"<testsuites><testsuite>{''.join(testcases)}</testsuite></testsuites>")

    def last_line(self):
        return self.count().stdout.splitlines()[-1]

    def test_a_gtest_program_counts_by_its_cases(self):
        self.gtest_report("elf_test", PASSES, FAILS, SKIPS, OFF)
        now = self.ctest('<testcase name="elf_test" status="fail"><failure message=""/></testcase>')
        self.assertEqual("FAILED: release: elf_test/Suite.Bad\n    1 != 2\n", now)
        run = self.count()
        self.assertEqual("1 passed, 1 failed, 2 skipped", run.stdout.splitlines()[-1])
        self.assertEqual(1, run.returncode)
        self.assertIn("FAILED: release: elf_test/Suite.Bad\n    1 != 2\n", run.stdout)
        self.assertIn("skipped: release: elf_test/Suite.Idle: no GPU\n", run.stdout)
        self.assertIn("skipped: release: elf_test/Suite.DISABLED_Off: disabled in the source\n", run.stdout)

    def test_a_program_that_fails_after_its_cases_is_one_failure(self):
        self.gtest_report("elf_test", PASSES)
        self.ctest('<testcase name="elf_test" status="fail"><failure message=""/>'
                   '<system-out>LeakSanitizer</system-out></testcase>')
        self.assertEqual("1 passed, 1 failed, 0 skipped", self.last_line())

    def test_a_report_cut_short_by_a_crash_is_one_failure(self):
        (self.folder / "gtest" / "elf_test.xml").write_text("<testsuites><testsuite>")
        self.ctest('<testcase name="elf_test" status="fail"><failure message="SEGFAULT"/></testcase>')
        self.assertEqual("0 passed, 1 failed, 0 skipped", self.last_line())

    def test_a_ctest_without_report_is_one_failure(self):
        self.tally("ctest", "release", self.folder / "none.xml", self.folder / "gtest", self.folder / "results")
        self.assertEqual("0 passed, 1 failed, 0 skipped", self.last_line())

    def test_a_plain_program_is_one_test(self):
        self.ctest('<testcase name="a" status="run"><system-out>fine</system-out></testcase>',
                   '<testcase name="b" status="fail"><failure message=""/></testcase>',
                   '<testcase name="c" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>'
                   '<system-out>skipped: no musl here\n</system-out></testcase>')
        run = self.count()
        self.assertEqual("1 passed, 1 failed, 1 skipped", run.stdout.splitlines()[-1])
        self.assertIn("skipped: release: c: no musl here\n", run.stdout)

    def test_a_program_that_counts_is_believed(self):
        self.ctest('<testcase name="gold" status="run">'
                   '<system-out>skipped: x: no loader\n7 passed, 0 failed, 2 skipped\n</system-out></testcase>')
        run = self.count()
        self.assertEqual("7 passed, 0 failed, 2 skipped", run.stdout.splitlines()[-1])
        self.assertIn("skipped: release: gold/x: x: no loader\n", run.stdout)
        self.assertIn("skipped: release: gold: no reason given\n", run.stdout)

    def test_a_script_that_ends_badly_cannot_count_itself_green(self):
        (self.folder / "log").write_text("5 passed, 0 failed, 0 skipped\n")
        self.tally("script", "packaging", 1, self.folder / "log", self.folder / "results")
        self.assertEqual("5 passed, 1 failed, 0 skipped", self.last_line())

    def test_in_ci_a_skip_that_is_not_allowed_is_a_failure(self):
        self.gtest_report("elf_test", PASSES, SKIPS)
        self.ctest('<testcase name="elf_test" status="run"/>')
        self.assertEqual("1 passed, 0 failed, 1 skipped", self.last_line())
        self.assertIn("FAILED: release: elf_test/Suite.Idle\n",
                      self.ctest('<testcase name="elf_test" status="run"/>', ci="true"))
        self.assertEqual("2 passed, 1 failed, 1 skipped", self.last_line())

    def test_in_ci_an_allowed_skip_stays_one(self):
        (self.folder / "may_skip").write_text("# why\nelf_test/Suite.I*   any   it needs a GPU\n")
        self.gtest_report("elf_test", PASSES, SKIPS)
        self.ctest('<testcase name="elf_test" status="run"/>', ci="true")
        self.assertEqual("1 passed, 0 failed, 1 skipped", self.last_line())

    def test_in_ci_a_skip_allowed_elsewhere_is_a_failure(self):
        (self.folder / "may_skip").write_text("elf_test/*   vax   it needs a GPU\n")
        self.gtest_report("elf_test", PASSES, SKIPS)
        self.ctest('<testcase name="elf_test" status="run"/>', ci="true")
        self.assertEqual("1 passed, 1 failed, 0 skipped", self.last_line())

    def test_nothing_tested_is_a_failure(self):
        (self.folder / "results").write_text("")
        self.assertEqual("0 passed, 1 failed, 0 skipped", self.last_line())


outcome = unittest.main(exit=False, verbosity=0).result
failed = len(outcome.failures) + len(outcome.errors)
print(f"{outcome.testsRun - failed} passed, {failed} failed, {len(outcome.skipped)} skipped")
sys.exit(1 if failed else 0)
