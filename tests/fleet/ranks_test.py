#!/usr/bin/env python3
"""`srun culprit run` with eight ranks on four nodes of a real Slurm on this machine: one report for all of them.

usage: ranks_test.py PROGRAM     (root; Debian's slurmctld, slurmd, munge; `./test --all`)

The ranks are those of tests/run/ranks.py. Once srun leaves the others alone after a failure, once it kills them at once (-K), once all hang and
are cancelled. Prints the count at the end.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "run")]
import cluster  # noqa: E402
from ranks import RANKS, stubs  # noqa: E402

TOOLS = (*cluster.SLURM_TOOLS, "cc")
TITLE = "how the ranks ended"
HANG = """
import os, pathlib, time
(pathlib.Path(os.environ["MEET"]) / ("here-" + os.environ["SLURM_PROCID"])).write_text(os.environ["SLURM_JOB_ID"])
time.sleep(200)
"""
count = {"passed": 0, "failed": 0, "skipped": 0}


def report(held, what, seen=""):
    count["passed" if held else "failed"] += 1
    print(f"{'passed' if held else 'FAILED'}: {what}" + (f": {str(seen)[-1500:]}" if not held else ""), flush=True)


def wait_for(path, running):
    until = time.monotonic() + 100
    while not path.exists():
        if time.monotonic() > until or running.poll() is not None:
            running.kill()
            raise RuntimeError(f"{path.name} did not come: {running.communicate()[1]}")
        time.sleep(0.05)


def step(slurm, program, folder, code, *options, **more):
    """A step of eight ranks that is running."""
    folder.mkdir()
    environment = {**slurm.environment, "MEET": str(folder), **more}
    # What each rank has of its own is set on its node.
    own = 'case $SLURM_PROCID in 3) LD_LIBRARY_PATH=$OLD;; *) LD_LIBRARY_PATH=$NEW;; esac; export LD_LIBRARY_PATH; [ $SLURM_PROCID != 1 ] || ' \
          'export NCCL_P2P_DISABLE=1; exec "$@"'
    return subprocess.Popen(["srun", "-N4", "-n8", "--overcommit", "--distribution=block", "--chdir", folder, *options, "sh", "-c", own, "sh",
                             program, "run", "--", sys.executable, "-c", code],
                            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def merged(program, folder):
    place, = folder.glob("culprit-ranks-*")
    told = subprocess.run([program, "run", "--merge", place, "--format", "json"], capture_output=True, text=True, check=False)
    return json.loads(told.stdout)


def ends(answer):
    return {one["end"]: one["ranks"] for one in answer["ends"]}


def left_alone(slurm, program, work, libraries):
    running = step(slurm, program, work / "alone", RANKS, "--kill-on-bad-exit=0", **libraries)
    wait_for(work / "alone" / "ready-2", running)
    os.kill(int((work / "alone" / "pid-2").read_text()), signal.SIGTERM)
    said = running.communicate(timeout=200)[1]
    report(running.returncode != 0, "srun ends as the ranks do", running.returncode)
    report(said.count(TITLE) == 1, "one report in the output", said)
    report("rank 5 of 8 on n03 failed first" in said, "the one that failed first, on its node", said)
    answer = merged(program, work / "alone")
    report(answer["first"]["rank"] == 5 and answer["first"]["ended"] == "exit status 3", "its status", answer["first"])
    report("KeyError: 'lr'" in answer["first"]["finding"]["last_words"], "its finding", answer["first"])
    report(ends(answer) == {"failed": "5", "lost-others": "0-1,3,7", "stopped": "2", "no-end": "6", "succeeded": "4"},
           "how each ended: one is killed together with culprit", answer["ends"])
    differ = {one["what"]: {value["value"]: value["ranks"] for value in one["values"]} for one in answer["differences"]}
    report(differ.get("NCCL") == {"2.21.5": "0-2,4-5,7", "2.18.3": "3"}, "the one with another libnccl", differ)
    report(differ.get("NCCL_P2P_DISABLE") == {None: "0,2-7", "1": "1"}, "the one with another setting", differ)
    report(set(differ) == {"NCCL", "NCCL_P2P_DISABLE", "LD_LIBRARY_PATH"}, "no other difference", differ)
    report(answer["shared_devices"] == [{"node": "n01", "device": "18000", "ranks": "0-1"}], "two ranks on one GPU", answer["shared_devices"])
    waits = [(one["what"], one["sequence"], one["ranks"]) for one in answer["waits"] if one["kind"] == "collective"]
    report(waits == [("ALLREDUCE", 12, "0-1,3,7")], "the collective in which ranks wait", answer["waits"])


def killed_at_once(slurm, program, work, libraries):
    said = step(slurm, program, work / "killed", RANKS, "--kill-on-bad-exit=1", SPARE="1", **libraries).communicate(timeout=200)[1]
    report("rank 5 of 8 on n03 failed first" in said.split(TITLE)[0], "srun -K: the report comes before the others are killed", said)
    report(said.count(TITLE) in (1, 2), "srun -K: once more when all have ended", said)
    answer = merged(program, work / "killed")
    report(ends(answer).get("failed") == "5", "srun -K: it is the only one that failed by itself", answer["ends"])
    report("2" in (ends(answer).get("stopped"), ends(answer).get("no-end")), "srun -K: one that hangs is stopped", answer["ends"])


def cancelled(slurm, program, work, libraries):
    running = step(slurm, program, work / "hang", HANG, **libraries)
    for rank in range(8):
        wait_for(work / "hang" / f"here-{rank}", running)
    time.sleep(1)
    job = (work / "hang" / "here-0").read_text()
    subprocess.run(["scancel", "--signal=TERM", job], env=slurm.environment, check=True)
    said = running.communicate(timeout=200)[1]
    report(said.count(TITLE) in (1, 2), "cancelled: a report, and a second one only if some rank was late", said)
    answer = merged(program, work / "hang")
    report(ends(answer) == {"stopped": "0-7"}, "cancelled: all were stopped", answer["ends"])
    # scancel ends the program at the same time as culprit, so that what it waited in is seen only sometimes.
    report({one["kind"] for one in answer["waits"]} <= {"thread"}, "cancelled: nothing else is claimed", answer["waits"])


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing or os.geteuid() != 0:
        print(f"skipped: ranks: {'needs root' if os.geteuid() else 'not there: ' + ', '.join(missing)}\n0 passed, 0 failed, 1 skipped")
        return 0
    with tempfile.TemporaryDirectory(prefix="ranks.", dir="/var/tmp") as folder:
        work = pathlib.Path(folder)
        slurm = cluster.Slurm(work, 4)
        try:
            slurm.start()
            program = shutil.copy(program, work / "culprit")  # the nodes have another /tmp
            old, new = stubs(work)
            libraries = {"OLD": str(old), "NEW": str(new)}
            for check in (left_alone, killed_at_once, cancelled):
                began = time.monotonic()
                check(slurm, program, work, libraries)
                print(f"{check.__name__}: {time.monotonic() - began:.1f} s")
        finally:
            slurm.stop()
    print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
    return 1 if count["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
