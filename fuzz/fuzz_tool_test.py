#!/usr/bin/env python3
"""tools/fuzz: what it finds lands in the corpus, what is not instrumented is told; and the preset instruments."""
import json
import pathlib
import subprocess
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parent.parent
# A reader that crashes once, on an input that it writes where libFuzzer would.
CRASHES = """#!/bin/sh
echo "#7 INITED cov: 123 ft: 2"
for word; do case $word in -artifact_prefix=*) prefix=${word#*=} ;; esac; done
[ -z "$prefix" ] || [ -e "$0.crashed" ] && exit 0
touch "$0.crashed"
printf bad > "${prefix}crash-1"
echo "SUMMARY: AddressSanitizer: heap-buffer-overflow elf.cc:1"
exit 77
"""
BLIND = """#!/bin/sh
echo "#1000 DONE cov: 1 ft: 1"
echo "stat::number_of_executed_units: 1000"
"""
# A machine that was busy while the reader ran: the input itself takes no time.
BUSY = """#!/bin/sh
echo "#7 INITED cov: 123 ft: 2"
for word; do case $word in -artifact_prefix=*) printf quick > "${word#*=}slow-unit-1" ;; esac; done
"""


class Fuzz(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def fuzz(self, script):
        (self.folder / "fuzz").mkdir()
        program = self.folder / "fuzz" / "elf_fuzz"
        program.write_text(script)
        program.chmod(0o755)
        return subprocess.run([TOP / "tools" / "fuzz", "0", "elf", "--no-build", "--build", self.folder, "--corpus",
                               self.folder / "corpus"], capture_output=True, text=True)

    def test_what_crashes_a_reader_goes_into_the_replayed_corpus(self):
        run = self.fuzz(CRASHES)
        self.assertEqual(1, run.returncode, run.stderr)
        self.assertEqual(b"bad", (self.folder / "corpus" / "elf" / "crash-1").read_bytes())
        self.assertIn("heap-buffer-overflow", run.stdout)

    def test_an_input_that_only_a_busy_machine_made_slow_is_not_kept(self):
        run = self.fuzz(BUSY)
        self.assertEqual(0, run.returncode, run.stdout + run.stderr)
        self.assertEqual([], list((self.folder / "corpus" / "elf").iterdir()))

    def test_a_reader_without_counters_is_an_error(self):
        run = self.fuzz(BLIND)
        self.assertEqual(1, run.returncode, run.stderr)
        self.assertIn("not instrumented", run.stdout)
        self.assertIn("1,000", run.stdout)

    def test_the_presets_compile_every_room_with_counters(self):
        presets = json.loads((TOP / "CMakePresets.json").read_text())["configurePresets"]
        flags = {preset["name"]: preset["cacheVariables"].get("CMAKE_CXX_FLAGS", "").split() for preset in presets
                 if "cacheVariables" in preset}
        self.assertIn("-fsanitize=fuzzer-no-link,address,undefined", flags["fuzz"])
        self.assertIn("-fsanitize=fuzzer-no-link", flags["fuzz-fast"])

    def test_every_reader_has_a_corpus_and_sources(self):
        tool = (TOP / "tools" / "fuzz").read_text()
        for source in (TOP / "fuzz").glob("*_fuzz.cc"):
            name = source.name[:-len("_fuzz.cc")]
            self.assertTrue(any((TOP / "fuzz" / "corpus" / name).iterdir()), name)
            self.assertIn(f'    "{name}": [', tool)


if __name__ == "__main__":
    unittest.main()
