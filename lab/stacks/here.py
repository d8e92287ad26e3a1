"""Trees of the machine that this runs on, such as its CUDA toolkit, reduced into the cache like wheels."""
import os
import pathlib
import shutil
import tempfile

import reduce


def reduced(path, cache):
    """The tree at `path`, read once. OSError if this machine does not have it."""
    if not path.exists():
        raise OSError(f"this machine has no {path}")
    name = str(path).strip("/").replace("/", "+")
    kept = pathlib.Path(cache, f"here-{reduce.REVISION}", f"{name}-{int(path.stat().st_mtime)}")
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as work:
            copy_tree(path, pathlib.Path(work, "tree"))
            pathlib.Path(work, "tree").rename(kept)
    return kept


def copy_tree(source, target):
    for folder, directories, names in os.walk(source):
        there = target / pathlib.Path(folder).relative_to(source)
        there.mkdir(parents=True, exist_ok=True)
        for name in [*names, *(name for name in directories if os.path.islink(os.path.join(folder, name)))]:
            path = pathlib.Path(folder, name)
            if path.is_symlink():
                (there / name).symlink_to(os.readlink(path))
            elif path.stat().st_size <= reduce.SMALL_FILE:
                shutil.copy2(path, there / name)
            else:
                with open(path, "rb") as whole:
                    reduce.copy_reduced(whole, there / name)
                (there / name).chmod(path.stat().st_mode & 0o777)
