#!/usr/bin/env python3
"""Images that somebody made to do harm, or that broke on the way: each is told in a clear line, and takes little memory.

  hostile_test.py CULPRIT
"""
import gzip
import hashlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zlib

sys.dont_write_bytecode = True
sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent)]
import images

CULPRIT = str(pathlib.Path(sys.argv[1]).resolve())
MOST_MEMORY = 500 << 20  # of the program, also with a million entries
SMALL = {"etc": None, "usr/lib": None, "etc/hostname": b"box\n"}


def check(image, expect=2):
    """The report, or the one line on standard error. Nothing in these images can be judged, so the status is 2 as a rule."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        done = subprocess.Popen([CULPRIT, "check", image, "--host", "driver=535.183.01,gpu=sm_90", "--format", "json"],
                                stdout=out, stderr=errors)
        _, status, used = os.wait4(done.pid, 0)
        done.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        errors.seek(0)
        said, failed = out.read(), errors.read().decode()
    assert done.returncode == expect, (done.returncode, failed, said[-400:])
    assert used.ru_maxrss << 10 < MOST_MEMORY, used.ru_maxrss
    return json.loads(said) if said else failed.strip()


def lines(report):
    return [(line["what"], line["why"]) for line in report["not_checked"]]


def told(report):
    """Whether the report says that not all of the image could be read."""
    return report["headline"].startswith("could not tell: parts of the image could not be read")


def links(output, members):
    """A layer of links: {path: (type, target)}."""
    with tarfile.open(output, "w") as archive:
        for path, (kind, target) in members.items():
            info = tarfile.TarInfo(path)
            info.type, info.linkname = kind, target
            archive.addfile(info)
    return output


def header(name, size):
    info = tarfile.TarInfo(name)
    info.size = size
    return info.tobuf(tarfile.USTAR_FORMAT)


def headers(count):
    """As many empty files, each with a name of its own, in pieces."""
    first = header("0000000", 0)
    rest, checked = first[7:148], sum(first) - first[:7].count(b"0") * 48 - sum(first[148:156]) + 8 * 32
    for begin in range(0, count, 10_000):
        piece = []
        for number in range(begin, min(begin + 10_000, count)):
            name = b"%07d" % number
            total = checked + sum(name) - (7 - first[:7].count(b"0")) * 48
            piece += [name, rest, b"%06o\0 " % total, first[156:]]
        yield b"".join(piece)


class Hostile(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.work = pathlib.Path(self.folder.name)
        self.base = images.tar_of_members(self.work / "base.tar", SMALL)

    def tearDown(self):
        self.folder.cleanup()

    def problem(self, image, line):
        """The image has a layer that cannot be read, and this line says why."""
        report = check(image)
        self.assertIn(line, lines(report))
        self.assertTrue(told(report), report["headline"])

    def image(self, *layers):
        """An image of the base and these layers."""
        layers = [self.base, *layers]
        return images.oci_folder(self.work / "layout", layers, images.config_of(layers))

    def packed(self, data):
        path = self.work / "top.tar.gz"
        path.write_bytes(data)
        return path

    def test_names_that_lead_out(self):
        top = images.tar_of_members(self.work / "out.tar", {"../../etc/passwd": b"x", "usr/../../root": b"x"})
        self.assertEqual(lines(check(self.image(top)))[:2],
                         [("../../etc/passwd in layer 2", "its path leads out of the image"),
                          ("usr/../../root in layer 2", "its path leads out of the image")])

    def test_links_that_lead_out(self):
        """A symlink ends inside; a hard link out is left out."""
        secret = self.work / "secret.so"
        secret.write_text("outside")
        up = "/".join([".."] * 30)
        top = links(self.work / "out.tar", {
            "usr/lib/libcuda.so.1": (tarfile.SYMTYPE, f"{up}{secret}"), "etc/ld.so.conf": (tarfile.LNKTYPE, f"{up}{secret}")})
        report = check(self.image(top))
        self.assertEqual(lines(report)[0], (f"{up}{secret} in layer 2", "its path leads out of the image"))
        self.assertNotIn("outside", json.dumps(report))

    def test_links_in_a_circle(self):
        top = links(self.work / "loop.tar", {
            "usr/lib/a": (tarfile.SYMTYPE, "b"), "usr/lib/b": (tarfile.SYMTYPE, "a"), "usr/lib/a/libcuda.so.1": (tarfile.REGTYPE, ""),
            "usr/lib/self": (tarfile.LNKTYPE, "usr/lib/self"), "opt": (tarfile.SYMTYPE, "opt/opt")})
        self.assertEqual(lines(check(self.image(top)))[:2],
                         [("usr/lib/a/libcuda.so.1 in layer 2", "its directory is a file, or a loop of symlinks"),
                          ("usr/lib/self in layer 2", "a hard link to a missing file")])

    def test_more_than_a_million_entries(self):
        pack = zlib.compressobj(1, wbits=31)
        data = b"".join([pack.compress(piece) for piece in headers(1_000_001)] + [pack.flush()])
        self.problem(self.image(self.packed(data)), ("layer 2", "the image has more than 1000000 entries"))

    def test_names_of_many_megabytes(self):
        with gzip.open(self.work / "names.tar.gz", "wb", compresslevel=1) as file:
            with tarfile.open(fileobj=file, mode="w|", format=tarfile.GNU_FORMAT) as archive:
                for number in range(260):
                    archive.addfile(tarfile.TarInfo("usr/" + "x" * 1_000_000 + str(number)))
        self.problem(self.image(self.work / "names.tar.gz"), ("layer 2", "the file names in the image are too long in total"))

    def test_a_bomb(self):
        """Two GiB of zeros in as many members of gzip, a thousandth of that in bytes."""
        zeros = gzip.compress(bytes(64 << 20), 9)
        data = gzip.compress(header("usr/lib/libcudnn.so.9", 32 * (64 << 20))) + zeros * 32
        self.problem(self.image(self.packed(data)), ("layer 2", "unpacks to more than 200 times its size"))

    @unittest.skipUnless(shutil.which("zstd"), "no zstd here")
    def test_a_window_of_a_gigabyte(self):
        with open(self.work / "wide.tar.zst", "wb") as file:
            pack = subprocess.Popen(["zstd", "-q", "--ultra", "-1", "--long=30", "-c"], stdin=subprocess.PIPE, stdout=file)
            pack.communicate(header("etc/wide", 1 << 20) + bytes(1 << 20))
        self.problem(self.image(self.work / "wide.tar.zst"),
                     ("layer 2", "unpacking the layer takes more than 128 MiB of memory; unpack it first"))

    def test_a_file_of_holes(self):
        """One TiB, stored in no bytes."""
        records = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "usr/lib/libcudnn.so.9",
                   "GNU.sparse.realsize": str(1 << 40)}
        sparse = self.work / "sparse.tar"
        with tarfile.open(sparse, "w", format=tarfile.PAX_FORMAT) as archive:
            info = tarfile.TarInfo("usr/lib/GNUSparseFile.0/libcudnn.so.9")
            info.size, info.pax_headers = 512, records
            archive.addfile(info, io.BytesIO(b"0\n".ljust(512, b"\0")))
        check(self.image(self.packed(gzip.compress(sparse.read_bytes()))), 0)

    def test_bytes_that_do_not_match_their_digest(self):
        layout = self.image(self.packed(gzip.compress(self.base.read_bytes())))
        index = json.loads((layout / "index.json").read_text())
        manifest = json.loads((layout / "blobs/sha256" / index["manifests"][0]["digest"].split(":")[1]).read_text())
        digest = manifest["layers"][1]["digest"]
        blob = layout / "blobs/sha256" / digest.split(":")[1]
        other = images.tar_of_members(self.work / "other.tar", {**SMALL, "etc/ld.so.preload": b"/evil.so\n"})
        blob.write_bytes(gzip.compress(other.read_bytes()))
        self.problem(layout, ("layer 2", f"its bytes do not match the digest {digest[:19]}"))

    def test_layers_that_are_cut(self):
        noise = hashlib.shake_128(b"noise").digest(300_000)
        whole = images.tar_of_members(self.work / "whole.tar", {"usr/lib/noise": noise}).read_bytes()
        packed = gzip.compress(whole)
        for data, why in ((packed[:len(packed) // 2], "the compressed layer is truncated"), (whole[:200_000], "truncated"),
                          (packed[:1000] + b"\0" * 1000 + packed[2000:], "the compressed layer is damaged"), (b"noise" * 200, "not a tar header")):
            with self.subTest(why=why):
                self.problem(self.image(self.packed(data)), ("layer 2", why))
                shutil.rmtree(self.work / "layout")

    def test_an_archive_that_is_cut(self):
        whole = images.oci_archive(self.work / "whole.tar", [self.base], images.config_of([self.base])).read_bytes()
        cut = self.work / "cut.tar"
        for size in (3000, len(whole) // 2):
            cut.write_bytes(whole[:size])
            self.assertRegex(check(cut), "^culprit: [^\n]*cut.tar: [^\n]*truncated$")

    def test_indexes_in_a_circle(self):
        """An index can only list itself under a digest that it does not have."""
        blobs = self.work / "round/blobs/sha256"
        blobs.mkdir(parents=True)
        (self.work / "round/oci-layout").write_text("{}")
        name = "a" * 64
        index = json.dumps({"manifests": [{"digest": f"sha256:{name}"}] * 10_000})
        (blobs / name).write_text(index)
        (self.work / "round/index.json").write_text(index)
        self.assertIn("does not match its digest", check(self.work / "round"))

    def test_an_index_that_lists_the_same_manifest_again_and_again(self):
        layout = self.image()
        index = json.loads((layout / "index.json").read_text())
        (layout / "index.json").write_text(json.dumps({"manifests": index["manifests"] * 20_000}))
        self.assertFalse(told(check(layout)))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
