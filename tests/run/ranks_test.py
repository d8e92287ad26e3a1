#!/usr/bin/env python3
"""culprit run in a job of many ranks: here the ranks are processes of this machine with the variables of a launcher
(tests/fleet/ranks_test.py has a real Slurm). usage: ranks_test.py CULPRIT [TEST...]"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ranks import RANKS, stubs  # noqa: E402

CULPRIT = ""
PYTHON = sys.executable or "python3"
TITLE = "how the ranks ended"


def variables(rank, size, **more):
    """As srun sets them; four ranks a node."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM", "NCCL", "CUDA", "RANK", "LD_"))}
    return {**kept, "SLURM_JOB_ID": "77", "SLURM_STEP_ID": "0", "SLURM_PROCID": str(rank), "SLURM_STEP_NUM_TASKS": str(size),
            "SLURMD_NODENAME": f"n{rank // 4}", **more}


def start(folder, environment, *command, options=()):
    return subprocess.Popen([CULPRIT, "run", *options, "--", *command], cwd=folder, env=environment, text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def merged(*places):
    done = subprocess.run([CULPRIT, "run", "--format", "json", *[word for place in places for word in ("--merge", place)]],
                          capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, json.loads(done.stdout)


def ends(answer):
    return {one["end"]: one["ranks"] for one in answer["ends"]}


class Ranks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()

    def run_all(self, size, code, options=(), **more):
        ranks = [start(self.folder, variables(rank, size, **more), PYTHON, "-c", code, options=options) for rank in range(size)]
        said = [rank.communicate(timeout=120) for rank in ranks]
        return [rank.returncode for rank in ranks], [err for _, err in said]

    def test_each_is_named(self):
        old, new = stubs(self.folder)
        ranks = []
        for rank in range(8):
            more = {"LD_LIBRARY_PATH": str(old if rank == 3 else new), "MEET": str(self.folder), "NCCL_DEBUG": "INFO"}
            if rank == 1:
                more["NCCL_P2P_DISABLE"] = "1"
            ranks.append(start(self.folder, variables(rank, 8, **more), PYTHON, "-c", RANKS))
        stopped = self.folder / "ready-2"
        until = time.monotonic() + 100
        while not stopped.exists() and time.monotonic() < until:
            time.sleep(0.05)
        ranks[2].send_signal(signal.SIGTERM)
        said = [rank.communicate(timeout=120)[1] for rank in ranks]
        self.assertEqual([rank.returncode for rank in ranks], [1, 1, -signal.SIGTERM, 1, 0, 3, -signal.SIGKILL, 1], said)
        reports = [text for text in said if TITLE in text]
        self.assertEqual(len(reports), 1, said)
        self.assertTrue(reports[0].splitlines()[-1].endswith("culprit-ranks-77.0"), reports[0])
        self.assertIn("rank 5 of 8 on n1 failed first", reports[0])
        status, answer = merged(self.folder / "culprit-ranks-77.0")
        self.assertEqual((status, answer["verdict"], answer["heard"]), (1, "errors", 8))
        first = answer["first"]
        self.assertEqual((first["rank"], first["node"], first["ended"]), (5, "n1", "exit status 3"))
        self.assertIn("KeyError: 'lr'", first["finding"]["last_words"])
        self.assertEqual(ends(answer), {"failed": "5", "lost-others": "0-1,3,7", "stopped": "2", "no-end": "6", "succeeded": "4"})
        differ = {one["what"]: {value["value"]: value["ranks"] for value in one["values"]} for one in answer["differences"]}
        self.assertEqual(differ["NCCL"], {"2.21.5": "0-2,4-5,7", "2.18.3": "3"})
        self.assertEqual(differ["NCCL_P2P_DISABLE"], {None: "0,2-7", "1": "1"})
        self.assertEqual(set(differ), {"NCCL", "NCCL_P2P_DISABLE", "LD_LIBRARY_PATH"})
        self.assertEqual(answer["shared_devices"], [{"node": "n0", "device": "18000", "ranks": "0-1"}])
        waits = [(one["kind"], one["what"], one["sequence"], one["ranks"]) for one in answer["waits"]]
        self.assertIn(("collective", "ALLREDUCE", 12, "0-1,3,7"), waits)
        self.assertIn("2", [ranks for kind, _, _, ranks in waits if kind == "thread"])

    def test_success_is_silent_and_leaves_nothing(self):
        statuses, said = self.run_all(4, "pass")
        self.assertEqual((statuses, said), ([0] * 4, [""] * 4))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_always(self):
        statuses, said = self.run_all(3, "pass", options=["--always"])
        self.assertEqual(statuses, [0] * 3)
        self.assertEqual("".join(said).count(TITLE), 1, said)
        self.assertIn("3 ranks finished with status 0, and all alike", "".join(said))

    def test_one_that_fails_while_the_others_end_well(self):
        # They end while the one that failed is gathering the records.
        code = """
import os, pathlib, sys, time
if os.environ["SLURM_PROCID"] == "0":
    while len(list(pathlib.Path().glob("here-*"))) < 3:
        time.sleep(0.05)
    sys.exit(1)
pathlib.Path("here-" + os.environ["SLURM_PROCID"]).touch()
until = time.monotonic() + 60
while not list(pathlib.Path().glob("culprit-ranks-*/*reporter")) and time.monotonic() < until:
    time.sleep(0.05)
"""
        statuses, said = self.run_all(4, code)
        self.assertEqual(statuses, [1, 0, 0, 0])
        self.assertEqual("".join(said).count(TITLE), 1, said)
        self.assertIn("ranks 1-3: finished with status 0", said[0])

    def test_a_plug_in_that_nccl_does_without_is_not_the_cause(self):
        code = """
import ctypes, os
try: ctypes.CDLL("libnccl-net.so")
except OSError as error: print(f"n0:7:7 [0] NCCL INFO NET/Plugin : dlerror={error} No plugin found (libnccl-net.so), using internal implementation", flush=True)
if os.environ["SLURM_PROCID"] == "1": os._exit(3)
"""
        statuses, said = self.run_all(2, code)
        self.assertEqual(statuses, [0, 3])
        report = "".join(said)
        self.assertIn("rank 1 of 2 on n0 failed first: could not tell why", report)
        self.assertNotIn("libnccl-net.so", report)
        self.assertNotIn("cause:", report)

    def test_records_in_the_output(self):
        statuses, said = self.run_all(4, "import os, sys; sys.exit(int(os.environ['SLURM_PROCID']) == 2)", options=["--ranks", "-"],
                                      NCCL_SOCKET_IFNAME="x" * 350)
        self.assertEqual(statuses, [0, 0, 1, 0])
        lines = [f"{rank}: {line}" for rank, text in enumerate(said) for line in text.splitlines()]
        lines = lines[::2] + ["3: epoch 1, loss 0.5"] + lines[1::2]  # mixed, as srun does
        (self.folder / "out").write_text("\n".join(lines + lines[:2]) + "\n")
        status, answer = merged(self.folder / "out")
        self.assertEqual((status, ends(answer), answer["not_read"]), (1, {"failed": "2", "succeeded": "0-1,3"}, []))
        lines = [line for line in lines if "rank-2 2/" not in line]
        (self.folder / "out").write_text("\n".join(lines) + "\n")
        status, answer = merged(self.folder / "out")
        self.assertEqual((ends(answer)["unheard"], [one["what"] for one in answer["not_read"]]), ("2", ["rank-2"]))

    def test_each_alone(self):
        statuses, said = self.run_all(2, "raise KeyError('x')", options=["--ranks", "none"])
        self.assertEqual(statuses, [1, 1])
        self.assertEqual(["KeyError" in text and TITLE not in text for text in said], [True, True])
        self.folder.chmod(0o500)
        statuses, said = self.run_all(2, "raise KeyError('x')", SLURM_STEP_ID="1")
        self.folder.chmod(0o700)
        self.assertEqual(statuses, [1, 1])
        if os.geteuid() != 0:
            self.assertEqual([TITLE in text for text in said], [False, False])

    def test_a_folder_of_an_earlier_run_is_refused(self):
        named = {"SLURM_JOB_ID": "", "RANK": "0", "WORLD_SIZE": "2"}
        for time_ in ("first", "second"):
            done = start(self.folder, variables(0, 2, **named), PYTHON, "-c", "", options=["--ranks", "records"]).communicate(timeout=120)[1]
            self.assertEqual("an earlier run" in done, time_ == "second", done)

    def test_damaged_records_are_rows(self):
        self.run_all(2, "", options=["--ranks", "records"])
        whole = (self.folder / "records" / "77.0-rank-1.done.json").read_bytes()
        (self.folder / "records" / "77.0-rank-1.done.json").write_bytes(whole[:60])
        (self.folder / "records" / "77.0-rank-9.json").write_bytes(b"\0" * 40_000)
        (self.folder / "records" / "rank-.json").write_bytes(b"")
        status, answer = merged(self.folder / "records")
        self.assertEqual((status, ends(answer)), (2, {"unheard": "1", "succeeded": "0"}))
        self.assertEqual(len(answer["not_read"]), 3, answer["not_read"])

    def test_what_is_no_folder_of_records(self):
        for words in (["--merge", str(self.folder)], ["--merge", str(self.folder / "none")]):
            self.assertEqual(subprocess.run([CULPRIT, "run", *words], capture_output=True, check=False).returncode, 2)
        (self.folder / "notes").write_text("a line\nanother\n")
        status, answer = merged(self.folder / "notes")
        self.assertEqual((status, answer["verdict"], answer["headline"]), (2, "unknown", "no rank record could be read"))
        self.assertEqual((answer["ends"], len(answer["not_read"])), ([], 2))
        told = subprocess.run([CULPRIT, "run", "--merge", str(self.folder / "notes")], capture_output=True, text=True, check=False)
        self.assertNotIn(TITLE, told.stdout)
        for words in (["--merge", "x", "true"], ["--merge", "x", "--format", "html"]):
            self.assertEqual(subprocess.run([CULPRIT, "run", *words], capture_output=True, check=False).returncode, 64)


if __name__ == "__main__":
    CULPRIT = os.path.abspath(sys.argv.pop(1))
    unittest.main()
