#!/usr/bin/env python3
"""Secrets in variables and command lines never leave the process, in no format and no file; files are the
owner's alone. usage: secrets_test.py CULPRIT [TEST...]"""

import json
import os
import stat
import subprocess
import sys
import tempfile
import unittest

CULPRIT = ""

SECRETS = {"NVIDIA_API_KEY": "geheim-1a", "CUDA_NGC_KEY": "geheim-2b", "SLURM_JWT": "geheim-3c",
           "SINGULARITY_DOCKER_PASSWORD": "geheim-4d", "TF_TOKEN_app_terraform_io": "geheim-5e",
           "LD_SDK_KEY": "geheim-6f", "TF_VAR_db_pw": "geheim-7g", "CUDA_SECRET": "/geheim/8h",
           "PIP_INDEX_URL": "https://ada:geheim-9i@example.org/simple", "CUDA_TOKEN": "geheim 10j"}
OPEN = {"LD_LIBRARY_PATH": "/opt/open-1", "CUDA_VISIBLE_DEVICES": "0", "CUDA_CACHE_PATH": "/opt/open-2",
        "NVIDIA_VISIBLE_DEVICES": "all"}


def culprit(*words, **more):
    more.setdefault("env", {**os.environ, **SECRETS, **OPEN, "HOME": "/home/ada", "USER": "ada"})
    return subprocess.run([CULPRIT, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=240, check=False,
                          **more)


class Secrets(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = os.path.join(self.folder.name, "root")
        os.makedirs(os.path.join(self.root, "etc"))
        self.env_file = self.path("env")
        with open(self.env_file, "w", encoding="utf-8") as file:
            file.writelines(f"{name}={value}\n" for name, value in {**SECRETS, **OPEN}.items())

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def expect_none(self, text, where):
        self.assertNotIn(b"geheim", text, where)

    def check(self, *words):
        return culprit("check", "--root", self.root, "--env", self.env_file, "--host", "driver=580.95.05,gpu=sm_90",
                       *words)

    def test_check_in_every_format(self):
        for form in ("text", "json", "markdown", "html", "sarif", "junit", "prometheus"):
            done = self.check("--verbose", "--format", form)
            self.assertIn(done.returncode, (0, 1, 2), form)
            self.expect_none(done.stdout + done.stderr, form)
        environment = json.loads(self.check("--format", "json").stdout)["snapshot"]["environment"]
        for name, value in OPEN.items():
            self.assertEqual(environment.get(name), value)
        self.assertEqual(environment["NVIDIA_API_KEY"], "[hidden]")

    def test_a_snapshot(self):
        saved = self.path("machine.json")
        old = os.umask(0)
        try:
            done = culprit("snapshot", "--root", self.root, "--env", self.env_file, "-o", saved)
        finally:
            os.umask(old)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(saved, "rb") as file:
            text = file.read()
        self.expect_none(text, "snapshot")
        self.assertIn(b"/opt/open-1", text)
        self.assertEqual(stat.S_IMODE(os.stat(saved).st_mode), 0o600)

    def test_an_older_snapshot_that_has_them(self):
        saved, old = self.path("machine.json"), self.path("old.json")
        culprit("snapshot", "--root", self.root, "--env", self.env_file, "-o", saved)
        with open(saved, encoding="utf-8") as file:
            snapshot = json.load(file)
        snapshot["environment"].update(SECRETS)
        with open(old, "w", encoding="utf-8") as file:
            json.dump(snapshot, file)
        self.expect_none(culprit("check", old, "--format", "json").stdout, "older snapshot")

    def test_the_record_of_a_run(self):
        saved = self.path("record.json")
        script = ("echo PGPASSWORD=geheim --pass geheim 'pwd=geheim;' OPENAI_KEY=geheim; "
                  "echo curl -u a:geheim 'Authorization: token geheim'; "
                  "echo 'https://x.example/?sig=geheim1234%2F&X-Amz-Signature=0geheim123'; "
                  "printf 'PASSWORD=\\033[01;31mgeheim\\033[0m\\n'; echo $CUDA_SECRET; exit 3")
        old = os.umask(0)
        try:
            done = culprit("run", "--save", saved, "--", "sh", "-c", script, "--pass", "geheim", "-u", "a:geheim")
        finally:
            os.umask(old)
        self.assertEqual(done.returncode, 3)
        with open(saved, "rb") as file:
            self.expect_none(file.read(), "record")
        self.assertEqual(stat.S_IMODE(os.stat(saved).st_mode), 0o600)

    def test_no_redact_says_what_it_shows(self):
        done = self.check("--format", "markdown", "--no-redact")
        self.assertIn(b"--no-redact: the output contains your home directory and user name", done.stderr)
        self.expect_none(done.stdout, "--no-redact")
        self.assertNotIn(b"--no-redact", self.check("--format", "markdown").stderr)


if __name__ == "__main__":
    CULPRIT = os.path.abspath(sys.argv.pop(1))
    unittest.main()
