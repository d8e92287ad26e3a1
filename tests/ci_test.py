#!/usr/bin/env python3
"""packaging/ci/check, as action.yml and gitlab.yml call it. usage: ci_test.py PROGRAM"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "packaging/ci/check"


class Ci(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "root").mkdir()

    def run_script(self, **variables):
        given = {"PATH": os.environ["PATH"], "CULPRIT": PROGRAM, "CULPRIT_ROOT": "root", "CULPRIT_KNOWLEDGE": "",
                 "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"), **variables}
        return subprocess.run(["sh", SCRIPT], cwd=self.folder, env=given, capture_output=True, text=True)

    def test_all_hosts_are_one_report(self):
        run = self.run_script(CULPRIT_HOSTS="driver=535.183.01,gpu=L4\ndriver=580.95.05,gpu=H100\n")
        self.assertEqual(run.stderr, "")
        self.assertIn("\n  driver=535.183.01,gpu=L4 ", run.stdout)
        self.assertEqual(sorted(file.name for file in (self.folder / "culprit-reports").iterdir()), ["culprit.sarif", "culprit.xml"])
        sarif = json.loads((self.folder / "culprit-reports/culprit.sarif").read_text())
        self.assertEqual(sarif["version"], "2.1.0")
        self.assertEqual((self.folder / "culprit-reports/culprit.xml").read_text().count("<testsuite "), 2)
        self.assertEqual((self.folder / "summary.md").read_text().count("### culprit check"), 1)

    def test_hosts_may_be_in_a_file(self):
        (self.folder / "fleet.toml").write_text('[[host]]\nname = "pool"\ndriver = "535.183.01"\ngpu = ["A100", "L4"]\n')
        run = self.run_script(CULPRIT_HOSTS_FILE="fleet.toml", CULPRIT_HOSTS="driver=580.95.05,gpu=H100")
        self.assertEqual(run.stderr, "")
        self.assertIn("\n  pool ", run.stdout)

    def test_the_worst_host_decides(self):
        program = self.folder / "root/app"
        program.write_bytes(pathlib.Path(PROGRAM).read_bytes()[:64])  # cut off: an error for any host
        found = self.run_script(CULPRIT_TARGETS="/app", CULPRIT_HOSTS="driver=535.183.01,gpu=L4\ndriver=580.95.05,gpu=H100")
        self.assertNotEqual(found.returncode, 0)
        self.assertEqual(self.run_script(CULPRIT_TARGETS="/no/such thing").returncode, 2)

    def test_hosts_of_the_settings_are_checked(self):
        (self.folder / ".culprit.toml").write_text('hosts = ["driver=535.183.01,gpu=L4", "driver=580.95.05,gpu=H100"]\n')
        run = self.run_script()
        self.assertIn("\n  driver=535.183.01,gpu=L4 ", run.stdout)
        self.assertEqual(run.stderr, "")


if __name__ == "__main__":
    unittest.main()
