"""data/gpu_ids.toml: the chip of a PCI device id, from pci.ids."""
import json
import pathlib
import re
import sys

from harvesting.index import Unreachable
from harvesting.rows import table

PCI_IDS = ["/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids"]
# Fermi and later; "GP104BM" and "GP104GL" are GP104, "GB20B" is a chip of its own.
CHIP = re.compile(r"((?:GF|GK|GM|GP|GV|TU|GA|AD|GH|GB|GR)(?:[0-9]{3}|[0-9]{2}B))B?[GLM]{0,3}(?=$|[\s\[])")
# Where pci.ids names another chip than the block of ids belongs to; None: it names two ("GM204 [GM107 CS1]").
CORRECTED = {0x109A: "GF110", 0x109B: "GF110", 0x13AD: None, 0x13AE: None, 0x13BE: None, 0x13BF: None}
CORRECTED_BY = "envytools/envytools@f102b823:docs/hw/pciid.rst"
NO_GPU = re.compile(r"Audio|USB|NVSwitch|[Bb]ridge")  # the other devices of a card, and switches and bridges named after a GPU
IDS_HEADER = """\
# PCI device ids of NVIDIA GPUs (vendor 10de), as ranges of one chip each. Written by tools/harvest from pci.ids, the
# chip table by hand.
#
# range: every id of it that pci.ids names belongs to that chip; ids in between that it does not name are taken to as
#   well, since NVIDIA numbers chip by chip. Where envytools has another chip than pci.ids, it is that of envytools; where
#   pci.ids itself names two, the id is in no range.
# chip: its compute capability; without one it is not known.

"""


def read_pci_ids(path):
    """{device id: chip} of NVIDIA; None for what is older than Fermi, no GPU, or has no chip in its name."""
    chips, inside = {}, False
    for line in path.read_text(errors="replace").splitlines():
        if re.match(r"[0-9a-f]{4} ", line):
            inside = line.startswith("10de ")
        device = re.match(r"\t([0-9a-f]{4})  (.*)", line) if inside else None
        chip = CHIP.match(device.group(2)) if device and not NO_GPU.search(device.group(2)) else None
        if device:
            number = int(device.group(1), 16)
            chips[number] = CORRECTED.get(number, chip.group(1) if chip else None)
    return chips


def find_pci_ids(given):
    for path in [given] if given else PCI_IDS:
        if path and pathlib.Path(path).exists():
            return pathlib.Path(path)
    raise Unreachable("there is no pci.ids here (Debian: package pci.ids)")


def harvest_pci_ids(path, old):
    chips = read_pci_ids(path)
    source = f"pci.ids of {date_of(path.read_text(errors='replace')) or 'unknown date'} (pci-ids.ucw.cz)"
    ranges, before = [], None
    for device, chip in sorted(chips.items()):  # any other device ends a range
        if chip and chip == before:
            ranges[-1]["last"] = device
        elif chip:
            ranges.append({"first": device, "last": device, "chip": chip, "source": source})
        if chip and device in CORRECTED and CORRECTED_BY not in ranges[-1]["source"]:
            ranges[-1]["source"] += f"; {device:04x} and later: {CORRECTED_BY}"
        before = chip
    known = {row["name"] for row in old["chip"]}
    for chip in sorted(set(chips.values()) - known - {None}):
        print(f"gpu_ids: chip {chip} has no [[chip]] row", file=sys.stderr)
    rows = "".join("[[range]]\n" + "".join(f"{k} = {hexadecimal(k, v)}\n" for k, v in row.items()) + "\n" for row in ranges)
    return IDS_HEADER + table("chip", old["chip"]) + rows.rstrip("\n") + "\n"


def date_of(text):
    found = re.search(r"(?:Version: |pci\.ids of )(\d{4}\.\d\d\.\d\d)", text)
    return found.group(1) if found else ""


def is_older(path, old):
    """Whether the data came from a newer file: then this one would only take rows away."""
    return date_of(path.read_text(errors="replace")) < max((date_of(row["source"]) for row in old.get("range", [])), default="")


def hexadecimal(key, value):
    return f"0x{value:04x}" if key in ("first", "last") else json.dumps(value)


def compare_pci_ids(path, old):
    for device, chip in sorted(read_pci_ids(path).items()):
        fitting = [row["chip"] for row in old["range"] if row["first"] <= device <= row["last"]]
        if chip and fitting != [chip]:
            yield f"device {device:04x}: pci.ids says {chip}, the data {', '.join(fitting) or 'nothing'}"
