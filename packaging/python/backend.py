"""The PEP 517 backend of the source distribution: builds the program with the compiler of this machine (Linux).

cmake and ninja come from the package index if the machine has none. The libraries come from the distribution; if one is
missing, `tools/setup build` in the unpacked source installs them (Debian, Ubuntu). The wheel is for this machine alone.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

import distribution


def get_requires_for_build_wheel(config_settings=None):
    return [package for package, program in (("cmake>=3.25", "cmake"), ("ninja", "ninja")) if not _usable(program)]


def get_requires_for_build_sdist(config_settings=None):
    return []


def _usable(program):
    if program != "cmake":
        return shutil.which(program) is not None
    try:
        said = subprocess.run(["cmake", "--version"], capture_output=True, text=True).stdout
    except OSError:
        return False
    number = re.search(r"(\d+)\.(\d+)", said)
    return number is not None and (int(number[1]), int(number[2])) >= (3, 25)


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    name = f"culprit-{distribution.version()}.dist-info"
    files = distribution.wheel_files(b"", _platform())
    folder = pathlib.Path(metadata_directory) / name
    folder.mkdir()
    for file in ("METADATA", "WHEEL"):
        (folder / file).write_bytes(files[f"{name}/{file}"][0])
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    program = _build()
    return distribution.write_wheel(program.read_bytes(), _platform(), pathlib.Path(wheel_directory)).name


def build_sdist(sdist_directory, config_settings=None):
    return distribution.write_sdist(pathlib.Path(sdist_directory)).name


def _platform():
    return re.sub("[^a-z0-9]", "_", sysconfig.get_platform().lower())


def _build():
    if not sys.platform.startswith("linux"):
        raise SystemExit("culprit: the source distribution builds on Linux only; on Windows install the wheel, or see "
                         "docs/windows-build.md")
    folder = distribution.ROOT / "build" / "wheel"
    # As tools/build-program: users have no GoogleTest.
    for command in (["cmake", "--preset", "first", "-B", folder, "-DCULPRIT_TESTS=OFF"],
                    ["cmake", "--build", folder, "--target", "culprit"]):
        if subprocess.run([str(word) for word in command], cwd=distribution.ROOT).returncode:
            raise SystemExit("culprit: the program could not be built; on Debian and Ubuntu `tools/setup build` in the "
                             "unpacked source installs the compiler and libraries that it needs")
    program = folder / "culprit"
    strip = shutil.which(os.environ.get("STRIP", "strip"))
    if strip:
        subprocess.run([strip, "--strip-all", str(program)], check=True)
    return program
