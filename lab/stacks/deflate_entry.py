"""Starts to inflate in the middle of a deflate stream: gets the end of a zip member without what comes before it.

Deflate is made to be read from its start. But it consists of blocks, and each block with its own codes (or
stored bytes) starts with a header that few other bits look like. So starting at some place in the stream, every bit is
tried as the start of a block: first with cheap checks, then by inflating from there. A wrong start gives an error within
some kilobytes.

The first blocks may copy from the 32 KiB before them, which are not available. So they are inflated
twice, after two windows that differ in every byte: bytes that differ in the output are unknown, equal bytes are
known. In data that hardly repeats (GPU code, already compressed) everything is soon known; then inflating once is enough.
"""
import struct
import zlib

WINDOW = 1 << 15
SEARCHED = 1 << 18  # bytes in which a block must start; zlib's blocks are a tenth of that
PROBED = 1 << 17  # bytes that must inflate without an error
STEP = 1 << 16
GRAIN = 256  # granularity of known and unknown bytes


class NoEntry(ValueError):
    """No block starts here, or the stream does not end where it should."""


def _kraft(lengths):
    return sum(128 >> length for length in lengths if length)


# By ten bits of the stream: the positions 0-7 at which a block with its own codes, not the last, may start.
_DYNAMIC = [[k for k in range(8) if bits >> k & 7 == 4] for bits in range(1024)]
# By twelve bits (four lengths of the code-length code): their share of the code.
_SHARES = [_kraft((bits & 7, bits >> 3 & 7, bits >> 6 & 7, bits >> 9)) for bits in range(4096)]


def _header_fits(bits):
    """Do these bits start with a valid header? The code-length code must be complete."""
    if bits >> 3 & 31 > 29 or bits >> 8 & 31 > 29:
        return False
    lengths = bits >> 17 & (1 << 3 * ((bits >> 13 & 15) + 4)) - 1
    share = 0
    while lengths:
        share += _SHARES[lengths & 4095]
        lengths >>= 12
    return share == 128


def candidates(data, end):
    """(byte, bit) in data[:end] where a block may start; bit None: the lengths of a stored block are at the byte."""
    for at in range(min(end, len(data) - 16)):
        for bit in _DYNAMIC[data[at] | data[at + 1] << 8 & 0x300]:
            if _header_fits(int.from_bytes(data[at:at + 11], "little") >> bit):
                yield at, bit
        if data[at] ^ data[at + 2] == 255 and data[at + 1] ^ data[at + 3] == 255 and (data[at] or data[at + 1]):
            yield at, None


def _lead(first, bit, literal):
    """Bytes that bring an inflater to the place: an invented block so long that `bit` bits of its last byte are used,
    which are the ones of `first` that belong to the block before. Also how many bytes it inflates to."""
    if bit is None:
        return b"\0" + first, 0  # a stored block, not the last
    count = (bit - 2) % 8  # literals of nine bits in a block of fixed codes: 3 + 9 * count + 7 bits
    value, length = 0b010, 3
    code = 0b110010000 + literal - 144
    for _ in range(count):
        value |= int(f"{code:09b}"[::-1], 2) << length
        length += 9
    length += 7
    used, rest = divmod(length, 8)
    made = bytearray(value.to_bytes(used + (rest > 0), "little"))
    if rest:
        made[-1] |= first[0] >> rest << rest
        return bytes(made), count
    return bytes(made) + first, count


class _Inflater:
    def __init__(self, data, at, bit, window, literal):
        self.stream = zlib.decompressobj(-15, zdict=window)
        lead, self.drop = _lead(data[at:at + 1], bit, literal)
        self.pending = lead

    def feed(self, data):
        made = self.stream.decompress(self.pending + data)
        self.pending = b""
        dropped = min(self.drop, len(made))
        self.drop -= dropped
        return made[dropped:]


def find(data, complete):
    """The first place in data where a block starts. complete: data extends to the end of the stream."""
    window = bytes(WINDOW)
    for at, bit in candidates(data, SEARCHED):
        inflater = _Inflater(data, at, bit, window, 144)
        probe = data[at + 1:at + 1 + PROBED]
        try:
            inflater.feed(probe)
        except zlib.error:
            continue
        whole = complete and at + 1 + PROBED >= len(data)
        if inflater.stream.eof and (not whole or inflater.stream.unused_data):
            continue
        if whole and not inflater.stream.eof:
            continue
        return at, bit
    raise NoEntry("no block of the stream starts here")


def _differences(one, two, base, into):
    for at in range(0, len(one), GRAIN):
        if one[at:at + GRAIN] != two[at:at + GRAIN]:
            begin, end = base + at, base + min(at + GRAIN, len(one))
            if into and into[-1][1] == begin:
                into[-1][1] = end
            else:
                into.append([begin, end])


def tail(data):
    """What the stream inflates to at its end. data: its last bytes. Returns the bytes and the [begin, end) ranges of
    them that are not known; NoEntry where data holds no start of a block."""
    at, bit = find(data, True)
    one = _Inflater(data, at, bit, bytes(WINDOW), 144)
    two = _Inflater(data, at, bit, b"\xff" * WINDOW, 255)
    result, unknown = bytearray(), []
    view = memoryview(data)
    try:
        for begin in range(at + 1, len(data) + 1, STEP):
            part = view[begin:begin + STEP]
            made = one.feed(bytes(part) if one.pending else part)
            if two:
                other = two.feed(bytes(part) if two.pending else part)
                if made != other:
                    _differences(made, other, len(result), unknown)
                elif len(made) >= WINDOW:
                    two = None  # the whole window is known from here on
            result += made
    except zlib.error as error:
        raise NoEntry(str(error)) from None
    if not one.stream.eof or one.stream.unused_data:
        raise NoEntry("the stream does not end where it should")
    return result, unknown
