"""A stack that can be run: complete files instead of reduced ones, in the same Debian, for programs that really load them.

Complete wheels are in the cache next to the reduced ones, in whole/; only libraries and pip's records are kept.
If this machine has a CUDA toolkit with its own cuDNN (TOOLKIT), its libraries are added to the root, under
the same path: another, real version of cuDNN without any download.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import zipfile

import make
import wheels

TOOLKITS = ("/usr/local/cuda-13.0/lib", "/usr/local/cuda/lib64", "/usr/local/cuda-13.0/lib64")
KEPT = re.compile(r"\.so(\.\d+)*$|\.dist-info/|\.py$")
PROGRAM = pathlib.Path(__file__).resolve().parent.parent / "trials" / "load.c"


def fetch(recipe, cache):
    """Downloads the complete wheels of the recipe into the cache. OSError if they are not available."""
    for wheel in wheels.read_lock(recipe["lock"]):
        final = wheels.cached(wheel, cache / "whole")
        if final.exists():
            continue
        final.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as work:
            archive = wheels.download([wheel], recipe, work) / wheel.file
            with zipfile.ZipFile(archive) as files:
                for member in files.namelist():
                    if KEPT.search(member):
                        files.extract(member, pathlib.Path(work, "tree"))
            pathlib.Path(work, "tree").rename(final)


def toolkit():
    """The directory of this machine's own cuDNN 9, or None."""
    found = [path for path in TOOLKITS if os.path.exists(f"{path}/libcudnn_graph.so.9")]
    return pathlib.Path(os.path.realpath(found[0])) if found else None


def add_toolkit(root):
    source = toolkit()
    if not source:
        return None
    target = root / str(source).lstrip("/")
    target.mkdir(parents=True)
    for path in sorted(source.glob("lib*.so*")):
        if path.is_symlink():
            (target / path.name).symlink_to(os.readlink(path))
            continue
        try:
            os.link(path, target / path.name)
        except OSError:  # another file system
            shutil.copy(path, target / path.name)
    return str(source)


def add_programs(root, site, toolkit_path):
    """Programs that do what their arguments say (load.c), linked with libraries and run paths as frameworks are.
    What is linked is found by its full path; libraries that it needs itself are not looked for."""
    (root / "app").mkdir()
    cudnn, cuda = f"{site}/nvidia/cudnn/lib", f"{site}/nvidia/cu13/lib"
    programs = {
        "opens": ([], None, ""),
        "wheel-cudnn": ([f"{cudnn}/libcudnn.so.9"], [cudnn, cuda], "--disable-new-dtags"),  # DT_RPATH, as torch has it
        "runpath-cudnn": ([f"{cudnn}/libcudnn.so.9"], [cudnn, cuda], "--enable-new-dtags"),
        "plain-cudnn": ([f"{cudnn}/libcudnn.so.9"], None, ""),
        "wheel-cublas": ([f"{cuda}/libcublas.so.13"], [cuda], "--disable-new-dtags"),
        "wheel-nvrtc": ([f"{cuda}/libnvrtc.so.13"], [cuda], "--disable-new-dtags"),
    }
    if toolkit_path:
        programs["toolkit-cudnn"] = ([f"{toolkit_path}/libcudnn.so.9"], [toolkit_path], "--disable-new-dtags")
        programs["toolkit-cusolver"] = ([f"{toolkit_path}/libcusolver.so.12"], [toolkit_path], "--disable-new-dtags")
    for name, (libraries, paths, tags) in programs.items():
        command = ["cc", "-O1", "-o", root / "app" / name, PROGRAM, "-Wl,--no-as-needed,--allow-shlib-undefined"]
        command += [str(root / library.lstrip("/")) for library in libraries]
        command += [f"-Wl,{tags},-rpath,{':'.join(paths)}"] if paths else []
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise OSError(f"cc: {done.stderr.strip()[-300:]}")


def build(recipe, cache, built):
    """The folder of the stack: root/, env and environment.json as make.py has them."""
    final = built / recipe["name"]
    made_of = make.stamp(recipe) + PROGRAM.read_text() + str(toolkit())
    try:
        if not (final / "undo").exists() and json.loads((final / "environment.json").read_text())["stamp"] == made_of:
            return final
    except (OSError, KeyError, ValueError):
        pass
    fetch(recipe, cache)
    built.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=built) as work:
        root = pathlib.Path(work, "stack", "root")
        venv, variables = make.debian_environment(recipe, cache, root, [])
        layout = wheels.venv_layout(root, venv, recipe["python"])
        for wheel in wheels.read_lock(recipe["lock"]):
            wheels.install(wheel, cache / "whole", layout)
        toolkit_path = add_toolkit(root)
        add_programs(root, f"{venv}/{layout.site}", toolkit_path)
        (root.parent / "env").write_text("".join(f"{name}={value}\n" for name, value in variables.items()))
        facts = {key: recipe[key] for key in ("name", "python", "arch", "platform", "host")}
        facts |= {"venv": venv, "toolkit": toolkit_path, "stamp": made_of}
        (root.parent / "environment.json").write_text(json.dumps(facts))
        shutil.rmtree(final, ignore_errors=True)
        root.parent.rename(final)
    return final
