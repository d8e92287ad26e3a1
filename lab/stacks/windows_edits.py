"""Verbs of edits.py for a drive C:, for files that no wheel has:

  {dll = PATH, like = FROM, imports = {DLL = [FUNCTION, ...]}, exports = [...], version = V, bits = 32, program = true}
                                          a DLL or program; if FROM is given, with its tables and these in addition
  {system32 = true}                       C:\\Windows\\System32 with what belongs to Windows itself

The files are tables without code (pe_writer.py): all that a loader or a reader of files needs.
"""
import pathlib
import struct
import tomllib

import edits
import pe_tables
import pe_writer
import wheels
import windows_root

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


def dll(edit, place, undo):
    spec = {}
    if "like" in edit:
        (like,) = edits.sources(place, edit["like"])
        spec = tables_of(like)
    path = place.path(edit["dll"])
    undo.put_aside(path)
    imports = spec.get("imports", []) + [[name, functions, []] for name, functions in edit.get("imports", {}).items()]
    version = {"version": {"file": edit["version"], "strings": {"FileVersion": edit["version"]}}} if "version" in edit else {}
    pe_writer.write(path, {**spec, **version, "imports": imports, "exports": spec.get("exports", []) + edit.get("exports", []),
                           "machine": MACHINES[edit.get("bits", 64)], "program": edit.get("program", False)})


def system32(edit, place, undo):
    known = tomllib.loads(KNOWN.read_text())["system"]
    for name in sorted({name for row in known for name in row["names"] if name.endswith(".dll")}):
        path = place.path("Windows/System32/" + name)
        undo.put_aside(path)
        pe_writer.write(path, {})


def install(edit, place, undo):
    """Python is a stand-in with the functions that the modules of its environment import; this adds more."""
    edits.install(edit, place, undo)
    if not place.windows:
        return
    wanted = windows_root.imported(wheels.cached(edits.find_wheel(place.recipe, edit["install"]), place.cache))
    for name in ("python3.dll", f"python{place.recipe['python'].replace('.', '')}.dll"):
        path = place.path("{venv}/" + name)
        spec = tables_of(path)
        if wanted.get(name, set()) - set(spec["exports"]):
            undo.put_aside(path)
            pe_writer.write(path, {**spec, "exports": sorted({*spec["exports"], *wanted[name]})})


edits.VERBS |= {"dll": dll, "system32": system32, "install": install}
