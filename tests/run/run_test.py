#!/usr/bin/env python3
"""culprit run, end to end: the program behaves as without culprit, in a real terminal and without one; and the
report afterwards. usage: run_test.py CULPRIT [TEST...]"""

import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from terminal import Terminal  # noqa: E402

CULPRIT = ""
PYTHON = sys.executable or "python3"


def run(*command, options=(), **more):
    more.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run([CULPRIT, "run", *options, "--", *command], capture_output=True, timeout=120, **more)


def shown(*code):
    """A Python program of these lines."""
    return [PYTHON, "-c", "\n".join(code)]


class Ends(unittest.TestCase):
    def test_success_is_silent(self):
        done = run("sh", "-c", "echo out; echo err >&2")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"out\n", b"err\n"))

    def test_status_and_signal_are_passed_on(self):
        for code in (1, 3, 77, 255):
            self.assertEqual(run("sh", "-c", f"exit {code}").returncode, code)
        for number in (signal.SIGTERM, signal.SIGSEGV, signal.SIGKILL, signal.SIGABRT):
            self.assertEqual(run("sh", "-c", f"kill -{int(number)} $$").returncode, -number)

    def test_what_cannot_be_started(self):
        done = run("no-such-program-here")
        self.assertEqual((done.returncode, done.stderr),
                         (127, b"culprit run: no-such-program-here: command not found\n"))
        done = run("/etc/passwd")
        self.assertEqual((done.returncode, done.stderr), (126, b"culprit run: /etc/passwd: Permission denied\n"))
        self.assertEqual(run("/nonexistent/x").returncode, 127)
        with tempfile.NamedTemporaryFile("w", suffix=".sh", delete=False) as script:
            script.write("exit 9\n")
        os.chmod(script.name, 0o700)
        self.assertEqual(run(script.name).returncode, 9, "a script without #! is run by sh")
        os.unlink(script.name)

    def test_options_of_the_command_are_its_own(self):
        with tempfile.TemporaryDirectory() as folder:
            record = os.path.join(folder, "r.json")
            done = subprocess.run([CULPRIT, "run", "--save", record, "printf", "%s ", "--save", "x", "--", "-h"],
                                  capture_output=True, timeout=120, cwd=folder)
            self.assertEqual((done.returncode, done.stdout), (0, b"--save x -- -h "))
            with open(record, encoding="utf-8") as file:
                self.assertEqual(json.load(file)["schema"], "culprit.record/1")
        self.assertEqual(subprocess.run([CULPRIT, "run"], capture_output=True, check=False).returncode, 64)
        self.assertEqual(
            subprocess.run([CULPRIT, "run", "--alway", "true"], capture_output=True, check=False).returncode, 64)

    def test_nothing_is_left_behind(self):
        with tempfile.TemporaryDirectory() as folder:
            for command in (["true"], ["false"], ["no-such-program-here"]):
                run(*command, env={**os.environ, "TMPDIR": folder})
                self.assertEqual(os.listdir(folder), [])


