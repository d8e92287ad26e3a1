"""Wheels: which ones a recipe needs, where they are cached, and how they are installed into an environment.

pip resolves, and downloads or locates the files (remote.py), so pip's configured index, proxy and certificates are
used. The result of the resolver is stored as a requirements file with hashes next to the recipe: a test sees the same files
until somebody requests newer ones. A wheel is unpacked once, reduced (reduce.py), into the cache; environments
share it by hard links, so never write into a file of an environment: replace it.
"""
import base64
import configparser
import csv
import hashlib
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import typing
import urllib.request
import zipfile
import zlib

import pe_writer
import ranged
import reduce
import remote

LOCK_LINE = re.compile(r"(\S+?)==(\S+) --hash=sha256:(\w+)  # (\S+) (\d+) bytes( requested)?")
SMALL_WHEEL = 20 << 20  # is downloaded completely; many of these share one call of pip
# pip uses --platform for the target but evaluates markers for the machine it runs on; this makes them agree.
PIP_FOR_OTHER_MACHINE = """
import json, sys
import pip._vendor.packaging.markers as markers
target = json.loads(sys.argv.pop(1))
here = markers.default_environment
markers.default_environment = lambda: {**here(), **target}
from pip._internal.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


class Wheel(typing.NamedTuple):
    name: str
    version: str
    sha256: str
    file: str
    size: int
    requested: bool

    def line(self):
        requested = " requested" if self.requested else ""
        return f"{self.name}=={self.version} --hash=sha256:{self.sha256}  # {self.file} {self.size} bytes{requested}"


def normal_name(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def read_lock(path):
    return [Wheel(m[1], m[2], m[3], m[4], int(m[5]), bool(m[6]))
            for m in map(LOCK_LINE.fullmatch, path.read_text().splitlines()) if m]


def platform_options(recipe):
    """Every tag that a system with glibc 2.36 (Debian 12), or Windows, accepts, newest first."""
    arch, python = recipe["arch"], recipe["python"]
    if recipe["platform"] == "windows":
        return ["--only-binary=:all:", "--implementation=cp", f"--python-version={python}", "--platform=win_amd64"]
    tags = [f"manylinux_2_{minor}_{arch}" for minor in range(36, 4, -1)]
    tags += [f"manylinux2014_{arch}", f"manylinux2010_{arch}", f"manylinux1_{arch}", f"linux_{arch}"]
    options = ["--only-binary=:all:", "--implementation=cp", f"--python-version={python}"]
    return options + [f"--platform={tag}" for tag in tags]


class Refused(OSError):
    """pip finds no solution with these packages pinned to the versions of another lock."""

    def __init__(self, names):
        super().__init__(f"pip: conflict about {', '.join(names)}")
        self.names = {normal_name(name) for name in names}


def run_pip(recipe, *arguments):
    target = {"platform_machine": recipe["arch"], "platform_system": "Linux", "sys_platform": "linux",
              "os_name": "posix", "python_version": recipe["python"], "python_full_version": recipe["python"] + ".2",
              "implementation_name": "cpython", "platform_python_implementation": "CPython"}
    if recipe["platform"] == "windows":
        target |= {"platform_machine": "AMD64", "platform_system": "Windows", "sys_platform": "win32", "os_name": "nt"}
    # A wheel of hundreds of megabytes is read once; pip's own cache would only copy it.
    command = [sys.executable, "-c", PIP_FOR_OTHER_MACHINE, json.dumps(target), arguments[0], "--no-cache-dir",
               "--no-input", "--disable-pip-version-check", *platform_options(recipe), *arguments[1:]]
    done = subprocess.run(command, capture_output=True, text=True)
    if "DO NOT MATCH THE HASHES" in done.stderr:
        raise ValueError(done.stderr)  # the index is reachable but returns other files
    refused = re.findall(r"\(constraint\) (\S+?)==", done.stdout + done.stderr)
    if done.returncode and refused:
        raise Refused(refused)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or done.stderr.splitlines()
        raise OSError("pip: " + " / ".join(errors[-3:])[:400])


def remote_size(url):
    if url.startswith("file:"):
        return os.path.getsize(urllib.request.url2pathname(url[5:]))
    with urllib.request.urlopen(urllib.request.Request(url, method="HEAD"), timeout=60) as answer:
        return int(answer.headers["Content-Length"])


def resolve(recipe, constraints, *options):
    """The wheels that pip would install for the recipe today. constraints: wheels to share if possible."""
    while True:
        try:
            return resolve_with(recipe, constraints, options)
        except Refused as refused:
            left = [wheel for wheel in constraints if wheel.name not in refused.names]
            if len(left) == len(constraints):
                raise
            constraints = left


def resolve_with(recipe, constraints, options):
    with tempfile.TemporaryDirectory() as work:
        report, pins = pathlib.Path(work, "report.json"), pathlib.Path(work, "constraints.txt")
        pins.write_text("".join(f"{wheel.name}=={wheel.version}\n" for wheel in constraints))
        run_pip(recipe, "install", "--dry-run", "--use-feature=fast-deps", f"--report={report}", f"--target={work}/t",
                f"--constraint={pins}", *options, *recipe["requirements"])
        wheels = []
        for item in json.loads(report.read_text())["install"]:
            url = item["download_info"]["url"]
            file = urllib.request.unquote(url.rsplit("/", 1)[1])
            wheels.append(Wheel(normal_name(item["metadata"]["name"]), item["metadata"]["version"],
                                item["download_info"]["archive_info"]["hashes"]["sha256"], file, remote_size(url),
                                item["requested"]))
        return sorted(wheels)


def unpack_reduced(archive, target, scratch, parts=None):
    """Unpacks a wheel below target; large members are inflated into a nameless file first and then reduced. parts: a
    ranged.Reader, which brings the largest members by itself."""
    with zipfile.ZipFile(archive) as wheel:
        members = [info for info in wheel.infolist() if not info.is_dir()]
        if parts:
            parts.fetch_small(sorted(members, key=lambda info: info.header_offset))
        for member in members:
            path = pathlib.Path(target, member.filename)
            if ".." in path.parts or member.filename.startswith("/"):
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            if parts and parts.is_large(member):
                parts.copy(member, path)
            elif member.file_size <= reduce.SMALL_FILE:
                path.write_bytes(wheel.read(member))
            else:
                with wheel.open(member) as source, tempfile.TemporaryFile(dir=scratch) as whole:
                    shutil.copyfileobj(source, whole, 1 << 22)
                    whole.flush()
                    reduce.copy_reduced(whole, path)
            path.chmod(0o755 if member.external_attr >> 16 & 0o111 else 0o644)


def unpack_ranged(wheel, recipe, target, scratch):
    """Unpacks a wheel below target without downloading all of it. Returns how many bytes were downloaded."""
    with remote.connection(platform_options(recipe)) as (finder, session):
        with remote.RemoteFile(session, remote.find(finder, wheel), wheel.size, scratch) as source:
            unpack_reduced(source, target, scratch, ranged.Reader(source, wheel.name, scratch))
            return source.fetched


def cached(wheel, cache):
    return pathlib.Path(cache, f"wheels-{reduce.REVISION}", f"{wheel.file[:-4]}-{wheel.sha256[:12]}")


def download(wheels, recipe, work):
    """The files of wheels, checked against their hashes, by one call of pip. Returns their folder."""
    lock = pathlib.Path(work, "lock.txt")
    lock.write_text("".join(wheel.line() + "\n" for wheel in wheels))
    run_pip(recipe, "download", "--no-deps", "--require-hashes", f"--dest={work}/files", f"--requirement={lock}")
    return pathlib.Path(work, "files")


def keep(tree, wheel, cache):
    try:
        tree.rename(cached(wheel, cache))
    except OSError:  # another run was faster
        shutil.rmtree(tree)


class Fetched(typing.NamedTuple):
    came: int  # bytes
    seconds: float


def fetch(wheels, recipe, cache):
    """Downloads wheels into the cache: a large one by ranges (ranged.py), others completely, by one call of pip."""
    began = time.monotonic()
    cached(wheels[0], cache).parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as work:
        target = pathlib.Path(work, "tree")
        target.mkdir()
        if len(wheels) == 1 and wheels[0].size > SMALL_WHEEL:
            try:
                came = unpack_ranged(wheels[0], recipe, target, work)
                keep(target, wheels[0], cache)
                return Fetched(came, time.monotonic() - began)
            except (remote.Unavailable, zipfile.BadZipFile, zlib.error, struct.error) as error:
                print(f"{wheels[0].file} is fetched whole: {error}", file=sys.stderr)
                shutil.rmtree(target)
                target.mkdir()
        files = download(wheels, recipe, work)
        for wheel in wheels:
            target.mkdir(exist_ok=True)
            unpack_reduced(files / wheel.file, target, work)
            (files / wheel.file).unlink()
            keep(target, wheel, cache)
    return Fetched(sum(wheel.size for wheel in wheels), time.monotonic() - began)


def record_hash(path):
    digest = base64.urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest()).rstrip(b"=").decode()
    return f"sha256={digest}", str(path.stat().st_size)


def console_scripts(info):
    entry_points = configparser.ConfigParser(delimiters=("=",), interpolation=None, strict=False)
    entry_points.optionxform = str
    if (info / "entry_points.txt").exists():
        entry_points.read(info / "entry_points.txt", encoding="utf-8")
    return entry_points.items("console_scripts") if entry_points.has_section("console_scripts") else []


SCRIPT = """#!{python}
# -*- coding: utf-8 -*-
import re
import sys
from {module} import {first}
if __name__ == '__main__':
    sys.argv[0] = re.sub(r'(-script\\.pyw|\\.exe)?$', '', sys.argv[0])
    sys.exit({function}())
