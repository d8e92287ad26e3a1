"""Edits of a built stack: how recipes set things up (setup) and faults break them, and how to undo that.

An edit is a table with one verb and its arguments. Paths are inside the root and may contain {venv}, {site}
(site-packages), {lib} (the library directory of that Debian) and {driver} (the version of Debian's driver in it):

  {remove = PATH}                         a file, a symlink or a tree; PATH may be a pattern, and must match something
  {move = PATH, to = PATH}
  {copy = FROM, to = PATH}                FROM: a path or pattern in the root, "wheel:NAME==VERSION/PATTERN" (with @ARCH
                                          behind the version: for that machine), "debian-13:PACKAGE/PATTERN", or
                                          "here:/PATH", of the machine that this runs on; a `to` that ends with / is
                                          a directory
  {link = PATH, to = TARGET}              a symlink; replaces whatever is there
  {write = PATH, text = TEXT}             a file; fill = true: TEXT may contain {venv} and so on
  {empty = PATH}                          a file of no bytes
  {truncate = PATH, bytes = N}            the first N bytes stay; share = 0.5: that part of it; less = N: all but the last N
  {patch = PATH, at = N, hex = "03"}      bytes of a file
  {replace = PATH, text = OLD, with = NEW}   a text inside a file with another one that is not longer
  {rename_version = PATH, from = "GLIBC_2.17", to = "GLIBC_2.38"}   a symbol version that it needs or defines
  {execstack = PATH}                      marks it as requiring an executable stack
  {chmod = PATH, mode = "600"}            also a directory; has no effect on root, only in unprivileged trials
  {uninstall = NAME}                      as pip does, by RECORD
  {install = "NAME==VERSION"}             as pip does: replaces the installed version; over = true: keeps it
  {debian = NAME, version = V, files = FROM, to = DIR}   libraries with the layout of a package of NVIDIA's archive;
                                          headers = FROM: files that keep their names
  {deb = [NAME, ...]}                     packages of Debian 12 (main, contrib, non-free), unpacked and recorded; other
                                          edits do what their scripts would do
  {ldconfig = true}                       /etc/ld.so.cache, written by that system's own ldconfig
  {node = PATH}                           a device node; really a pipe, which an ordinary user can create; a check
                                          never opens it
  {module = PATH, version = V}            a kernel module that contains only its version; unsigned
  {machine = NAME}                        the edits of machines/NAME.toml: the kernel, driver and GPU below a stack

layouts.py adds: toolkit, conda, container; windows_edits.py: dll, system32; compiled.py: compile.
On Windows, {win_venv} and {win_site} have Windows spelling, for variables.

Wheels must be in some lock in recipes/. Files of a stack are hard links into the cache: no verb writes into one.
"""
import fnmatch
import os
import pathlib
import shutil
import struct
import subprocess
import tomllib
import typing

import debs
import elf_edits
import here
import wheels

UNDO = "undo"  # the folder next to root with what an edit moved aside; as long as it exists, the root is broken
RECIPES = pathlib.Path(__file__).resolve().parent.parent / "recipes"
MACHINES = RECIPES.parent / "machines"


class Place(typing.NamedTuple):
    """The stack to edit."""
    root: pathlib.Path
    venv: str
    recipe: dict
    cache: pathlib.Path

    @property
    def windows(self):
        return self.recipe["platform"] == "windows"

    def layout(self):
        if self.windows:
            return wheels.windows_layout(self.root, self.venv[3:])
        return wheels.venv_layout(self.root, self.venv, self.recipe["python"])

    def driver(self):
        """The version of the driver in the cache of Debian packages, which edits install."""
        tree = debs.cached("libcuda1", self.recipe["arch"], self.cache)
        return next((path.name.split(".so.")[1] for path in tree.rglob("libcuda.so.*.*")), "")

    def fill(self, text):
        """Replaces {venv}, {site} and so on; on Windows they are spelled for a tool, with / and without the drive."""
        venv = "/" + self.venv[3:].replace("\\", "/") if self.windows else self.venv
        if self.windows:
            text = text.replace("{win_venv}", self.venv).replace("{win_site}", self.venv + "\\Lib\\site-packages")
        lib = f"/usr/lib/{self.recipe['arch']}-linux-gnu"
        if "{driver}" in text:
            text = text.replace("{driver}", self.driver())
        return (text.replace("{venv}", venv).replace("{site}", f"{venv}/{self.layout().site}").replace("{lib}", lib))

    def path(self, text):
        return self.root / self.fill(text).lstrip("/")


