#!/usr/bin/env python3
"""tools/draw-facts: the same seed draws the same facts, another seed or --without draws others, and every table is drawn from."""
import collections
import functools
import json
import pathlib
import subprocess
import tempfile
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
WANTED = {"by hand": 100, "harvested": 100, "messages": 25, "libraries": 25, "machines": 25, "GPU ids": 25}
PATTERNS = {"symptom", "usual"}  # how messages are recognised, where libraries are looked for: no facts about anybody's release


def run(*arguments):
    return subprocess.run([ROOT / "tools/draw-facts", *arguments], capture_output=True, text=True, check=True).stdout


printed = functools.cache(run)


def facts(text):
    return [json.loads(line) for line in text.splitlines()]


class DrawFacts(unittest.TestCase):
    def test_the_same_seed_draws_the_same(self):
        first = printed("1")
        self.assertEqual(first, run("1"))
        self.assertNotEqual({fact["fact"] for fact in facts(first)}, {fact["fact"] for fact in facts(printed("2"))})
        self.assertEqual(WANTED, collections.Counter(fact["group"] for fact in facts(first)))

    def test_says_everything_of_a_row_and_where_from(self):
        drawn = [fact for fact in facts(printed("1")) if fact["fact"].startswith("data/frameworks.toml [[release]] torch")]
        rows = tomllib.loads((ROOT / "data/frameworks.toml").read_text())["release"]
        self.assertGreater(len(drawn), 3)
        for fact in drawn:
            self.assertIn({**fact["says"], "source": fact["source"]}, rows)

    def test_leaves_out_an_earlier_draw(self):
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as earlier:
            earlier.write(printed("1"))
            earlier.flush()
            before = {fact["fact"] for fact in facts(printed("1"))}
            self.assertEqual(set(), before & {fact["fact"] for fact in facts(printed("1", "--without", earlier.name))})

    def test_no_table_is_forgotten(self):
        counted = printed("--count")
        for path in (ROOT / "data").rglob("*.toml"):
            for table in tomllib.loads(path.read_text()):
                if table not in PATTERNS:
                    self.assertIn(f" {path.relative_to(ROOT)} [[{table}]]\n", counted)


unittest.main()
