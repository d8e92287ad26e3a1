#!/usr/bin/env python3
"""Output that cannot be written: a full, closed or abandoned stream never crashes a command, and never changes
what is not about that stream. usage: streams_test.py CULPRIT [TEST...]"""

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

CULPRIT = ""


def shell(command):
    """`command` in a shell, with culprit's path for {}."""
    return subprocess.run(["bash", "-c", command.replace("{}", f"'{CULPRIT}'")], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=120, check=False)


def broken_pipe(stream, *words):
    """The status of culprit where the reader of `stream` has left before it begins."""
    read, write = os.pipe()
    os.close(read)
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: write}
    try:
        return subprocess.run([CULPRIT, *words], stdin=subprocess.DEVNULL, timeout=120, check=False,
                              restore_signals=True, **streams).returncode
    finally:
        os.close(write)


class Messages(unittest.TestCase):
    def test_a_full_or_closed_stderr_keeps_the_status(self):
        for to in ("2>/dev/full", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
            self.assertEqual(shell("{} frobnicate " + to).returncode, 64, to)
            self.assertEqual(shell("{} why --for /no/such/file " + to).returncode, 2, to)
            self.assertEqual(shell("{} check --frob " + to).returncode, 64, to)

    def test_a_reader_of_stderr_that_left_keeps_the_status(self):
        self.assertEqual(broken_pipe("stderr", "frobnicate"), 64)
        self.assertEqual(broken_pipe("stderr", "why", "--for", "/no/such/file"), 2)

    def test_run_always_ends_as_the_program(self):
        for to in ("2>/dev/full", "2>&-", ">&- 2>&-", "<&- >&- 2>&-", ">/dev/full 2>/dev/full"):
            self.assertEqual(shell("{} run -- sh -c 'exit 4' " + to).returncode, 4, to)
        self.assertEqual(shell("{} run -- sh -c 'echo a >&2; echo b >&2; exit 4' 2>/dev/full").returncode, 4)
        self.assertEqual(shell("{} run --save /dev/full --always -- sh -c 'exit 4'").returncode, 4)
        self.assertEqual(broken_pipe("stderr", "run", "--", "sh", "-c", "exit 4"), 4)
        self.assertEqual(broken_pipe("stderr", "run", "--", "sh", "-c", "kill -9 $$"), -signal.SIGKILL)

    def test_a_closed_stream_is_closed_for_the_program_too(self):
        ask = "for i in 0 1 2; do test -e /proc/$$/fd/$i && echo $i open; done; true"
        self.assertEqual(shell("{} run -- sh -c '" + ask + "' 2>&-").stdout, b"0 open\n1 open\n")


class Requirements(unittest.TestCase):
    def test_a_pipe_is_read_as_a_file_would_be(self):
        options = "--host driver=570.86,gpu=sm_80 --format json"
        for files in ("-r -", "-r /dev/stdin", "-r <(cat)"):
            done = shell(f"printf 'torch==2.6.0\n' | {{}} plan {files} {options}")
            self.assertEqual(done.returncode, 0, done.stderr)
            packages = {package["name"]: package["version"] for package in json.loads(done.stdout)["packages"]}
            self.assertTrue(packages["torch"].startswith("2.6.0"), packages)

    def test_a_pipe_without_an_end_is_refused(self):
        done = shell("yes torch | {} plan -r -")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"larger than 16 MiB", done.stderr)


class NoThreads(unittest.TestCase):
    """No thread can be had, as with a low `ulimit -u`; here because none would have room for its stack."""

    def bare(self, *words):
        def limit():
            resource.setrlimit(resource.RLIMIT_STACK, (1 << 52, resource.getrlimit(resource.RLIMIT_STACK)[1]))
        return subprocess.run([CULPRIT, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=120,
                              check=False, preexec_fn=limit)

    def setUp(self):
        if resource.getrlimit(resource.RLIMIT_STACK)[1] != resource.RLIM_INFINITY:
            self.skipTest("the stack is limited here")

    def test_commands_do_without(self):
        with tempfile.TemporaryDirectory() as root:
            done = self.bare("check", "--root", root, "--host", "driver=580.95.05,gpu=sm_90", "--format", "json")
            self.assertIn(done.returncode, (0, 1, 2), done.stderr)
            self.assertIn(b'"schema"', done.stdout)

    def test_run_does_without(self):
        done = self.bare("run", "--", "sh", "-c", "echo out; exit 4")
        self.assertEqual((done.returncode, done.stdout), (4, b"out\n"), done.stderr)
        self.assertIn(b"exit status 4", done.stderr.replace(b"\n", b" "))


class Answers(unittest.TestCase):
    def test_an_answer_that_cannot_be_written_is_status_2(self):
        for words in ("--help", "--version", "rules", "completions bash", "check --help", "compat cuda=12.4"):
            done = shell("{} " + words + " >/dev/full")
            self.assertEqual((done.returncode, done.stderr),
                             (2, b"culprit: cannot write the answer: No space left on device\n"), words)
            self.assertEqual(shell("{} " + words + " >&-").returncode, 2, words)
            self.assertEqual(shell("{} " + words + " >/dev/full 2>/dev/full").returncode, 2, words)

    def test_a_reader_that_left_ends_it_as_any_program(self):
        self.assertEqual(broken_pipe("stdout", "rules"), -signal.SIGPIPE)

    def test_programs_that_are_run_get_sigpipe_as_always(self):
        done = shell("{} run -- grep SigIgn /proc/self/status")
        self.assertEqual(int(done.stdout.split()[1], 16) & (1 << (signal.SIGPIPE - 1)), 0)


if __name__ == "__main__":
    CULPRIT = os.path.abspath(sys.argv.pop(1))
    unittest.main()