class Undo:
    """What was there before. Everything that an edit creates, replaces or removes goes through put_aside first."""

    def __init__(self, folder=None):
        self.folder, self.steps = folder, []
        if folder:
            folder.mkdir()

    def put_aside(self, path):
        """Makes room at `path`, and its parents."""
        path = pathlib.Path(path)
        if not os.path.lexists(path):
            first = path
            while not os.path.lexists(first.parent):
                first = first.parent
            self.steps.append((None, first))
            path.parent.mkdir(parents=True, exist_ok=True)
        elif self.folder:
            kept = self.folder / str(len(self.steps))
            os.rename(path, kept)
            self.steps.append((kept, path))
        else:
            delete(path)

    def take_back(self):
        for kept, path in reversed(self.steps):
            delete(path)
            if kept:
                os.rename(kept, path)
        self.folder.rmdir()


def delete(path):
    if path.is_dir() and not path.is_symlink():
        path.chmod(0o755)  # a fault may have closed it
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def matches(place, pattern):
    """Files of the root that match the pattern; at least one, or the edit is an error."""
    whole = place.fill(pattern).lstrip("/")
    if not any(character in whole for character in "*?["):
        found = [place.root / whole] if os.path.lexists(place.root / whole) else []
    else:
        found = sorted(place.root.glob(whole))
    if not found:
        raise ValueError(f"{pattern} is not in {place.recipe['name']}")
    return found


def fits(wheel, recipe):
    tags = wheel.file[:-4].rsplit("-", 3)[-3:]
    system = "win_amd64" if recipe["platform"] == "windows" else recipe["arch"]
    python = "cp" + recipe["python"].replace(".", "")
    return (tags[2] == "any" or system in tags[2]) and (tags[0] == python or not tags[0].startswith("cp") or tags[1] == "abi3")


def machine_of(recipe, pin):
    """The recipe with the machine that the wheel is for: NAME==VERSION@ARCH names another one."""
    return {**recipe, "arch": pin.partition("@")[2] or recipe["arch"]}


def find_wheel(recipe, pin):
    """The wheel of NAME==VERSION for the machine of the recipe, or for that of @ARCH, out of all locks."""
    recipe = machine_of(recipe, pin)
    name, version = pin.partition("@")[0].split("==")
    for lock in sorted(RECIPES.glob("*.lock"), key=lambda path: path != recipe["lock"]):
        for wheel in wheels.read_lock(lock):
            if (wheel.name, wheel.version) == (wheels.normal_name(name), version) and fits(wheel, recipe):
                return wheel
    raise ValueError(f"no lock has {pin} for {recipe['name']}: add it to a shelf in recipes/")


def pins(edits):
    """The wheels that edits name."""
    for edit in edits:
        if "install" in edit:
            yield edit["install"]
        yield from edit.get("wheels", [])
        for key in ("copy", "files", "headers", "like"):
            if edit.get(key, "").startswith("wheel:"):
                yield edit[key][len("wheel:"):].split("/", 1)[0]


def steps_of(machine):
    path = MACHINES / f"{machine}.toml"
    if not path.exists():
        raise ValueError(f"no machine {path.name}")
    return tomllib.loads(path.read_text())["edit"]


def packages(edits):
    """The packages of Debian that edits name."""
    for edit in edits:
        yield from edit.get("deb", [])
        if "machine" in edit:
            yield from packages(steps_of(edit["machine"]))


def newer_packages(edits):
    """The packages of Debian 13 that edits take files from."""
    return [edit["copy"][len("debian-13:"):].split("/", 1)[0] for edit in edits if edit.get("copy", "").startswith("debian-13:")]


def sources(place, text):
    if text.startswith("here:"):
        return [here.reduced(pathlib.Path(text[len("here:"):]), place.cache)]
    kind, colon, rest = text.partition(":")
    if not colon or kind not in ("wheel", "debian-13"):
        return matches(place, text)
    name, pattern = rest.split("/", 1)
    tree = (wheels.cached(find_wheel(place.recipe, name), place.cache) if kind == "wheel"
            else debs.cached(name, place.recipe["arch"], place.cache, "debian-13") / "tree")
    found = sorted(tree.glob(pattern))
    if not found:
        raise ValueError(f"no {pattern} in {name}")
    return found


