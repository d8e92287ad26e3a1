"""The results of a lab run: totals for a terminal, and docs/accuracy.md with every fault and every miss."""
import collections
import pathlib
import tomllib

HEAD = """# How often culprit is right

Made by `lab/run --accuracy docs/accuracy.md`; do not edit. culprit {version}, {date}, on {machine}.

The stacks are real wheels of the package index for Linux x86-64, Linux aarch64 and Windows, unpacked as pip does (without
the code in them, which nothing here reads), in a Debian, a conda-like prefix, a container's root file system or on a
drive C:. A fault is one edit of a healthy stack, or a host that it does not run on. Its truth was written down before
culprit saw it: the cause, the code, the file at fault, the fix. About one truth in five was corrected after the first run,
because the list of causes or the real loader disagreed, the stack had a second fault, or another fix is as good.
`lab/README.md` says how to run the lab and add to it.

On a machine with an H200, driver 580 and PyTorch 2.11 (`lab/real`, 2026-11-16) culprit 0.7.0 predicted 33 of 33 outcomes: what it
called an error failed, and everything else ran. One is by design: an empty CUDA_VISIBLE_DEVICES is a warning.

"""
FIRST_SIGHT = """
## At first sight

The figures above are for faults that culprit's developers know. These are for cases that culprit had never seen, each round as it came out and never changed
afterwards; [first-sight.md](first-sight.md) has the notes.

"""
NATIVE = """
## Really loaded

Complete libraries for this machine's CPU, a program that loads and calls them (without a GPU), one fault each. culprit predicted
before each run which files would be in the process, which error message the loader would print, and what is wrong.

"""


def first_sight():
    """The table of docs/first-sight.md."""
    text = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "first-sight.md").read_text()
    return "".join(line + "\n" for line in text.splitlines() if line.startswith("|"))


def share(part, whole):
    return f"{part}/{whole}" + (f" ({100 * part / whole:.1f} %)" if whole else "")


def code_of(trial):
    code = trial.get("code", "any")
    return code if isinstance(code, str) else " or ".join(code)


def mark(value):
    return "yes" if value else "**no**"


