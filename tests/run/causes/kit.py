"""What the tables of failing programs are made of: a case with its true cause, and files for it."""

import dataclasses
import os
import shutil
import subprocess
import sys
import typing

PYTHON = os.path.realpath(sys.executable or "/usr/bin/python3")
CC = os.environ.get("CC", "cc")
CXX = os.environ.get("CXX", "c++")

# Truths. Several words: each of them is right. "none": no cause is named.
OWN = "none application-bug"  # an ordinary error of the program itself
HOST = "none host-resources"  # the host's memory, disk, descriptors
NET = "none communication"


def loadable(name):
    ask = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"
    return subprocess.run([PYTHON, "-c", ask, name], capture_output=True, check=False).returncode == 0


def no_driver():
    """The truth about a program that finds no driver, from what this machine is."""
    contained = os.path.exists("/.dockerenv") or os.path.exists("/run/.containerenv")
    return "container-runtime" if contained and os.path.exists("/sys/module/nvidia") else "driver-missing"


DRIVER = loadable("libcuda.so.1")
NO_DRIVER = no_driver()


@dataclasses.dataclass
class Case:
    name: str
    truth: str
    # (folder) -> the command. The folder is empty, and the command's working directory.
    make: typing.Callable
    env: dict = dataclasses.field(default_factory=dict)  # "{here}" stands for the folder
    without: str = ""  # "driver", "nvcc": skipped where there is one, or where there is none

    def skip(self):
        if self.without == "driver" and DRIVER:
            return "this machine has a driver"
        if self.without == "nvcc" and (DRIVER or not shutil.which("nvcc")):
            return "nvcc is not installed, or there is a driver"
        return ""


def write(folder, name, text, mode=0o644):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb" if isinstance(text, bytes) else "w", **({} if isinstance(text, bytes) else {"encoding": "utf-8"})) as file:
        file.write(text)
    os.chmod(path, mode)
    return path


def python(code, files=None, limits="", args=(), name="train.py"):
    """A script; `limits`: what a shell says before it starts it."""
    def make(folder):
        for path, text in (files or {}).items():
            write(folder, path, text)
        write(folder, name, code)
        command = [PYTHON, name, *args]
        return ["sh", "-c", f"{limits}; exec \"$@\"", "sh", *command] if limits else command
    return make


def shell(text, files=None):
    def make(folder):
        for path, content in (files or {}).items():
            write(folder, path, content)
        return ["sh", "-c", text]
    return make


def native(source, flags=(), args=(), limits="", before=None):
    """A program of its own; `before(folder)` makes what it is linked with."""
    def make(folder):
        if before:
            before(folder)
        suffix = ".cc" if "#include <string>" in source or "std::" in source else ".c"
        write(folder, "main" + suffix, source)
        subprocess.run([CXX if suffix == ".cc" else CC, "main" + suffix, "-g", "-o", "app", *flags], cwd=folder, check=True)
        command = [os.path.join(folder, "app"), *args]
        return ["sh", "-c", f"{limits}; exec \"$@\"", "sh", *command] if limits else command
    return make


def library(folder, path, body="int here(void) { return 1; }\n", needs=(), flags=(), soname=None):
    """A shared library at folder/path; `needs`: paths below folder that it is linked with."""
    where = os.path.join(folder, path)
    os.makedirs(os.path.dirname(where), exist_ok=True)
    source = write(folder, "made/" + os.path.basename(path) + ".c", body)
    subprocess.run([CC, "-shared", "-fPIC", "-o", where, source, f"-Wl,-soname,{soname or os.path.basename(path)}",
                    "-Wl,--no-as-needed", *[os.path.join(folder, need) for need in needs], *flags], cwd=folder, check=True)
    return where


def missing(folder, path, needs, **more):
    """A library that needs others, which are gone by the time it is loaded."""
    for need in needs:
        library(folder, need)
    where = library(folder, path, needs=needs, **more)
    for need in needs:
        os.unlink(os.path.join(folder, need))
    return where


def opens(name, then=""):
    return f"import ctypes\nctypes.CDLL({name!r})\n{then}"


def venv(folder):
    """An environment without pip, and where its packages are."""
    version = subprocess.run([PYTHON, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True,
                             text=True, check=True).stdout.strip()
    site = os.path.join(folder, "venv", "lib", "python" + version, "site-packages")
    os.makedirs(site)
    os.makedirs(os.path.join(folder, "venv", "bin"))
    os.symlink(PYTHON, os.path.join(folder, "venv", "bin", "python3"))
    write(folder, "venv/pyvenv.cfg", f"home = {os.path.dirname(PYTHON)}\ninclude-system-site-packages = false\nversion = {version}\n")
    return os.path.join(folder, "venv", "bin", "python3"), os.path.relpath(site, folder)


def package(folder, site, name, version, init=""):
    write(folder, f"{site}/{name}/__init__.py", init)
    write(folder, f"{site}/{name}-{version}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    write(folder, f"{site}/{name}-{version}.dist-info/RECORD", f"{name}/__init__.py,,\n")
