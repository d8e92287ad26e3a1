"""Packages of Debian 12 for a root: fetched, unpacked once into the cache (reduced, like wheels) and linked from there.

This is where a real driver of NVIDIA comes from: libcuda1 and its kin are in Debian's component non-free. Debian keeps
one version of a package per release and may replace it; edits must not spell it but say {deb:libcuda1}.
"""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import reduce

FETCH = pathlib.Path(__file__).resolve().parent.parent.parent / "packaging" / "fetch-debian"
DEBIAN_ARCH = {"x86_64": "amd64", "aarch64": "arm64"}
UNSEEN = re.compile(r"usr/share/(doc|man|lintian|bug|locale)/")


def cached(name, arch, cache):
    return pathlib.Path(cache, f"debs-12-{arch}-{reduce.REVISION}", name)


def missing(names, arch, cache):
    return [name for name in sorted(set(names)) if not cached(name, arch, cache).exists()]


def fetch(names, arch, cache):
    """Brings packages into the cache; OSError says why not. One call for many: each reads the lists of the archive."""
    names = missing(names, arch, cache)
    if not names:
        return
    shelf = cached("", arch, cache)
    shelf.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as work:
        done = subprocess.run([FETCH, "--non-free", "debian-12", arch, f"{work}/debs", *names], capture_output=True, text=True)
        if done.returncode:
            raise OSError((done.stdout or done.stderr).strip()[-300:])
        for archive in sorted(pathlib.Path(work, "debs").glob("*.deb")):
            unpacked, tree = pathlib.Path(work, "unpacked"), pathlib.Path(work, "tree")
            subprocess.run(["dpkg-deb", "-R", archive, unpacked], check=True)
            name = field(unpacked, "Package")
            reduce_tree(unpacked, tree)
            shutil.rmtree(unpacked)
            try:
                tree.rename(shelf / name)
            except OSError:  # another run was faster
                shutil.rmtree(tree)
    left = missing(names, arch, cache)
    if left:
        raise OSError(f"Debian has no {', '.join(left)}")


def reduce_tree(source, target):
    for folder, directories, names in os.walk(source):
        there = target / pathlib.Path(folder).relative_to(source)
        there.mkdir(parents=True, exist_ok=True)
        for name in [*names, *(d for d in directories if os.path.islink(os.path.join(folder, d)))]:
            path = pathlib.Path(folder, name)
            if path.is_symlink():
                (there / name).symlink_to(os.readlink(path))
            elif path.stat().st_size <= reduce.SMALL_FILE:
                shutil.copy2(path, there / name)
            else:
                with open(path, "rb") as whole:
                    reduce.copy_reduced(whole, there / name)
                (there / name).chmod(path.stat().st_mode & 0o777)


def control(tree):
    return (tree / "DEBIAN" / "control").read_text(encoding="utf-8")


def field(tree, name):
    found = re.search(rf"^{name}: (.*)$", control(tree), re.MULTILINE)
    return found[1].strip() if found else ""


def upstream_version(name, arch, cache):
    """Without epoch and Debian's own number: 535.261.03."""
    return field(cached(name, arch, cache), "Version").split(":")[-1].rsplit("-", 1)[0]


def files(tree):
    """(path inside the root, path in the cache) of what the package brings."""
    for folder, directories, names in os.walk(tree):
        for name in sorted([*names, *(d for d in directories if os.path.islink(os.path.join(folder, d)))]):
            path = pathlib.Path(folder, name)
            inside = path.relative_to(tree).as_posix()
            if not inside.startswith("DEBIAN/") and not UNSEEN.match(inside):
                yield inside, path


def install(name, arch, cache, root, place_file, make_room):
    """Puts a package into the root, with dpkg's records. What Debian's nvidia-alternative does when it is configured
    is done as well: a library in nvidia/current is found by way of /etc/alternatives."""
    tree, listed = cached(name, arch, cache), ["/."]
    for inside, source in files(tree):
        place_file(source, root / inside)
        listed.append("/" + inside)
        parent, base = inside.rsplit("/", 1)
        if parent.endswith("-linux-gnu/nvidia/current") and re.search(r"\.so(\.\d+)?$", base):
            triplet = parent.split("/")[-3]
            link(root / "etc/alternatives" / f"nvidia--{base}-{triplet}", "/" + inside, make_room)
            link(root / "usr/lib" / triplet / base, f"/etc/alternatives/nvidia--{base}-{triplet}", make_room)
        elif parent == "usr/lib/nvidia/current" and base == "nvidia-smi":
            link(root / "etc/alternatives/nvidia--nvidia-smi", "/" + inside, make_room)
            link(root / "usr/bin/nvidia-smi", "/etc/alternatives/nvidia--nvidia-smi", make_room)
    status = root / "var/lib/dpkg/status"
    before = status.read_text(encoding="utf-8") if status.exists() else ""
    make_room(status)
    record = control(tree).replace("\n", "\nStatus: install ok installed\n", 1).rstrip()
    status.write_text(f"{before}{record}\n\n", encoding="utf-8")
    same = f":{DEBIAN_ARCH[arch]}" if field(tree, "Multi-Arch") == "same" else ""
    listing = root / f"var/lib/dpkg/info/{name}{same}.list"
    make_room(listing)
    listing.write_text("\n".join(listed) + "\n")


def link(path, target, make_room):
    make_room(path)
    path.symlink_to(target)
