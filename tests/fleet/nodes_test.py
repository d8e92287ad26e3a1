#!/usr/bin/env python3
"""What a node runs by itself: metrics for the textfile collector, and the scripts and units of packaging/nodes.

usage: nodes_test.py PROGRAM
"""
import json
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import unittest

sys.dont_write_bytecode = True
import made_up_node

PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
NODES = pathlib.Path(__file__).resolve().parents[2] / "packaging/nodes"
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\\n]|\\["\\n])*)"')
LAST = "culprit_series_left_out"
# The fields that node-problem-detector reads (pkg/custompluginmonitor/types and pkg/types at 01a6793b, the json tags).
DURATION = object()
DETECTOR = {
    "plugin": str, "source": str, "metricsReporting": bool,
    "pluginConfig": {"invoke_interval": DURATION, "timeout": DURATION, "max_output_length": int, "concurrency": int,
                     "enable_message_change_based_condition_update": bool, "skip_initial_status": bool},
    "conditions": [{"type": str, "reason": str, "message": str}],
    "rules": [{"type": str, "condition": str, "reason": str, "path": str, "timeout": DURATION, "invoke_interval": DURATION}]}


def parse(text):
    """The lines of the format, strictly: {metric: {labels: value}}."""
    metrics, described = {}, set()
    assert text.endswith("\n"), text[-80:]
    for line in text[:-1].split("\n"):
        if line.startswith("# "):
            _, kind, name, words = line.split(" ", 3)
            assert kind in ("HELP", "TYPE") and (kind == "HELP" or words == "gauge"), line
            assert (kind, name) not in described and name not in metrics, "twice: " + line
            described.add((kind, name))
            continue
        name, braces, value = re.fullmatch(r"([a-z_]+)(\{.*\})? (-?\d+)", line).groups()
        assert {("HELP", name), ("TYPE", name)} <= described, "not described: " + line
        labels = LABEL.findall(braces or "")
        assert (braces or "") == ("{" + ",".join(f'{key}="{held}"' for key, held in labels) + "}" if labels else ""), line
        unescaped = tuple((key, re.sub(r'\\(.)', lambda hit: "\n" if hit[1] == "n" else hit[1], held)) for key, held in labels)
        assert unescaped not in metrics.setdefault(name, {}), "twice: " + line
        metrics[name][unescaped] = int(value)
    return metrics


class Folder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def culprit(self, *words, **variables):
        return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, env={**os.environ, **variables})

    def check(self, root, *words, **variables):
        return self.culprit("check", "--root", root, "--quiet", "--format", "prometheus", *words, **variables)

    def metrics(self, root, *words):
        said = self.check(root, *words)
        self.assertEqual(said.stderr, b"")
        return said.returncode, parse(said.stdout.decode())


class Metrics(Folder):
    def verdicts(self, metrics, name="culprit_verdict"):
        return {labels[0][1]: value for labels, value in metrics[name].items()}

    def test_a_sound_node(self):
        status, metrics = self.metrics(made_up_node.sound(self.folder / "root"))
        self.assertEqual(status, 0)
        self.assertEqual(self.verdicts(metrics), {"ok": 0, "warnings": 1, "errors": 0, "unknown": 0})
        self.assertEqual(metrics["culprit_driver_info"], {(("version", made_up_node.DRIVER),): 1})
        self.assertEqual(metrics["culprit_gpu_info"], {(("gpu", "0"), ("bus", "0000:19:00.0"), ("name", "NVIDIA H200")): 1})
        self.assertEqual(metrics["culprit_gpus"], {(): 1})
        self.assertEqual(set(metrics["culprit_known"].values()), {1})
        self.assertEqual(metrics[LAST], {(): 0})

    def test_a_broken_node(self):
        status, metrics = self.metrics(made_up_node.broken(self.folder / "root"))
        self.assertEqual(status, 1)
        self.assertEqual(self.verdicts(metrics)["errors"], 1)
        codes = {dict(labels)["code"]: dict(labels)["severity"] for labels in metrics["culprit_findings"]}
        self.assertEqual(codes["CUL1002"], "error")

    def test_what_is_not_known_does_not_look_fine(self):
        status, metrics = self.metrics(made_up_node.unknown(self.folder / "root"))
        self.assertEqual(status, 2)
        self.assertEqual(self.verdicts(metrics), {"ok": 0, "warnings": 0, "errors": 0, "unknown": 1})
        self.assertEqual(set(metrics["culprit_known"].values()), {0})
        self.assertNotIn("culprit_gpus", metrics)
        self.assertNotIn("culprit_driver_info", metrics)

    def test_the_same_bytes_each_time(self):
        root = made_up_node.sound(self.folder / "root")
        said = [self.check(root, SOURCE_DATE_EPOCH="1700000000").stdout for _ in range(2)]
        self.assertEqual(said[0], said[1])
        self.assertIn(b"\nculprit_last_check_timestamp_seconds 1700000000\n", said[0])

    def test_a_hostile_name_is_one_label(self):
        _, metrics = self.metrics(made_up_node.sound(self.folder / "root", gpu=made_up_node.HOSTILE))
        (labels,) = metrics["culprit_gpu_info"]
        self.assertEqual(dict(labels)["name"], 'NVIDIA "H200\\"} 1 \\xff\\x07{a="b')

    def test_a_long_name_is_cut(self):
        _, metrics = self.metrics(made_up_node.sound(self.folder / "root", gpu=b"x" * 3000))
        (labels,) = metrics["culprit_gpu_info"]
        self.assertLessEqual(len(dict(labels)["name"]), 131)

    def test_several_hosts_are_refused(self):
        said = self.check(made_up_node.unknown(self.folder / "root"), "--host", "driver=580.95.05,gpu=L4", "--host", "driver=535.104.05,gpu=L4")
        self.assertEqual(said.returncode, 64, said)