def place_file(source, target, undo):
    undo.put_aside(target)
    if source.is_symlink():
        target.symlink_to(os.readlink(source))
    elif source.is_dir():
        shutil.copytree(source, target, symlinks=True, copy_function=os.link)
    else:
        os.link(source, target)


def private_copy(path, undo):
    """Replaces the file with a writable copy."""
    fresh = path.with_name(path.name + ".copy")
    subprocess.run(["cp", "--sparse=always", "--preserve=mode", path.resolve(), fresh], check=True)
    undo.put_aside(path)
    fresh.rename(path)
    return path


def copy(edit, place, undo):
    for source in sources(place, edit["copy"]):
        target = place.path(edit["to"])
        place_file(source, target / source.name if edit["to"].endswith("/") else target, undo)


def move(edit, place, undo):
    for source in matches(place, edit["move"]):
        target = place.path(edit["to"])
        place_file(source, target / source.name if edit["to"].endswith("/") else target, undo)
        undo.put_aside(source)


def remove(edit, place, undo):
    for path in matches(place, edit["remove"]):
        undo.put_aside(path)


def link(edit, place, undo):
    path = place.path(edit["link"])
    undo.put_aside(path)
    path.symlink_to(place.fill(edit["to"]))


def write(edit, place, undo):
    path = place.path(edit["write"])
    undo.put_aside(path)
    path.write_text(place.fill(edit["text"]) if edit.get("fill") else edit["text"])


def empty(edit, place, undo):
    for path in matches(place, edit["empty"]):
        undo.put_aside(path)
        path.touch()


def truncate(edit, place, undo):
    for path in matches(place, edit["truncate"]):
        path = private_copy(path, undo)
        size = path.stat().st_size
        os.truncate(path, edit["bytes"] if "bytes" in edit else size - edit["less"] if "less" in edit
                    else int(size * edit["share"]))


def patch(edit, place, undo):
    for path in matches(place, edit["patch"]):
        with open(private_copy(path, undo), "r+b") as file:
            file.seek(edit["at"])
            file.write(bytes.fromhex(edit["hex"]))


def replace(edit, place, undo):
    old, new = edit["text"].encode(), edit["with"].encode()
    if len(new) > len(old):
        raise ValueError(f"{edit['with']} is longer than {edit['text']}")
    for path in matches(place, edit["replace"]):
        path = private_copy(path, undo)
        data = path.read_bytes()
        if old not in data:
            raise ValueError(f"no {edit['text']} in {path.name}")
        path.write_bytes(data.replace(old, new.ljust(len(old), b"\0")))


def rename_version(edit, place, undo):
    for path in matches(place, edit["rename_version"]):
        elf_edits.rename_version(private_copy(path, undo), edit["from"], edit["to"])


def execstack(edit, place, undo):
    for path in matches(place, edit["execstack"]):
        elf_edits.want_executable_stack(private_copy(path, undo))


def chmod(edit, place, undo):
    for path in matches(place, edit["chmod"]):
        if path.is_dir() and undo.folder:
            undo.put_aside(path)
            shutil.copytree(undo.steps[-1][0], path, symlinks=True, copy_function=os.link)
        elif not path.is_dir():
            private_copy(path, undo)
        path.chmod(int(edit["mode"], 8))
        if os.geteuid() == 0:  # an "unprivileged" trial is still that user, to whom the owner's bits would apply
            os.chown(path, 65534, 65534)


def installed(place, name):
    """The .dist-info of a package."""
    site = place.layout().prefix / place.layout().site
    return [info for info in sorted(site.glob("*.dist-info"))
            if wheels.normal_name(info.name[:-len(".dist-info")].rsplit("-", 1)[0]) == wheels.normal_name(name)]


def uninstall(edit, place, undo):
    found = installed(place, edit["uninstall"])
    if not found:
        raise ValueError(f"{edit['uninstall']} is not installed in {place.recipe['name']}")
    for info in found:
        for row in (info / "RECORD").read_text(encoding="utf-8").splitlines():
            path = pathlib.Path(os.path.normpath(info.parent / row.rsplit(",", 2)[0].strip('"')))
            if os.path.lexists(path):
                undo.put_aside(path)
        if info.exists():
            undo.put_aside(info)


def install(edit, place, undo):
    wheel = find_wheel(place.recipe, edit["install"])
    if not edit.get("over") and installed(place, wheel.name):
        uninstall({"uninstall": wheel.name}, place, undo)
    wheels.install(wheel, place.cache, place.layout(), undo.put_aside)


