"""Edits of a drive C:, besides those of edits.py: files of Windows that no wheel has.

The files are tables without code (pe_writer.py): what a loader, and a reader of files, decides by.
"""
import pathlib
import struct
import tomllib

import pe_tables
import pe_writer

KNOWN = pathlib.Path(__file__).resolve().parents[2] / "data" / "windows.toml"
MACHINES = {64: "x86-64", 32: "386"}


def tables_of(path):
    """What the tables of a real DLL say, as a specification for pe_writer."""
    data = path.read_bytes()
    file = pe_tables.PeFile(data)
    words = {name: struct.unpack_from("<I", data, file.offset(address))[0] for name, address in file.exports.items()
             if name.startswith("cudnn_") and name.endswith("_version") and isinstance(address, int)}
    return {"imports": [list(row) for row in file.imports], "delay_imports": [list(row) for row in file.delay_imports],
            "exports": sorted(set(file.exports) - set(words)), "words": words, "version": file.version,
            "names_inside": sorted({data[begin:end].decode() for begin, end in pe_tables.names_inside(data)})}


def write_dll(path, edit, like):
    """path: free to write to. like: the real file whose tables it has, or None."""
    spec = tables_of(like) if like else {}
    imports = spec.get("imports", []) + [[dll, names, []] for dll, names in edit.get("imports", {}).items()]
    version = {"version": {"file": edit["version"], "strings": {"FileVersion": edit["version"]}}} if "version" in edit else {}
    pe_writer.write(path, {**spec, **version, "imports": imports, "exports": spec.get("exports", []) + edit.get("exports", []),
                           "machine": MACHINES[edit.get("bits", 64)], "program": edit.get("program", False)})


def windows_own():
    """Names of the DLLs that belong to every Windows, as data/windows.toml knows them."""
    return sorted({name for row in tomllib.loads(KNOWN.read_text())["system"] for name in row["names"] if name.endswith(".dll")})
