"""Which bytes of a file in a wheel static analysis can see; the rest becomes a hole in a sparse file.

A CUDA library is mostly machine code, for the host and for GPUs. Static analysis does not look
there, so a file keeps its true size and loses, in whole blocks of the file system:
  - sections of host code, stack unwinding and debug data that are larger than SMALL_SECTION, except the code
    of exported functions whose name contains "ersion" or "GetProperty" (versions are constants in such code);
  - the GPU code in fatbin containers, anywhere in the file. Container headers, entry headers and the first
    PAYLOAD_HEAD bytes of each payload stay (header of a cubin, first lines of PTX, magic of a compressed stream);
  - in a PE file, all sections larger than SMALL_SECTION except the tables in them (imports, exports, resources), the
    targets of exports as above, and names of CUDA DLLs;
  - the middle of a large file that is not ELF, PE or a fatbin (static archives, models).
Everything else of an ELF file is kept: headers, dynamic section, symbols, versions, relocations, notes, .rodata, .data.
A file of unknown format is kept completely.
"""
import mmap
import os
import re
import struct

import pe_tables

REVISION = 1  # part of the cache path; increase it when the choice of kept bytes changes
BLOCK = 4096
SMALL_FILE = 1 << 20
SMALL_SECTION = 1 << 20
PAYLOAD_HEAD = 256
FUNCTION_BYTES = 4096
LARGE_OTHER, OTHER_HEAD, OTHER_TAIL = 8 << 20, 1 << 20, 1 << 16
FATBIN_MAGIC = struct.pack("<I", 0xBA55ED50)
VERSION_FUNCTION = re.compile(rb"ersion|GetProperty")
UNSEEN_SECTION = re.compile(rb"\.(eh_frame|gcc_except_table|debug_|zdebug_)")
CODE_FLAG = 4  # SHF_EXECINSTR
NOBITS = 8
DYNSYM = 11
FUNCTIONS = (2, 10)  # STT_FUNC, STT_GNU_IFUNC


def fatbin_entries(data, start, end):
    """(header, payload, end) offsets of each entry of the container, or None if it is not a valid container."""
    entries = []
    at = start + 16
    while at < end:
        if end - at < 64:
            return None
        kind, _, header, size = struct.unpack_from("<HHIQ", data, at)
        if not 0 < kind <= 0x40 or not 64 <= header <= 4096 or size > end - at - header:
            return None
        entries.append((at, at + header, at + header + size))
        at += header + size
    return entries


def fatbins(data):
    """(start, entries) of every valid fatbin container in the file."""
    at = data.find(FATBIN_MAGIC)
    while at >= 0:
        found = None
        if len(data) - at >= 16:
            version, header, size = struct.unpack_from("<HHQ", data, at + 4)
            if version == 1 and header == 16 and size <= len(data) - at - 16:
                found = fatbin_entries(data, at, at + 16 + size)
        if found is not None:
            yield at, found
        at = data.find(FATBIN_MAGIC, at + 16 + size if found is not None else at + 4)


def elf_sections(data):
    """(name, type, flags, address, offset, size, link, entry size) of each section; [] where there are none."""
    if data[:6] != b"\x7fELF\x02\x01":
        return []
    (table,) = struct.unpack_from("<Q", data, 40)
    entry_size, count, names_index = struct.unpack_from("<HHH", data, 58)
    if entry_size != 64 or not count or names_index >= count or table + count * 64 > len(data):
        return []
    rows = [struct.unpack_from("<IIQQQQIIQQ", data, table + 64 * i) for i in range(count)]
    names = data[rows[names_index][4]:rows[names_index][4] + rows[names_index][5]]
    sections = []
    for name, kind, flags, address, offset, size, link, _, _, entry in rows:
        if kind != NOBITS and offset + size > len(data):
            return []
        sections.append((names[name:names.find(b"\0", name)], kind, flags, address, offset, size, link, entry))
    return sections


