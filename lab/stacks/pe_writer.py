"""Writes small PE files that a real loader accepts: the tables of a DLL without its code.

A function is `return 0`, a DLL has no DllMain, a program exits with 0 at once. Nothing contains an address, so the file
can be anywhere in memory. For Windows trees where the real files are too large, must not be kept here, or are meant to be
broken: the loader sees what it checks (machine, imports, exports, version), and decides as usual.
"""
import struct

MACHINES = {"x86-64": 0x8664, "386": 0x14C}
PAGE, FILE_BLOCK = 0x1000, 0x200
RETURN_0 = b"\x31\xc0\xc3\x90"  # xor eax, eax; ret; nop: the same on both machines


def aligned(size, to):
    return -(-size // to) * to


class Section:
    """Bytes at a relative address that is known from the start, so that tables can point into it while they grow."""

    def __init__(self, name, address, flags):
        self.name, self.address, self.flags, self.data = name, address, flags, bytearray()

    def add(self, data, align=1):
        self.data += bytes(-len(self.data) % align)
        at = self.address + len(self.data)
        self.data += data
        return at

    def text(self, text):
        return self.add(text.encode("latin-1") + b"\0")

    def put(self, address, data):
        at = address - self.address
        self.data[at:at + len(data)] = data


def version_block(key, value, kind, children=b"", value_length=None):
    head = key.encode("utf-16-le") + b"\0\0"
    body = head + bytes(-(6 + len(head)) % 4) + value
    body += bytes(-(6 + len(body)) % 4) * bool(children) + children
    length = len(value) if value_length is None else value_length
    return struct.pack("<HHH", 6 + len(body), length, kind) + body


def joined_blocks(blocks):
    result = b""
    for block in blocks:
        result += bytes(-len(result) % 4) + block
    return result


def version_resource(version):
    def words(text):
        a, b, c, d = (int(part) for part in text.split("."))
        return a << 16 | b, c << 16 | d

    fixed = struct.pack("<13I", 0xFEEF04BD, 0x10000, *words(version["file"]),
                        *words(version.get("product", version["file"])), 0x3F, 0, 0x40004, 2, 0, 0, 0)
    texts = [version_block(key, text.encode("utf-16-le") + b"\0\0", 1, value_length=len(text) + 1)
             for key, text in version.get("strings", {}).items()]
    table = version_block("040904b0", b"", 1, joined_blocks(texts))
    translation = version_block("Translation", struct.pack("<HH", 0x409, 0x4B0), 0)
    children = joined_blocks([version_block("StringFileInfo", b"", 1, table),
                              version_block("VarFileInfo", b"", 1, translation)])
    return version_block("VS_VERSION_INFO", fixed, 0, children)


def resources(section, items):
    """A tree of three levels (kind, number, language) with one resource of each kind."""
    entries = sorted(items.items())
    root = struct.pack("<IIHHHH", 0, 0, 0, 0, 0, len(entries))
    second = len(root) + 8 * len(entries)
    leaves = second + 48 * len(entries)
    data = leaves + 16 * len(entries)
    head, below, rows, blobs = root, b"", b"", b""
    for index, (kind, blob) in enumerate(entries):
        at = second + 48 * index
        head += struct.pack("<II", kind, 1 << 31 | at)
        below += struct.pack("<IIHHHH", 0, 0, 0, 0, 0, 1) + struct.pack("<II", 1, 1 << 31 | at + 24)
        below += struct.pack("<IIHHHH", 0, 0, 0, 0, 0, 1) + struct.pack("<II", 0x409, leaves + 16 * index)
        blobs += bytes(-len(blobs) % 8)
        rows += struct.pack("<IIII", section.address + data + len(blobs), len(blob), 0, 0)
        blobs += blob
    section.add(head + below + rows + blobs)
    return section.address, len(section.data)


def thunk_table(tables, names, ordinals, bits):
    """The list of imports from one DLL, as bytes."""
    layout, top = ("<Q", 1 << 63) if bits == 64 else ("<I", 1 << 31)
    rows = [tables.add(b"\0\0" + name.encode("latin-1") + b"\0", 2) for name in names]
    rows += [top | number for number in ordinals]
    return b"".join(struct.pack(layout, row) for row in [*rows, 0])


def import_tables(spec, tables, writable, bits):
    rows = []
    for dll, names, ordinals in spec.get("imports", []):
        thunks = thunk_table(tables, names, ordinals, bits)
        rows.append((tables.add(thunks, 8), 0, 0, tables.text(dll), writable.add(thunks, 8)))
    if not rows:
        return 0, 0
    body = b"".join(struct.pack("<IIIII", *row) for row in rows) + bytes(20)
    return tables.add(body, 4), len(body)


def delay_tables(spec, tables, writable, bits):
    rows = []
    for dll, names, ordinals in spec.get("delay_imports", []):
        thunks = thunk_table(tables, names, ordinals, bits)
        handle = writable.add(bytes(8), 8)
        rows.append((1, tables.text(dll), handle, writable.add(thunks, 8), tables.add(thunks, 8), 0, 0, 0))
    if not rows:
        return 0, 0
    body = b"".join(struct.pack("<8I", *row) for row in rows) + bytes(32)
    return tables.add(body, 4), len(body)


def export_tables(spec, name, code, tables, writable):
    """exports: names; words: name -> value of a 4-byte object; forwarders: name -> "OTHER.Function"."""
    forwarders, words = spec.get("forwarders", {}), spec.get("words", {})
    names = sorted({*spec.get("exports", []), *forwarders, *words}, key=lambda text: text.encode("latin-1"))
    if not names:
        return 0, 0
    start = tables.add(bytes(40), 4)
    addresses, function = [], code.add(RETURN_0, 16)
    for export in names:
        if export in forwarders:
            addresses.append(tables.text(forwarders[export]))
        elif export in words:
            addresses.append(writable.add(struct.pack("<I", words[export]), 4))
        else:
            addresses.append(function)
    name_table = b"".join(struct.pack("<I", tables.text(export)) for export in names)
    own_name = tables.text(name)
    functions_at = tables.add(b"".join(struct.pack("<I", address) for address in addresses), 4)
    names_at = tables.add(name_table, 4)
    ordinals_at = tables.add(b"".join(struct.pack("<H", index) for index in range(len(names))), 4)
    tables.put(start, struct.pack("<IIHHIIIIIII", 0, 0, 0, 0, own_name, 1, len(names), len(names), functions_at,
                                  names_at, ordinals_at))
    return start, tables.address + len(tables.data) - start


def write(path, spec, name=None):
    """Makes the file. spec: machine, imports and delay_imports ([DLL, names, ordinals]), exports, forwarders, words,
    version ({"file", "strings"}), manifest (text), data (bytes before the words), names_inside (texts), sections
    ({name: bytes}), program (an .exe)."""
    with open(path, "wb") as out:
        out.write(image(spec, name or path.name))


def image(spec, name):
    machine = spec.get("machine", "x86-64")
    bits = 64 if machine == "x86-64" else 32
    # Each section has enough space for anything, so that addresses are known before the contents.
    code = Section(".text", PAGE, 0x60000020)
    tables = Section(".rdata", 0x100000, 0x40000040)
    writable = Section(".data", 0x1000000, 0xC0000040)
    code.add(RETURN_0)
    writable.add(spec.get("data", b""))
    for text in spec.get("names_inside", []):
        writable.text(text)
    directories = [(0, 0)] * 16
    directories[0] = export_tables(spec, name, code, tables, writable)
    directories[1] = import_tables(spec, tables, writable, bits)
    directories[13] = delay_tables(spec, tables, writable, bits)
    writable.add(bytes(8), 8)
    tables.add(bytes(8), 8)
    if tables.address + len(tables.data) > writable.address:
        raise ValueError("more tables than there is room for")
    sections, address = [code, tables, writable], aligned(writable.address + len(writable.data), PAGE)
    items = {}
    if spec.get("version"):
        items[16] = version_resource(spec["version"])
    if spec.get("manifest"):
        items[24] = spec["manifest"].encode()
    if items:
        sections.append(Section(".rsrc", address, 0x40000040))
        directories[2] = resources(sections[-1], items)
        address += aligned(len(sections[-1].data), PAGE)
    for extra, content in spec.get("sections", {}).items():
        sections.append(Section(extra, address, 0x40000040))
        sections[-1].add(content)
        address += aligned(len(content), PAGE)
    sections.append(Section(".reloc", address, 0x42000040))
    directories[5] = sections[-1].add(struct.pack("<IIHH", PAGE, 12, 0, 0)), 12
    return laid_out(spec, machine, bits, sections, directories)


def laid_out(spec, machine, bits, sections, directories):
    program = spec.get("program", False)
    optional_size = 240 if bits == 64 else 224
    head_size = aligned(0x80 + 24 + optional_size + 40 * len(sections), FILE_BLOCK)
    offset, rows, bodies = head_size, b"", b""
    end = PAGE
    for section in sections:
        raw = aligned(len(section.data), FILE_BLOCK)
        # No gap between sections in memory: some loaders reject that. The space up to the next one is zeros.
        following = [other.address for other in sections if other.address > section.address]
        size = min(following) - section.address if following else len(section.data)
        rows += struct.pack("<8sIIIIIIHHI", section.name.encode(), size, section.address, raw, offset, 0, 0, 0, 0,
                            section.flags)
        bodies += bytes(section.data) + bytes(raw - len(section.data))
        offset += raw
        end = aligned(section.address + size, PAGE)
    characteristics = 0x0002 | (0x0020 if bits == 64 else 0x0100) | (0 if program else 0x2000)
    header = b"MZ".ljust(60, b"\0") + struct.pack("<I", 0x80)
    header = header.ljust(0x80, b"\0") + b"PE\0\0" + struct.pack(
        "<HHIIIHH", MACHINES[machine], len(sections), spec.get("time_stamp", 0x60000000), 0, 0, optional_size,
        characteristics)
    base = (0x140000000 if program else 0x180000000) if bits == 64 else (0x400000 if program else 0x10000000)
    entry = PAGE if program else 0
    header += struct.pack("<HBBIIIII", 0x20B if bits == 64 else 0x10B, 14, 0, PAGE, 0, 0, entry, PAGE)
    header += struct.pack("<Q", base) if bits == 64 else struct.pack("<II", 0x100000, base)
    header += struct.pack("<IIHHHHHHIIIIHH", PAGE, FILE_BLOCK, 6, 0, 0, 0, 6, 0, 0, end, head_size, 0, 3,
                          0x160 if bits == 64 else 0x140)
    layout = "<QQQQII" if bits == 64 else "<IIIIII"
    header += struct.pack(layout, 0x100000, 0x1000, 0x100000, 0x1000, 0, 16)
    header += b"".join(struct.pack("<II", *directory) for directory in directories) + rows
    return header.ljust(head_size, b"\0") + bodies