def debian(edit, place, undo):
    """Files named with their full version, a symlink for the soname, and dpkg's records."""
    directory, version = place.path(edit["to"]), edit["version"]
    number = ".".join(version.split("-")[0].split(".")[:3])
    names = []
    for source in sources(place, edit["headers"]) if "headers" in edit else []:
        place_file(source, directory / source.name, undo)
        names.append(source.name)
    for source in sources(place, edit["files"]) if "files" in edit else []:
        stem, soname = source.name.split(".so.")[0], source.name
        real = f"{stem}.so.{number}"
        place_file(source, directory / real, undo)
        if soname != real:
            undo.put_aside(directory / soname)
            (directory / soname).symlink_to(real)
        names += [real, soname]
    where = "/" + str(directory.relative_to(place.root))
    arch = debian_arch(place.recipe["arch"])
    record(place, undo, edit["debian"], [f"{where}/{name}" for name in names],
           f"Package: {edit['debian']}\nMaintainer: cudatools\nArchitecture: {arch}\nVersion: {version}\n"
           "Description: libraries of CUDA\n")


def record(place, undo, name, paths, control):
    """What dpkg keeps about an installed package."""
    status = place.root / "var/lib/dpkg/status"
    before = status.read_text() if status.exists() else ""
    undo.put_aside(status)
    first, rest = control.split("\n", 1)
    status.write_text(f"{before}{first}\nStatus: install ok installed\n{rest}\n")
    listing = place.root / f"var/lib/dpkg/info/{name}.list"
    undo.put_aside(listing)
    listing.write_text("/.\n" + "".join(f"{path}\n" for path in sorted(set(paths))))


def deb(edit, place, undo):
    arch = place.recipe["arch"]
    debs.fetch(edit["deb"], arch, place.cache)
    for name in edit["deb"]:
        files, control = debs.files(name, arch, place.cache)
        for path, source in files:
            place_file(source, place.root / path, undo)
        label = name + (f":{debian_arch(arch)}" if "\nMulti-Arch: same\n" in control else "")
        record(place, undo, label, [f"/{path}" for path, _ in files], control)


def debian_arch(arch):
    return {"x86_64": "amd64", "aarch64": "arm64"}[arch]


def node(edit, place, undo):
    path = place.path(edit["node"])
    undo.put_aside(path)
    os.mkfifo(path)
    path.chmod(0o666)


def module(edit, place, undo):
    """An object file with the .modinfo of nvidia.ko; a real one would have to be compiled for a kernel."""
    info = place.fill(f"license=NVIDIA\0version={edit['version']}\0").encode()
    names = b"\0.modinfo\0.shstrtab\0"
    at = 64 + len(info)
    table = at + len(names) + -(at + len(names)) % 8
    section = struct.Struct("<IIQQQQIIQQ")
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 1, 62, 1, 0, 0, table, 0, 64, 0, 0, 64, 3, 2)
    path = place.path(edit["module"])
    undo.put_aside(path)
    path.write_bytes((header + info + names).ljust(table, b"\0") + bytes(64) +
                     section.pack(1, 1, 2, 0, 64, len(info), 0, 0, 1, 0) +
                     section.pack(10, 3, 0, 0, at, len(names), 0, 0, 1, 0))


def machine(edit, place, undo):
    make(steps_of(edit["machine"]), place, undo)


def ldconfig(edit, place, undo):
    cache = place.root / "etc/ld.so.cache"
    undo.put_aside(cache)
    emulator = [] if os.uname().machine == place.recipe["arch"] else [f"qemu-{place.recipe['arch']}-static"]
    done = subprocess.run([*emulator, place.root / "sbin/ldconfig", "-r", place.root], capture_output=True, text=True)
    if done.returncode or not cache.exists():
        raise OSError(f"ldconfig: {done.stderr.strip()[-200:]}")


VERBS = {function.__name__: function for function in (remove, move, copy, link, write, empty, truncate, patch, replace,
                                                      rename_version, execstack, chmod, uninstall, install, debian, deb,
                                                      ldconfig, node, module, machine)}


def make(edits, place, undo=None):
    """Applies the edits. ValueError if one makes no sense for this stack."""
    undo = undo or Undo()
    for edit in edits:
        verbs = [verb for verb in VERBS if verb in edit]
        if len(verbs) != 1:
            raise ValueError(f"an edit has one verb: {edit}")
        VERBS[verbs[0]](edit, place, undo)
    return undo
