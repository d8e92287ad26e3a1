"""Edits inside an ELF file that do not depend on fixed offsets: the same edit works for every build of a library.

Only for 64-bit little-endian files; all stacks here have only those.
"""
import struct

PT_LOAD, PT_DYNAMIC, PT_GNU_STACK, PF_X = 1, 2, 0x6474E551, 1
DT_STRTAB, DT_STRSZ, DT_VERDEF, DT_VERDEFNUM, DT_VERNEED, DT_VERNEEDNUM = 5, 10, 0x6FFFFFFC, 0x6FFFFFFD, 0x6FFFFFFE, 0x6FFFFFFF


class Elf:
    """An open file and its program headers."""

    def __init__(self, file):
        self.file = file
        if self.at(0, 6) != b"\x7fELF\x02\x01":
            raise ValueError("no 64-bit ELF file")
        (start,) = struct.unpack("<Q", self.at(32, 8))
        size, count = struct.unpack("<HH", self.at(54, 4))
        self.headers = [(start + i * size, *struct.unpack("<IIQQQQQQ", self.at(start + i * size, 56))) for i in range(count)]

    def at(self, offset, size):
        self.file.seek(offset)
        return self.file.read(size)

    def put(self, offset, data):
        self.file.seek(offset)
        self.file.write(data)

    def offset(self, address):
        for _, kind, _, offset, base, _, size, _, _ in self.headers:
            if kind == PT_LOAD and base <= address < base + size:
                return offset + address - base
        raise ValueError(f"nothing of the file is mapped to {address:#x}")

    def dynamic(self):
        for _, kind, _, offset, _, _, size, _, _ in self.headers:
            if kind == PT_DYNAMIC:
                return dict(struct.iter_unpack("<QQ", self.at(offset, size // 16 * 16)))
        raise ValueError("no dynamic section")


def sysv_hash(name):
    value = 0
    for byte in name:
        value = (value << 4) + byte
        value = (value ^ (value & 0xF0000000) >> 24) & 0x0FFFFFFF
    return value


def version_records(elf, tags):
    """(offset of the hash, offset of the name) of every version that the file defines, or needs of others."""
    if DT_VERNEED in tags:
        at = elf.offset(tags[DT_VERNEED])
        for _ in range(tags[DT_VERNEEDNUM]):
            _, count, _, first, following = struct.unpack("<HHIII", elf.at(at, 16))
            entry = at + first
            for _ in range(count):
                yield entry, entry + 8
                entry += struct.unpack("<I", elf.at(entry + 12, 4))[0]
            at += following
    if DT_VERDEF in tags:
        at = elf.offset(tags[DT_VERDEF])
        for _ in range(tags[DT_VERDEFNUM]):
            first, following = struct.unpack("<II", elf.at(at + 12, 8))
            yield at + 8, at + first
            at += following


def rename_version(path, old, new):
    """Makes it look like another release, or built with one: renames a symbol version to one of the same length."""
    old, new = old.encode(), new.encode()
    if len(old) != len(new):
        raise ValueError("both names have one length")
    with open(path, "r+b") as file:
        elf = Elf(file)
        tags = elf.dynamic()
        strings = elf.offset(tags[DT_STRTAB])
        found = [(digest, strings + struct.unpack("<I", elf.at(name, 4))[0]) for digest, name in version_records(elf, tags)]
        found = [(digest, text) for digest, text in found if elf.at(text, len(old) + 1) == old + b"\0"]
        if not found:
            raise ValueError(f"{path.name} neither defines nor needs {old.decode()}")
        for digest, text in found:
            elf.put(digest, struct.pack("<I", sysv_hash(new)))
        for _, text in found:
            elf.put(text, new)


def want_executable_stack(path):
    """As if an assembler file that does not say otherwise had been linked in."""
    with open(path, "r+b") as file:
        elf = Elf(file)
        for at, kind, flags, *_ in elf.headers:
            if kind == PT_GNU_STACK:
                elf.put(at + 4, struct.pack("<I", flags | PF_X))
                return
    raise ValueError(f"{path.name} says nothing about the stack")
