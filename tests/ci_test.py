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

    def test_every_host_has_its_reports(self):
        run = self.run_script(CULPRIT_HOSTS="driver=535.183.01,gpu=L4\ndriver=580.95.05,gpu=H100\n")
        self.assertEqual(run.stderr, "")
        self.assertIn("== driver=535.183.01,gpu=L4\n", run.stdout)
        self.assertEqual(sorted(file.name for file in (self.folder / "culprit-reports").iterdir()),
                         ["culprit-1.sarif", "culprit-1.xml", "culprit-2.sarif", "culprit-2.xml"])
        for number in (1, 2):
            sarif = json.loads((self.folder / f"culprit-reports/culprit-{number}.sarif").read_text())
            self.assertEqual(sarif["version"], "2.1.0")
        self.assertEqual((self.folder / "summary.md").read_text().count("### culprit check"), 2)

    def test_the_worst_host_decides(self):
        program = self.folder / "root/app"
        program.write_bytes(pathlib.Path(PROGRAM).read_bytes()[:64])  # cut off: an error for any host
        found = self.run_script(CULPRIT_TARGETS="/app", CULPRIT_HOSTS="driver=535.183.01,gpu=L4\ndriver=580.95.05,gpu=H100")
        self.assertNotEqual(found.returncode, 0)
        self.assertEqual(self.run_script(CULPRIT_TARGETS="/no/such thing").returncode, 2)

    def test_settings_with_several_hosts_say_what_to_do(self):
        (self.folder / ".culprit.toml").write_text('hosts = ["driver=535.183.01,gpu=L4", "driver=580.95.05,gpu=H100"]\n')
        run = self.run_script()
        self.assertIn("driver=535.183.01,gpu=L4: ", run.stdout)
        self.assertIn("CULPRIT_HOSTS", run.stderr)


if __name__ == "__main__":
    unittest.main()
