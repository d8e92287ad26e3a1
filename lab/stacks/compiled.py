"""Verbs of edits.py for files that no package has: custom programs and libraries.

  {compile = PATH, source = TEXT, language = "cu", flags = [...]}   compiled for the recipe's CPU: "c", "c++" (for another
                                          CPU than this machine's by Debian's cross compilers), "musl" (C, by musl-gcc) or
                                          "cu" (by the nvcc of NVCC; a recipe that uses it says needs = that nvcc). flags come after the source; {root} is the root's path here
  {stand_in = PATH, soname = NAME, for = FILE, functions = ["cudnn"], returns = { cudnnGetVersion = 7605 }}
                                          a library of a CUDA that the index does not have: it exports every function
                                          in FILE whose name begins with one of these, and those of exports = [...]; with
                                          versioned = true under the symbol version NAME

The result is kept in the cache by what it is made of. It is a complete file; nothing runs it.
"""
import hashlib
import mmap
import pathlib
import platform
import re
import shutil
import subprocess
import tempfile

import edits

NVCC = "/usr/local/cuda-13.0/bin/nvcc"
COMPILERS = {"c": ["cc", "-O1"], "c++": ["c++", "-O1"], "musl": ["musl-gcc", "-O1"], "cu": [NVCC, "-O1"]}
CROSS = {"c": "{arch}-linux-gnu-gcc", "c++": "{arch}-linux-gnu-g++"}
ENDINGS = {"c": ".c", "c++": ".cc", "musl": ".c", "cu": ".cu"}


def compiler(language, arch):
    """The command for that CPU; OSError if this machine has none."""
    if arch == platform.machine():
        command = COMPILERS[language]
    elif language in CROSS:
        command = [CROSS[language].format(arch=arch), "-O1"]
    else:
        raise OSError(f"this machine compiles {language} only for {platform.machine()}, not for {arch}")
    if shutil.which(command[0]) is None:
        raise OSError(f"this machine has no {command[0]} (tools/setup release)")
    return command


def kept(edit, place):
    """The compiled file, in the cache."""
    language = edit.get("language", "c")
    arch = place.recipe["arch"]
    made_of = repr((arch, language, edit["source"], edit.get("flags", []), place.recipe["name"], place.recipe["lock"].read_text()))
    path = pathlib.Path(place.cache, "compiled-1", hashlib.sha256(made_of.encode()).hexdigest()[:20])
    if path.exists():
        return path
    command = compiler(language, arch)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as work:
        source, made = pathlib.Path(work, "source" + ENDINGS[language]), pathlib.Path(work, "made")
        source.write_text(edit["source"])
        flags = [place.fill(flag.replace("{root}", str(place.root))) for flag in edit.get("flags", [])]
        done = subprocess.run([*command, "-o", made, source, *flags], capture_output=True, text=True, cwd=work)
        if done.returncode:
            raise ValueError(f"{edit['compile']} does not compile: {done.stderr.strip()[-600:]}")
        made.rename(path)
    return path


def compile_(edit, place, undo):
    edits.place_file(kept(edit, place), place.path(edit["compile"]), undo)


def stand_in(edit, place, undo):
    names, returns = set(edit.get("exports", [])), edit.get("returns", {})
    if "for" in edit:
        begin = "|".join(edit["functions"]).encode()
        with open(place.path(edit["for"]), "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            names |= {name.decode() for name in re.findall(rb"\0((?:" + begin + rb")[A-Z][A-Za-z0-9_]+)(?=\0)", data)}
    if not names:
        raise ValueError(f"{edit['stand_in']} would export nothing")
    source = "".join(f"unsigned long {name}(void) {{ return {returns.get(name, 0)}; }}\n" for name in sorted({*names, *returns}))
    flags = ["-shared", "-fPIC", f"-Wl,-soname,{edit['soname']}"]
    if edit.get("versioned"):
        flags.append("-Wl,--default-symver")  # the version is the soname, as NVIDIA has it
    compile_({"compile": edit["stand_in"], "source": source, "flags": flags}, place, undo)


edits.VERBS |= {"compile": compile_, "stand_in": stand_in}
