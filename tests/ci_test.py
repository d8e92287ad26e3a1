#!/usr/bin/env python3
"""packaging/ci/check, as action.yml and gitlab.yml call it, and packaging/ci/plan, as pre-commit does. usage: ci_test.py PROGRAM"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
SCRIPTS = pathlib.Path(__file__).resolve().parent.parent / "packaging/ci"


class Ci(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "root").mkdir()

    def run_script(self, **variables):
        given = {"PATH": os.environ["PATH"], "CULPRIT": PROGRAM, "CULPRIT_ROOT": "root", "CULPRIT_KNOWLEDGE": "",
                 "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"), **variables}
        return subprocess.run(["sh", SCRIPTS / "check"], cwd=self.folder, env=given, capture_output=True, text=True)

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

    def test_a_target_that_is_not_there_is_reported(self):
        reports = self.folder / "culprit-reports"
        reports.mkdir()
        for name in ("culprit.sarif", "culprit.xml"):
            (reports / name).write_text("of an earlier run")
        self.assertEqual(self.run_script(CULPRIT_TARGETS="/no/such thing").returncode, 2)
        results = json.loads((reports / "culprit.sarif").read_text())["runs"][0]["results"]
        self.assertEqual([result["ruleId"] for result in results], ["could-not-tell"])
        self.assertIn("/no/such thing", (reports / "culprit.xml").read_text())

    def test_a_report_that_cannot_be_written_is_said(self):
        sound = self.run_script(CULPRIT_HOSTS="driver=580.95.05,gpu=H100")
        (self.folder / "culprit-reports/culprit.sarif").unlink()
        (self.folder / "culprit-reports/culprit.sarif").mkdir()
        run = self.run_script(CULPRIT_HOSTS="driver=580.95.05,gpu=H100")
        self.assertIn("cannot write culprit-reports/culprit.sarif", run.stderr)
        self.assertNotIn("culprit.xml", run.stderr)
        self.assertEqual(run.returncode, sound.returncode or 2)
        nowhere = self.run_script(GITHUB_STEP_SUMMARY=str(self.folder / "no/such/summary.md"))
        self.assertIn("summary.md", nowhere.stderr)

    def test_lines_may_end_as_on_windows(self):
        run = self.run_script(CULPRIT_HOSTS="driver=535.183.01,gpu=L4\r\ndriver=580.95.05,gpu=H100\r\n")
        self.assertEqual(run.stderr, "")
        self.assertIn("\n  driver=535.183.01,gpu=L4 ", run.stdout)

    def plan(self, *words):
        given = {"PATH": os.environ["PATH"], "CULPRIT": PROGRAM, "CULPRIT_KNOWLEDGE": ""}
        return subprocess.run([SCRIPTS / "plan", "--platform=linux-x86_64", *words], cwd=self.folder, env=given, capture_output=True, text=True)

    def test_each_file_is_a_project_of_its_own(self):
        for name, line in (("a", "torch==2.6.0"), ("b c", "torch==2.9.0"), ("none", "# nothing"), ("bad", "torch==2.6.0\ntorch<2"),
                           ("unlisted", "torch==2.6.9")):
            (self.folder / name).mkdir()
            (self.folder / name / "requirements.txt").write_text(line + "\n")
        two = self.plan("a/requirements.txt", "b c/requirements.txt", "none/requirements.txt")
        self.assertEqual((two.returncode, two.stdout, two.stderr), (0, "", ""))
        all_of_them = self.plan(*(f"{name}/requirements.txt" for name in ("unlisted", "bad", "a")))
        self.assertEqual(all_of_them.returncode, 1)
        self.assertIn("bad/requirements.txt: torch==2.6.0 (bad/requirements.txt:1) does not work with torch<2 (bad/requirements.txt:2)\n", all_of_them.stdout)
        self.assertIn("unlisted/requirements.txt: could not tell whether torch==2.6.9", all_of_them.stdout)
        self.assertNotIn("a/requirements.txt: torch 2.6.0", all_of_them.stdout)
        self.assertEqual(self.plan("unlisted/requirements.txt", "a/requirements.txt").returncode, 2)
        self.assertEqual(self.plan("--host=driver=470.82.01,gpu=sm_37", "b c/requirements.txt").returncode, 1)

    def test_hosts_of_the_settings_are_checked(self):
        (self.folder / ".culprit.toml").write_text('hosts = ["driver=535.183.01,gpu=L4", "driver=580.95.05,gpu=H100"]\n')
        run = self.run_script()
        self.assertIn("\n  driver=535.183.01,gpu=L4 ", run.stdout)
        self.assertEqual(run.stderr, "")


if __name__ == "__main__":
    unittest.main()
