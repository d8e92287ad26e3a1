#!/usr/bin/env python3
"""The files of the wheels and of the source distribution. packaging/test-wheels installs them.

  test_distribution.py CULPRIT [unittest arguments]
"""
import base64
import csv
import hashlib
import re
import sys
import tarfile
import zipfile
from unittest import mock

import cases
import distribution
from cases import InFolder


def elf(machine, segments):
    header = b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + (2).to_bytes(2, "little") + machine.to_bytes(2, "little")
    header = header.ljust(32, b"\0") + (64).to_bytes(8, "little")
    header = header.ljust(54, b"\0") + (56).to_bytes(2, "little") + len(segments).to_bytes(2, "little")
    return header.ljust(64, b"\0") + b"".join(kind.to_bytes(4, "little").ljust(56, b"\0") for kind in segments)


class Wheels(InFolder):
    def test_the_same_bytes_every_time(self):
        platform = distribution.TARGETS["linux-x86_64"][2][0]
        wheels = []
        for name in "ab":
            (self.folder / name).mkdir()
            wheels.append(distribution.write_wheel(elf(62, [1]), platform, self.folder / name))
        self.assertEqual(wheels[0].read_bytes(), wheels[1].read_bytes())
        self.assertEqual(f"culprit-{distribution.version()}-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
                         wheels[0].name)

    def test_the_record_is_right(self):
        wheel = zipfile.ZipFile(distribution.write_wheel(b"MZ", "win_amd64", self.folder))
        name = f"culprit-{distribution.version()}"
        rows = list(csv.reader(wheel.read(f"{name}.dist-info/RECORD").decode().splitlines()))
        self.assertEqual(sorted(wheel.namelist()), sorted(row[0] for row in rows))
        self.assertEqual([f"{name}.dist-info/RECORD", "", ""], rows[-1])
        for path, digest, size in rows[:-1]:
            contents = wheel.read(path)
            expected = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).decode().rstrip("=")
            self.assertEqual((f"sha256={expected}", str(len(contents))), (digest, size))
        self.assertEqual(0o100755, wheel.getinfo(f"{name}.data/scripts/culprit.exe").external_attr >> 16)
        self.assertIn("culprit/py.typed", wheel.namelist())
        self.assertFalse([path for path in wheel.namelist() if "test" in path or "__pycache__" in path])
        self.assertIn(b"Tag: py3-none-win_amd64\n", wheel.read(f"{name}.dist-info/WHEEL"))
        self.assertTrue(wheel.read(f"{name}.dist-info/METADATA").startswith(b"Metadata-Version: 2.1\nName: culprit\n"))

    def test_only_programs_that_start_there(self):
        check = distribution.check_program
        self.assertEqual("", check(elf(62, [1]), "linux-x86_64"))
        self.assertEqual("", check(elf(183, [1]), "linux-aarch64"))
        self.assertIn("another CPU", check(elf(62, [1]), "linux-aarch64"))
        self.assertIn("not static", check(elf(62, [1, 3]), "linux-x86_64"))
        self.assertIn("not a 64-bit Linux", check(b"#!/bin/sh", "linux-x86_64"))
        self.assertIn("not a 64-bit Windows", check(elf(62, [1]), "windows-x86_64"))
        self.assertEqual("", check(b"MZ".ljust(0x3C, b"\0") + (0x40).to_bytes(4, "little") + b"PE\0\0\x64\x86",
                                   "windows-x86_64"))

    def test_the_readme_stands_alone(self):
        links = re.findall(r"\]\(([^)]*)\)", distribution.README.read_text())
        self.assertEqual([], [link for link in links if not link.startswith("https://")])

    def test_the_source_distribution(self):
        with mock.patch.object(distribution, "sources", lambda: ["test", "CMakeLists.txt"]):
            first = distribution.write_sdist(self.folder).read_bytes()
            path = distribution.write_sdist(self.folder)
        self.assertEqual(first, path.read_bytes())
        entries = {entry.name.split("/", 1)[1]: entry for entry in tarfile.open(path).getmembers()}
        self.assertEqual(["CMakeLists.txt", "PKG-INFO", "pyproject.toml", "test"], sorted(entries))
        self.assertEqual((0o755, 0o644), (entries["test"].mode, entries["PKG-INFO"].mode))


if __name__ == "__main__":
    sys.exit(cases.main())
