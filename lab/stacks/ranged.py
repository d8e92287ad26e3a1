"""Downloads from a wheel on the index, by ranges, what static analysis reads; for large files that is head and tail.

Small members are read completely. For a member larger than LARGE:
  - a library (ELF): headers, dynamic section, symbols, versions, notes, version words, for cuDNN also the
    names among the constants before GPU code. These are at the start and at the end of the file; between
    them is the largest gap, mostly host code and GPU code, which is not downloaded. To get the end, inflating
    starts in the middle of the deflate stream (deflate_entry.py).
  - a DLL (PE): all but its largest section of host code or GPU code.
  - GPU code of a framework is always read completely, because rules judge each container. No rule reads the GPU code
    of NVIDIA's own libraries: outside the gap it is complete, inside it is missing.
    So `culprit inspect` of such a library cannot name architectures; that is the only difference.
  - nvcc, because it is searched from its end, and files of unknown format: completely.
  - other files: as much of head and tail as reduce.py keeps.
Then reduce.py runs as usual, so a file from here has no byte that a complete download does not have.

The hash of a wheel cannot be checked this way. Instead: the hash that the index names, the size, the CRC of
every member that was read completely, and that the deflate streams end where they should.

About three quarters of a framework's wheels are downloaded (their GPU code), a tenth of the others.
"""
import mmap
import os
import pathlib
import re
import struct
import tempfile
import zipfile
import zlib

import deflate_entry
import pe_tables
import reduce

LARGE = 2 << 20  # compressed
FIRST_READ, LONGEST_READ = 1 << 18, 1 << 22
HEADERS = 1 << 16
ROUNDS = 4
SEARCHED_HEAD = 8 << 20  # as far as culprit searches for names in cuDNN
NEEDED_TYPES = {5, 6, 7, 11, 0x6FFFFFF6, 0x6FFFFFFD, 0x6FFFFFFE, 0x6FFFFFFF}
STRINGS, ALLOCATED, OBJECT = 3, 2, 1
GPU_SECTION = re.compile(r"\.nv_fatb|__nv_rel|\.cask_re")
NVIDIA_PACKAGE = re.compile(r"nvidia-|tensorrt|triton|cuda-")
UNJUDGED_PART = re.compile(r"(lib)?torch_cuda_(linalg|cpp)|_pywrap_profiler")
NVIDIA_LIBRARY = re.compile(r"(lib)?(cu(dart|dnn|blas|fft|rand|solver|sparse|tensor|pti)|nv|nccl|npp)")


def is_judged(package, name):
    """Do rules judge the GPU code of the file?"""
    return not (NVIDIA_PACKAGE.match(package) or NVIDIA_LIBRARY.match(name) or UNJUDGED_PART.match(name))


def covered(wanted, known):
    """Does some range of known hold each range of wanted?"""
    return all(any(begin <= at and stop <= end for begin, end in known) for at, stop in wanted if at < stop)


def without(whole, parts):
    """The ranges of [begin, end) that are in none of parts."""
    result, (at, stop) = [], whole
    for begin, end in sorted(parts):
        result.append((at, min(begin, stop)))
        at = max(at, end)
    return [(begin, end) for begin, end in result + [(at, stop)] if begin < end]


