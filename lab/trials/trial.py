"""One trial: culprit checks a stack, as it is or with one fault, and its answer is compared with the truth.

A fault in faults/*.toml:
  id        its name, unique
  recipe    the healthy stack
  says      what is wrong, in a sentence
  edit      the edits that break it (stacks/edits.py); env: variables that do; host: --host, "" for none at all
  cause     the true cause (a slug of causes.md); code: the rule that must name it. Without a code (the truth was written by
            somebody who does not know the rules), any rule of that cause is right
  file      what is at fault: a file, a variable, a package, as the finding must name it
  fix       what the fix must contain, in its text or its commands
            cause, code, file and fix may be lists: each of them is right
and if needed
  severity  "warning" if it does not fail but should be reported, "note" if it may be, "any" if it is an error or a
            warning depending on how one looks at it; otherwise "error"
  also      codes or causes that are also right: what else the same edit breaks
  target    what to check instead of the environment of the recipe; [] for the root itself
  unprivileged  true: culprit runs as a user with only the permissions that the file modes give
  unproven  why files cannot show that the fix works; without it, the proof is required
  lesson    the number in lessons.md, or the address of the thread
  missed    why culprit does not get it right today: it counts as a miss, but not as a test failure
  as_it_came  added after the rules were finished: reported, but not a test failure
"""
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import time
import tomllib

import edits
import loads

FAULT_KEYS = {"id", "recipe", "says", "edit", "env", "host", "cause", "code", "file", "fix", "severity", "also", "target",
              "unprivileged", "unproven", "lesson", "missed", "as_it_came"}
HEALTHY_KEYS = {"recipe", "host", "env", "id", "edit", "target", "says"}
LAB = pathlib.Path(__file__).resolve().parent.parent


class NoReport(Exception):
    """culprit gave no answer."""


@dataclasses.dataclass
class Verdict:
    trial: dict
    found: bool = False  # a finding of the right cause or the right code, at its severity
    code: bool = False  # of the right code
    first: bool = False  # the right cause comes first
    file: bool = False  # and names what is at fault
    fix: bool = False  # the right fix
    proof: str = ""  # what culprit says of it: shown, not shown, no proof
    extra: list = dataclasses.field(default_factory=list)  # errors and warnings that are not true
    said: str = ""  # the first finding
    error: str = ""  # no report at all
    seconds: float = 0.0
    recipe_host: str = ""
    loaded: loads.Loads = dataclasses.field(default_factory=loads.Loads)  # compared with the real loader

    @property
    def is_fault(self):
        return "cause" in self.trial

    @property
    def host(self):
        return self.trial.get("host", self.recipe_host)

    @property
    def right(self):
        """Everything that the trial needs."""
        if not self.is_fault:
            return not self.extra and not self.error
        return (self.found and self.code and self.first and self.file and self.fix and not self.extra
                and (self.proof == "shown") != bool(self.trial.get("unproven")))

    def misses(self):
        told = [f"says {extra}" for extra in self.extra] + ([self.error] if self.error else [])
        if not self.is_fault:
            return told
        missed = [f"not {name}" for name in ("found", "code", "first", "file", "fix") if not getattr(self, name)]
        if self.trial.get("unproven"):
            missed += ["proven after all"] if self.proof == "shown" else []
        elif self.proof != "shown":
            missed.append(f"proof: {self.proof or 'none'}")
        return missed + told


def read(path, kind, known):
    rows = tomllib.loads(path.read_text())[kind]
    for row in rows:
        unknown = set(row) - known
        if unknown:
            raise SystemExit(f"{path.name}: {row.get('id', row)}: unknown {', '.join(sorted(unknown))}")
    return rows


def faults():
    rows = [row | {"area": path.stem} for path in sorted((LAB / "faults").glob("*.toml")) for row in read(path, "fault", FAULT_KEYS)]
    names = [row["id"] for row in rows]
    for name in names:
        if names.count(name) > 1:
            raise SystemExit(f"two faults are called {name}")
    return rows


def healthy():
    return [{"id": f"healthy-{row['recipe']}-{row.get('host', '')}", **row}
            for row in read(LAB / "healthy.toml", "healthy", HEALTHY_KEYS)]


def variables_of(folder, trial, place):
    """The environment of the trial; "-" removes a variable of the recipe."""
    variables = dict(line.split("=", 1) for line in (folder / "env").read_text().splitlines())
    variables |= {name: place.fill(value) for name, value in trial.get("env", {}).items()}
    return {name: value for name, value in variables.items() if value != "-"}


def ask(program, verb, folder, facts, trial, place):
    """The report of `culprit check` or `culprit fix` as JSON."""
    env_file = folder / "env-of-trial"
    variables = variables_of(folder, trial, place)
    env_file.write_text("".join(f"{name}={value}\n" for name, value in variables.items()))
    host = place.fill(trial.get("host", facts["host"]))
    targets = trial.get("target", [facts["venv"]])
    command = [program, verb, "--format", "json", "--root", folder / "root", "--env", env_file]
    command += ["--host", host] if host else []
    command += ["--target", "windows"] if facts["platform"] == "windows" else []
    command += [place.fill(target) for target in ([targets] if isinstance(targets, str) else targets)]
    if trial.get("unprivileged") and os.geteuid() == 0:
        command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", *command]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    try:
        return json.loads(done.stdout)
    except ValueError:
        said = " ".join((done.stderr or done.stdout).split())[:300]
        raise NoReport(f"culprit {verb}: status {done.returncode}: {said}") from None


