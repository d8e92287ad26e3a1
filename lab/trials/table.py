"""The table of a run of the lab, for a terminal and for docs/accuracy.md."""
import collections


def share(part, whole):
    return f"{part}/{whole}" + (f" ({100 * part / whole:.1f} %)" if whole else "")


class Totals:
    def __init__(self, verdicts):
        self.verdicts = sorted(verdicts, key=lambda verdict: verdict.trial["id"])
        self.faults = [v for v in self.verdicts if "cause" in v.trial]
        self.held = [v for v in self.faults if not v.trial.get("as_it_came")]  # those that must be right
        self.healthy = [v for v in self.verdicts if "cause" not in v.trial]

    def failures(self):
        return (sum(not v.right or bool(v.loaded.differs) for v in self.held)
                + sum(not v.healthy or bool(v.loaded.differs) for v in self.healthy))

    def rows(self):
        """(what, part, whole) for each measure."""
        errors = [v for v in self.held if v.trial.get("severity", "error") == "error"]
        provable = [v for v in self.held if not v.trial.get("unproven")]
        yield "faults of severity error found", sum(v.found for v in errors), len(errors)
        yield "all faults found", sum(v.found for v in self.held), len(self.held)
        yield "right cause first", sum(v.first for v in self.held), len(self.held)
        yield "right file named", sum(v.file for v in self.held), len(self.held)
        yield "right fix", sum(v.fix for v in self.held), len(self.held)
        yield "fix proven", sum(v.proof == "shown" for v in provable), len(provable)
        yield "faults with a false alarm besides", sum(bool(v.extra) for v in self.held), len(self.held)
        yield "healthy stacks with a false alarm", sum(not v.healthy for v in self.healthy), len(self.healthy)
        yield "loads as the real loader does them", sum(v.loaded.agreed for v in self.verdicts), self.subjects()

    def subjects(self):
        return sum(v.loaded.subjects for v in self.verdicts)

    def not_judged(self):
        """(why, how many) for what the real loader could not be asked about."""
        return sorted(collections.Counter(why for v in self.verdicts for why in v.loaded.not_judged).items())

    def times(self):
        seconds = sorted(v.seconds for v in self.faults)
        return f"median {seconds[len(seconds) // 2]:.2f} s, longest {seconds[-1]:.2f} s" if seconds else "none"

    def text(self):
        lines = [f"{what:36} {share(part, whole)}" for what, part, whole in self.rows()]
        lines += [f"{'time of check and fix together':36} {self.times()}"]
        return "\n".join(lines + [f"no real loader for {count}: {why}" for why, count in self.not_judged()])

    def by_cause(self):
        groups = collections.defaultdict(list)
        for verdict in self.held:
            groups[verdict.trial["cause"]].append(verdict)
        return sorted(groups.items())

    def markdown(self):
        raise NotImplementedError
