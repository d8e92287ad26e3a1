"""Verbs of edits.py that create a whole installation with its packager's layout, from the libraries of wheels:

  {toolkit = "/usr/local/cuda-12.4", version = "12.4.1", wheels = [...]}   as NVIDIA's installer: lib64, include, bin,
                                          version.json, the symlink /usr/local/cuda and a line for ldconfig
  {conda = NAME, version = V, build = B, wheels = [...]}   a conda package in the environment, with conda-meta
  {container = "docker"}                  the marker of an image that runs in a container; also "podman"

In a wheel, a library file is named by its soname. Here its name has the full version, and symlinks point to it.
"""
import json
import os
import re

import edits
import wheels


def wheel_files(place, pin):
    """(kind, path below it, source) for what a wheel of NVIDIA has in nvidia/*/: kind is lib, include, bin, nvvm ..."""
    tree = wheels.cached(edits.find_wheel(place.recipe, pin), place.cache)
    for source in sorted(tree.glob("nvidia/*/**/*")):
        parts = source.relative_to(tree).parts
        if source.is_file() and len(parts) > 3 and source.name != "__init__.py":
            yield parts[2], "/".join(parts[3:]), source


def place_library(source, directory, version, undo):
    """The file named with its full version, symlinks for the soname and for the linker. Returns the names."""
    stem, _, number = source.name.partition(".so")
    if stem.startswith("libcudnn"):  # its archive omits the build number
        version = ".".join(version.split(".")[:3])
    real = f"{stem}.so.{version}" if number else source.name  # without a number: a plug-in
    edits.place_file(source, directory / real, undo)
    links = [name for name in (source.name, f"{stem}.so") if name != real]
    for name in links:
        if not os.path.lexists(directory / name):
            undo.put_aside(directory / name)
            (directory / name).symlink_to(real)
    return [real, *links]


def toolkit(edit, place, undo):
    home = place.path(edit["toolkit"])
    machine = {"x86_64": "x86_64-linux", "aarch64": "sbsa-linux"}[place.recipe["arch"]]
    for pin in edit["wheels"]:
        for kind, below, source in wheel_files(place, pin):
            if kind == "lib" and ".so" in source.name:
                place_library(source, home / "targets" / machine / "lib", pin.split("==")[1], undo)
            else:
                inside = f"targets/{machine}/{kind}" if kind in ("lib", "include") else kind
                edits.place_file(source, home / inside / below, undo)
    for name, to in (("lib64", f"targets/{machine}/lib"), ("include", f"targets/{machine}/include")):
        edits.link({"link": f"{edit['toolkit']}/{name}", "to": to}, place, undo)
    version = {"cuda": {"name": "CUDA SDK", "version": edit["version"]}}
    edits.write({"write": f"{edit['toolkit']}/version.json", "text": json.dumps(version, indent=3)}, place, undo)
    number = edit["toolkit"].rsplit("-", 1)[1]
    edits.link({"link": "/usr/local/cuda", "to": edit["toolkit"]}, place, undo)
    conf = f"/etc/ld.so.conf.d/000_cuda-{number}.conf"
    edits.write({"write": conf, "text": f"{edit['toolkit']}/lib64\n"}, place, undo)


def conda(edit, place, undo):
    prefix, listed = place.path("{venv}"), []
    for pin in edit["wheels"]:
        for kind, below, source in wheel_files(place, pin):
            if kind in ("lib", "bin") and re.search(r"\.so(\.|$)", source.name):
                listed += [f"lib/{name}" for name in place_library(source, prefix / "lib", pin.split("==")[1], undo)]
            else:
                edits.place_file(source, prefix / kind / below, undo)
                listed.append(f"{kind}/{below}")
    write_conda_record(prefix, edit, sorted(set(listed)), undo.put_aside)


def write_conda_record(prefix, package, files, make_room):
    name, version, build = package["conda"], package["version"], package["build"]
    record = prefix / "conda-meta" / f"{name}-{version}-{build}.json"
    make_room(record)
    record.write_text(json.dumps({"name": name, "version": version, "build": build, "build_number": 0,
                                  "channel": "https://conda.anaconda.org/conda-forge/linux-64", "files": files,
                                  "fn": f"{name}-{version}-{build}.conda", "subdir": "linux-64"}, indent=2))


def container(edit, place, undo):
    mark = {"docker": "/.dockerenv", "podman": "/run/.containerenv"}[edit["container"]]
    edits.write({"write": mark, "text": ""}, place, undo)


edits.VERBS |= {"toolkit": toolkit, "conda": conda, "container": container}