class Streams(unittest.TestCase):
    def test_bytes_are_unchanged(self):
        size = 50 << 20
        done = run(*shown("import sys, os, hashlib", "block = bytes(range(256)) * 4096", f"left = {size}",
                          "while left > 0: left -= os.write(1, block[:left])", "os.write(2, b'\\x00\\xff\\r\\n')"))
        block = bytes(range(256)) * 4096
        whole = hashlib.sha256()
        for _ in range(size // len(block)):
            whole.update(block)
        self.assertEqual(hashlib.sha256(done.stdout).hexdigest(), whole.hexdigest())
        self.assertEqual(done.stderr, b"\x00\xff\r\n")

    def test_terminals_stay_terminals_and_files_stay_files(self):
        ask = shown("import os", "open(os.environ['ANSWER'], 'w').write(str([os.isatty(i) for i in range(3)]))")
        with tempfile.TemporaryDirectory() as folder:
            for streams in ("ttt", "ttn", "tnt", "ntt", "nnn", "tpt", "nnt", "tff"):
                files = [os.path.join(folder, "a"), os.path.join(folder, "b")]
                answer = os.path.join(folder, "answer")
                terminal = Terminal([CULPRIT, "run", "--", *ask], streams, files, {**os.environ, "ANSWER": answer})
                self.assertEqual(terminal.wait(), 0, streams)
                terminal.close()
                with open(answer, encoding="utf-8") as file:
                    self.assertEqual(file.read(), str([kind == "t" for kind in streams]), streams)

    def test_order_of_both_streams_is_kept(self):
        code = ["import os", "for i in range(500): os.write(1 + i % 2, b'%d\\n' % i)"]
        expected = b"".join(b"%d\n" % i for i in range(500))
        done = subprocess.run([CULPRIT, "run", "--", *shown(*code)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=120, check=False)
        self.assertEqual(done.stdout, expected)
        terminal = Terminal([CULPRIT, "run", "--", *shown(*code)])
        self.assertEqual(terminal.wait(), 0)
        self.assertEqual(terminal.seen.replace(b"\r\n", b"\n"), expected)
        terminal.close()

    def test_a_reader_that_goes_away(self):
        done = subprocess.run(f"'{CULPRIT}' run -- yes | head -n 1", shell=True, capture_output=True, timeout=120,
                              check=False)
        self.assertEqual((done.stdout, done.stderr), (b"y\n", b""))

    def test_children_in_the_background_hold_nothing_up(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "TMPDIR": folder}
            done = run("sh", "-c", "sleep 300 > /dev/null 2>&1 & echo done", env=environment)
            self.assertEqual(done.stdout, b"done\n")
            terminal = Terminal([CULPRIT, "run", "--", "sh", "-c", "sleep 300 & echo done"], environment=environment)
            terminal.wait_for(b"done")
            self.assertEqual(terminal.wait(), 0)
            terminal.close()
            said = os.path.join(folder, "said")
            run("sh", "-c", f"(sleep 1; /bin/echo late; echo end) > {said} 2>&1 &", env=environment)
            begin, text = time.monotonic(), b""
            while not text.endswith(b"end\n") and time.monotonic() - begin < 120:
                time.sleep(0.1)
                with open(said, "rb") as file:
                    text = file.read()
            self.assertEqual(text, b"late\nend\n", "its loader misses nothing")


    def test_a_daemon_goes_on_writing_where_it_would_have(self):
        daemon = "(sleep 1; echo one; echo two >&2; sleep 1; echo end) & echo begun"
        done = run("sh", "-c", daemon)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"begun\none\nend\n", b"two\n"))
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log")
            with open(log, "wb") as file:
                done = subprocess.run([CULPRIT, "run", "--", "sh", "-c", daemon], stdin=subprocess.DEVNULL,
                                      stdout=file, stderr=subprocess.STDOUT, timeout=120, check=False)
            self.assertEqual(done.returncode, 0)
            begin, text = time.monotonic(), b""
            while not text.endswith(b"end\n") and time.monotonic() - begin < 120:
                time.sleep(0.1)
                with open(log, "rb") as file:
                    text = file.read()
            self.assertEqual(text, b"begun\none\ntwo\nend\n")

    def test_a_daemon_whose_reader_leaves_ends_as_it_would_have(self):
        with tempfile.TemporaryDirectory() as folder:
            status = os.path.join(folder, "status")
            daemon = f"(trap '' HUP; bash -c 'while echo x; do sleep 0.1; done'; echo $? > {status}.new; " \
                     f"mv {status}.new {status}) 2>/dev/null & echo begun"
            subprocess.run(f"'{CULPRIT}' run -- bash -c \"{daemon}\" | head -n 1", shell=True, timeout=120, check=True,
                           stdout=subprocess.DEVNULL)
            begin = time.monotonic()
            while not os.path.exists(status):
                self.assertLess(time.monotonic() - begin, 120)
                time.sleep(0.1)