class Fleet(Folder):
    def test_nodes_that_are_not_well_have_series(self):
        briefs = self.folder / "briefs"
        briefs.mkdir()

        def brief(node, **more):
            (briefs / str(len(list(briefs.iterdir())))).write_text(json.dumps(
                {"schema": "culprit.brief/1", "node": node, "taken": "1", "verdict": "ok", "facts": [{"what": "driver", "value": "580"}], **more}) + "\n")

        error = {"code": "CUL1002", "cause": "driver-missing", "severity": "error", "summary": "s"}
        for i in range(8):
            brief(f"n{i}")
        brief("bad\n\"1", verdict="errors", findings=[{**error, "subject": "/a"}, {**error, "subject": "/b"}])
        brief("doubt", verdict="unknown")
        brief("silent", error="no answer within 20 s")
        brief("x" * 200, verdict="errors", findings=[error])
        brief("x" * 201, verdict="errors", findings=[error])
        said = self.culprit("fleet", "report", briefs, "--format", "prometheus", "--quiet")
        self.assertEqual(said.returncode, 1, said)
        metrics = parse(said.stdout.decode())
        self.assertEqual({labels[0][1]: value for labels, value in metrics["culprit_fleet_nodes"].items()},
                         {"ok": 8, "warnings": 0, "unknown": 1, "errors": 3, "unreachable": 1})
        states = {labels[0][1]: labels[1][1] for labels in metrics["culprit_node_state"]}
        self.assertEqual(states, {"bad\\x0a\"1": "errors", "doubt": "unknown", "silent": "unreachable", "x" * 128 + "...": "errors"})
        self.assertEqual(list(metrics["culprit_fleet_findings"].values()), [3])
        self.assertEqual(len(metrics["culprit_node_findings"]), 2)
        told = json.loads(self.culprit("fleet", "report", briefs, "--format", "json", "--quiet").stdout)
        self.assertEqual(told["unjudged"], ["doubt"])
        self.assertIn("doubt", self.culprit("fleet", "report", briefs, "--quiet").stdout.decode())


class Output(Folder):
    def setUp(self):
        super().setUp()
        self.root = made_up_node.sound(self.folder / "root")
        self.place = self.folder / "out"
        self.place.mkdir()
        self.file = self.place / "culprit.prom"

    def write(self, output=None):
        said = self.check(self.root, "-o", output or self.file)
        self.assertEqual((said.returncode, said.stdout, said.stderr), (0, b"", b""))

    def test_everybody_may_read_it_and_nothing_else_is_left(self):
        self.write()
        parse(self.file.read_text())
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o644)
        self.assertEqual(list(self.place.iterdir()), [self.file])

    def test_it_is_another_file_with_the_same_rights(self):
        self.file.write_text("old\n")
        self.file.chmod(0o640)
        with open(self.file) as old:
            self.write()
            self.assertEqual(old.read(), "old\n", "who had it open still reads the old one")
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o640)

    def test_a_reader_never_sees_a_part(self):
        self.write()
        seen, done = set(), threading.Event()

        def read():
            while not done.is_set():
                seen.add(self.file.read_text().rsplit("\n", 2)[1])

        reader = threading.Thread(target=read)
        reader.start()
        for _ in range(10):
            self.write()
        done.set()
        reader.join()
        self.assertEqual(seen, {LAST + " 0"})

    def test_a_symlink_stays_one(self):
        (self.folder / "elsewhere").mkdir()
        real = self.folder / "elsewhere/real"
        real.write_text("old\n")
        self.file.symlink_to(real)
        self.write()
        self.assertTrue(self.file.is_symlink())
        parse(real.read_text())
        self.assertEqual(list(real.parent.iterdir()), [real])

    def test_a_device_is_written_to(self):
        said = self.check(self.root, "-o", "/dev/stdout")
        parse(said.stdout.decode())

    def test_what_cannot_be_written_is_one_line(self):
        said = self.check(self.root, "-o", self.place / "no/such/folder")
        self.assertEqual(said.returncode, 2)
        self.assertRegex(said.stderr.decode(), "^culprit: cannot write .*: No such file or directory\n$")


