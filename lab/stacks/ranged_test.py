#!/usr/bin/env python3
"""A zip member read in parts equals the whole member wherever it is known; and only parts are downloaded."""
import io
import pathlib
import random
import struct
import tempfile
import unittest
import zipfile
import zlib

import deflate_entry
import pe_writer
import ranged
import reduce
import reduce_test
import remote
import wheels


def deflated(data, level=6):
    packer = zlib.compressobj(level, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def text(size):
    """Data that compresses well and repeats at every distance."""
    words = [b"cudnn", b"graph", b"\0\0\0\0", b"_ZN", b"St6vector", b"E", b"v\0", b"infer", b"\x08\0\0\0\0\0\0\0"]
    choose = random.Random(size)
    return b"".join(choose.choices(words, k=size // 3))[:size]


class Server:
    """Answers like a session of requests, from memory."""

    def __init__(self, data, status=206, fails=0):
        self.data, self.status, self.fails = data, status, fails

    def get(self, _, headers, stream):
        begin, end = map(int, headers["Range"].removeprefix("bytes=").split("-"))
        answer = Server(self.data, self.status)
        answer.status_code, answer.content = self.status, self.data[begin:end + 1]
        answer.headers = {"Content-Range": f"bytes {begin}-{end}/{len(self.data)}"}
        if self.fails:
            self.fails -= 1
            raise OSError("reset")
        return answer

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


class Tail(unittest.TestCase):
    def known(self, whole, compressed):
        """The tail from `compressed`, checked; returns its length and how much of it is not known."""
        made, unknown = deflate_entry.tail(compressed)
        base = len(whole) - len(made)
        for begin, end in ranged.without((0, len(made)), unknown):
            self.assertEqual(whole[base + begin:base + end], made[begin:end])
        return len(made), sum(end - begin for begin, end in unknown)

    def test_behind_what_does_not_repeat_all_is_known(self):
        whole = text(300_000) + random.Random(1).randbytes(1_500_000) + text(900_000)
        stream = deflated(whole)
        length, unknown = self.known(whole, stream[-1_000_000:])
        self.assertGreater(length, 1_000_000)
        self.assertEqual(0, unknown)

    def test_copies_of_what_is_not_there_are_not_known(self):
        whole = text(1_500_000)
        stream = deflated(whole)
        _, unknown = self.known(whole, stream[-len(stream) // 2:])
        self.assertGreater(unknown, 1000)

    def test_every_bit_of_a_byte_is_entered(self):
        whole = b"".join(random.Random(i).randbytes(3000).translate(bytes(range(0, 256, 2)) * 2) for i in range(150))
        stream, bits = deflated(whole), set()
        for cut in range(1000, 200_000, 9000):
            bits.add(deflate_entry.find(stream[cut:], True)[1])
            self.known(whole, stream[cut:])
        self.assertGreater(len(bits), 4)

    def test_stored_blocks(self):
        whole = random.Random(3).randbytes(600_000)
        length, unknown = self.known(whole, deflated(whole, 0)[-400_000:])
        self.assertGreater(length, 250_000)
        self.assertEqual(0, unknown)

    def test_a_stream_that_ends_elsewhere_has_no_tail(self):
        stream = deflated(random.Random(4).randbytes(300_000) + text(600_000))
        self.assertTrue(deflate_entry.tail(stream[-250_000:]))
        for wrong in (stream[-250_000:-100], stream[-250_000:] + b"more", bytes(250_000)):
            with self.assertRaises(deflate_entry.NoEntry):
                deflate_entry.tail(wrong)


class Parts(unittest.TestCase):
    def library(self, gpu):
        strings = b"\0cudnn_ops_version\0"
        symbols = bytes(24) + struct.pack("<IBBHQQ", 1, 0x11, 0, 4, 0, 4)
        sections = [(b".text", 1, 6, text(700_000)), (b".dynstr", 3, 2, strings), (b".dynsym", 11, 2, symbols),
                    (b".rodata", 1, 2, text(900_000)), (b".nv_fatbin", 1, 2, gpu),
                    (b".dynamic", 6, 3, text(400)), (b".data", 1, 3, text(200_000))]
        data = bytearray(reduce_test.elf(sections))
        at = data.index(symbols) + 24 + 8
        struct.pack_into("<Q", data, at, data.index(strings) + len(strings) + len(symbols) + 0x10000 + 500_000)
        return bytes(data)

    def unpack(self, members, package, **server):
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as wheel:
            for name, data in members.items():
                wheel.writestr(name, data)
        data = archive.getvalue()
        with tempfile.TemporaryDirectory() as work, \
                remote.RemoteFile(Server(data, **server), "https://x/x.whl", len(data), work) as source:
            target = pathlib.Path(work, "tree")
            wheels.unpack_reduced(source, target, work, ranged.Reader(source, package, work))
            return {name: (target / name).read_bytes() for name in members}, source.fetched / len(data)

    def setUp(self):
        self.gpu = reduce_test.container(*(reduce_test.entry(reduce_test.noise(1_000_000 + i)) for i in range(6)))

    def test_gpu_code_of_nvidia_is_a_hole_and_the_rest_is_there(self):
        data = self.library(self.gpu)
        got, share = self.unpack({"a/small.py": b"x = 1\n" * 99, "a/libcudnn_ops.so.9": data}, "nvidia-cudnn-cu12")
        self.assertLess(share, 0.2)
        self.assertEqual(b"x = 1\n" * 99, got["a/small.py"])
        library = got["a/libcudnn_ops.so.9"]
        begin, end = data.index(self.gpu), data.index(self.gpu) + len(self.gpu)
        self.assertEqual(len(data), len(library))
        self.assertEqual(bytes(end - begin), library[begin:end])
        self.assertEqual(data[end:], library[end:])
        rodata = begin - 900_000
        self.assertEqual(data[rodata:begin], library[rodata:begin])  # the word of the version lies there

    def test_gpu_code_of_a_framework_stays(self):
        data = self.library(self.gpu)
        got, share = self.unpack({"torch/lib/libtorch_cuda.so": data}, "torch", fails=2)
        self.assertGreater(share, 0.99)
        library = got["torch/lib/libtorch_cuda.so"]
        self.assertEqual(6, len(next(reduce.fatbins(library))[1]))
        self.assertEqual(data[-200_000:], library[-200_000:])

    def test_a_dll_of_nvidia_lacks_only_its_gpu_code(self):
        spec = {"exports": ["cudnnGetVersion"], "words": {"cudnn_ops_infer_version": 0x80905},
                "sections": {".nv_fatb": self.gpu, ".after": text(300_000)}}
        data = pe_writer.image(spec, "cudnn_ops_infer64_8.dll")
        got, share = self.unpack({"bin/cudnn_ops_infer64_8.dll": data}, "nvidia-cudnn-cu11")
        self.assertLess(share, 0.3)
        at = data.index(self.gpu)
        end = at + -(-len(self.gpu) // 512) * 512
        self.assertEqual(data[:at] + bytes(end - at) + data[end:], got["bin/cudnn_ops_infer64_8.dll"])

    def test_a_server_without_ranges(self):
        with self.assertRaises(remote.Unavailable):
            self.unpack({"a.so": self.library(self.gpu)}, "torch", status=200)


if __name__ == "__main__":
    remote.time.sleep = lambda _: None
    unittest.main()
