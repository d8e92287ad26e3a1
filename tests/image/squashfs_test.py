#!/usr/bin/env python3
"""`culprit check` of a squashfs, and of a SIF around it, says what `culprit check --root` says of the tree, code by code with
the same evidence. The squashfs are made by mksquashfs and tar2sqfs; what is not here is left out. Also damaged ones, and
`culprit diff` of two images.

  squashfs_test.py CULPRIT
"""
import json
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "apply")]
import image_test
import images
from image_test import CULPRIT, HOST, comparable, report_of

SQUASHFS, EXT3, ENCRYPTED = 1, 2, 5
PARTITION, GENERIC, OCI_INDEX = 0x4004, 0x4007, 0x400a
SYSTEM, PRIMARY = 1, 2


def mksquashfs(root, output, *options):
    images.run("mksquashfs", root, output, "-noappend", "-no-progress", "-quiet", "-all-root", *options,
               stdout=subprocess.DEVNULL)
    return output


def tar2sqfs(root, output, *options):
    tar = images.tar_of(root, images.all_paths(root), output.with_suffix(".tar"))
    with open(tar, "rb") as stream:
        images.run("tar2sqfs", "-f", "-q", *options, output, stdin=stream)
    tar.unlink()
    return output


def descriptor(kind, number, offset, size, system=0, part=0, arch=b"04" if images.ARM else b"02"):
    """As apptainer/sif writes it (pkg/sif/descriptor.go): 585 bytes, nothing between the fields."""
    fixed = struct.pack("<iBIIIqqqqqqq", kind, 1, number, 0xf0000001, 0, offset, size, size, 0, 0, 0, 0)
    extra = struct.pack("<ii3s", system, part, arch + b"\0") if kind == PARTITION else b""
    return fixed + b"part".ljust(128, b"\0") + extra.ljust(384, b"\0")


def sif(output, parts, descriptors=48, cut=None):
    """parts: (kind, bytes, file system, kind of partition)."""
    start, data, table = 32768, b"", b""
    for number, (kind, content, system, part) in enumerate(parts, 1):
        data += b"\0" * (-len(data) % 4096)
        table += descriptor(kind, number, start + len(data), len(content), system, part)
        data += content
    header = b"#!/usr/bin/env run-singularity\n".ljust(32, b"\0") + b"SIF_MAGIC\0" + b"01\0" + b"02\0" + bytes(16)
    header += struct.pack("<8q", 0, 0, descriptors - len(parts), descriptors, 4096, descriptors * 585, start, len(data))
    whole = header.ljust(4096, b"\0") + table.ljust(descriptors * 585, b"\0")
    output.write_bytes((whole.ljust(start, b"\0") + data)[:cut])
    return output


def says(*words):
    """Status and the line on stderr."""
    done = subprocess.run([CULPRIT, *map(str, words)], capture_output=True, text=True)
    return done.returncode, done.stderr.strip()


