#!/usr/bin/env python3
"""tests/run/on_gpu.py [--program CULPRIT] [--python PYTHON] [--out FOLDER] [CASE...]: `culprit run` on a real GPU.

Needs a machine with an NVIDIA GPU and a Python with PyTorch; nvcc and gcc for some cases, root for one. It is not part
of ./test. Each case (gpu_cases.py) runs alone and under `culprit run`: both must end the same way, and the report must
name the right cause and file first. Then the tools (--sanitize, --debug), then the cost of watching. Prints a line for
each and a table at the end; the full reports are written to FOLDER/reports.txt.
"""

import argparse
import json
import os
import pathlib
import pty
import re
import select
import signal
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time

from gpu_cases import CASES, LIMIT, PROGRAMS, CannotBeMade, Machine

HERE = pathlib.Path(__file__).resolve().parent


def run(command, environment, interrupt=None, seconds=LIMIT):
    """(status, its whole output). `interrupt`: on a terminal, with Ctrl-C 3 s after it printed this word."""
    environment = {**os.environ, **environment}
    if interrupt is None:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            timeout=seconds,
        )
        return done.returncode, done.stdout.decode(errors="replace")
    child, terminal = pty.fork()
    if child == 0:
        os.execvpe(command[0], command, environment)
    text, end, presses = b"", time.monotonic() + seconds, []
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                piece = os.read(terminal, 65536)
            except OSError:
                break
            if not piece:
                break
            text += piece
        if interrupt.encode() in text and not presses:
            # Python notices Ctrl-C only when the call returns; users then press Ctrl-\.
            presses = [(time.monotonic() + 3, b'\x03'), (time.monotonic() + 9, b'\x1c'), (end, b'')]
        if presses and time.monotonic() > presses[0][0]:
            os.write(terminal, presses.pop(0)[1])
    else:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), text.decode(errors="replace").replace("\r\n", "\n")


def first_cause(report):
    causes = report.get("causes") or report.get("explanation", {}).get("causes") or []
    return causes[0].get("cause", "") if causes else ""


def judge(case, machine, plain):
    """(what is wrong, cause, headline, report, seconds)"""
    wrong, cause, headline, text, seconds = [], "", "", "", 0.0
    for number, given in enumerate(case.make(machine)):
        environment, before = given.get("environment", {}), given.get("before", [])
        record = machine.out / f"{re.sub(r'[^A-Za-z0-9]+', '-', case.name).strip('-')}.record"
        told = machine.work / "report"
        told.unlink(missing_ok=True)
        start = time.monotonic()
        status, text = run(
            [
                *before,
                machine.program,
                "run",
                *case.options,
                "--quiet",
                "--save",
                str(record),
                "-o",
                str(told),
                "--",
                *given["command"],
            ],
            environment,
            given.get("interrupt"),
        )
        seconds += time.monotonic() - start
        if plain and case.same_end:
            alone, said = run([*before, *given["command"]], environment, given.get("interrupt"))
            if alone % 256 != status % 256 and 128 - alone != status:
                wrong.append(f"ends with {status}, alone with {alone}")
            # Numbers vary between runs; under a tool, a kernel fails with another status.
            last = re.sub(r"[\d.]+", "N", (said.strip().splitlines() or [""])[-1])
            if not case.options and last not in re.sub(r"[\d.]+", "N", text) and "0x" not in last:
                wrong.append("its last line is not in the output: " + last[:100])
        if not record.exists():
            wrong.append(f"no record was saved (status {status})")
            continue
        later = subprocess.run(
            [machine.program, "explain", "--format", "json", str(record)], capture_output=True, timeout=LIMIT
        )
        try:
            report = json.loads(later.stdout)
        except ValueError:
            wrong.append(f"explain RECORD: status {later.returncode}: {later.stderr.decode(errors='replace')[:200]}")
            continue
        cause, headline = first_cause(report), report.get("headline", "")
        if case.causes and cause not in case.causes:
            wrong.append(f"first cause {cause or 'none'}, expected {' or '.join(case.causes) or 'none'}")
        own = told.read_text(errors="replace") if told.exists() else ""
        text += "\n----- culprit -----\n" + own
        for word in (*case.words, *given.get("words", ())):
            if not re.search(word, own):
                wrong.append(f"the report does not say {word!r}")
    return wrong, cause, headline, text, seconds


