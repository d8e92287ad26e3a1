"""Packages of Debian 13, for files that a stack on Debian 12 should not have: of a newer C library, or of 32 bits."""
import pathlib
import subprocess
import tempfile

FETCH = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "fetch-debian"


def cached(name, arch, cache):
    return pathlib.Path(cache, f"debian-13-{arch}", name)


def fetch(names, arch, cache):
    """Unpacks the packages below the cache. OSError where they cannot be had."""
    names = [name for name in sorted(set(names)) if not cached(name, arch, cache).exists()]
    if not names:
        return
    with tempfile.TemporaryDirectory(dir=cache) as work:
        done = subprocess.run([FETCH, "debian-13", arch, f"{work}/debs", *names], stdout=subprocess.PIPE, text=True)
        if done.returncode:
            raise OSError(done.stdout.strip())
        for name in names:
            (deb,) = pathlib.Path(work, "debs").glob(f"{name}_*.deb")
            subprocess.run(["dpkg-deb", "-x", deb, f"{work}/{name}"], check=True)
            final = cached(name, arch, cache)
            final.parent.mkdir(exist_ok=True)
            try:
                pathlib.Path(work, name).rename(final)
            except OSError:  # another run was faster
                pass
