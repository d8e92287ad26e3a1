#!/usr/bin/env python3
"""reduce.py loses nothing that static analysis reads: headers of GPU code stay, only whole blocks are removed."""
import pathlib
import random
import struct
import tempfile
import unittest

import pe_tables
import pe_writer
import reduce

BLOCK = reduce.BLOCK


def entry(payload, header=64):
    return struct.pack("<HHIQ", 2, 0x101, header, len(payload)).ljust(header, b"h") + payload


def container(*entries):
    body = b"".join(entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def noise(size):
    return random.Random(size).randbytes(size).replace(b"\0", b"x").replace(reduce.FATBIN_MAGIC, b"yyyy")


def elf(sections):
    """A 64-bit ELF file of (name, type, flags, content); addresses are 0x10000 more than offsets."""
    names = b"\0" + b"".join(name + b"\0" for name, *_ in sections) + b".shstrtab\0"
    body, rows = bytearray(64), [(0,) * 10]
    for name, kind, flags, content in [*sections, (b".shstrtab", 3, 0, names)]:
        rows.append((names.index(name + b"\0"), kind, flags, len(body) + 0x10000, len(body), len(content), 2, 0, 8, 0))
        body += content
    struct.pack_into("<6s", body, 0, b"\x7fELF\x02\x01")
    struct.pack_into("<Q", body, 40, len(body))
    struct.pack_into("<HHH", body, 58, 64, len(rows), len(rows) - 1)
    return bytes(body) + b"".join(struct.pack("<IIQQQQIIQQ", *row) for row in rows)


class Reduce(unittest.TestCase):
    def reduced(self, data):
        with tempfile.TemporaryDirectory() as folder:
            source, target = pathlib.Path(folder, "whole"), pathlib.Path(folder, "reduced")
            source.write_bytes(data)
            with open(source, "rb") as file:
                reduce.copy_reduced(file, target)
            result = target.read_bytes()
        self.assertEqual(len(data), len(result))
        for at in range(0, len(data), BLOCK):
            self.assertIn(result[at:at + BLOCK], (data[at:at + BLOCK], bytes(len(data[at:at + BLOCK]))))
        return result

    def test_small_files_stay_whole(self):
        data = container(entry(noise(reduce.SMALL_FILE - 80)))
        self.assertEqual(data, self.reduced(data))

    def test_gpu_code_goes_and_its_headers_stay(self):
        sizes = [500_000, 8, 700_000, 0, 300_000]
        data = noise(777) + container(*(entry(noise(size), 72) for size in sizes)) + noise(999)
        result = self.reduced(data)
        at = 777 + 16
        self.assertEqual(data[:at], result[:at])
        for size in sizes:
            self.assertEqual(data[at:at + 72 + min(size, 256)], result[at:at + 72 + min(size, 256)])
            at += 72 + size
        self.assertEqual(data[at:], result[at:])
        self.assertLess(len(result) - result.count(0), 20 * BLOCK)

    def test_what_only_looks_like_a_container_stays(self):
        data = noise(5000) + struct.pack("<IHHQ", 0xBA55ED50, 1, 16, 1_500_000) + noise(2_000_000)
        self.assertEqual(data, self.reduced(data))

    def test_a_container_cut_short_stays(self):
        data = container(entry(noise(2_000_000)))[:-1]
        self.assertEqual(data, self.reduced(data))

    def test_large_code_goes_but_for_functions_that_tell_a_version(self):
        code = noise(3_000_000)
        strings = b"\0libGetVersion\0other\0"
        text = 64  # the first section
        symbols = bytes(24) + struct.pack("<IBBHQQ", 1, 0x12, 0, 1, text + 0x10000 + 1_000_000, 32)
        symbols += struct.pack("<IBBHQQ", 15, 0x12, 0, 1, text + 0x10000 + 2_000_000, 32)
        data = elf([(b".text", 1, 6, code), (b".dynstr", 3, 2, strings), (b".dynsym", 11, 2, symbols),
                    (b".rodata", 1, 2, noise(2_000_000)), (b".eh_frame", 1, 2, noise(2_000_000))])
        result = self.reduced(data)
        at = text + 1_000_000
        self.assertEqual(data[at:at + 32], result[at:at + 32])
        self.assertEqual(bytes(32), result[text + 2_000_000:text + 2_000_032])
        rodata = text + len(code) + len(strings) + len(symbols)
        self.assertEqual(data[text + len(code):rodata + 2_000_000], result[text + len(code):rodata + 2_000_000])
        self.assertEqual(bytes(1_900_000), result[rodata + 2_050_000:rodata + 3_950_000])
        self.assertEqual(data[-500:], result[-500:])

    def test_sections_beyond_the_end_leave_the_file_whole(self):
        data = bytearray(elf([(b".text", 1, 6, noise(3_000_000)), (b".dynstr", 3, 2, b"\0"), (b".x", 1, 2, b"x")]))
        struct.pack_into("<Q", data, len(data) - 5 * 64 + 64 + 32, 1 << 40)
        self.assertEqual(bytes(data), self.reduced(bytes(data)))

    def dll(self, **more):
        spec = {"imports": [["cudnn_ops_infer64_8.dll", [f"function{i}" for i in range(300)], [7]]],
                "delay_imports": [["nvcuda.dll", ["cuInit"], []]],
                "exports": [f"?long_name_{i}@cudnn@@{'x' * 200}" for i in range(9000)],
                "forwarders": {"beep": "KERNEL32.Beep"}, "words": {"cudnn_x_version": 0x80905},
                "version": {"file": "8.9.5.29", "strings": {"ProductName": "cuDNN", "FileVersion": "8.9.5.29"}},
                "manifest": "<assembly/>", **more}
        return pe_writer.image(spec, "made.dll")

    def tables(self, data):
        file = pe_tables.PeFile(data)
        return (file.machine, file.sections, file.imports, file.delay_imports, file.exports, file.export_name,
                file.version, file.directories)

    def test_the_tables_of_a_dll_stay_and_its_large_sections_go(self):
        gpu = container(entry(noise(2_000_000), 72), entry(noise(1_500_000)))
        data = self.dll(sections={".blob": noise(3_000_000), ".nv_fatb": gpu})
        result = self.reduced(data)
        self.assertEqual(self.tables(data), self.tables(result))
        blob, fatbin = (data.index(part[:64]) for part in (noise(3_000_000), gpu))
        self.assertEqual(bytes(2_900_000), result[blob + BLOCK:blob + BLOCK + 2_900_000])
        self.assertEqual(gpu[:16 + 72 + 256], result[fatbin:fatbin + 16 + 72 + 256])
        second = fatbin + 16 + 72 + 2_000_000
        self.assertEqual(data[second:second + 64 + 256], result[second:second + 64 + 256])
        self.assertEqual(bytes(1_000_000), result[fatbin + 500_000:fatbin + 1_500_000])

    def test_the_version_word_of_a_dll_stays(self):
        data = self.dll(data=noise(3_000_000))
        at = data.index(struct.pack("<I", 0x80905))
        result = self.reduced(data)
        self.assertEqual(data[at:at + 4], result[at:at + 4])
        begin = data.index(noise(3_000_000)[:64]) + BLOCK
        self.assertEqual(bytes(2_900_000), result[begin:begin + 2_900_000])

    def test_a_dll_whose_tables_leave_it_stays_whole(self):
        data = self.dll(sections={".blob": noise(3_000_000)})
        cut = data[:len(data) - 1_000_000]
        self.assertEqual(cut, self.reduced(cut))


if __name__ == "__main__":
    unittest.main()
