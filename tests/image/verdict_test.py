#!/usr/bin/env python3
"""What `culprit check` and `culprit diff` conclude about an image whose container starts a program: the same of both, the
right layer, and never "nothing wrong" about an image that cannot be unpacked.

  verdict_test.py CULPRIT
"""
import gzip
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "apply")]
import images
import trees

CULPRIT = str(pathlib.Path(sys.argv[1]).resolve())
HOST, OTHER = "driver=580.95.05,gpu=H100", "driver=590.44.01,gpu=H200"
CUDA = "opt/cuda/lib"
LIBRARY = f"{CUDA}/libcudart.so.13"


def machine(root):
    """/app/train needs libcudart.so.13, which is in /opt/cuda/lib: the loader finds it there once ldconfig has run."""
    trees.small_machine(root)
    trees.library(root / LIBRARY, "libcudart.so.13")
    trees.compile_c("int greet(void); int main(void) { return greet(); }\n", root / "app/train", str(root / LIBRARY))
    (root / "etc/ld.so.conf").write_text("/opt/cuda/lib\n")


def layer(output, *members):
    """A layer of (path, type, target of a link or bytes of a file)."""
    with tarfile.open(output, "w") as archive:
        for path, kind, what in members:
            info = tarfile.TarInfo(path)
            info.type = kind
            if kind == tarfile.REGTYPE:
                info.size = len(what)
            else:
                info.linkname = what
            archive.addfile(info, io.BytesIO(what) if kind == tarfile.REGTYPE else None)
    return output


def ask(command, *words, **more):
    """The status, the report, and the line on standard error."""
    done = subprocess.run([CULPRIT, command, *map(str, words), "--host", HOST, "--format", "json"], capture_output=True, text=True, **more)
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr.strip()