def ratio(name, machine, measure, repetitions, limit):
    """Medians of the command alone and under culprit run, taken in turns."""
    alone, watched = [], []
    for number in range(repetitions):
        for series, before in (
            ((alone, []), (watched, [machine.program, "run", "--"]))
            if number % 2 == 0
            else ((watched, [machine.program, "run", "--"]), (alone, []))
        ):
            series.append(measure(before))
    result = statistics.median(watched) / statistics.median(alone)
    print(
        f"{'ok' if result <= limit else 'FAILED'} overhead of {name}: alone {statistics.median(alone):.3f} s "
        f"({min(alone):.3f} to {max(alone):.3f}), watched {statistics.median(watched):.3f} s ({min(watched):.3f} to "
        f"{max(watched):.3f}), ratio {result:.4f}, limit {limit}",
        flush=True,
    )
    return result <= limit


def overhead(machine, repetitions):
    def steps(before, *shape):
        status, said = run([*before, machine.python, str(PROGRAMS / "train.py"), *shape], {})
        found = re.search(r"seconds ([\d.]+)", said)
        if status != 0 or not found:
            raise CannotBeMade(f"train.py: status {status}: {said[-300:]}")
        return float(found[1])

    def whole(before):
        start = time.perf_counter()
        status, said = run([*before, machine.python, "-c", "import torch"], {})
        if status != 0:
            raise CannotBeMade(f"import torch: status {status}: {said[-300:]}")
        return time.perf_counter() - start

    whole([])  # warms the file cache
    usual = "a training step loop"
    good = ratio(usual, machine, lambda before: steps(before, "100", "128", "64", "64"), repetitions, 1.03)
    tiny = "a loop of tiny steps, where calls decide"
    good = ratio(tiny, machine, lambda before: steps(before, "400"), repetitions, 1.03) and good
    return ratio("import torch", machine, whole, repetitions + 2, 1.10) and good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", help="parts of their names; 'overhead' for that alone")
    parser.add_argument("--program", type=pathlib.Path, default=HERE.parent.parent / "build" / "release" / "culprit")
    parser.add_argument("--python", default=sys.executable, help="one that has PyTorch")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("on_gpu"))
    parser.add_argument("--no-plain", action="store_true", help="do not run each command alone as well")
    parser.add_argument("--no-overhead", action="store_true")
    parser.add_argument("--repetitions", type=int, default=5)
    options = parser.parse_args()
    options.out = options.out.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    counts = {"ok": 0, "FAILED": 0, "skipped": 0}
    table = []
    with tempfile.TemporaryDirectory() as folder, open(options.out / "reports.txt", "w", encoding="utf-8") as reports:
        os.chmod(folder, 0o755)
        machine = Machine(options, pathlib.Path(folder))
        for case in CASES:
            if options.cases and not any(name in case.name for name in options.cases):
                continue
            try:
                wrong, cause, headline, text, seconds = judge(case, machine, not options.no_plain)
            except CannotBeMade as reason:
                counts["skipped"] += 1
                print(f"skipped: {case.name}: {reason}", flush=True)
                continue
            except (subprocess.SubprocessError, OSError) as error:
                wrong, cause, headline, text, seconds = [f"{type(error).__name__}: {error}"[:300]], "", "", "", 0.0
            word = "FAILED" if wrong else "ok"
            counts[word] += 1
            table.append((word, case.name, cause, headline, seconds))
            print(
                f"{word} {case.name} ({seconds:.1f} s) {cause}: {headline[:160]}"
                + "".join(f"\n    {line}" for line in wrong),
                flush=True,
            )
            if wrong:
                tail = text[max(text.rfind("\n----- culprit"), 0) :]
                print("".join(f"    | {line[:160]}\n" for line in tail.strip().splitlines()[:14]), end="", flush=True)
            reports.write(f"##### {word} {case.name}\n{text}\n\n")
        if not options.no_overhead and (not options.cases or "overhead" in options.cases):
            try:
                counts["ok" if overhead(machine, options.repetitions) else "FAILED"] += 1
            except (CannotBeMade, subprocess.SubprocessError) as reason:
                counts["FAILED"] += 1
                print(f"FAILED overhead: {str(reason)[:400]}")
    print("\n| | case | cause | seconds |\n|---|---|---|---|")
    for word, name, cause, _, seconds in table:
        print(f"| {word} | {name} | {cause} | {seconds:.1f} |")
    with tarfile.open(options.out / "records.tar.gz", "w:gz") as archive:
        for record in sorted(options.out.glob("*.record")):
            archive.add(record, record.name)
            record.unlink()
    print(", ".join(f"{count} {word}" for word, count in counts.items()))
    return 1 if counts["FAILED"] else 0


sys.exit(main())