class Scripts(Folder):
    def setUp(self):
        super().setUp()
        self.variables = {**os.environ, "CULPRIT": PROGRAM, "SLURMD_NODENAME": "n07", "PATH": f"{self.folder}:{os.environ['PATH']}"}

    def command(self, name, text):
        file = self.folder / name
        file.write_text("#!/bin/sh\n" + text)
        file.chmod(0o755)
        return str(file)

    def start(self, script, **more):
        said = subprocess.run([NODES / script], capture_output=True, text=True, env={**self.variables, **more})
        return said.returncode, said.stdout

    def slurm(self, state="IDLE", gres="gpu:h200:8(S:0-1)"):
        self.command("scontrol", f'echo >>{self.folder}/calls\n[ "$1" != -o ] || {{ echo "NodeName=n07 Gres={gres} State={state} Reason=x"; exit; }}\nprintf "%s\\n" "$@" >>{self.folder}/asked\n')

    def calls(self):
        file = self.folder / "calls"
        return len(file.read_text()) if file.exists() else 0

    def asked(self):
        file = self.folder / "asked"
        return file.read_text().split("\n")[:-1] if file.exists() else []

    def test_check_node(self):
        for name, expected in (("sound", (0, "culprit: no error\n")), ("broken", (1, "culprit: CUL1002\n"))):
            root = getattr(made_up_node, name)(self.folder / name)
            self.assertEqual(self.start("check-node", CULPRIT_ROOT=str(root)), expected)
        status, line = self.start("check-node", CULPRIT_ROOT=str(made_up_node.unknown(self.folder / "unknown")))
        self.assertEqual((status, line[:24]), (2, "culprit: could not tell;"))

    def test_a_culprit_that_fails_is_could_not_tell(self):
        for text in ("exit 64", "exit 127", "kill -SEGV $$", "sleep 60"):
            status, line = self.start("check-node", CULPRIT=self.command("fake", text), CULPRIT_SECONDS="1")
            self.assertEqual((status, line[:24]), (2, "culprit: could not tell;"), text)
        self.assertEqual(self.start("check-node", CULPRIT="/no/such/program")[0], 2)

    def test_only_codes_get_into_the_line(self):
        lines = [f'culprit_findings{{code="{code}",cause="c",severity="error"}} 1'
                 for code in ("CUL1002", "$(reboot)", "A B", "CUL1 Reason=x", "SITE001", "CUL9\\n", "lower1", "X" * 90 + "1", "CUL1003",
                              *(f"CUL2{i:03}" for i in range(20)))]
        (self.folder / "metrics").write_text("\n".join(lines) + "\n")
        status, line = self.start("check-node", CULPRIT=self.command("fake", f"cat {self.folder}/metrics; exit 1"))
        self.assertEqual((status, line), (1, "culprit: CUL1002 CUL1003 CUL2000 CUL2001 CUL2002\n"))
        self.assertLessEqual(len(line), 80)

    def test_slurm_drains_with_the_code(self):
        self.slurm()
        root = str(made_up_node.broken(self.folder / "root"))
        self.assertEqual(self.start("slurm/health-check", CULPRIT_ROOT=root)[0], 1)
        drain = ["update", "NodeName=n07", "State=DRAIN", "Reason=culprit: CUL1002"]
        self.assertEqual(self.asked(), drain)
        self.assertEqual(self.start("slurm/prolog", CULPRIT_ROOT=root, SLURM_JOB_GPUS="0,1")[0], 1)
        self.assertEqual(self.asked(), drain * 2)

    def test_slurmctld_is_asked_only_about_errors(self):
        self.slurm()
        for text, gpus in (("exit 0", "0"), ("exit 2", "0"), ("exit 1", "")):
            self.assertEqual(self.start("slurm/prolog", CULPRIT=self.command("fake", text), SLURM_JOB_GPUS=gpus)[0], 0)
        for text in ("exit 0", "exit 2"):
            self.start("slurm/health-check", CULPRIT=self.command("fake", text))
        self.assertEqual(self.calls(), 0)
        self.command("scontrol", "exit 1")
        fake = self.command("fake", "exit 1")
        self.assertEqual(self.start("slurm/prolog", CULPRIT=fake, SLURM_JOB_GPUS="0")[0], 1, "slurmctld does not answer: Slurm drains by itself")

    def test_each_setting_is_in_the_readme_once(self):
        scripts = "".join((NODES / name).read_text() for name in ("check-node", "slurm/health-check", "slurm/prolog"))
        rows = re.findall(r"^\| `(CULPRIT\w*)` \|", (NODES / "README.md").read_text(), re.MULTILINE)
        self.assertEqual(sorted(rows), sorted(set(re.findall(r"\$\{(CULPRIT\w*)", scripts))))

    def test_slurm_keeps_the_reason_of_somebody_else(self):
        for state in ("IDLE+DRAIN", "DOWN+DRAIN", "DRAINED", "MIXED*+DRAIN"):
            self.slurm(state)
            self.start("slurm/health-check", CULPRIT=self.command("fake", "exit 1"))
        self.assertEqual(self.asked(), [])

    def test_slurm_leaves_other_nodes_alone(self):
        self.slurm()
        for text, health, prolog in (("exit 0", 0, 0), ("exit 2", 2, 0)):
            fake = self.command("fake", text)
            self.assertEqual((self.start("slurm/health-check", CULPRIT=fake)[0], self.start("slurm/prolog", CULPRIT=fake)[0]), (health, prolog))
        self.slurm(gres="(null)")
        fake = self.command("fake", "exit 1")
        self.assertEqual(self.start("slurm/health-check", CULPRIT=fake)[0], 0, "a node without GPUs")
        self.assertEqual(self.asked(), [])
        self.command("scontrol", "exit 1")
        self.assertEqual(self.start("slurm/health-check", CULPRIT=fake)[0], 2)
        self.assertEqual(self.start("slurm/prolog", CULPRIT=fake)[0], 0)

    def test_slurm_checks_every_node_if_asked(self):
        self.slurm(gres="(null)")
        self.start("slurm/health-check", CULPRIT=self.command("fake", "exit 1"), CULPRIT_EVERY_NODE="1")
        self.assertEqual(self.asked()[-1], "Reason=culprit: an error; run culprit check on the node")

    def test_shellcheck(self):
        if not shutil.which("shellcheck"):
            self.skipTest("no shellcheck")
        said = subprocess.run(["shellcheck", NODES / "check-node", *(NODES / "slurm").iterdir()], capture_output=True, text=True)
        self.assertEqual(said.returncode, 0, said.stdout)

    def test_units(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("no systemd-analyze")
        for unit in (NODES / "systemd").iterdir():
            text = unit.read_text().replace("/usr/bin/culprit", PROGRAM).replace("man:culprit(1)", "https://example.com")
            (self.folder / unit.name).write_text(text)
        said = subprocess.run(["systemd-analyze", "verify", "--man=no", self.folder / "culprit-check.timer", self.folder / "culprit-check.service"],
                              capture_output=True, text=True)
        ours = [line for line in said.stderr.splitlines() if "culprit" in line]
        self.assertEqual((said.returncode, ours), (0, []), said)

    def fits(self, value, fields, where):
        """What Go would ignore, because it has another name, or refuse, because it is of another type."""
        for name, held in value.items():
            kind = fields.get(name)
            self.assertIsNotNone(kind, f"{where} has no field {name}")
            if kind is DURATION:
                self.assertRegex(held, r"^(\d+(h|m|s|ms))+$", f"{where}.{name}")
            elif isinstance(kind, list):
                for one in held:
                    self.fits(one, kind[0], f"{where}.{name}")
            elif isinstance(kind, dict):
                self.fits(held, kind, f"{where}.{name}")
            else:
                self.assertIs(type(held), kind, f"{where}.{name}")

    def test_the_plugin_of_node_problem_detector(self):
        plugin = json.loads((NODES / "node-problem-detector/culprit.json").read_text())
        self.fits(plugin, DETECTOR, "culprit.json")
        (rule,) = plugin["rules"]
        # What Validate() of the detector asks for, and "timeout" of check-node is shorter, so that it can still answer.
        self.assertEqual((plugin["plugin"], rule["type"]), ("custom", "permanent"))
        self.assertIn(rule["condition"], [one["type"] for one in plugin["conditions"]])
        seconds = [int(one["timeout"].removesuffix("s")) for one in (rule, plugin["pluginConfig"])]
        self.assertLessEqual(seconds[0], seconds[1])
        inner = re.search(r"-k (\d+) \"\$\{CULPRIT_SECONDS:-(\d+)\}", (NODES / "check-node").read_text())
        self.assertLess(int(inner[1]) + int(inner[2]), seconds[0])
        self.assertEqual(rule["path"].removeprefix("/usr/share/culprit/nodes/"), "check-node")
        self.assertEqual(plugin["pluginConfig"]["max_output_length"], 80)


if __name__ == "__main__":
    unittest.main()
