#!/usr/bin/env python3
"""loads.py: the listing of ld.so is parsed correctly, and every kind of difference is noticed."""
import pathlib
import unittest

import loads

LISTING = """\tlinux-vdso.so.1 (0x0000ffffbc2f8000)
\t/opt/lib/libpre.so (0x0000ffffbc2a0000)
\tlibcudnn.so.9 => /opt/lib/libcudnn.so.9 (0x0000ffffbc100000)
\tlibcuda.so.1 => not found
\t/lib/ld-linux-aarch64.so.1 (0x0000ffffbc2bc000)
"""
VERSION = "/lib/libm.so.6: version `GLIBC_2.38' not found (required by /app/x.so)"


class ReadsListings(unittest.TestCase):
    def setUp(self):
        self.loader = loads.Loader.__new__(loads.Loader)
        self.loader.path = "/lib/ld-linux-aarch64.so.1"

    def told(self, out="", err="", status=0):
        return self.loader.read("/app/x.so", {"out": out, "err": err, "status": status})

    def test_files_and_what_is_missing(self):
        told = self.told(LISTING)
        self.assertEqual(told.loads, ["/opt/lib/libpre.so => /opt/lib/libpre.so",
                                      "libcudnn.so.9 => /opt/lib/libcudnn.so.9"])
        self.assertEqual(told.missing, {"libcuda.so.1"})
        self.assertEqual(told.words, set())

    def test_words_without_the_name_of_the_subject(self):
        self.assertEqual(self.told(err=f"/app/x.so: {VERSION}\n").words, {VERSION})

    def test_symbols(self):
        told = self.told(err="undefined symbol: cuInit, version libcuda.so.1\t(/app/x.so)\n"
                             "undefined symbol: f\t(/app/y.so)\n"
                             "symbol g, version V_1 not defined in file libz.so.1\t(/app/x.so)\n")
        self.assertEqual(told.unbound, {("cuInit", "/app/x.so"), ("f", "/app/y.so"), ("g", "/app/x.so")})
        self.assertEqual(told.words, set())

    def test_a_signal(self):
        told = self.told(err="qemu: uncaught target signal 7 (Bus error)\n", status=-7)
        self.assertEqual(told.words, {"killed by SIGBUS"})


class Differs(unittest.TestCase):
    def difference(self, **real):
        told = loads.Told(["a => /1/a", "b => /1/b"], {"c"}, {"word"})
        fields = {"loads": list(told.loads), "missing": set(told.missing), "words": set(told.words), **real}
        return told.difference(loads.Told(**fields))

    def test_same(self):
        self.assertEqual(self.difference(), "")

    def test_each_kind(self):
        self.assertIn("loads b => /1/b, but ld.so b => /2/b", self.difference(loads=["a => /1/a", "b => /2/b"]))
        self.assertIn("but ld.so nothing more", self.difference(loads=["a => /1/a"]))
        self.assertIn("loads nothing more", self.difference(loads=["a => /1/a", "b => /1/b", "d => /1/d"]))
        self.assertIn("loads a", self.difference(loads=["b => /1/b", "a => /1/a"]))
        self.assertIn("missing ['c'], not so ld.so", self.difference(missing=set()))
        self.assertIn("ld.so missing ['d']", self.difference(missing={"c", "d"}))
        self.assertIn("ld.so says ['other']", self.difference(words={"other"}))


class Subjects(unittest.TestCase):
    def test_every_pattern_has_a_name_that_it_means(self):
        names = ["/torch/_C.cpython-311-x86_64-linux-gnu.so", "/nvidia/cudnn/lib/libcudnn.so.9",
                 "/lib/libcudnn_ops_infer.so.8", "/jax_plugins/xla_cuda12/xla_cuda_plugin.so",
                 "/onnxruntime/capi/libonnxruntime_providers_cuda.so"]
        for name in names:
            self.assertTrue(any(pattern.search(name) for pattern in loads.SUBJECTS), name)
        self.assertFalse(any(pattern.search("/torch/lib/libshm.so") for pattern in loads.SUBJECTS))

    def test_a_text_is_no_library(self):
        self.assertFalse(loads.is_library(pathlib.Path(__file__), 62))


if __name__ == "__main__":
    unittest.main()
