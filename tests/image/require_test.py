#!/usr/bin/env python3
"""NVIDIA_REQUIRE_CUDA of made-up images on made-up hosts: culprit refuses (CUL2006) where the small evaluator below does,
which was written after the C source of libnvidia-container (src/cli/dsl.c) and knows nothing of culprit.

  require_test.py CULPRIT
"""
import json
import operator
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

CULPRIT = str(pathlib.Path(sys.argv[1]).resolve())
IMAGES = 24

# driver -> its CUDA release; one of each branch that has one
DRIVERS = {"470.82.01": "11.4", "525.85.12": "12.0", "535.183.01": "12.2", "545.23.08": "12.3", "550.54.14": "12.4",
           "560.35.03": "12.6", "570.124.06": "12.8", "580.95.05": "13.0"}
# GPU -> its compute capability, and the words that the runtime may have for its brand
GPUS = {"H100": ("9.0", ["nvidia", "tesla", "unknown"]), "T4": ("7.5", ["nvidia", "tesla", "unknown"]),
        "RTX 4090": ("8.9", ["geforce", "geforcertx"]), "GTX 1080 Ti": ("6.1", ["geforce", "geforcertx"])}
COMPARE = {"=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def numbers(text):
    parts = [int(part) for part in text.split(".")]
    while parts and parts[-1] == 0:
        parts.pop()
    return parts


class Invalid(Exception):
    pass


def holds(condition, facts):
    for length in range(1, len(condition)):
        if condition[length] in "<>=!":
            break
    else:
        raise Invalid
    end = length
    while end < len(condition) and condition[end] in "<>=!":
        end += 1
    name, sign, value = condition[:length].lower(), condition[length:end], condition[end:]
    if name not in facts or sign not in COMPARE or not value:
        raise Invalid
    if name == "brand":
        if sign not in ("=", "!="):
            raise Invalid
        return COMPARE[sign](facts[name], value.lower())
    return COMPARE[sign](numbers(facts[name]), numbers(value))


def starts(expression, facts):
    """As dsl_evaluate(): from left to right, until an alternative holds."""
    alternatives = [[c for c in alternative.split(",") if c] for alternative in expression.split(" ")]
    alternatives = [alternative for alternative in alternatives if alternative]
    return not alternatives or any(all(holds(condition, facts) for condition in alternative) for alternative in alternatives)


def expected(expression, driver, gpu):
    """True, False, or None if the brand decides or a condition is not one."""
    arch, brands = GPUS[gpu]
    answers = set()
    for brand in brands:
        try:
            answers.add(starts(expression, {"cuda": DRIVERS[driver], "driver": driver, "arch": arch, "brand": brand}))
        except Invalid:
            answers.add(None)
    return answers.pop() if len(answers) == 1 else None


def condition(rng):
    kind = rng.choice(["cuda", "cuda", "driver", "driver", "brand", "arch"])
    if rng.random() < 0.03:
        return rng.choice(["colour=blue", "cuda", "driver=>535", "brand<tesla", "cuda>="])
    if kind == "brand":
        return "brand" + rng.choice(["=", "=", "=", "!="]) + rng.choice(["tesla", "nvidia", "unknown", "geforce", "Quadro"])
    values = {"cuda": ["11.4", "12.0", "12.3", "12.4", "12.8.0", "13.0", "13"], "arch": ["7.0", "7.5", "8.9", "9.0", "10.0"],
              "driver": ["470", "471", "525", "535", "535.183.1", "536", "550", "551", "570", "571"]}
    sign = rng.choice([">=", ">=", "<", "<=", ">", "=", "!="])
    return kind + sign + rng.choice(values[kind])


def expression(rng):
    return " ".join(",".join(condition(rng) for _ in range(rng.randint(1, 3))) for _ in range(rng.randint(1, 4)))


def code_of(finding, table):
    return table["findings"][finding]["code"]


class Require(unittest.TestCase):
    def test_agrees_with_the_runtimes_own_order_of_evaluation(self):
        rng = random.Random(25)
        seen = set()
        with tempfile.TemporaryDirectory() as top:
            root = pathlib.Path(top, "root")
            (root / "etc").mkdir(parents=True)
            (root / "etc/os-release").write_text('PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n')
            for _ in range(IMAGES):
                text = expression(rng)
                pathlib.Path(top, "image.env").write_text(f"NVIDIA_REQUIRE_CUDA={text}\n")
                hosts = [(driver, gpu) for driver in DRIVERS for gpu in GPUS]
                command = [CULPRIT, "check", "--root", str(root), "--env", str(pathlib.Path(top, "image.env")), "--format", "json"]
                for driver, gpu in hosts:
                    command += ["--host", f"driver={driver},gpu={gpu}"]
                table = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
                unknown = set()
                for line in table["not_checked"]:
                    if "NVIDIA_REQUIRE_CUDA" in line["what"]:
                        unknown.update(line["hosts"])
                for i, (driver, gpu) in enumerate(hosts):
                    codes = {code_of(finding, table) for finding in table["hosts"][i]["findings"]}
                    got = None if i in unknown else "CUL2006" not in codes
                    seen.add(got)
                    self.assertEqual(got, expected(text, driver, gpu), f"{text!r} on {driver}, {gpu}")
        self.assertEqual(seen, {True, False, None}, "each answer came up")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