class Verdicts(unittest.TestCase):
    maxDiff = 4000

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.work = pathlib.Path(cls.folder.name)
        root = cls.work / "root"
        root.mkdir()
        machine(root)
        cls.base = images.tar_of(root, images.all_paths(root), cls.work / "base.tar")
        cls.removed = layer(cls.work / "removed.tar", (f"{CUDA}/.wh.libcudart.so.13", tarfile.REGTYPE, b""))
        cls.good = cls.image("good", cls.base)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def image(cls, name, *layers, command=("/app/train",), how=("plain",), **more):
        config = images.config_of(layers, {"Cmd": list(command)}, **more)
        return images.docker_archive(cls.work / f"{name}.tar", layers, config, how)

    @staticmethod
    def told(report):
        return [(finding["code"], finding["subject"], finding["severity"], finding.get("layer")) for finding in report]

    def test_diff_finds_what_check_finds(self):
        bad = self.image("bad", self.base, self.removed)
        self.assertEqual(ask("check", self.good)[0], 0)
        status, check, _ = ask("check", bad)
        self.assertEqual((status, [finding["layer"]["index"] for finding in check["findings"]][:1]), (1, [2]))
        status, diff, _ = ask("diff", self.good, bad)
        self.assertEqual((status, self.told(diff["new_findings"])), (1, self.told(check["findings"])))
        self.assertTrue(diff["headline"].startswith("most likely: "), diff["headline"])
        self.assertEqual({item["layer"]["index"] for item in diff["differences"] if "layer" in item}, {2})

    def test_what_can_no_longer_be_checked_is_no_pass(self):
        """Without its program and its CUDA there is nothing left to judge."""
        gone = layer(self.work / "gone.tar", (f"{CUDA}/.wh.libcudart.so.13", tarfile.REGTYPE, b""), ("app/.wh.train", tarfile.REGTYPE, b""))
        bare = self.image("bare", self.base, gone, command=())
        self.assertEqual(ask("check", bare)[0], 2)
        status, diff, _ = ask("diff", self.good, bare)
        self.assertEqual((status, diff["after"]["verdict"]), (2, "unknown"))
        self.assertIn("AFTER could not be checked", diff["headline"])

    def test_what_cannot_be_unpacked_is_no_pass(self):
        broken = {"hard": (LIBRARY, tarfile.LNKTYPE, "opt/cuda/lib/nowhere"), "below": ("app/train/foo", tarfile.REGTYPE, b"x"),
                  "out": ("../../etc/passwd", tarfile.REGTYPE, b"x")}
        for name, member in broken.items():
            with self.subTest(name=name):
                image = self.image(name, self.base, layer(self.work / f"{name}-layer.tar", member))
                status, report, _ = ask("check", image)
                self.assertEqual((status, report["headline"]), (2, "could not tell: parts of the image could not be read"))
                status, report, _ = ask("check", image, "--host", OTHER)
                self.assertEqual((status, [host["runs"] for host in report["hosts"]]), (2, ["unknown", "unknown"]))
                self.assertEqual(ask("diff", self.good, image)[0], 2)

    def test_the_layer_that_put_something_else_there(self):
        replaced = {"device": [(LIBRARY, tarfile.FIFOTYPE, "")], "loop": [(LIBRARY, tarfile.SYMTYPE, "libcudart.so.13")],
                    "directory": [("opt/empty", tarfile.DIRTYPE, ""), (CUDA, tarfile.SYMTYPE, "/opt/empty")]}
        for name, members in replaced.items():
            with self.subTest(name=name):
                image = self.image(name, self.base, layer(self.work / f"{name}-layer.tar", *members))
                status, report, _ = ask("check", image)
                self.assertEqual((status, report["findings"][0]["layer"]["index"]), (1, 2), report["findings"][0])

    def test_another_cpu_than_it_says(self):
        image = self.image("other", self.base, architecture="amd64" if images.ARM else "arm64")
        status, report, _ = ask("check", image)
        self.assertEqual((status, report["not_checked"][0]["what"]), (2, "CPU of the image"))

    def test_no_room_for_temporary_files(self):
        ballast = layer(self.work / "ballast.tar", *((f"opt/{i}", tarfile.REGTYPE, os.urandom(60_000)) for i in range(400)))
        image = self.image("kept", self.base, ballast, how=("gzip",))
        status, report, error = ask("check", image, env={**os.environ, "TMPDIR": "/nonexistent"})
        self.assertEqual((status, report), (2, None))
        self.assertTrue(error.endswith("no space for temporary files of compressed layers: /nonexistent is not a directory; "
                                       "set TMPDIR to a directory with free space"), error)

    def test_short_names_of_layers_from_a_stream(self):
        plain = self.work / "named.tar"
        with tarfile.open(self.good) as source, tarfile.open(plain, "w") as target:
            manifest = json.loads(source.extractfile("manifest.json").read())
            config = manifest[0]["Config"]
            content = {"id0/VERSION": b"1.0", "id0/json": b"{}", "id0/layer.tar": self.base.read_bytes(),
                       "c.json": source.extractfile(config).read(),
                       "manifest.json": json.dumps([{"Config": "c.json", "Layers": ["id0/layer.tar"]}]).encode()}
            for path, data in content.items():
                info = tarfile.TarInfo(path)
                info.size = len(data)
                target.addfile(info, io.BytesIO(data))
        packed = self.work / "named.tar.gz"
        packed.write_bytes(gzip.compress(plain.read_bytes(), 1))
        for image in (plain, packed):
            self.assertEqual(ask("check", image)[0], 0)
        with open(plain, "rb") as stream:
            self.assertEqual(ask("check", "-", stdin=stream)[0], 0)

    def test_a_manifest_without_a_configuration(self):
        wrong = self.work / "wrong.tar"
        images.tar_of_members(wrong, {"manifest.json": b'[{"Config": 7, "Layers": []}]'})
        self.assertEqual(ask("check", wrong)[::2], (2, f'culprit: {wrong}: manifest.json names no configuration ("Config")'))

    def test_a_damaged_gzip_is_told_as_that(self):
        """The bytes unpack, and only their sum at the end tells that they are wrong."""
        data = bytearray(gzip.compress(self.base.read_bytes(), 0))
        header = data.index(b"ustar", data.index(b"ustar") + 1)
        data[header - 20] ^= 0xff
        damaged = self.work / "damaged.tar.gz"
        damaged.write_bytes(data)
        config = images.config_of([self.base], {"Cmd": ["/app/train"]})
        image = images.docker_archive(self.work / "damaged-image.tar", [damaged], config)
        status, report, _ = ask("check", image)
        self.assertEqual((status, [line["why"] for line in report["not_checked"]][0]), (2, "the compressed layer is damaged"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
