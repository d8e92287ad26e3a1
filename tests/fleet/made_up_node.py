"""Roots of made-up nodes: files as on a running machine with a driver and GPUs, for `culprit check --root`."""
import pathlib
import re
import shutil
import subprocess
import sysconfig

DRIVER = "580.95.05"
# What a name may do to a line of metrics: quotes, braces, a backslash, invalid UTF-8, a control character.
HOSTILE = b'NVIDIA "H200\\"} 1 \xff\x07{a="b'


def loader():
    """The loader of this machine, which a tree needs to be one in which programs start."""
    said = subprocess.run(["readelf", "-l", "/bin/sh"], capture_output=True, text=True, check=True).stdout
    return pathlib.Path(re.search(r"interpreter: (\S+)\]", said)[1])


def sound(root, gpu=b"NVIDIA H200"):
    """A node on which nothing is wrong but a library that only PTX needs: a warning."""
    root = pathlib.Path(root)
    information = root / "proc/driver/nvidia/gpus/0000:19:00.0/information"
    information.parent.mkdir(parents=True)
    information.write_bytes(b"Model: \t\t " + gpu + b"\nBus Location: 0000:19:00.0\n")
    (root / "proc/driver/nvidia/version").write_text(
        f"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  {DRIVER}  Release Build\nGCC version: gcc\n")
    libraries = root / "usr/lib" / (sysconfig.get_config_var("MULTIARCH") or "")
    libraries.mkdir(parents=True)
    subprocess.run(["cc", "-nostdlib", "-shared", "-fPIC", "-x", "c", "-", "-Wl,-soname,libcuda.so.1", "-o",
                    libraries / f"libcuda.so.{DRIVER}"], input=b"int cuInit(int flags) { return flags; }", check=True)
    (libraries / "libcuda.so.1").symlink_to(f"libcuda.so.{DRIVER}")
    (root / str(loader().parent)[1:]).mkdir(parents=True, exist_ok=True)
    shutil.copy(loader(), root / str(loader())[1:])
    (root / "etc").mkdir()
    (root / "etc/os-release").write_text('ID=debian\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n')
    return root


def broken(root, **more):
    """The same without libcuda.so.1: CUL1002."""
    for library in sound(root, **more).rglob("libcuda.so*"):
        library.unlink()
    return pathlib.Path(root)


def unknown(root):
    """A node of which nothing can be said."""
    (pathlib.Path(root) / "etc").mkdir(parents=True)
    return pathlib.Path(root)
