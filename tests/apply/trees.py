"""Trees to break, fix and restore: a tiny machine with real libraries, a virtual environment, and their exact
contents."""
import base64
import hashlib
import os
import pathlib
import platform
import shutil
import stat
import subprocess
import sys
import zipfile

MACHINE = platform.machine()
TRIPLET = f"{MACHINE}-linux-gnu"
LOADER = {"x86_64": "/lib64/ld-linux-x86-64.so.2", "aarch64": "/lib/ld-linux-aarch64.so.1"}[MACHINE]


def state_of(top):
    """{path: everything that undo has to restore}"""
    found = {}
    for folder, folders, files in os.walk(top):
        for name in [*folders, *files, "."]:
            path = os.path.join(folder, name)
            status = os.lstat(path)
            what = [stat.filemode(status.st_mode), status.st_uid, status.st_gid, status.st_mtime_ns]
            if stat.S_ISLNK(status.st_mode):
                what.append(os.readlink(path))
            elif stat.S_ISREG(status.st_mode):
                what.append(hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest())
            found[os.path.relpath(path, top)] = what
    return found


def differences(before, after):
    return [f"{path}: {before.get(path)} -> {after.get(path)}"
            for path in sorted(before.keys() | after.keys()) if before.get(path) != after.get(path)]


def compile_c(text, output, *options):
    output.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cc", "-x", "c", "-", "-x", "none", "-o", output, *options], input=text.encode(), check=True)


def library(path, soname):
    compile_c("int greet(void) { return 7; }\n", path, "-shared", "-fPIC", f"-Wl,-soname,{soname}")


def small_machine(root):
    """A root file system with the loader, the C library and /app/train, which needs libgreet.so.1."""
    libc = subprocess.run(["cc", "-print-file-name=libc.so.6"], capture_output=True, text=True, check=True).stdout
    for source, target in ((LOADER, LOADER), (libc.strip(), f"/lib/{TRIPLET}/libc.so.6")):
        place = root / target[1:]
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(os.path.realpath(source), place)
    (root / "usr/lib" / TRIPLET).mkdir(parents=True)
    (root / "etc").mkdir()
    (root / "etc/os-release").write_text('PRETTY_NAME="a small machine"\n')
    kept = root / "kept/libgreet.so.1"  # to link against
    library(kept, "libgreet.so.1")
    compile_c("int greet(void); int main(void) { return greet(); }\n", root / "app/train", str(kept),
              "-Wl,--disable-new-dtags")
    shutil.rmtree(kept.parent)


def wheel(folder, name, version, files):
    """A wheel, and its files as an installer unpacks them."""
    stem = f"{name.replace('-', '_')}-{version}"
    members = dict(files)
    members[f"{stem}.dist-info/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    members[f"{stem}.dist-info/WHEEL"] = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = ""
    for path, text in members.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
        record += f"{path},sha256={digest},{len(text.encode())}\n"
    members[f"{stem}.dist-info/RECORD"] = record + f"{stem}.dist-info/RECORD,,\n"
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as archive:
        for path, text in members.items():
            archive.writestr(path, text)
    return members


def unpack(members, site):
    for path, text in members.items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(text)


# Does what culprit needs from pip, in a hundredth of the time.
SMALL_PIP = """import os, sys, zipfile
words = sys.argv[1:]
name, version = words[-1].split("==")
target = words[words.index("--target") + 1]
with zipfile.ZipFile(os.path.join(os.environ["PIP_FIND_LINKS"],
                                  f"{name.replace('-', '_')}-{version}-py3-none-any.whl")) as archive:
    archive.extractall(target)
"""


def pinned_environment(top, real_pip):
    """A virtual environment with cuDNN 9.5.1.17 in which a package requires 9.1.0.70; and the available wheels."""
    prefix = top / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", prefix], check=True)
    site = next(prefix.glob("lib/python3*/site-packages"))
    wheels = top / "wheels"
    part = "nvidia/cudnn/lib/libcudnn.so.9"
    old = {"nvidia/__init__.py": "", part: "cuDNN 9.5.1\n", "nvidia/cudnn/include/only_in_9_5.h": "//\n"}
    unpack(wheel(wheels, "nvidia-cudnn-cu12", "9.5.1.17", old), site)
    wheel(wheels, "nvidia-cudnn-cu12", "9.1.0.70", {"nvidia/__init__.py": "", part: "cuDNN 9.1.0\n"})
    unpack(wheel(wheels, "nvidia-nvjitlink-cu12", "12.4.127", {"nvidia/nvjitlink/__init__.py": "x = 1\n"}), site)
    needy = wheel(wheels, "deepspeed", "1.0", {"deepspeed/__init__.py": ""})
    needy["deepspeed-1.0.dist-info/METADATA"] += "Requires-Dist: nvidia-cudnn-cu12 ==9.1.0.70\n"
    unpack(needy, site)
    if real_pip:
        (site / "pip").symlink_to(real_pip)
    else:
        unpack({"pip/__init__.py": "", "pip/__main__.py": SMALL_PIP}, site)
    return prefix, site, wheels