class Totals:
    def __init__(self, verdicts, fetched=0.0, took=0.0, natives=()):
        self.verdicts = sorted(verdicts, key=lambda verdict: verdict.trial["id"])
        self.faults = [v for v in self.verdicts if v.is_fault]
        self.held = [v for v in self.faults if not v.trial.get("as_it_came")]  # those that must be right
        self.newcomers = [v for v in self.faults if v.trial.get("as_it_came")]
        self.healthy = [v for v in self.verdicts if not v.is_fault]
        self.fetched, self.took = fetched, took
        self.natives = list(natives)  # what was really loaded (native.py)

    def failures(self):
        return (sum(not (v.right or v.trial.get("missed")) or bool(v.loaded.differs)
                    for v in self.held + self.healthy)
                + sum(bool(outcome.differs) for outcome in self.natives))

    def rows(self):
        """(what, part, whole) for each measure."""
        errors = [v for v in self.held if v.trial.get("severity", "error") == "error"]
        provable = [v for v in self.held if not v.trial.get("unproven")]
        yield "faults of severity error found", sum(v.found for v in errors), len(errors)
        yield "all faults found", sum(v.found for v in self.held), len(self.held)
        yield "by the right rule", sum(v.code for v in self.held), len(self.held)
        yield "right cause first", sum(v.first for v in self.held), len(self.held)
        yield "right file named", sum(v.file for v in self.held), len(self.held)
        yield "right fix", sum(v.fix for v in self.held), len(self.held)
        yield "fix proven", sum(v.proof == "shown" for v in provable), len(provable)
        yield "faults with a false alarm besides", sum(bool(v.extra) for v in self.held), len(self.held)
        yield "healthy stacks with a false alarm", sum(not v.right for v in self.healthy), len(self.healthy)
        yield "loads as that system's ld.so lists them", sum(v.loaded.agreed for v in self.verdicts), self.subjects()
        yield "files whose symbols ld.so looked for", sum(v.loaded.bound for v in self.verdicts), self.subjects()
        yield "really loaded, as foretold", sum(not outcome.differs for outcome in self.natives), len(self.natives)

    def subjects(self):
        return sum(v.loaded.subjects for v in self.verdicts)

    def not_judged(self):
        """(why, how many) for subjects that the real loader did not accept."""
        return sorted(collections.Counter(why for v in self.verdicts for why in v.loaded.not_judged).items())

    def times(self):
        seconds = sorted(v.seconds for v in self.faults)
        return f"median {seconds[len(seconds) // 2]:.2f} s, longest {seconds[-1]:.2f} s" if seconds else "none"

    def lines(self):
        yield from ((what, share(part, whole)) for what, part, whole in self.rows())
        yield "time of check and fix together", self.times()
        yield "the whole run", f"{self.took:.0f} s, and {self.fetched:.0f} s to fetch"

    def text(self):
        return "\n".join(f"{what:38} {value}" for what, value in self.lines())

    def by_cause(self):
        groups = collections.defaultdict(list)
        for verdict in self.held:
            cause = verdict.trial["cause"]
            groups[cause if isinstance(cause, str) else cause[0]].append(verdict)
        for cause, group in sorted(groups.items()):
            provable = [v for v in group if not v.trial.get("unproven")]
            yield [f"`{cause}`", str(len(group)), *(str(sum(getattr(v, name) for v in group))
                                                    for name in ("found", "first", "file", "fix")),
                   f"{sum(v.proof == 'shown' for v in provable)} of {len(provable)}"]

    def markdown(self, **about):
        stacks = len({v.trial["recipe"] for v in self.verdicts})
        parts = [HEAD.format(**about), f"{len(self.held)} faults in {stacks} stacks, {len(self.healthy)} healthy pairs of stack and host.\n\n",
                 grid(["measure", "result"], self.lines()),
                 FIRST_SIGHT, first_sight(),
                 "\n## By cause\n\n",
                 grid(["cause", "faults", "found", "cause first", "file named", "right fix", "proven"], self.by_cause()),
                 "\n## Every miss\n\n", self.list_misses(self.held + self.healthy),
                 "\n## Added after the rules were finished\n\nFrom real issue threads for which no rule was written; the results are unchanged.\n\n",
                 self.list_newcomers(),
                 "\n## Fixes that files cannot prove\n\n", self.list_unproven(),
                 "\n## Before anything was fixed\n\nThe same stacks when culprit 0.6.0 first saw them, counting trials that were right in "
                 "everything. We fixed what it missed, so the numbers above are for faults that culprit's developers know.\n\n",
                 first_run(),
                 "\n## Every fault\n\n",
                 grid(["fault", "what is wrong", "code", "found", "first", "file", "fix", "proof"], (
                     [v.trial["id"], cell(v.trial["says"]), code_of(v.trial), mark(v.found), mark(v.first), mark(v.file), mark(v.fix),
                      "not by files" if v.trial.get("unproven") else mark(v.proof == "shown")] for v in self.held)),
                 NATIVE, grid(["what", "what happened", "what `check` had said", "same"], (
                     [cell(o.row["says"]), cell(o.happened), cell(o.said), mark(not o.differs)] for o in self.natives)),
                 "\n## Loads that differ from ld.so\n\n", self.list_loads(),
                 "\n## Healthy pairs\n\n",
                 grid(["stack", "host", "silent"], ([v.trial["recipe"], v.host, mark(v.right)] for v in self.healthy))]
        return "".join(parts)

    def list_misses(self, verdicts):
        lines = [f"- `{v.trial['id']}`: {cell('; '.join(v.misses()))}" + (f". Reported first: {cell(v.said)}" if v.said else "") + "\n"
                 for v in verdicts if not v.right]
        return "".join(lines) or "None.\n"

    def list_loads(self):
        lines = [f"- `{v.trial['id']}`: {cell(line)}\n" for v in self.verdicts for line in v.loaded.differs]
        lines += [f"- `{o.row['id']}`: {cell(line)}\n" for o in self.natives for line in o.differs]
        lines += [f"- not judged, {count} times: {cell(why)}\n" for why, count in self.not_judged()]
        return "".join(lines) or "None.\n"

    def list_newcomers(self):
        lines = [f"- `{v.trial['id']}` ({v.trial.get('lesson', 'no source')}): {cell(v.trial['says'])}. " +
                 ("Right in everything." if v.right else "Missed: " + cell("; ".join(v.misses())) + ".") +
                 f" Reported first: {cell(v.said)}\n" for v in self.newcomers]
        return "".join(lines) or "None yet.\n"

    def list_unproven(self):
        reasons = collections.defaultdict(list)
        for verdict in self.held:
            if verdict.trial.get("unproven"):
                reasons[verdict.trial["unproven"]].append(f"`{verdict.trial['id']}`")
        return "".join(f"- {reason}: {', '.join(names)}\n" for reason, names in sorted(reasons.items())) or "None.\n"


def first_run():
    areas = tomllib.loads((pathlib.Path(__file__).resolve().parent.parent / "first-run.toml").read_text())["area"]
    return grid(["area", "right at the first run"], ([a["name"], share(a["right"], a["faults"])] for a in areas))


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def grid(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)