def version_functions(data, sections):
    """(address, size) of the exported functions that may hold a version as a constant."""
    for _, kind, _, _, offset, size, link, _ in sections:
        if kind != DYNSYM or link >= len(sections):
            continue
        strings = data[sections[link][4]:sections[link][4] + sections[link][5]]
        symbols = struct.iter_unpack("<IBBHQQ", data[offset:offset + size // 24 * 24])
        for name, info, _, index, address, length in symbols:
            if index and info & 15 in FUNCTIONS and VERSION_FUNCTION.search(strings, name, strings.find(b"\0", name)):
                yield address, length


def host_code(data, sections):
    """Ranges of code and unwinding tables that nothing reads, and the ranges within them that something may read."""
    unseen, seen = [], []
    large = [section for section in sections if section[1] != NOBITS and section[5] > SMALL_SECTION and
             (section[2] & CODE_FLAG or UNSEEN_SECTION.match(section[0]))]
    for _, _, _, _, offset, size, _, _ in large:
        unseen.append((offset, offset + size))
    for address, length in version_functions(data, sections):
        for _, _, _, base, offset, size, _, _ in large:
            if base <= address < base + size:
                at = offset + address - base
                seen.append((at, at + max(min(length, 1 << 16), FUNCTION_BYTES)))
    return unseen, seen


def pe_sections(data):
    """Ranges of a PE file that nothing reads, and the ranges within them that something may read. None: unknown format."""
    try:
        tables = pe_tables.PeFile(data)
        named = [tables.offset(address) for name, address in tables.exports.items()
                 if isinstance(address, int) and VERSION_FUNCTION.search(name.encode("latin-1"))
                 and any(base <= address < base + raw for _, base, _, _, raw, _ in tables.sections)]
    except pe_tables.NotUnderstood:
        return None
    unseen = [(offset, offset + size) for _, _, _, offset, size, _ in tables.sections if size > SMALL_SECTION]
    seen = tables.ranges + [(at, at + FUNCTION_BYTES) for at in named]
    return unseen, seen + list(pe_tables.names_inside(data))  # the name of a loaded library shows which CUDA it was built for


def gpu_code(data):
    unseen, seen = [], []
    for start, entries in fatbins(data):
        seen.append((start, start + 16))
        for header, payload, end in entries:
            seen.append((header, payload + PAYLOAD_HEAD))
            unseen.append((payload, end))
    return unseen, seen


def joined(ranges):
    result = []
    for begin, end in sorted(map(tuple, ranges)):
        if result and begin <= result[-1][1]:
            result[-1][1] = max(result[-1][1], end)
        else:
            result.append([begin, end])
    return result


def holes(data):
    """[begin, end) ranges of whole blocks that become holes."""
    if len(data) <= SMALL_FILE:
        return []
    if data[:2] == b"MZ":
        found = pe_sections(data)
        if found is None:
            return []
        unseen, seen = found
    else:
        unseen, seen = host_code(data, elf_sections(data))
    gpu_unseen, gpu_seen = gpu_code(data)
    if data[:2] != b"MZ" and data[:4] not in (b"\x7fELF", FATBIN_MAGIC) and len(data) > LARGE_OTHER:
        unseen.append((OTHER_HEAD, len(data) - OTHER_TAIL))
    result = []
    seen = joined(seen + gpu_seen)
    next_seen = 0
    for begin, end in joined(unseen + gpu_unseen):
        while next_seen < len(seen) and seen[next_seen][1] <= begin:
            next_seen += 1
        at, index = begin, next_seen
        while at < end:
            stop = min(end, seen[index][0]) if index < len(seen) else end
            first, last = -(-at // BLOCK) * BLOCK, stop // BLOCK * BLOCK
            if last > first:
                result.append((first, last))
            at = max(at, seen[index][1] if index < len(seen) else end)
            index += 1
    return result


def copy_reduced(source, path, absent=()):
    """Writes what stays of the open file `source` to `path`, at its true size. absent: ranges it lacks, too."""
    size = os.fstat(source.fileno()).st_size
    with open(path, "wb") as out:
        out.truncate(size)
        if not size:
            return
        with mmap.mmap(source.fileno(), 0, prot=mmap.PROT_READ) as data:
            at = 0
            for begin, end in joined(holes(data) + list(absent)) + [(size, size)]:
                while at < begin:
                    step = min(begin - at, 1 << 24)
                    os.pwrite(out.fileno(), data[at:at + step], at)
                    at += step
                at = max(at, end)