"""


class Layout(typing.NamedTuple):
    """The directories of an environment, below `prefix`."""
    prefix: pathlib.Path
    python: str  # the interpreter, as scripts name it
    site: str
    scripts: str
    headers: str
    windows: bool = False


def venv_layout(root, venv, python):
    return Layout(pathlib.Path(root, venv.lstrip("/")), f"{venv}/bin/python", f"lib/python{python}/site-packages", "bin",
                  f"include/site/python{python}")


def windows_layout(root, home):
    return Layout(pathlib.Path(root, home), f"C:\\{home}\\python.exe", "Lib/site-packages", "Scripts", "Include", True)


def make_room(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)


def install(wheel, cache, layout, make_room=make_room):
    """Puts a cached wheel into the environment as pip does, without compiling. make_room takes away what is in the way:
    two wheels may hold the same file; the later one wins, as with pip."""
    tree = cached(wheel, cache)
    prefix, site = layout.prefix, layout.prefix / layout.site
    (info_name,) = {path.name for path in tree.iterdir() if path.name.endswith(".dist-info")}
    data_name = info_name[:-len(".dist-info")] + ".data"
    schemes = {"purelib": site, "platlib": site, "scripts": prefix / layout.scripts, "data": prefix,
               "headers": prefix / layout.headers / wheel.name}
    rows = {}
    with open(tree / info_name / "RECORD", newline="", encoding="utf-8") as record:
        rows = {row[0]: row[1:] for row in csv.reader(record) if row}
    result = []

    def add(path, fields):
        result.append([os.path.relpath(path, site), *fields])

    for folder, _, names in os.walk(tree):
        for name in names:
            source = pathlib.Path(folder, name)
            inside = source.relative_to(tree)
            if inside.parts[0] == data_name:
                target = schemes[inside.parts[1]].joinpath(*inside.parts[2:])
            else:
                target = site / inside
            fields = rows.get(inside.as_posix(), ["", ""])
            if inside.as_posix() == f"{info_name}/RECORD":
                continue
            make_room(target)
            is_script = inside.parts[0] == data_name and inside.parts[1] == "scripts"
            if is_script and source.read_bytes().startswith(b"#!python"):
                target.write_bytes(source.read_bytes().replace(b"#!python", f"#!{layout.python}".encode(), 1))
                target.chmod(0o755)
                fields = record_hash(target)
            else:
                os.link(source, target)
            add(target, fields)
    info = site / info_name
    for script, entry in console_scripts(info):
        module, function = entry.split("[")[0].strip().split(":")
        target = prefix / layout.scripts / (script + ".exe" if layout.windows else script)
        make_room(target)
        if layout.windows:  # pip writes a launcher of its own
            pe_writer.write(target, {"program": True, "imports": [["KERNEL32.dll", ["ExitProcess"], []]]})
        else:
            target.write_text(SCRIPT.format(python=layout.python, module=module, function=function,
                                            first=function.split(".")[0]))
        target.chmod(0o755)
        add(target, record_hash(target))
    for name, text in [("INSTALLER", "pip\n")] + ([("REQUESTED", "")] if wheel.requested else []):
        make_room(info / name)
        (info / name).write_text(text)
        add(info / name, record_hash(info / name))
    result.append([f"{info_name}/RECORD", "", ""])
    make_room(info / "RECORD")
    with open(info / "RECORD", "w", newline="", encoding="utf-8") as record:
        csv.writer(record, lineterminator="\n").writerows(sorted(result))