class Member:
    """A large member of the archive. What became known of it is in the sparse file `file`, at the ranges `known`."""

    def __init__(self, source, info, scratch):
        self.source, self.info, self.size = source, info, info.file_size
        name, extra = struct.unpack("<HH", source.read_range(info.header_offset + 26, info.header_offset + 30))
        self.begin = info.header_offset + 30 + name + extra
        self.end = self.begin + info.compress_size
        self.file = tempfile.TemporaryFile(dir=scratch)
        self.file.truncate(self.size)
        self.known = [(0, 0)]
        self.stream, self.read, self.head_end, self.crc = zlib.decompressobj(-15), self.begin, 0, 0
        self.tail_read, self.tail_begin = 0, self.size

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def _add(self, ranges):
        self.known = [tuple(part) for part in reduce.joined(self.known + ranges)]

    def head(self, stop):
        """Makes everything before `stop` known."""
        stop, step = min(stop, self.size), FIRST_READ
        while self.head_end < stop:
            until = min(self.read + step, self.end)
            if until == self.read:
                raise OSError(f"{self.info.filename}: the stream is too short")
            data = self.source.read_range(self.read, until)
            self.read, step = until, min(step * 2, LONGEST_READ)
            made = self.stream.decompress(data) if self.info.compress_type else data
            self.crc = zlib.crc32(made, self.crc)
            os.pwrite(self.file.fileno(), made, self.head_end)
            self.head_end += len(made)
        self._add([(0, self.head_end)])

    def whole(self):
        self.head(self.size)
        if self.crc != self.info.CRC or self.head_end != self.size:
            raise OSError(f"{self.info.filename}: the CRC or the size is another one")

    def tail(self, wanted):
        """Makes ranges near the end known; the whole file if that fails or takes as much."""
        first = min((begin for begin, end in wanted if begin < end), default=self.size)
        while not covered(wanted, self.known):
            if not self.info.compress_type:
                self.tail_read = self.size - first
            elif not self.tail_read:
                self.tail_read = FIRST_READ
            else:  # further back, as far as the known compression ratio suggests
                share = (self.size - first) / (self.size - self.tail_begin) if self.tail_begin < self.size else 2
                self.tail_read = int(self.tail_read * min(max(share * (0.8 if share > 2 else 1.1), 1.3), 8))
            if self.end - self.tail_read <= self.read:
                return self.whole()
            data = self.source.read_range(self.end - self.tail_read, self.end)
            try:
                made, unknown = deflate_entry.tail(data) if self.info.compress_type else (data, [])
            except deflate_entry.NoEntry:
                continue
            self.tail_begin = self.size - len(made)
            if self.tail_begin < 0:
                return self.whole()
            found = without((0, len(made)), unknown)
            for begin, end in found:
                os.pwrite(self.file.fileno(), made[begin:end], self.tail_begin + begin)
            self._add([(self.tail_begin + begin, self.tail_begin + end) for begin, end in found])

    def view(self):
        return mmap.mmap(self.file.fileno(), 0, prot=mmap.PROT_READ)


