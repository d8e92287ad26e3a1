"""The tables of a PE file (DLL, EXE, PYD) that a loader or a reader uses, and where in the file they are.

For reduce.py, which keeps only those bytes, and for tests/windows/harvest.py, which keeps their contents. It is
independent of culprit's own reader, so that each can check the other. Written from Microsoft's "PE Format".
"""
import re
import struct

EXPORT, IMPORT, RESOURCE, SECURITY, BOUND_IMPORT, DELAY_IMPORT = 0, 1, 2, 4, 11, 13
UNSEEN_DIRECTORIES = (3, 5)  # unwinding, base relocations
CODE_FLAG = 0x20000000  # IMAGE_SCN_MEM_EXECUTE
DLL_NAME = re.compile(rb"(?<![\w%.-])(?:cu|nv|zlib)[\w%.-]{2,40}\.dll$")
MOST = 1 << 20  # more entries than any table of a real file has


def names_inside(data):
    """[begin, end) of the texts in the file that are names of DLLs of CUDA: what its code may load by name."""
    at = data.find(b".dll\0")
    while at >= 0:
        found = DLL_NAME.search(data[max(0, at - 60):at + 4])
        if found:
            yield at + 4 - len(found.group()), at + 4
        at = data.find(b".dll\0", at + 5)


class NotUnderstood(Exception):
    pass