class InATerminal(unittest.TestCase):
    def start(self, *command, **more):
        terminal = Terminal([CULPRIT, "run", "--", *command], **more)
        self.addCleanup(terminal.close)
        return terminal

    def test_colours_and_progress_bars(self):
        bar = b"\x1b[32m 50%|###   |\x1b[0m\r100%|######|\r\n"
        terminal = self.start(*shown("import os", "os.write(1, b'\\x1b[32m 50%|###   |\\x1b[0m\\r100%|######|\\n')"))
        self.assertEqual(terminal.wait(), 0)
        self.assertEqual(terminal.seen, bar)

    def test_size_of_the_window_and_its_changes(self):
        for streams in ("ttt", "tnt"):
            terminal = self.start(
                *shown("import os, signal", "def say(*_): os.write(2, b'%d x %d;' % tuple(os.get_terminal_size(2)))",
                       "signal.signal(signal.SIGWINCH, say)", "say()", "while True: signal.pause()"),
                size=(31, 99), streams=streams)
            terminal.wait_for(b"99 x 31;")
            terminal.resize(40, 120)
            terminal.wait_for(b"120 x 40;")
            os.kill(terminal.pid, signal.SIGTERM)
            self.assertEqual(terminal.wait(), -signal.SIGTERM)

    def test_what_is_typed_arrives(self):
        terminal = self.start(*shown("import getpass", "name = input('name? ')", "word = getpass.getpass('word? ')",
                                     "print('<%s %s>' % (name, word))"))
        terminal.wait_for(b"name? ")
        terminal.type(b"ada\n")
        terminal.wait_for(b"word? ")
        terminal.type(b"quiet\n")
        self.assertEqual(terminal.wait(), 0)
        self.assertIn(b"<ada quiet>", terminal.seen)
        self.assertEqual(terminal.seen.count(b"quiet"), 1, "a password is not echoed")

    def test_control_c(self):
        for streams in ("ttt", "tnt", "ntt"):
            terminal = self.start("sh", "-c", "echo ready >&2; exec sleep 600", streams=streams)
            terminal.wait_for(b"ready")
            terminal.type(b"\x03")
            self.assertEqual(terminal.wait(), -signal.SIGINT, streams)
            self.assertEqual(terminal.settings(), terminal.before)

    def test_control_c_twice_is_the_programs_affair(self):
        terminal = self.start(*shown(
            "import time", "for i in range(2):", "  try:", "    print('ready', i, flush=True)", "    time.sleep(60)",
            "  except KeyboardInterrupt: print('caught', i, flush=True)", "exit(5)"))
        for i in range(2):
            terminal.wait_for(b"ready %d" % i)
            terminal.type(b"\x03")
            terminal.wait_for(b"caught %d" % i)
        self.assertEqual(terminal.wait(), 5)

    def test_control_backslash(self):
        terminal = self.start("sh", "-c", "echo ready; exec sleep 600")
        terminal.wait_for(b"ready")
        terminal.type(b"\x1c")
        self.assertEqual(terminal.wait(), -signal.SIGQUIT)

    def test_signals_to_us_reach_the_program(self):
        for streams in ("ttt", "nnt"):
            terminal = self.start(
                *shown("import os, signal, time", "def say(number, _):", "  os.write(2, b'got %d;' % number)",
                       "  if number == signal.SIGTERM: os._exit(7)",
                       "for n in ('TERM', 'USR1', 'USR2', 'HUP'): signal.signal(getattr(signal, 'SIG' + n), say)",
                       "os.write(2, b'ready')", "while True: time.sleep(1)"), streams=streams)
            terminal.wait_for(b"ready")
            for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP, signal.SIGTERM):
                os.kill(terminal.pid, number)
                terminal.wait_for(b"got %d;" % number)
            self.assertEqual(terminal.wait(), 7)
            self.assertEqual(terminal.settings(), terminal.before)

    def test_control_z_stops_both_and_fg_continues_both(self):
        # A shell with job control: the session leader, with culprit in its own process group.
        shell = textwrap.dedent("""
            import os, signal, sys, time
            signal.signal(signal.SIGTTOU, signal.SIG_IGN)
            pid = os.fork()
            if pid == 0:
                os.setpgid(0, 0)
                os.tcsetpgrp(0, os.getpid())
                signal.signal(signal.SIGTTOU, signal.SIG_DFL)
                os.execv(sys.argv[1], sys.argv[1:])
            _, status = os.waitpid(pid, os.WUNTRACED)
            os.tcsetpgrp(0, os.getpgrp())
            print("stopped", os.WIFSTOPPED(status), flush=True)
            sys.stdin.readline()
            os.tcsetpgrp(0, pid)
            os.killpg(pid, signal.SIGCONT)
            print("continued", flush=True)
            _, status = os.waitpid(pid, 0)
            os.tcsetpgrp(0, os.getpgrp())
            print("ended", os.waitstatus_to_exitcode(status), flush=True)
            """)
        for tail in ("", " > /dev/null"):
            program = shown("import os", "os.write(2, b'first;')",
                            "while os.read(0, 100) != b'go\\n': pass", "os.write(2, b'second;')", "exit(4)")
            inner = [CULPRIT, "run", "--", *program]
            if tail:
                inner = ["/bin/sh", "-c", 'exec "$@" > /dev/null', "sh", *inner]
            terminal = Terminal([PYTHON, "-c", shell, *inner])
            self.addCleanup(terminal.close)
            terminal.wait_for(b"first;")
            terminal.type(b"\x1a")
            terminal.wait_for(b"stopped True")
            self.assertEqual(terminal.settings(), terminal.before, "the shell has the terminal as it was")
            terminal.type(b"\n")
            terminal.wait_for(b"continued")
            terminal.type(b"go\n")
            terminal.wait_for(b"second;")
            terminal.wait_for(b"ended 4")
            terminal.wait()


