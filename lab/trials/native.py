"""Real failures: a program loads complete CUDA libraries, after culprit predicted what will happen.

The stack (stacks/whole.py) is for this machine's CPU. A row of native.toml:
  id, says  its name, and what is wrong, or not
  edit, env what breaks it, as in faults/*.toml; besides {site} and {lib} there is {toolkit}
  program   one of whole.py's; steps: what it does (load.c); default: calls every cuDNN sub-library
  happens   a pattern that its output must match: proof that it happened
  code      what `culprit check PROGRAM` must find, at `severity` ("error"), naming `file`; without a code: no error
  toolkit   needs this machine's own CUDA toolkit with cuDNN (the other rows do not see it)
  unprivileged  root must not be able to read everything
  files_only    why only the files can be compared, not the findings

It compares
  - what happened with what `check` found;
  - the files in the process with those that `culprit why --for PROGRAM` predicted: each loaded file was predicted, by
    path, and each predicted DT_NEEDED is loaded;
  - if the program did not start, the message of ld.so with that of `why`.
"""
import dataclasses
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import edits
import loads
import trial as trials
import whole

KEYS = {"id", "says", "edit", "env", "program", "steps", "happens", "code", "severity", "file", "toolkit",
        "unprivileged", "files_only"}
SPEAK = ["@cudnnGetVersion", *(f"@cudnn{part}VersionCheck" for part in ("Graph", "Ops", "Cnn", "Adv"))]
LESSER = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"]
NOT_STARTED = 127
LAST_WORDS = re.compile(r": error while loading shared libraries: |: version `\S+' not found ")
LOADER = re.compile(r"/ld-linux-[^/]*$|^linux-(vdso|gate)")


class NoRight(Exception):
    """This user cannot use another root file system."""


@dataclasses.dataclass
class Outcome:
    """One row: what happened, what culprit predicted, and how the two differ."""
    row: dict
    happened: str = ""
    said: str = ""
    differs: list = dataclasses.field(default_factory=list)
    seconds: float = 0.0


def rows():
    return trials.read(trials.LAB / "native.toml", "native", KEYS)


def carry_out(root, row, variables):
    """Runs the program in the root. Returns its status and output."""
    program = f"/app/{row['program']}"
    calls = [{"arguments": [program, *row.get("steps", SPEAK)], "variables": variables}]
    command = [sys.executable, "-IS", loads.ENTER, root, root / program[1:]]
    done = subprocess.run([*lesser(row), *command], input=json.dumps(calls), capture_output=True, text=True)
    if done.returncode == 3:
        raise NoRight("no right to enter the root: not root, and no user namespaces")
    if done.returncode:
        raise ValueError(f"{loads.ENTER.name}: {done.stderr.strip()[-200:]}")
    answer = json.loads(done.stdout)[0]
    return answer["status"], answer["out"] + answer["err"]


def lesser(row):
    """Root may read everything; without these two capabilities it may not."""
    return LESSER if row.get("unprivileged") and os.geteuid() == 0 else []


def foretold(program, folder, row, variables, host):
    """The answers of `why --for` and `check` about the program."""
    env_file = folder / "env-of-trial"
    env_file.write_text("".join(f"{name}={value}\n" for name, value in variables.items()))
    answers = []
    for arguments in (["why", "--for"], ["check", "--host", host]):
        command = [*lesser(row), program, *arguments, f"/app/{row['program']}", "--format", "json",
                   "--root", folder / "root", "--env", env_file]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd="/")
        try:
            answers.append(json.loads(done.stdout))
        except ValueError:
            said = done.stderr.strip()[:300]
            raise trials.NoReport(f"culprit {arguments[0]}: status {done.returncode}: {said}") from None
    return answers


def compare_files(output, status, why):
    """Compares the files in the process with the predicted ones."""
    there = [line[4:] for line in output.splitlines() if line.startswith("has ") and not LOADER.search(line[4:])]
    paths = {row["path"] for row in why["loads"]}
    for path in there:
        if path not in paths:
            others = [row["path"] for row in why["loads"] if os.path.basename(row["path"]) == os.path.basename(path)]
            yield f"{path} is loaded, foretold was {others[0] if others else 'nothing of that name'}"
    if status != NOT_STARTED and there:
        for row in why["loads"]:
            if row["opened_by"] == "needed" and row["requested_by"] == why["target"] and row["path"] not in there:
                yield f"{row['path']} was foretold and is not loaded"