def plain(text):
    """Paths in a text as people write them: paths from run paths are full of a/../, and /lib is /usr/lib."""
    while (shorter := re.sub(r"/(?!\.\./)[^/\s]+/\.\.(?=/)", "", text)) != text:
        text = shorter
    return re.sub(r"(?<![\w./-])/lib(?=/)", "/usr/lib", text)


def named(finding, what):
    """Does the finding name it: as its subject, in its summary or in its evidence?"""
    texts = [finding["summary"], finding["subject"], *finding.get("affects", [])]
    texts += [str(value) for row in finding["evidence"] for value in row.values()]
    return any(what in text or what in plain(text) for text in texts)


def unexplained(unbound, report):
    """Symbols that the real loader does not find, for files that no error or warning names."""
    bad = [finding for finding in report["findings"] if finding["severity"] in ("error", "warning")]
    return [f"{file}: symbol {symbol} is not found, and no finding names the file" for file, symbol in unbound.items()
            if not any(named(finding, os.path.basename(file)) or named(finding, symbol) for finding in bad)]


def each(value):
    """A value of a fault that may be a list."""
    return value if isinstance(value, list) else [value]


def judge(trial, report, fixes, verdict):
    codes, causes, severity = each(trial.get("code", [])), each(trial.get("cause", [])), trial.get("severity", "error")
    bad = [finding for finding in report["findings"] if finding["severity"] in ("error", "warning")
           or finding["severity"] == severity and finding["code"] in codes]
    if not causes:
        verdict.extra = [f"{f['severity']} {f['code']}: {f['summary']}" for f in bad]
        if not bad and report["verdict"] != "ok":
            verdict.extra = [f"verdict {report['verdict']}: {json.dumps(report['not_checked'])[:300]}"]
        return
    grave = [f for f in bad if severity in ("any", f["severity"])]
    of_cause = [f for f in grave if f["cause"] in causes]
    right = [f for f in grave if f["code"] in codes] if codes else of_cause
    verdict.code = bool(right)
    right = right or of_cause
    verdict.found = bool(right)
    verdict.first = bool(bad) and bad[0]["cause"] in causes
    verdict.said = f"{bad[0]['code']} {bad[0]['cause']}: {bad[0]['summary']}" if bad else "nothing"
    blamed = [f for f in right if any(named(f, file) for file in each(trial["file"]))]
    verdict.file = bool(blamed)
    offered = [fix for fix in fixes["fixes"]
               if any((fix["code"], fix["subject"]) == (f["code"], f["subject"]) for f in blamed or right)]
    if severity == "note":  # `culprit fix` ignores notes: use the finding itself
        offered = [{**f, "proof": {"outcome": ""}} for f in blamed or right]
    fitting = [fix for fix in offered
               if any(wanted in "\n".join([fix["fix"]["text"], *fix["fix"]["commands"]]) for wanted in each(trial["fix"]))]
    verdict.fix = bool(fitting)
    proofs = {fix["proof"]["outcome"] for fix in fitting or offered}
    verdict.proof = "shown" if "shown" in proofs else ", ".join(sorted(proofs))
    verdict.extra = [f"{f['severity']} {f['code']}: {f['summary']}" for f in bad
                     if not {f["code"], f["cause"]} & {*codes, *causes, *trial.get("also", [])}]


def only_edit(folder, trial, recipe, cache):
    """Makes the edits of the trial and takes them back, and asks nobody. Returns why they do not work, or ""."""
    facts = json.loads((folder / "environment.json").read_text())
    place, undo = edits.Place(folder / "root", facts["venv"], recipe, cache), edits.Undo(folder / edits.UNDO)
    try:
        edits.make(trial.get("edit", []), place, undo)
        variables_of(folder, trial, place)
        for target in each(trial.get("target", [])):
            edits.matches(place, target)
    except (ValueError, OSError) as reason:
        return str(reason)
    finally:
        undo.take_back()
    return ""


def run(program, folder, trial, recipe, cache):
    """Breaks the stack in `folder` if the trial is a fault, runs culprit, and repairs the stack."""
    facts = json.loads((folder / "environment.json").read_text())
    place = edits.Place(folder / "root", facts["venv"], recipe, cache)
    trial = {**trial, **{key: [place.fill(text) for text in each(trial[key])] for key in ("file", "fix") if key in trial}}
    verdict, began = Verdict(trial, recipe_host=recipe["host"]), time.monotonic()
    undo = edits.Undo(folder / edits.UNDO)
    try:
        edits.make(trial.get("edit", []), place, undo)
        began = time.monotonic()
        report = ask(program, "check", folder, facts, trial, place)
        fixes = ask(program, "fix", folder, facts, trial, place) if "cause" in trial else None
        verdict.seconds = time.monotonic() - began
        judge(trial, report, fixes, verdict)
        if facts["platform"] == "linux":
            most = loads.MOST_BROKEN if "cause" in trial else loads.MOST
            verdict.loaded = loads.compare(program, folder, facts["arch"], variables_of(folder, trial, place), most)
            if not verdict.found:  # otherwise the finding explains them
                verdict.loaded.differs += unexplained(verdict.loaded.unbound, report)
    except (NoReport, ValueError, subprocess.TimeoutExpired) as reason:
        verdict.error = str(reason)
    finally:
        undo.take_back()
    return verdict
