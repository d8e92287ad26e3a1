#!/usr/bin/env python3
"""`culprit fleet` on a bare machine: the engines are stand-ins that run here what they are given. usage: command_test.py PROGRAM

The real ones: engines_test.py. Here it is about what the shell on a node does with the program, and about exit statuses.
"""
import datetime
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
# The node is the last word but one; n3 is down, n4 has a CPU that nobody knows, n5 does not find the program on a shared file system; on n6 a login
# shell prints things, TMPDIR is full on n7 and every directory on n8, n9 never answers, n10 dies in the middle, n11 never
# stops.
SSH = """#!/bin/sh
while [ $# -gt 2 ]; do shift; done
export TMPDIR="$NODES/$1"; mkdir -p "$TMPDIR"
case $1 in
  n3) echo "ssh: connect to host n3 port 22: Connection refused" >&2; exit 255;;
  n4) PATH="$TOOLS/odd:$PATH";;
  n5) PATH="$TOOLS/apart:$PATH";;
  n6) printf %s "$2" >"$NODES/script"; echo "Welcome to n6!"; echo "{"; printf "last login: never";;
  n7) FULL=$TMPDIR; export FULL; PATH="$TOOLS/full:$TOOLS/apart:$PATH";;
  n8) FULL=; export FULL; PATH="$TOOLS/full:$TOOLS/apart:$PATH";;
  n9) echo $$ >"$NODES/waits"; exec sleep 600;;
  n10) sh -c "$2" | head -c 300; kill -KILL $$;;
  n11) exec yes;;
esac
exec sh -c "$2"
"""
# One task a node, the lines of all mixed; standard input goes to each. n1 has the program, n2 must get it, n3 dies. With $NO_COPIES a file cannot
# be copied to the nodes, with $NO_START the copy is left there and does not start. Without a list of nodes, these three are chosen.
SRUN = """#!/bin/sh
echo "$*" >>"$NODES/words"
for word; do case $word in --nodelist=*) nodes=${word#--nodelist=};; --bcast=*) place=${word#--bcast=};; esac; done
if [ "$place" ]; then
  [ -z "$NO_COPIES" ] || { echo "srun: error: Failed to broadcast" >&2; exit 1; }
  while [ "${1#--bcast=}" = "$1" ]; do shift; done
  cp "$2" "$place"
  [ -z "$NO_START" ] || { echo "slurmstepd: error: execve(): $place: Permission denied" >&2; exit 13; }
  shift 2
  SLURMD_NODENAME=n2 "$place" "$@" | sed "s/^/n2: /"
  exit
fi
cat >"$NODES/stdin"
ask() { SLURMD_NODENAME=$1 SLURM_STEP_NODELIST="${nodes:-n[1-3]}" TMPDIR="$NODES" sh -c "$word" <"$NODES/stdin" | sed "s/^/$1: /"; }
case $nodes in n3) list= ;; n1|n2) list=$nodes ;; *) list="n1 n2" ;; esac
for node in $list; do [ $node = n1 ] || PATH="$TOOLS/apart:$PATH"; ask $node; done | sort -r
case $nodes in n1|n2) exit ;; esac
echo "srun: error: n3: task 2: Killed" >&2
exit 137
"""
# df of a file system without room: all of them, or the one of $FULL.
DF = """#!/bin/sh
case $2 in "$FULL"*) printf 'Filesystem 1024-blocks Used Available Capacity Mounted on\\nx 10 10 0 100%% /tmp\\n';; *) exec /bin/df "$@";; esac
"""
# Each node has its own /tmp. n3 takes the copy too slowly, n4 is asked and does not answer, n5 is down. With $SLOW, a question takes for ever.
CLUSH = """#!/usr/bin/env python3
import os, pathlib, subprocess, sys, time
words, options = sys.argv[1:], {}
while words and words[0].startswith("-"):
    options[words[0]] = words[1]
    del words[:2]
top = pathlib.Path(os.environ["NODES"])
nodes = [f"n{i}" for i in range(1, 6)] if options["-w"] == "n[1-5]" else ["n1", "n2", "n4"] if options["-w"] == "n[1-2,4]" else ["n3", "n4"]
assert options["-w"] in ("n[1-5]", "n[1-2,4]", "n[3-4]", "n[1-4]"), options
if options["-w"] == "n[1-4]":
    nodes = ["n1", "n2", "n3", "n4"]
what = "copy" if "--copy" in options else "rm" if words[0].startswith("rm ") else "ask"
with open(top / "calls", "a") as calls:
    calls.write(f"{what} {options['-w']}\\n")
def there(text, node):
    return text.replace("/tmp/culprit.", f"{top}/{node}/culprit.")
for node in nodes:
    (top / node).mkdir(exist_ok=True)
    if node == "n5":
        print("n5: ssh: connect to host n5 port 22: No route to host\\nclush: n5: exited with exit code 255", file=sys.stderr)
    elif what == "copy":
        content = pathlib.Path(options["--copy"]).read_bytes()
        pathlib.Path(there(options["--dest"], node)).write_bytes(content[:1000] if node == "n3" else content)
        if node == "n3":
            print("clush: n3: command timeout", file=sys.stderr)
    elif what == "rm" and os.environ.get("STAYS"):
        print(f"clush: {node}: exited with exit code 255", file=sys.stderr)
    elif what == "ask" and node == "n4":
        if os.environ.get("SLOW"):
            (top / "waits").write_text("")
            sys.stdout.flush()
            time.sleep(600)
        print("clush: n4: command timeout", file=sys.stderr)
    else:
        ran = subprocess.run(["sh", "-c", there(words[0], node)], capture_output=True, text=True, env={**os.environ, "TMPDIR": str(top / node)})
        for line in ran.stdout.splitlines():
            print(f"{node}: {line}")
        for line in ran.stderr.splitlines():
            print(f"{node}: {line}", file=sys.stderr)
"""