def compare_start(output, status, why):
    """Compares the final message of ld.so with the predicted one."""
    words = [line for line in output.splitlines() if LAST_WORDS.search(line)]
    foretold_words = (why["error"] or "").splitlines()
    if status == NOT_STARTED or words:
        if set(words) != set(foretold_words):
            yield f"ld.so says {words}, foretold was {foretold_words}"
    elif foretold_words and not (why["error"].endswith(loads.KILLED) and status == -signal.SIGBUS):
        yield f"it starts, foretold was {foretold_words}"


def compare_finding(row, report):
    errors = [f for f in report["findings"] if f["severity"] == "error"]
    if "code" not in row:
        yield from (f"nothing failed, check says {f['code']}: {f['summary']}" for f in errors)
        return
    severity = row.get("severity", "error")
    right = [f for f in report["findings"] if f["code"] == row["code"] and f["severity"] == severity]
    if not right:
        yield f"check does not say {row['code']}"
    elif not any(trials.named(f, row["file"]) for f in right):
        yield f"check does not name {row['file']}"


def in_short(row, status, output):
    """What happened, in one line: the line that the row is about, or the last one."""
    lines = [line.strip() for line in output.splitlines() if line and not line.startswith("has ")]
    line = next((line for line in lines if re.search(row["happens"], line)), lines[-1] if lines else "")
    killed = f"killed by {signal.Signals(-status).name}" if status < 0 else ""
    return ", ".join(part for part in (line, killed) if part) or "no word"


def run_row(program, folder, row, recipe, cache, facts):
    outcome, began = Outcome(row), time.monotonic()
    place = edits.Place(folder / "root", facts["venv"], recipe, cache)

    def fill(text):
        return text.replace("{toolkit}", facts["toolkit"] or "") if isinstance(text, str) else text

    hidden = [{"remove": facts["toolkit"]}] if facts["toolkit"] and not row.get("toolkit") else []
    steps = [{key: fill(value) for key, value in edit.items()} for edit in row.get("edit", [])]
    filled = {**row, "env": {name: fill(value) for name, value in row.get("env", {}).items()}}
    undo = edits.Undo(folder / edits.UNDO)
    try:
        edits.make(hidden + steps, place, undo)
        variables = trials.variables_of(folder, filled, place)
        why, report = foretold(program, folder, row, variables, facts["host"])
        status, output = carry_out(folder / "root", row, variables)
        happened = output + (f"\nkilled by {signal.Signals(-status).name}" if status < 0 else "")
        outcome.happened = in_short(row, status, output)
        bad = [f for f in report["findings"] if f["severity"] in ("error", "warning")]
        outcome.said = f"{bad[0]['code']}: {bad[0]['summary']}" if bad else "nothing wrong"
        if not re.search(row["happens"], happened):
            outcome.differs.append(f"{row['happens']} did not happen, but: {outcome.happened}")
        outcome.differs += compare_start(output, status, why)
        outcome.differs += compare_files(output, status, why)
        outcome.differs += [] if row.get("files_only") else compare_finding(row, report)
    except (trials.NoReport, ValueError, subprocess.TimeoutExpired) as reason:
        outcome.differs.append(str(reason))
    finally:
        undo.take_back()
    outcome.seconds = time.monotonic() - began
    return outcome


def run(program, wanted, recipe, cache, built):
    """Returns outcomes; (row, why) for rows whose files are not available; and for those that need another machine."""
    if not wanted:
        return [], [], []
    if not shutil.which("cc"):
        return [], [], [(row, "no C compiler (cc) for the program that loads") for row in wanted]
    try:
        folder = whole.build(recipe, cache, built)
    except OSError as reason:
        return [], [(row, str(reason)) for row in wanted], []
    facts = json.loads((folder / "environment.json").read_text())
    outcomes, lacking = [], []
    for row in wanted:
        if row.get("toolkit") and not facts["toolkit"]:
            lacking.append((row, "this machine has no CUDA toolkit with cuDNN 9"))
        elif lesser(row) and not shutil.which(LESSER[0]):
            lacking.append((row, f"no {LESSER[0]} to take rights away from root"))
        else:
            try:
                outcomes.append(run_row(program, folder, row, recipe, cache, facts))
            except NoRight as reason:
                lacking.append((row, str(reason)))
    return outcomes, [], lacking
