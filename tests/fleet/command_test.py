#!/usr/bin/env python3
"""`culprit fleet` on a bare machine: the engines are stand-ins that run here what they are given. usage: command_test.py PROGRAM

The real ones: engines_test.py. Here it is about what the shell on a node does with the program, and about exit statuses.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
# The node is the last word but one; n3 is down, n4 has a CPU that nobody knows, n5 does not find the program on a shared file system.
SSH = """#!/bin/sh
while [ $# -gt 2 ]; do shift; done
export TMPDIR="$NODES/$1"; mkdir -p "$TMPDIR"
case $1 in
  n3) echo "ssh: connect to host n3 port 22: Connection refused" >&2; exit 255;;
  n4) PATH="$TOOLS/odd:$PATH";;
  n5) PATH="$TOOLS/apart:$PATH";;
esac
exec sh -c "$2"
"""
# One task a node, the lines of all mixed; standard input goes to each. n1 has the program, n2 must get it, n3 dies.
SRUN = """#!/bin/sh
echo "$*" >>"$NODES/words"
for word; do case $word in --nodelist=*) nodes=${word#--nodelist=};; esac; done
cat >"$NODES/stdin"
ask() { SLURMD_NODENAME=$1 TMPDIR="$NODES" sh -c "$word" <"$NODES/stdin" | sed "s/^/$1: /"; }
{ [ "$nodes" = n2 ] || ask n1; PATH="$TOOLS/apart:$PATH"; ask n2; } | sort -r
[ "$nodes" = n2 ] && exit
echo "srun: error: n3: task 2: Killed" >&2
exit 137
"""


class Fleet(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.top = pathlib.Path(self.temporary.name)
        for name, text in (("tools/ssh", SSH), ("tools/srun", SRUN), ("tools/odd/uname", "#!/bin/sh\necho riscv64\n"),
                           ("tools/apart/stat", "#!/bin/sh\nexit 1\n")):
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

    def test_programs_for_two_cpus_travel_in_one_stream(self):
        other = {"aarch64": b"\x3e\x00", "x86_64": b"\xb7\x00"}.get(os.uname().machine)
        if other is None:
            self.skipTest("culprit is made for two CPUs only")
        stub = self.top / "other"  # a header, and what comes before our own program in the stream
        stub.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00" + other + bytes(70001))
        done = self.run_fleet("run", "--hosts", "n[1,5]", "-o", "out", "--program", stub, "--", "--root", self.top / "empty")
        self.assertEqual(done.returncode, 0, done)
        again = self.run_fleet("run", "--hosts", "n1", "-o", "out", "--program", stub, "--program", stub)
        self.assertEqual((again.returncode, "a second program for" in again.stderr), (2, True), again)
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
        self.assertIn("-p gpu nodes -N3 --nodelist=n2 --nodes=1 sh -c", second)

    def test_wrong_usage(self):
        for words in (["run", "-o", "out"], ["run", "--slurm", "--clush", "-o", "out"], ["run", "--slurm='", "-o", "out"], ["run", "--hosts", "n1"],
                      ["run", "--kubernetes", "--program", "x", "-o", "out"], ["diff", "one"], ["diff", "a", "b", "--format", "html"], ["report"], []):
            self.assertEqual(self.run_fleet(*words).returncode, 64, words)

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
        self.assertIn("driver: 550.54.15 -> 580.95.05\n    did not arrive on n3\n", told)

    def test_report_as_a_page(self):
        self.brief("before", "n<1>", "580.95.05")
        page = self.run_fleet("report", "before", "--format", "html")
        self.assertEqual(page.returncode, 0, page.stderr)
        self.assertIn("n&lt;1&gt;", page.stdout)


if __name__ == "__main__":
    unittest.main()