class Fleet(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.top = pathlib.Path(self.temporary.name)
        for name, text in (("tools/ssh", SSH), ("tools/srun", SRUN), ("tools/odd/uname", "#!/bin/sh\necho riscv64\n"),
                           ("tools/apart/stat", "#!/bin/sh\nexit 1\n"),
                           ("tools/full/df", DF), ("tools/clush", CLUSH)):
            file = self.top / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
            file.chmod(0o755)
        (self.top / "nodes").mkdir()
        (self.top / "empty").mkdir()
        self.environment = {**os.environ, "PATH": f"{self.top}/tools:{os.environ['PATH']}", "TOOLS": str(self.top / "tools"),
                            "NODES": str(self.top / "nodes")}

    def run_fleet(self, *words):
        return subprocess.run([PROGRAM, "fleet", *map(str, words)], env=self.environment, cwd=self.top, capture_output=True, text=True, timeout=120)

    def interrupted(self, *words, by, answered=(), **variables):
        """What became of a run that somebody ended while it waited, when the nodes `answered` had answered."""
        began = subprocess.Popen([PROGRAM, "fleet", *map(str, words)], env={**self.environment, **variables}, cwd=self.top,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        awaited = [self.top / "nodes/waits", *(self.top / "out" / f"{node}.json" for node in answered)]
        while not all(file.exists() for file in awaited) and began.poll() is None:
            time.sleep(0.05)
        began.send_signal(by)
        _, errors = began.communicate(timeout=120)
        return began.returncode, errors

    def answers(self, folder):
        return {path.stem: json.loads(path.read_text()) for path in (self.top / folder).iterdir()}

    def left(self):
        return list((self.top / "nodes").rglob("culprit.*"))

    def brief(self, folder, node, driver, **more):
        (self.top / folder).mkdir(exist_ok=True)
        facts = [{"what": "driver", "value": driver}, {"what": "system", "value": "Debian 12"}]
        (self.top / folder / f"{node}.json").write_text(json.dumps({"schema": "culprit.brief/1", "node": node, "verdict": "ok", "facts": facts, **more}))

    def test_over_ssh(self):
        done = self.run_fleet("run", "--hosts", "n[1-5]", "-o", "out", "--", "--root", self.top / "empty")
        self.assertEqual(done.returncode, 2, done)
        answers = self.answers("out")
        self.assertEqual({node for node, brief in answers.items() if not brief.get("error")}, {"n1", "n2", "n5"}, answers)
        self.assertEqual(answers["n3"]["error"], "ssh: connect to host n3 port 22: Connection refused")
        self.assertIn("the CPU is riscv64", answers["n4"]["error"])
        self.assertEqual(self.left(), [])

    def test_what_shells_print_and_full_directories_do_no_harm(self):
        done = self.run_fleet("run", "--hosts", "n[6-8,10-11]", "-o", "out", "--", "--root", self.top / "empty")
        self.assertEqual(done.returncode, 2, done)
        answers = self.answers("out")
        self.assertEqual([answers[node].get("error") for node in ("n6", "n7")], [None, None], done)
        self.assertNotRegex((self.top / "nodes/script").read_text(), "!(?! )", "csh would take it for its history")
        self.assertIn("no directory has room for the program", answers["n8"]["error"])
        self.assertTrue(answers["n10"]["error"], answers)
        self.assertEqual(answers["n11"]["error"], "it printed too much")
        self.assertEqual(self.left(), [])

    def test_names_of_nodes(self):
        for hosts in ("n1 n2", "-oProxyCommand=x", "n1,n\t2", "n" * 300):
            done = self.run_fleet("run", f"--hosts={hosts}", "-o", "out")
            self.assertEqual((done.returncode, "is not a node name" in done.stderr), (2, True), done)
        names = {"a/b", "a_b", ".x", "a%2Fb", "$(reboot)", "n;exit"}
        done = self.run_fleet("run", "--hosts", ",".join(names), "-o", "out", "--", "--root", self.top / "empty")
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual({json.loads(path.read_text())["node"] for path in (self.top / "out").iterdir()}, names)

    def test_older_answers_are_said(self):
        self.brief("out", "gone", "550.54.15")
        done = self.run_fleet("run", "--hosts", "n1", "-o", "out", "--", "--root", self.top / "empty")
        self.assertIn("out also has 1 older answer of nodes that were not asked this time", done.stderr)
        done = self.run_fleet("run", "--hosts", "n1", "-o", "no/such", "--", "--root", self.top / "empty")
        self.assertEqual((done.returncode, "no/such: No such file or directory" in done.stderr), (2, True), done)

    def test_the_answers_have_one_clock(self):
        self.environment["TZ"] = "UTC"
        self.run_fleet("run", "--hosts", "n[1,3]", "-o", "out", "--", "--root", self.top / "empty")
        taken = sorted(brief["taken"] for brief in self.answers("out").values())
        self.assertLess((datetime.datetime.fromisoformat(taken[1][:-1]) - datetime.datetime.fromisoformat(taken[0][:-1])).seconds, 120)

    def test_ended_by_the_user(self):
        status, errors = self.interrupted("run", "--hosts", "n[1,9]", "-o", "out", "--", "--root", self.top / "empty", by=signal.SIGINT, answered=("n1",))
        self.assertEqual(status, -signal.SIGINT, errors)
        answers = self.answers("out")
        self.assertEqual(answers["n9"]["error"], "the run was ended by SIGINT")
        self.assertEqual(answers["n1"].get("error"), None)
        with self.assertRaises(ProcessLookupError):
            os.kill(int((self.top / "nodes/waits").read_text()), 0)

    def test_through_clush(self):
        words = ("run", "--clush", "--hosts", "n[1-5]", "-o", "out", "--", "--root", self.top / "empty")
        done = self.run_fleet(*words)
        self.assertEqual(done.returncode, 2, done)
        answers = self.answers("out")
        self.assertEqual({node: brief.get("error") for node, brief in answers.items()},
                         {"n1": None, "n2": None, "n3": "command timeout", "n4": "command timeout",
                          "n5": "ssh: connect to host n5 port 22: No route to host"}, done)
        self.assertEqual((self.top / "nodes/calls").read_text(), "copy n[1-5]\nask n[1-2,4]\nrm n[3-4]\n")
        self.assertEqual(self.left(), [])
        self.environment["STAYS"] = "1"
        self.assertRegex(self.run_fleet(*words).stderr, r"/tmp/culprit\.\w{24} may be left on n\[3-4\]\n")

    def test_clush_ended_by_the_user(self):
        status, errors = self.interrupted("run", "--clush", "--hosts", "n[1-5]", "-o", "out", "--", "--root", self.top / "empty",
                                          by=signal.SIGTERM, SLOW="1")
        self.assertEqual(status, -signal.SIGTERM, errors)
        answers = self.answers("out")
        self.assertEqual((answers["n1"].get("error"), answers["n4"]["error"]), (None, "the run was ended by SIGTERM"), errors)
        self.assertEqual((self.top / "nodes/calls").read_text().splitlines()[-1], "rm n[3-4]")
        self.assertEqual(self.left(), [])

    def test_programs_for_two_cpus_travel_in_one_stream(self):
        other = {"aarch64": b"\x3e\x00", "x86_64": b"\xb7\x00"}.get(os.uname().machine)
        if other is None:
            self.skipTest("culprit is made for two CPUs only")
        stub = self.top / "other"  # a header, and what comes before our own program in the stream
        stub.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00" + other + bytes(70001))
        done = self.run_fleet("run", "--hosts", "n[1,5]", "-o", "out", "--program", stub, "--", "--root", self.top / "empty")
        self.assertEqual(done.returncode, 0, done)
        again = self.run_fleet("run", "--hosts", "n1", "-o", "out", "--program", stub, "--program", stub)
        self.assertEqual((again.returncode, "another program was already given for" in again.stderr), (2, True), again)
        wrong = self.run_fleet("run", "--hosts", "n1", "-o", "out", "--program", self.top / "tools/ssh")
        self.assertEqual((wrong.returncode, "not a Linux program" in wrong.stderr), (2, True), wrong)

    def test_through_slurm(self):
        done = self.run_fleet("run", "--slurm=-p 'gpu nodes'", "--with=-N3", "--hosts", "n[1-3]", "-o", "out", "--", "--root", self.top / "empty")
        self.assertEqual(done.returncode, 2, done)
        answers = self.answers("out")
        self.assertEqual(answers["n3"]["error"], "n3: task 2: Killed")
        self.assertEqual([answers[node].get("error") for node in ("n1", "n2")], [None, None], done)
        self.assertEqual(self.left(), [])
        first, second = (self.top / "nodes/words").read_text().splitlines()
        self.assertIn("-p gpu nodes -N3 --nodelist=n[1-3] --nodes=3 --input=none sh -c", first)
        self.assertRegex(second, r"-p gpu nodes -N3 --nodelist=n2 --nodes=1 --input=none --bcast=/tmp/culprit\.\w{24} ")
        self.assertFalse(os.path.exists(re.search(r"--bcast=(\S+)", second)[1]), "the copy removes itself")

    def test_through_slurm_where_files_cannot_be_copied(self):
        for why in ("NO_COPIES", "NO_START"):
            (self.top / "nodes/words").unlink(missing_ok=True)
            self.environment = {**self.environment, "NO_COPIES": "", "NO_START": "", why: "1"}
            self.run_fleet("run", "--slurm", "--hosts", "n[1-3]", "-o", why, "--", "--root", self.top / "empty")
            answers = self.answers(why)
            self.assertEqual([answers[node].get("error") for node in ("n1", "n2")], [None, None], (why, answers))
            words = (self.top / "nodes/words").read_text().splitlines()
            place = re.search(r"--bcast=(\S+)", words[1])[1]
            self.assertIn(f"--nodelist=n2 --nodes=1 sh -c rm -f {place}; ", words[2])
            self.assertFalse(os.path.exists(place))
            self.assertEqual(self.left(), [])

    def test_nodes_that_slurm_chose_are_rows(self):
        done = self.run_fleet("run", "--slurm=-N3", "-o", "out", "--", "--root", self.top / "empty")
        answers = self.answers("out")
        self.assertEqual([answers[node].get("error") for node in ("n1", "n2", "n3")], [None, None, "n3: task 2: Killed"], done)
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("2 answered, 1 did not", done.stderr)

    def test_wrong_usage(self):
        for words in (["run", "-o", "out"], ["run", "--slurm", "--clush", "-o", "out"], ["run", "--slurm='", "-o", "out"], ["run", "--hosts", "n1"],
                      ["run", "--kubernetes", "--program", "x", "-o", "out"], ["diff", "one"], ["diff", "a", "b", "--format", "html"], ["report"], []):
            self.assertEqual(self.run_fleet(*words).returncode, 64, words)

    def test_wrong_options_for_the_nodes_are_told_before_any_is_asked(self):
        for words, said in ((["--nonsense"], "unexpected argument: --nonsense"), (["check", "--nonsense"], "unexpected argument: --nonsense"),
                            (["checks"], "'checks' is neither an option of culprit snapshot nor an absolute path"), (["--node"], "--node needs a value"),
                            (["--live", "--root", "/x"], "--live probes this machine"), (["--target", "dos"], "'dos' is not one of linux, windows"),
                            (["-o", "x"], "write -o before --"), (["--node", "n7"], "cannot be passed"), (["--remove-self"], "cannot be passed")):
            done = self.run_fleet("run", "--hosts", "n1", "-o", "out", "--", *words)
            self.assertEqual((done.returncode, done.stdout, said in done.stderr), (64, "", True), (words, done))
        for word in ("--live", "probe"):
            done = self.run_fleet("run", "--kubernetes", "-o", "out", "--", word)
            self.assertEqual((done.returncode, "--live cannot be used with --kubernetes" in done.stderr), (64, True), done)
        self.assertEqual((list((self.top / "nodes").iterdir()), (self.top / "out").exists()), ([], False))

    def test_help_for_the_options_of_the_nodes(self):
        done = self.run_fleet("run", "--hosts", "n1", "-o", "out", "--", "--help")
        self.assertEqual((done.returncode, "--live" in done.stdout, (self.top / "out").exists()), (0, True, False), done)

    def test_diff_ends_with(self):
        error = {"findings": [{"code": "CUL1001", "cause": "driver-missing", "severity": "error", "summary": "no driver", "subject": "driver"}]}
        for node in ("n1", "n2", "n3"):
            self.brief("before", node, "550.54.15")
            self.brief("after", node, "580.95.05")
            self.brief("partly", node, "550.54.15" if node == "n3" else "580.95.05")
            self.brief("worse", node, "580.95.05", **error)
        self.brief("silent", "n1", "", error="no answer within 60 s")
        for after, status, strict in (("before", 0, 0), ("after", 0, 0), ("partly", 0, 1), ("worse", 1, 1), ("silent", 2, 2), ("empty", 2, 2), ("none", 2, 2)):
            self.assertEqual(self.run_fleet("diff", "before", after).returncode, status, after)
            self.assertEqual(self.run_fleet("diff", "before", after, "--strict").returncode, strict, after)
        told = self.run_fleet("diff", "before", "partly").stdout
        self.assertIn("driver: 550.54.15 -> 580.95.05\n    did not reach n3\n", told)

    def test_report_as_a_page(self):
        self.brief("before", "n<1>", "580.95.05")
        page = self.run_fleet("report", "before", "--format", "html")
        self.assertEqual(page.returncode, 0, page.stderr)
        self.assertIn("n&lt;1&gt;", page.stdout)


if __name__ == "__main__":
    unittest.main()
