#!/usr/bin/env python3
"""The tables of real DLLs, as facts: harvest.py WHEEL... writes facts/PACKAGE-VERSION.json for each wheel.

Only facts, never bytes of a file: names, machine, imports, exports, version strings, exported version words, names of
DLLs that it contains as strings, the wheel they were read from and its hash. From these, trees.py makes DLLs that a loader
cannot tell from the real ones.

To keep the files small: for a DLL that no wheel of the same call has (Windows' own), one imported function stands for all.
Of the exports, it keeps those that a DLL of the same call imports, the version words, and OTHER_EXPORTS other names. So
pass all wheels in one call.
"""
import argparse
import hashlib
import json
import mmap
import pathlib
import re
import struct
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "lab" / "stacks"))
import pe_tables  # noqa: E402

OTHER_EXPORTS = 8
VERSION_WORD = re.compile(r"cudnn_\w+_version")
TEXTS = ("CompanyName", "FileDescription", "FileVersion", "ProductName", "ProductVersion")
MACHINES = {0x8664: "x86-64", 0x14C: "386"}


def read(archive, member, scratch):
    """Everything that the tables of one DLL say."""
    with archive.open(member) as source, tempfile.TemporaryFile(dir=scratch) as whole:
        while chunk := source.read(1 << 22):
            whole.write(chunk)
        whole.flush()
        with mmap.mmap(whole.fileno(), 0, prot=mmap.PROT_READ) as data:
            file = pe_tables.PeFile(data)
            inside = {data[begin:end].decode() for begin, end in pe_tables.names_inside(data)}
            inside -= {member.filename.rsplit("/", 1)[1], *(row[0] for row in file.imports + file.delay_imports)}
            words = {}
            for name, address in file.exports.items():
                if VERSION_WORD.fullmatch(name) and isinstance(address, int):
                    (words[name],) = struct.unpack_from("<I", data, file.offset(address))
            version = file.version and {**file.version, "strings": {
                key: text for key, text in file.version["strings"].items() if key in TEXTS}}
            return {"name": member.filename.rsplit("/", 1)[1], "path": member.filename, "size": member.file_size,
                    "machine": MACHINES[file.machine], "time_stamp": file.time_stamp,
                    "imports": [list(row) for row in file.imports],
                    "delay_imports": [list(row) for row in file.delay_imports],
                    "exports": sorted(set(file.exports) - set(words)), "words": words, "names_inside": sorted(inside), "version": version}


def cut(dlls):
    """Leaves out what nothing in the harvest imports."""
    there = {dll["name"].lower() for dll in dlls}
    wanted = {}
    for dll in dlls:
        for name, names, _ in dll["imports"] + dll["delay_imports"]:
            wanted.setdefault(name.lower(), set()).update(names)
    for dll in dlls:
        dll["export_count"] = len(dll["exports"]) + len(dll["words"])
        asked = wanted.get(dll["name"].lower(), set())
        rest = [name for name in dll["exports"] if name not in asked]
        dll["exports"] = sorted(asked.intersection(dll["exports"]) | set(rest[:OTHER_EXPORTS]))
        for table in (dll["imports"], dll["delay_imports"]):
            for row in table:
                if row[0].lower() not in there:
                    row[1:] = (row[1][:1], []) if row[1] else ([], row[2][:1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheels", nargs="+", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "facts")
    options = parser.parse_args()
    harvest = []
    for path in options.wheels:
        with open(path, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        with zipfile.ZipFile(path) as archive, tempfile.TemporaryDirectory() as scratch:
            dlls = [read(archive, member, scratch) for member in archive.infolist()
                    if member.filename.lower().endswith((".dll", ".pyd"))]
        harvest.append(({"wheel": path.name, "sha256": digest}, dlls))
    cut([dll for _, dlls in harvest for dll in dlls])
    options.out.mkdir(exist_ok=True)
    for wheel, dlls in harvest:
        package, version = wheel["wheel"].split("-")[:2]
        target = options.out / f"{package}-{version}.json"
        # One line for each DLL, so that a change can be read.
        lines = ",\n  ".join(json.dumps(dll, ensure_ascii=False) for dll in dlls)
        head = json.dumps(wheel)[1:-1]
        target.write_text(f'{{{head},\n "dlls": [\n  {lines}\n ]}}\n', encoding="utf-8")
        print(f"{target.name}: {len(dlls)} DLLs, {target.stat().st_size / 1e3:.0f} kB")
    return 0


sys.exit(main())
