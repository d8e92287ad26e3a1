"""Edits of a built stack: the words in which recipes lay things out (setup) and faults break them, and the way back.

An edit is a table with one verb and what the verb needs; paths are those inside the root, and may hold {venv}, {site}
(site-packages) and {lib} (the directory of libraries of that Debian):

  {remove = PATH}                         a file, a link or a tree; PATH may be a pattern, and must match something
  {move = PATH, to = PATH}
  {copy = FROM, to = PATH}                FROM: a path or pattern in the root, or "wheel:NAME==VERSION/PATTERN"; a `to`
                                          that ends with / is a directory
  {link = PATH, to = TARGET}              a symbolic link, in place of whatever is there
  {write = PATH, text = TEXT}             a file
  {empty = PATH}                          a file of no bytes
  {truncate = PATH, bytes = N}            the first N bytes stay; share = 0.5: that part of it
  {patch = PATH, at = N, hex = "03"}      bytes of a file
  {chmod = PATH, mode = "600"}
  {uninstall = NAME}                      as pip does, by RECORD
  {install = "NAME==VERSION"}             as pip does: the installed version goes first; over = true: it stays
  {debian = NAME, version = V, files = FROM, to = DIR}   libraries as a package of NVIDIA's archive lays them out
  {deb = ["libcuda1", ...]}               packages of Debian 12, also non-free; a driver's libraries get their links in
                                          /etc/alternatives. {deb:libcuda1} in a text is the version of that package
  {ldconfig = true}                       /etc/ld.so.cache, made by that system's own ldconfig

Wheels are those of some lock in recipes/. Files of a stack are hard links into the cache: no verb writes into one.
"""
import fnmatch
import os
import pathlib
import re
import shutil
import subprocess
import typing

import debs
import wheels

UNDO = "undo"  # the folder beside root that keeps what an edit has put aside; as long as it is there, the root is broken
RECIPES = pathlib.Path(__file__).resolve().parent.parent / "recipes"


class Place(typing.NamedTuple):
    """The stack that is edited."""
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

    def fill(self, text):
        """Replaces {venv}, {site} and {lib}; on Windows they are spelled for a tool, with / and without the drive."""
        venv = "/" + self.venv[3:].replace("\\", "/") if self.windows else self.venv
        lib = f"/usr/lib/{self.recipe['arch']}-linux-gnu"
        text = re.sub(r"\{deb:([\w.+-]+)\}", lambda m: debs.upstream_version(m[1], self.recipe["arch"], self.cache), text)
        return (text.replace("{venv}", venv).replace("{site}", f"{venv}/{self.layout().site}").replace("{lib}", lib))

    def path(self, text):
        return self.root / self.fill(text).lstrip("/")


class Undo:
    """What was there before. Everything that an edit makes, replaces or takes goes through put_aside first."""

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
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def matches(place, pattern):
    """Files of the root that the pattern names; at least one, or the edit means nothing."""
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


def find_wheel(recipe, pin):
    """The wheel of NAME==VERSION for the machine of the recipe, out of all locks."""
    name, version = pin.split("==")
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
        for key in ("copy", "files"):
            if edit.get(key, "").startswith("wheel:"):
                yield edit[key][len("wheel:"):].split("/", 1)[0]


def packages(edits):
    """The packages of Debian that edits name."""
    return [name for edit in edits for name in edit.get("deb", [])]


def sources(place, text):
    if not text.startswith("wheel:"):
        return matches(place, text)
    pin, pattern = text[len("wheel:"):].split("/", 1)
    tree = wheels.cached(find_wheel(place.recipe, pin), place.cache)
    found = sorted(tree.glob(pattern))
    if not found:
        raise ValueError(f"no {pattern} in {pin}")
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
    """A copy of the file in its own place that may be written to."""
    real = path.resolve()
    undo.put_aside(path)
    source = undo.steps[-1][0] if undo.folder and real == path else real
    subprocess.run(["cp", "--sparse=always", "--preserve=mode", source, path], check=True)
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
        os.truncate(path, edit["bytes"] if "bytes" in edit else int(path.stat().st_size * edit["share"]))


def patch(edit, place, undo):
    for path in matches(place, edit["patch"]):
        with open(private_copy(path, undo), "r+b") as file:
            file.seek(edit["at"])
            file.write(bytes.fromhex(edit["hex"]))


def chmod(edit, place, undo):
    for path in matches(place, edit["chmod"]):
        private_copy(path, undo).chmod(int(edit["mode"], 8))


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
    """Files under their full version, a link for the soname, and the records of dpkg."""
    directory, version = place.path(edit["to"]), edit["version"]
    number = ".".join(version.split("-")[0].split(".")[:3])
    names = []
    for source in sources(place, edit["files"]):
        stem, soname = source.name.split(".so.")[0], source.name
        real = f"{stem}.so.{number}"
        place_file(source, directory / real, undo)
        if soname != real:
            undo.put_aside(directory / soname)
            (directory / soname).symlink_to(real)
        names += [real, soname]
    where = "/" + str(directory.relative_to(place.root))
    arch = {"x86_64": "amd64", "aarch64": "arm64"}[place.recipe["arch"]]
    status = place.root / "var/lib/dpkg/status"
    before = status.read_text() if status.exists() else ""
    undo.put_aside(status)
    status.write_text(f"{before}Package: {edit['debian']}\nStatus: install ok installed\nMaintainer: cudatools\n"
                      f"Architecture: {arch}\nVersion: {version}\nDescription: libraries of CUDA\n\n")
    listing = place.root / f"var/lib/dpkg/info/{edit['debian']}.list"
    undo.put_aside(listing)
    listing.write_text("/.\n" + "".join(f"{where}/{name}\n" for name in sorted(set(names))))


def deb(edit, place, undo):
    debs.fetch(edit["deb"], place.recipe["arch"], place.cache)
    for name in edit["deb"]:
        debs.install(name, place.recipe["arch"], place.cache, place.root,
                     lambda source, target: place_file(source, target, undo), undo.put_aside)


def ldconfig(edit, place, undo):
    cache = place.root / "etc/ld.so.cache"
    undo.put_aside(cache)
    emulator = [] if os.uname().machine == place.recipe["arch"] else [f"qemu-{place.recipe['arch']}-static"]
    done = subprocess.run([*emulator, place.root / "sbin/ldconfig", "-r", place.root], capture_output=True, text=True)
    if done.returncode or not cache.exists():
        raise OSError(f"ldconfig: {done.stderr.strip()[-200:]}")


VERBS = {function.__name__: function for function in (remove, move, copy, link, write, empty, truncate, patch, chmod, uninstall,
                                                      install, debian, deb, ldconfig)}


def make(edits, place, undo=None):
    """Carries the edits out. ValueError where one means nothing for this stack."""
    undo = undo or Undo()
    for edit in edits:
        verbs = [verb for verb in VERBS if verb in edit]
        if len(verbs) != 1:
            raise ValueError(f"an edit has one verb: {edit}")
        VERBS[verbs[0]](edit, place, undo)
    return undo
