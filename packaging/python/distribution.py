"""Wheels and the source distribution, byte for byte the same for one commit: sorted entries, fixed times and modes.

A wheel holds the module culprit/ and the native program as a script, so `culprit` on PATH starts without Python.
Nothing but the standard library, because this also runs as the build backend of the source distribution (backend.py).
"""
import base64
import gzip
import hashlib
import io
import os
import pathlib
import re
import struct
import subprocess
import tarfile
import time
import zipfile
from typing import Dict, Iterable, List, Tuple

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MODULE = ROOT / "packaging" / "python" / "culprit"
README = ROOT / "docs" / "python.md"

# Program, CPU and wheels of each target. The Linux programs are static, so glibc and musl get the same one.
TARGETS: Dict[str, Tuple[str, str, List[str]]] = {
    **{f"linux-{cpu}": (f"culprit-linux-{cpu}", cpu,
                        [f"manylinux_2_17_{cpu}.manylinux2014_{cpu}", f"musllinux_1_1_{cpu}"])
       for cpu in ("x86_64", "aarch64")},
    "windows-x86_64": ("culprit-windows-x86_64.exe", "x86_64", ["win_amd64"]),
}


def version() -> str:
    return re.search(r"^project\(culprit VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]


def source_date() -> int:
    """SOURCE_DATE_EPOCH, or the time of the commit; without either the start of zip's calendar."""
    if os.environ.get("SOURCE_DATE_EPOCH"):
        return int(os.environ["SOURCE_DATE_EPOCH"])
    log = subprocess.run(["git", "-C", str(ROOT), "log", "-1", "--format=%ct"], capture_output=True, text=True) \
        if (ROOT / ".git").exists() else None
    return int(log.stdout) if log and log.returncode == 0 else 315532800


def metadata() -> str:
    heads = [
        ("Metadata-Version", "2.1"), ("Name", "culprit"), ("Version", version()),
        ("Summary", "Finds what is wrong with a CUDA/cuDNN stack, proves it, and gives the fix"),
        ("Keywords", "cuda,cudnn,gpu,nvidia,driver,diagnosis,pytorch,tensorflow"), ("Requires-Python", ">=3.8"),
        *(("Classifier", name) for name in (
            "Environment :: Console", "Environment :: GPU :: NVIDIA CUDA", "Framework :: IPython", "Framework :: Jupyter",
            "Intended Audience :: Developers", "Intended Audience :: Science/Research",
            "Operating System :: Microsoft :: Windows", "Operating System :: POSIX :: Linux", "Programming Language :: C++",
            "Programming Language :: Python :: 3", "Topic :: System :: Hardware", "Typing :: Typed")),
        ("Description-Content-Type", "text/markdown; charset=UTF-8"),
    ]
    return "".join(f"{key}: {value}\n" for key, value in heads) + "\n" + README.read_text(encoding="utf-8")


def check_program(program: bytes, target: str) -> str:
    """Why this file must not be in the wheel of the target; "" if it may."""
    machine = {"x86_64": 62, "aarch64": 183}[TARGETS[target][1]]
    if target.startswith("windows"):
        header = struct.unpack_from("<I", program, 0x3C)[0] if program[:2] == b"MZ" and len(program) > 0x40 else 0
        return "" if program[header:header + 6] == b"PE\0\0\x64\x86" else "not a 64-bit Windows program"
    if program[:6] != b"\x7fELF\x02\x01" or len(program) < 64:
        return "not a 64-bit Linux program"
    if struct.unpack_from("<H", program, 18)[0] != machine:
        return "a program for another CPU"
    start, size, count = struct.unpack_from("<Q", program, 32)[0], *struct.unpack_from("<HH", program, 54)
    if any(struct.unpack_from("<I", program, start + number * size)[0] == 3 for number in range(count)):
        return "not static: it would not start on both glibc and musl"
    return ""


def wheel_files(program: bytes, platform: str) -> Dict[str, Tuple[bytes, int]]:
    """Name, contents and mode of everything in a wheel, RECORD last."""
    name = f"culprit-{version()}"
    script = "culprit.exe" if platform.startswith("win") else "culprit"
    files = {f"culprit/{path.name}": (path.read_bytes(), 0o644) for path in MODULE.iterdir()
             if path.suffix == ".py" or path.name == "py.typed"}
    files[f"{name}.data/scripts/{script}"] = (program, 0o755)
    files[f"{name}.dist-info/METADATA"] = (metadata().encode(), 0o644)
    tags = "".join(f"Tag: py3-none-{one}\n" for one in platform.split("."))
    files[f"{name}.dist-info/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: culprit ({version()})\nRoot-Is-Purelib: false\n{tags}".encode(), 0o644)
    files = dict(sorted(files.items()))
    record = "".join(f"{path},sha256={_digest(contents)},{len(contents)}\n" for path, (contents, _) in files.items())
    files[f"{name}.dist-info/RECORD"] = (f"{record}{name}.dist-info/RECORD,,\n".encode(), 0o644)
    return files


def _digest(contents: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()


def write_wheel(program: bytes, platform: str, folder: pathlib.Path) -> pathlib.Path:
    path = folder / f"culprit-{version()}-py3-none-{platform}.whl"
    when = time.gmtime(max(source_date(), 315532800))[:6]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name, (contents, mode) in wheel_files(program, platform).items():
            entry = zipfile.ZipInfo(name, when)
            entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | mode) << 16
            wheel.writestr(entry, contents)
    return path


def sources() -> Iterable[str]:
    """Every tracked file; in an unpacked source distribution every file but what a build has left."""
    if (ROOT / ".git").exists():
        return subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], check=True, capture_output=True,
                              text=True).stdout.split("\0")[:-1]
    return [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file()
            and not {"build", "dist", "__pycache__"} & set(path.relative_to(ROOT).parts)]


def write_sdist(folder: pathlib.Path) -> pathlib.Path:
    name, when = f"culprit-{version()}", source_date()
    files = {path: (ROOT / path).read_bytes() for path in sources()}
    modes = {path: 0o755 if os.access(ROOT / path, os.X_OK) else 0o644 for path in files}
    files["pyproject.toml"] = (ROOT / "packaging/python/pyproject.toml").read_bytes()
    files["PKG-INFO"] = metadata().encode()
    path = folder / f"{name}.tar.gz"
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=when) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for file, contents in sorted(files.items()):
            entry = tarfile.TarInfo(f"{name}/{file}")
            entry.size, entry.mtime, entry.mode = len(contents), when, modes.get(file, 0o644)
            tar.addfile(entry, io.BytesIO(contents))
    return path
