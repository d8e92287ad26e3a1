"""What culprit fix --apply changes in the tests: trees with one thing broken, and the program on them."""
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from trees import TRIPLET, library, pinned_environment, small_machine

CULPRIT = pathlib.Path(sys.argv[1]).resolve()


class Skip(Exception):
    pass


class Case:
    """A folder with a tree to change, and the program on it."""

    def __init__(self):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="culprit-apply-")).resolve()
        self.tree = self.top / "tree"
        self.tree.mkdir()
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.top / "home"), "LC_ALL": "C.UTF-8",
                            "SHELL": "/bin/bash", "CULPRIT_STATE": str(self.top / "state")}
        self.words = []  # what to fix
        self.under = []  # a program that runs culprit

    def run(self, *words, expect=None, before=()):
        done = subprocess.run([*before, CULPRIT, "fix", *words], env=self.environment, cwd=self.top, text=True,
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=120)
        if expect is not None:
            assert done.returncode == expect, f"{words}: {done.returncode}, not {expect}\n{done.stdout}{done.stderr}"
        return done

    def ask(self, *words, expect=None):
        return json.loads(self.run(*words, "--format", "json", expect=expect, before=self.under).stdout)

    def apply(self, expect=0):
        return self.ask(*self.words, "--apply", "--yes", expect=expect)

    def undo_words(self):
        root = self.words[self.words.index("--root"):][:2] if "--root" in self.words else []
        return ["--undo", *root]

    def undo(self, *more, expect=0):
        return self.ask(*self.undo_words(), *more, expect=expect)


@contextlib.contextmanager
def case(make):
    world = Case()
    try:
        make(world)
        yield world
    finally:
        shutil.rmtree(world.top)


def broken_link_and_path(world):
    """A library has a dangling symlink, and the environment file names a directory that does not exist."""
    small_machine(world.tree)
    folder = world.tree / "usr/lib" / TRIPLET
    library(folder / "libgreet.so.1.1", "libgreet.so.1")
    (folder / "libgreet.so.1").symlink_to("libgreet.so.1.0")
    world.file = world.tree / "image.env"
    world.file.write_text("# of the image\nA=1\nLD_LIBRARY_PATH=/gone/lib:/app\n")
    world.file.chmod(0o640)
    os.utime(world.file, ns=(1, 1234567890123456789))
    world.link = folder / "libgreet.so.1"
    world.words = ["CUL5001", "CUL5013", "/app/train", "--root", str(world.tree), "--env", str(world.file)]
    world.watched = {
        world.link: ("libgreet.so.1.0", "libgreet.so.1.1"),
        world.file: ("# of the image\nA=1\nLD_LIBRARY_PATH=/gone/lib:/app\n", "# of the image\nA=1\nLD_LIBRARY_PATH=/app\n")}


def stale_cache(world):
    """A library was copied into a directory of the loader's cache, but nobody ran ldconfig."""
    if os.geteuid() != 0:
        raise Skip("ldconfig -r needs root")
    small_machine(world.tree)
    folder = world.tree / "opt/greet/lib"
    library(folder / "libold.so.1", "libold.so.1")
    (world.tree / "etc/ld.so.conf").write_text(f"/opt/greet/lib\n/lib/{TRIPLET}\n")
    (world.tree / "var/cache/ldconfig").mkdir(parents=True)
    subprocess.run(["/sbin/ldconfig", "-r", world.tree], check=True)
    cache = world.tree / "etc/ld.so.cache"
    old = cache.read_bytes()
    library(folder / "libgreet.so.1", "libgreet.so.1")
    library(folder / "libother.so.2.5", "libother.so.2")  # ldconfig creates a symlink to it
    world.words = ["CUL5003", "/app/train", "--root", str(world.tree)]
    world.watched = {cache: (old, None)}


def pinned(world):
    """A package of a virtual environment requires another cuDNN than the installed one."""
    world.prefix, world.site, wheels = pinned_environment(world.tree, world.__dict__.get("real_pip"))
    world.environment.update(PIP_NO_INDEX="1", PIP_FIND_LINKS=str(wheels), PYTHONDONTWRITEBYTECODE="1")
    world.words = ["CUL6007", str(world.prefix)]
    world.watched = {world.site / "nvidia/cudnn/lib/libcudnn.so.9": ("cuDNN 9.5.1\n", "cuDNN 9.1.0\n"),
                     world.site / "nvidia/cudnn/include/only_in_9_5.h": ("//\n", None)}
