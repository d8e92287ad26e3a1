"""Packages of Debian's archive in the cache, unpacked as dpkg does: no wheel contains a driver, Debian 12 does.

The archive has one version of each package, so the version is not pinned: edits that depend on it use {driver}
(edits.py). Files are reduced like those of wheels; documentation and bug-report files are left out. Debian 13 is for
files that a stack on Debian 12 should not have: for a newer C library, or 32-bit.
"""
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile

import reduce

FETCH = pathlib.Path(__file__).resolve().parent.parent.parent / "packaging" / "fetch-debian"
LEFT_OUT = ("usr/share/doc", "usr/share/man", "usr/share/lintian", "usr/share/bug")


def cached(name, arch, cache, system="debian-12"):
    """The folder of a package: tree/, and control as in `dpkg-deb -f`."""
    return pathlib.Path(cache, f"{system}-packages-{reduce.REVISION}", arch, name)


def unpack(deb, target, scratch):
    tree = pathlib.Path(target, "tree")
    tree.mkdir(parents=True)
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", deb], stdout=subprocess.PIPE) as process:
        with tarfile.open(fileobj=process.stdout, mode="r|") as archive:
            for member in archive:
                name = os.path.normpath(member.name)
                path = tree / name
                if name.startswith((*LEFT_OUT, "..", "/")):
                    continue
                path.parent.mkdir(parents=True, exist_ok=True)
                if member.issym():
                    path.symlink_to(member.linkname)
                elif member.isfile():
                    with tempfile.TemporaryFile(dir=scratch) as whole:
                        shutil.copyfileobj(archive.extractfile(member), whole, 1 << 22)
                        whole.flush()
                        reduce.copy_reduced(whole, path)
                    path.chmod(member.mode & 0o7777)
    control = subprocess.run(["dpkg-deb", "-f", deb], capture_output=True, text=True, check=True).stdout
    pathlib.Path(target, "control").write_text(control)


def fetch(names, arch, cache, system="debian-12"):
    """Downloads packages into the cache. OSError says why they are not available."""
    missing = [name for name in sorted(set(names)) if not cached(name, arch, cache, system).exists()]
    if not missing:
        return
    cached(missing[0], arch, cache, system).parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as work:
        done = subprocess.run([FETCH, system, arch, f"{work}/debs", *missing], stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "COMPONENTS": "main contrib non-free"})
        if done.returncode:
            raise OSError(done.stdout.strip())
        for name in missing:
            deb, target = next(pathlib.Path(work, "debs").glob(f"{name}_*.deb")), pathlib.Path(work, name)
            unpack(deb, target, work)
            try:
                target.rename(cached(name, arch, cache, system))
            except OSError:  # another run was faster
                shutil.rmtree(target)


def files(name, arch, cache):
    """(path in the package, path in the cache) of each file and link, and the text of its control file."""
    folder = cached(name, arch, cache)
    tree = folder / "tree"
    found = [path for path in sorted(tree.rglob("*")) if path.is_symlink() or not path.is_dir()]
    return [(str(path.relative_to(tree)), path) for path in found], (folder / "control").read_text()