def version_words(data, sections):
    """[begin, end) of the exported objects whose names indicate a version."""
    for _, kind, _, _, offset, size, link, _ in sections:
        if kind != reduce.DYNSYM or link >= len(sections):
            continue
        strings = data[sections[link][4]:sections[link][4] + sections[link][5]]
        symbols = struct.iter_unpack("<IBBHQQ", data[offset:offset + size // 24 * 24])
        for name, info, _, index, address, length in symbols:
            if index and info & 15 == OBJECT and length <= 64 and name < len(strings):
                if b"ersion" in strings[name:strings.find(b"\0", name)]:
                    for _, kind_of, _, base, at, room, _, _ in sections:
                        if kind_of != reduce.NOBITS and base and base <= address < base + room:
                            yield at + address - base, at + address - base + length


def needed_of_elf(data, sections, name, judged):
    """The ranges that must be known. judged: rules judge the GPU code of this file."""
    gpu = [(section[4], section[4] + section[5]) for section in sections
           if section[1] != reduce.NOBITS and GPU_SECTION.match(section[0].decode("latin-1"))]
    (table,) = struct.unpack_from("<Q", data, 40)
    _, count, names = struct.unpack_from("<HHH", data, 58)
    needed = [(0, min(HEADERS, len(data))), (table, table + 64 * count)]
    for index, (title, kind, flags, _, offset, size, _, _) in enumerate(sections):
        if kind in NEEDED_TYPES or title == b".interp" or kind == STRINGS and (flags & ALLOCATED or index == names):
            needed.append((offset, offset + size))
    needed += version_words(data, sections)
    if judged:
        needed += gpu
    elif "cudnn" in name:
        needed.append((0, min([SEARCHED_HEAD, len(data)] + [begin for begin, _ in gpu])))
    return needed


def gap_in(needed, size):
    """The largest range that contains nothing needed."""
    needed = reduce.joined([part for part in needed if part[0] < part[1]] + [(size, size)])
    gaps = [(after[0] - before[1], before[1], after[0]) for before, after in zip(needed, needed[1:])]
    return max(gaps, default=(0, size, size))[1:]


def is_worth(gap, member):
    return gap[1] - gap[0] > member.size // 4


def read_elf(member, name, judged):
    """Makes known what is needed of a library. Returns the gap."""
    with member.view() as data:
        (table,) = struct.unpack_from("<Q", data, 40)
        entry_size, count, names = struct.unpack_from("<HHH", data, 58)
    if entry_size != 64 or not count or names >= count or table + 64 * count > member.size:
        return member.whole()
    member.tail([(table, table + 64 * count)])
    with member.view() as data:
        offset, size = struct.unpack_from("<QQ", data, table + 64 * names + 24)
    member.tail([(offset, offset + size)])
    for _ in range(ROUNDS):  # once symbols are known, they show what else is needed
        with member.view() as data:
            sections = reduce.elf_sections(data)
            if not sections:
                return member.whole()
            needed = needed_of_elf(data, sections, name, judged)
        gap = gap_in(needed, member.size)
        if covered(needed, member.known):
            return gap
        if not is_worth(gap, member):
            break
        member.head(gap[0])
        member.tail([part for part in needed if part[0] >= gap[1]])
    return member.whole()


def read_pe(member, judged):
    """Makes all of a DLL known but one section. Returns that as the gap."""
    with member.view() as data:
        (at,) = struct.unpack_from("<I", data, 60)
        count, optional = struct.unpack_from("<H12xH", data, at + 6)
        rows = [struct.unpack_from("<8s8xIIIIHHI", data, at + 24 + optional + 40 * i) for i in range(count)]
    gaps = [(size, offset, offset + size) for name, size, offset, _, _, _, _, flags in rows
            if size > reduce.SMALL_SECTION and offset + size <= member.size
            and (flags & pe_tables.CODE_FLAG or not judged and GPU_SECTION.match(name.decode("latin-1")))]
    if not gaps:
        return member.whole()
    gap = max(gaps)[1:]
    if not is_worth(gap, member):
        return member.whole()
    member.head(gap[0])
    member.tail([(gap[1], member.size)])
    return gap


def read_large(member, package):
    """Makes known what is needed of a large member. Returns the gap, or None if all of it was read."""
    name = pathlib.PurePosixPath(member.info.filename).name
    judged = is_judged(package, name)
    member.head(min(HEADERS, member.size))
    with member.view() as data:
        start = data[:HEADERS]
    if name.startswith("nvcc") or start[:4] == reduce.FATBIN_MAGIC:
        return member.whole()
    if start[:6] == b"\x7fELF\x02\x01":
        return read_elf(member, name, judged)
    if start[:2] == b"MZ":
        return read_pe(member, judged)
    if member.size <= reduce.LARGE_OTHER:
        return member.whole()
    member.head(reduce.OTHER_HEAD)
    member.tail([(member.size - reduce.OTHER_TAIL, member.size)])
    return reduce.OTHER_HEAD, member.size - reduce.OTHER_TAIL


class Reader:
    """Which parts of the archive behind `source` (a remote.RemoteFile) are read, and how."""

    def __init__(self, source, package, scratch):
        self.source, self.package, self.scratch = source, package, scratch

    def is_large(self, info):
        return (info.compress_size > LARGE and info.file_size > reduce.SMALL_FILE
                and info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))

    def fetch_small(self, members):
        """Downloads everything that is not large, in few requests: what is between two large members is one range."""
        ends = [info.header_offset for info in members[1:]] + [members[-1].header_offset + members[-1].compress_size]
        parts = [(info.header_offset, end) for info, end in zip(members, ends) if self.is_large(info)]
        for begin, end in without((0, ends[-1]), parts):
            self.source.fetch(begin, end)

    def copy(self, info, path):
        """Writes a large member to path."""
        with Member(self.source, info, self.scratch) as member:
            gap = read_large(member, self.package)
            reduce.copy_reduced(member.file, path, [gap] if gap else [])