class Explained(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        here = cls.folder.name
        compiler = os.environ.get("CC", "cc")

        def library(name, needs=()):
            with open(os.path.join(here, name + ".c"), "w", encoding="utf-8") as source:
                source.write(f"int {name}(void) {{ return 1; }}\n")
            subprocess.run([compiler, "-shared", "-fPIC", "-o", f"lib{name}.so", f"{name}.c", "-Wl,-soname," +
                            f"lib{name}.so", "-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN", "-L.",
                            *[f"-l{n}" for n in needs]], cwd=here, check=True)

        library("innermost")
        library("third", ["innermost"])
        library("second", ["third"])
        library("first", ["second"])
        os.unlink(os.path.join(here, "libinnermost.so"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_a_library_missing_three_levels_down(self):
        path = os.path.join(self.folder.name, "libfirst.so")
        record = os.path.join(self.folder.name, "record.json")
        done = run(*shown("import ctypes", f"ctypes.CDLL({path!r})"), options=["--save", record])
        text = done.stderr.decode()
        self.assertEqual(done.returncode, 1)
        self.assertIn("OSError", text, "the program's own words come first")
        for word in ("libinnermost.so", "libthird.so", self.folder.name + "/libinnermost.so"):
            self.assertIn(word, text[text.index("OSError"):])
        with open(record, encoding="utf-8") as file:
            run_record = json.load(file)["run"]
        requests = run_record["processes"][0]["failed_requests"]
        missing = [r for r in requests if r["name"] == "libinnermost.so"]
        self.assertEqual(len(missing), 1, requests)
        self.assertTrue(missing[0]["requester"].endswith("/libthird.so"))
        self.assertEqual({a["outcome"] for a in missing[0]["attempts"]}, {"missing"})
        self.assertIn("cannot open shared object file", missing[0]["error"])
        later = subprocess.run([CULPRIT, "explain", record], capture_output=True, timeout=120, check=False)
        self.assertEqual(later.returncode, 1)
        self.assertIn("dependent-missing: libinnermost.so, which " + self.folder.name + "/libthird.so needs",
                      " ".join(later.stdout.decode().split()))
        self.assertIn(later.stdout, done.stderr, "the same from the record alone, to the letter")

    def test_secrets_stay_out_of_a_record(self):
        record = os.path.join(self.folder.name, "secrets.json")
        done = run(*shown("import os", "print('using', os.environ['MY_API_KEY'])",
                          "print('url https://me:tell-no-one@example.org/x')", "exit(3)"), "--password", "hunter2",
                   options=["--save", record],
                   env={**os.environ, "MY_API_KEY": "only-mine-0815", "CUDA_ACCESS_TOKEN": "also-mine-4711"})
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"only-mine-0815", done.stdout, "the program's output itself is untouched")
        with open(record, encoding="utf-8") as file:
            text = file.read()
        for secret in ("only-mine-0815", "also-mine-4711", "hunter2", "tell-no-one"):
            self.assertNotIn(secret, text)
        self.assertIn("using [hidden]", text)

    def test_formats(self):
        for form, begins in (("json", b"{"), ("markdown", b"#"), ("html", b"<!")):
            done = run("sh", "-c", "exit 3", options=["--format", form])
            self.assertEqual(done.returncode, 3)
            self.assertTrue(done.stderr.lstrip().startswith(begins), done.stderr[:300])
        self.assertEqual(run("true", options=["--always"]).returncode, 0)
        self.assertNotEqual(run("true", options=["--always"]).stderr, b"")

    def test_threads_of_a_hang_that_was_ended(self):
        record = os.path.join(self.folder.name, "hang.json")
        terminal = Terminal([CULPRIT, "run", "--save", record, "--", *shown(
            "import threading, time", "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
            "print('ready', flush=True)", "threading.Event().wait()")])
        self.addCleanup(terminal.close)
        terminal.wait_for(b"ready")
        time.sleep(0.3)
        terminal.type(b"\x03")
        self.assertNotEqual(terminal.wait(), 0)
        with open(record, encoding="utf-8") as file:
            seen = json.load(file)["run"]
        self.assertEqual(seen["interrupted"], "SIGINT")
        self.assertGreaterEqual(len(seen["threads"]), 2)

    def test_overhead(self):
        """Printed, not checked: test machines are busy."""
        def seconds(*before):
            begin = time.monotonic()
            for _ in range(5):
                subprocess.run([*before, PYTHON, "-c", "import json, ssl, sqlite3, ctypes"], check=True)
            return time.monotonic() - begin
        seconds()
        plain, watched = seconds(), seconds(CULPRIT, "run", "--")
        print(f"overhead of culprit run on a start of Python: {(watched - plain) / 5 * 1000:.0f} ms, "
              f"{(watched / plain - 1) * 100:.0f} %", file=sys.stderr)


if __name__ == "__main__":
    CULPRIT = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