@unittest.skipUnless(shutil.which("mksquashfs"), "no mksquashfs here (Debian: squashfs-tools)")
class Squashfs(unittest.TestCase):
    maxDiff = 4000

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.work = pathlib.Path(cls.folder.name)
        cls.root = cls.work / "root"
        cls.root.mkdir()
        image_test.sick_machine(cls.root)
        (cls.work / "env").write_text("PATH=/opt/venv/bin:/usr/bin\nLD_LIBRARY_PATH=/usr/lib\n")
        cls.truth = comparable(report_of("--root", cls.root, "--env", cls.work / "env")[0])
        cls.plain = mksquashfs(cls.root, cls.work / "plain.squashfs", "-comp", "gzip")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def same(self, image, *words):
        self.assertEqual(comparable(report_of(image, "--env", self.work / "env", *words)[0]), self.truth)

    def test_the_tree_itself_has_findings(self):
        self.assertTrue(self.truth["findings"])

    def test_every_compressor_and_block_size(self):
        for options in (["-comp", "gzip", "-b", "4096"], ["-comp", "xz"], ["-comp", "xz", "-Xbcj", "x86,arm"], ["-comp", "lz4"],
                        ["-comp", "lz4", "-Xhc"], ["-comp", "zstd", "-b", "1M"], ["-comp", "gzip", "-noI", "-noD", "-noF"],
                        ["-comp", "gzip", "-no-fragments"], ["-comp", "gzip", "-always-use-fragments", "-no-exports"]):
            with self.subTest(options=options):
                image = mksquashfs(self.root, self.work / "made.squashfs", *options)
                self.same(image)
                image.unlink()

    @unittest.skipUnless(shutil.which("tar2sqfs"), "no tar2sqfs here (Debian: squashfs-tools-ng)")
    def test_another_writer(self):
        for compressor in ("gzip", "xz", "zstd", "lz4"):
            with self.subTest(compressor=compressor):
                image = tar2sqfs(self.root, self.work / "other.squashfs", "-c", compressor)
                self.same(image)
                image.unlink()

    def test_a_sif(self):
        root = self.plain.read_bytes()
        image = sif(self.work / "image.sif", [(GENERIC, b"{}", 0, 0), (PARTITION, b"x" * 9, SQUASHFS, SYSTEM),
                                              (PARTITION, root, SQUASHFS, PRIMARY)])
        self.same(image)
        self.same(image, "--platform", f"linux/{images.ARCHITECTURE}")
        self.assertEqual(says("check", image, "--platform", "linux/riscv64")[0], 2)
        self.assertEqual(comparable(report_of("--root", image, "--env", self.work / "env")[0]), self.truth)

    def test_the_environment_of_a_sif(self):
        tree = self.work / "singular"
        shutil.copytree(self.root, tree, symlinks=True)
        (tree / ".singularity.d/env").mkdir(parents=True)
        (tree / ".singularity.d/env/10-docker2singularity.sh").write_text(
            '#!/bin/sh\nexport PATH="/opt/venv/bin:/usr/bin"\nexport LD_LIBRARY_PATH="${LD_LIBRARY_PATH:-"/usr/lib"}"\n')
        (tree / ".singularity.d/env/90-environment.sh").write_text("if true; then\n  export LD_LIBRARY_PATH=/nowhere\nfi\n")
        (tree / ".singularity.d/runscript").write_text("#!/bin/sh\nOCI_ENTRYPOINT='\"/app/train\"'\nOCI_CMD=''\nexec \"$@\"\n")
        image = sif(self.work / "env.sif", [(PARTITION, mksquashfs(tree, self.work / "e.squashfs").read_bytes(), SQUASHFS, PRIMARY)])
        report, _ = report_of(image)
        self.assertEqual({name: report["snapshot"]["environment"][name] for name in ("PATH", "LD_LIBRARY_PATH")},
                         {"PATH": "/opt/venv/bin:/usr/bin", "LD_LIBRARY_PATH": "/usr/lib"})
        program, _ = report_of("--root", tree, "/app/train", "--env", self.work / "env")
        named = {(finding["code"], finding["subject"]) for finding in program["findings"] if "/app/train" in str(finding["affects"])}
        self.assertTrue(named)
        self.assertLessEqual(named, {(finding["code"], finding["subject"]) for finding in report["findings"]})

    def test_what_is_not_read_is_told_in_one_line(self):
        root = self.plain.read_bytes()
        lzo = bytearray(root)
        lzo[20] = 3
        (self.work / "lzo.squashfs").write_bytes(lzo)
        old = bytearray(root)
        old[28] = 3
        (self.work / "old.squashfs").write_bytes(old)
        bad = bytearray(root)
        bad[12:16] = b"\xff\xff\xff\xff"
        (self.work / "bad.squashfs").write_bytes(bad)
        (self.work / "cut.squashfs").write_bytes(root[:len(root) // 2])
        (self.work / "tiny.squashfs").write_bytes(root[:50])
        empty = self.work / "empty"
        empty.mkdir()
        mksquashfs(empty, self.work / "empty.squashfs")
        sif(self.work / "ext3.sif", [(PARTITION, b"x" * 4096, EXT3, PRIMARY)])
        sif(self.work / "encrypted.sif", [(PARTITION, b"x" * 4096, ENCRYPTED, PRIMARY)])
        sif(self.work / "rootless.sif", [(GENERIC, b"x", 0, 0), (PARTITION, root, SQUASHFS, SYSTEM)])
        sif(self.work / "oci.sif", [(OCI_INDEX, b"{}", 0, 0)])
        sif(self.work / "cut.sif", [(PARTITION, root, SQUASHFS, PRIMARY)], cut=40000)
        sif(self.work / "header.sif", [(PARTITION, root, SQUASHFS, PRIMARY)], cut=4500)
        for name, words in {"lzo.squashfs": "compressed with lzo", "old.squashfs": "reads version 4.0", "bad.squashfs": "superblock",
                            "cut.squashfs": "truncated", "tiny.squashfs": "truncated", "empty.squashfs": "without a root",
                            "ext3.sif": "ext3", "encrypted.sif": "encrypted", "rootless.sif": "without a root", "oci.sif": "OCI-SIF",
                            "cut.sif": "truncated", "header.sif": "truncated"}.items():
            with self.subTest(name=name):
                status, line = says("check", self.work / name)
                self.assertEqual(status, 2, line)
                self.assertIn(words, line)
                self.assertIn(name, line)
                self.assertEqual(len(line.split("\n")), 1)

    def test_a_stream_is_refused(self):
        with open(self.plain, "rb") as stream:
            done = subprocess.run([CULPRIT, "check", "-"], stdin=stream, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot be read from a stream", done.stderr)

    def test_damage_never_looks_healthy(self):
        """A damaged byte is found when it is read, and then there is no verdict; or nobody asked for it."""
        chance, whole, told = random.Random(7), self.plain.read_bytes(), 0
        used = struct.unpack_from("<Q", whole, 40)[0]
        for number in range(12):
            data = bytearray(whole)
            # Most of them where the tables are: at the end.
            for _ in range(40):
                data[chance.randrange(used - 3000, used) if number % 3 else chance.randrange(96, used)] ^= 1 << chance.randrange(8)
            image = self.work / "damaged.squashfs"
            image.write_bytes(data)
            done = subprocess.run([CULPRIT, "check", image, "--env", self.work / "env", "--host", HOST, "--format", "json"],
                                  capture_output=True, text=True, timeout=120)
            self.assertIn(done.returncode, (0, 1, 2), done.stderr)
            if done.returncode == 2:
                told += 1
            else:
                self.assertEqual(comparable(json.loads(done.stdout)), self.truth)
        self.assertGreater(told, 4)

    def test_other_commands(self):
        image = self.plain
        for words in (["why", "libcudnn.so.9", "--for", "/app/train"], ["inspect", "/app/train"]):
            with self.subTest(words=words):
                answers = [json.loads(subprocess.run([CULPRIT, *words, "--root", where, "--env", self.work / "env", "--format", "json"],
                                                     capture_output=True).stdout) for where in (self.root, image)]
                self.assertEqual(answers[0], answers[1])
        saved = self.work / "saved.json"
        self.assertEqual(says("snapshot", "--root", image, "--env", self.work / "env", "-o", saved, "-q"), (0, ""))
        codes = lambda report: sorted(finding["code"] for finding in report["findings"])
        self.assertEqual(codes(report_of(saved)[0]), codes(self.truth))


class Differences(unittest.TestCase):
    """culprit diff of two images in all forms."""

    def test_images(self):
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            root = work / "root"
            root.mkdir()
            image_test.sick_machine(root)
            variables = ["PATH=/opt/venv/bin:/usr/bin", "LD_LIBRARY_PATH=/usr/lib"]
            old_layer = images.tar_of(root, images.all_paths(root), work / "base.tar")
            info = "nvidia_cudnn_cu12-9.5.1.17.dist-info"
            newer = info.replace("9.5.1.17", "9.9.0.52")
            site = "opt/venv/lib/python3.11/site-packages"
            members = {f"{site}/.wh.{info}": b""}
            for file in (root / site / info).iterdir():
                members[f"{site}/{newer}/{file.name}"] = file.read_bytes().replace(b"9.5.1.17", b"9.9.0.52")
            layer = images.tar_of_members(work / "upgrade.tar", members)
            config = lambda layers: images.config_of(layers, {"Env": variables})
            old = images.docker_archive(work / "old.tar", [old_layer], config([old_layer]))
            new = images.docker_archive(work / "new.tar", [old_layer, layer], config([old_layer, layer]), ["gzip"])
            report = self.diff(old, new)
            package = [item for item in report["differences"] if item["subject"].startswith("nvidia-cudnn-cu12 in")]
            self.assertEqual([(item["before"], item["after"], item["layer"]["index"]) for item in package],
                             [("9.5.1.17", "9.9.0.52", 2)])
            same = self.diff(old, old)
            self.assertEqual((same["differences"], same["headline"]), ([], "nothing changed"))
            (root / site / info).rename(root / site / newer)
            for file in (root / site / newer).iterdir():
                file.write_bytes(file.read_bytes().replace(b"9.5.1.17", b"9.9.0.52"))
            subprocess.run([CULPRIT, "snapshot", "--root", new, "-o", work / "new.json", "-q"], check=True)
            self.assertEqual(self.told(self.diff(old, work / "new.json")), self.told(report))
            if not shutil.which("mksquashfs"):
                return
            squashfs = mksquashfs(root, work / "new.squashfs")
            self.assertEqual(self.diff(squashfs, root)["headline"], "nothing changed")
            (root / ".singularity.d/env").mkdir(parents=True)
            (root / ".singularity.d/env/10-docker2singularity.sh").write_text("".join(f"export {line}\n" for line in variables))
            image = sif(work / "new.sif", [(PARTITION, mksquashfs(root, work / "sif.squashfs").read_bytes(), SQUASHFS, PRIMARY)])
            self.assertEqual(self.told(self.diff(old, image)), [*self.told(report), ("context", "container: image -> singularity")])

    def diff(self, before, after):
        done = subprocess.run([CULPRIT, "diff", before, after, "--host", HOST, "--format", "json"], capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 1, 2), done.stderr)
        self.assertTrue(done.stdout, done.stderr)
        return json.loads(done.stdout)

    @staticmethod
    def told(report):
        return [(item["kind"], item["summary"]) for item in report["differences"]]


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