class PeFile:
    """Tables of the file in `data` (bytes or a mapping). NotUnderstood if it is not a PE file or a table extends beyond it."""

    def __init__(self, data):
        self.data = data
        self.ranges = []  # [begin, end) offsets of everything that was read
        try:
            self._read()
        except (struct.error, IndexError) as error:
            raise NotUnderstood(str(error)) from None

    def _bytes(self, at, size):
        if at < 0 or size < 0 or at + size > len(self.data):
            raise NotUnderstood(f"{size} bytes at {at} lie outside the file")
        self.ranges.append((at, at + size))
        return self.data[at:at + size]

    def _unpack(self, layout, at):
        return struct.unpack(layout, self._bytes(at, struct.calcsize(layout)))

    def _text(self, address):
        at = self.offset(address)
        end = self.data.find(b"\0", at, at + 65536)
        if end < 0:
            raise NotUnderstood(f"the text at {at} does not end")
        return self._bytes(at, end + 1 - at)[:-1].decode("latin-1")

    def offset(self, address):
        """File offset of the byte at this relative address."""
        if address < self.header_size:
            return address
        for _, base, _, offset, raw_size, _ in self.sections:
            if base <= address < base + raw_size:
                return offset + address - base
        raise NotUnderstood(f"address {address:#x} lies in no section")

    def _read(self):
        if self.data[:2] != b"MZ":
            raise NotUnderstood("no MZ")
        (at,) = self._unpack("<I", 60)
        signature, self.machine, count, self.time_stamp, _, _, optional_size, self.characteristics = self._unpack(
            "<4sHHIIIHH", at)
        if signature != b"PE\0\0":
            raise NotUnderstood("no PE signature")
        optional = at + 24
        (magic,) = self._unpack("<H", optional)
        if magic not in (0x10B, 0x20B):
            raise NotUnderstood(f"optional header {magic:#x}")
        self.bits = 64 if magic == 0x20B else 32
        (self.header_size,) = self._unpack("<I", optional + 60)
        directories = optional + (112 if self.bits == 64 else 96)
        (self.directory_count,) = self._unpack("<I", directories - 4)
        self.directory_count = min(self.directory_count, 16)
        self._bytes(0, min(self.header_size, len(self.data)))
        table = optional + optional_size
        self.sections = []
        for index in range(count):
            name, size, base, raw_size, offset, _, _, _, _, flags = self._unpack("<8sIIIIIIHHI", table + 40 * index)
            if offset + raw_size > len(self.data):
                raise NotUnderstood("a section ends behind the file")
            self.sections.append((name.rstrip(b"\0").decode("latin-1"), base, size, offset, raw_size, flags))
        self.directories = [self._unpack("<II", directories + 8 * i) for i in range(self.directory_count)]
        self.directories += [(0, 0)] * (16 - self.directory_count)
        for index, (address, size) in enumerate(self.directories):
            if address and size and index not in UNSEEN_DIRECTORIES:
                at = address if index == SECURITY else self.offset(address)
                self._bytes(at, 8 if index == SECURITY else min(size, len(self.data) - at))
        self.imports = self._imports()
        self.delay_imports = self._delay_imports()
        self._exports()
        self.version = self._version()

    def _thunks(self, address):
        size, layout = (8, "<Q") if self.bits == 64 else (4, "<I")
        names, ordinals = [], []
        for index in range(MOST):
            (value,) = self._unpack(layout, self.offset(address) + index * size)
            if not value:
                return names, ordinals
            if value >> (size * 8 - 1):
                ordinals.append(value & 0xFFFF)
            else:
                self._bytes(self.offset(value), 2)
                names.append(self._text(value + 2))
        raise NotUnderstood("an import table does not end")

    def _imports(self):
        """(DLL, names, ordinals) for each DLL, in file order."""
        result, address = [], self.directories[IMPORT][0]
        for index in range(MOST if address else 0):
            lookup, _, _, name, thunks = self._unpack("<IIIII", self.offset(address) + 20 * index)
            if not name and not thunks:
                break
            result.append((self._text(name), *self._thunks(lookup or thunks)))
        return result

    def _delay_imports(self):
        result, address = [], self.directories[DELAY_IMPORT][0]
        for index in range(MOST if address else 0):
            flags, name, _, thunks, lookup, _, _, _ = self._unpack("<IIIIIIII", self.offset(address) + 32 * index)
            if not name:
                break
            if not flags & 1:
                raise NotUnderstood("delay imports with addresses of the old kind")
            for row in range(MOST):  # the addresses to fill
                (value,) = self._unpack("<Q" if self.bits == 64 else "<I",
                                        self.offset(thunks) + row * (self.bits // 8))
                if not value:
                    break
            result.append((self._text(name), *self._thunks(lookup)))
        return result

    def _exports(self):
        """exports: name -> address, or the text of a forwarder. ordinals_only: how many have no name."""
        self.exports, self.export_name, self.ordinals_only = {}, None, 0
        start, size = self.directories[EXPORT]
        if not start:
            return
        at = self.offset(start)
        name, _, functions, names, function_table, name_table, ordinal_table = self._unpack("<7I", at + 12)
        self.export_name = self._text(name)
        if functions > MOST or names > MOST:
            raise NotUnderstood("too many exports")
        addresses = self._unpack(f"<{functions}I", self.offset(function_table)) if functions else ()
        if names:
            name_addresses = self._unpack(f"<{names}I", self.offset(name_table))
            indexes = self._unpack(f"<{names}H", self.offset(ordinal_table))
            for address, index in zip(name_addresses, indexes):
                value = addresses[index]
                forwarded = start <= value < start + size
                self.exports[self._text(address)] = self._text(value) if forwarded else value
            named = set(indexes)
            self.ordinals_only = sum(1 for i, value in enumerate(addresses) if value and i not in named)

    def _resource(self, kind):
        """Bytes of the first resource of that kind, or None."""
        if not self.directories[RESOURCE][0]:
            return None
        base, at = self.offset(self.directories[RESOURCE][0]), 0
        for level in range(3):
            named, numbered = self._unpack("<HH", base + at + 12)
            rows = [self._unpack("<II", base + at + 16 + 8 * i) for i in range(named + numbered)]
            rows = [value for name, value in rows if level or name == kind]
            if not rows:
                return None
            at = rows[0] & 0x7FFFFFFF
            if not rows[0] >> 31:
                break
        address, size = self._unpack("<II", base + at)
        return self._bytes(self.offset(address), size)

    def _version(self):
        """The version resource: the two numbers and the texts; None without one."""
        blob = self._resource(16)
        if blob is None:
            return None
        result = {}
        at = blob.find(struct.pack("<I", 0xFEEF04BD))
        if at >= 0:
            file_high, file_low, product_high, product_low = struct.unpack_from("<IIII", blob, at + 8)
            for key, high, low in (("file", file_high, file_low), ("product", product_high, product_low)):
                result[key] = f"{high >> 16}.{high & 0xFFFF}.{low >> 16}.{low & 0xFFFF}"
        result["strings"] = version_strings(blob)
        return result


def version_strings(blob):
    """The texts of a version resource: blocks of (length, value length, type, key, value) inside each other."""
    strings = {}

    def key_of(at, end):
        stop = at
        while stop + 2 <= end and blob[stop:stop + 2] != b"\0\0":
            stop += 2
        return blob[at:stop].decode("utf-16-le", "replace"), -(-(stop + 2) // 4) * 4

    def walk(at, end, level):
        while at + 6 <= end:
            length, value_length, kind = struct.unpack_from("<HHH", blob, at)
            if length < 6:
                return
            key, value = key_of(at + 6, at + length)
            if level == 3:
                text = blob[value:at + length].decode("utf-16-le", "replace").split("\0")[0]
                strings[key] = text
            elif key == "VS_VERSION_INFO":
                walk(value + -(-value_length // 4) * 4, at + length, 1)
            elif key == "StringFileInfo" or level == 2:
                walk(value, at + length, level + 1)
            at = -(-(at + length) // 4) * 4

    walk(0, len(blob), 0)
    return strings
