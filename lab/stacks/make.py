#!/usr/bin/env python3
"""Builds Python environments from real wheels inside a small Debian or on a drive C:, to be inspected and never run.

  make.py RECIPE...            builds them; RECIPE is a name in recipes/ or a path; --ci is all those with ci = true
  make.py --update RECIPE...   resolves the recipe with the current index and writes recipes/RECIPE.lock

A recipe with shelf = true is not an environment: its lock has single wheels for edits, without their dependencies.

Each environment is a folder OUT/RECIPE: root/ (a root file system), env (for --env) and environment.json (where the
environment is in root, the host it must be healthy on). Thanks to the cache, a second run needs no network;
environments that are built and not broken stay.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib

import compiled  # adds a verb
import debs
import edits
import layouts
import reduce
import wheels
import windows_edits  # adds verbs
import windows_root

HERE = pathlib.Path(__file__).resolve().parent
RECIPES = HERE.parent / "recipes"
PROGRAM = HERE.parent.parent / "build" / "release" / "culprit"
VENV = "/opt/venv"
WORKERS = 4  # while some inflate, others download
VARIABLES = {"PATH": f"{VENV}/bin:/usr/local/bin:/usr/bin:/bin", "VIRTUAL_ENV": VENV}
CONDA = "/opt/conda/envs/lab"
CONDA_VARIABLES = {"PATH": f"{CONDA}/bin:/usr/local/bin:/usr/bin:/bin", "CONDA_PREFIX": CONDA,
                   "CONDA_DEFAULT_ENV": "lab"}
DEBIAN_PYTHON = "3.11"


def default_cache():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base, "culprit", "environments")


def recipe_path(name):
    return pathlib.Path(name) if name.endswith(".toml") else RECIPES / f"{name}.toml"


def read_recipe(name):
    path = recipe_path(name)
    if not path.exists():
        sys.exit(f"no recipe {path}")
    recipe = {"python": "3.11", "arch": "x86_64", "platform": "linux", "env": {}, "ci": False,
              **tomllib.loads(path.read_text())}
    return {**recipe, "name": path.stem, "lock": path.with_suffix(".lock")}


def ci_recipes():
    return [path.stem for path in sorted((RECIPES).glob("*.toml")) if read_recipe(path.stem)["ci"]]


def take_off_the_index(recipe):
    """What a shelf holds: each requirement resolved alone, so that several versions of a package stand beside each
    other. A pin that the lock has already means the same file as then, so it is not asked for again."""
    known = wheels.read_lock(recipe["lock"]) if recipe["lock"].exists() else []
    known = {f"{wheel.name}=={wheel.version}": wheel for wheel in known}

    def one(requirement):
        name, _, version = requirement.partition("==")
        pin = f"{wheels.normal_name(name)}=={version}"
        if pin in known:
            return [known[pin]]
        return wheels.resolve({**recipe, "requirements": [requirement]}, [], "--no-deps")

    with concurrent.futures.ThreadPoolExecutor(3 * WORKERS) as pool:  # pip mostly waits for the index
        return sorted({wheel for found in pool.map(one, recipe["requirements"]) for wheel in found})


def update(recipe):
    share = recipe.get("share_with")
    asked = {wheels.normal_name(re.split(r"[\[<>=!~ ]", requirement)[0]) for requirement in recipe["requirements"]
             if re.search(r"[<>=~]", requirement)}
    constraints = wheels.read_lock(recipe["lock"].with_name(f"{share}.lock")) if share else []
    constraints = [wheel for wheel in constraints if wheel.name not in asked]
    resolved = take_off_the_index(recipe) if recipe.get("shelf") else wheels.resolve(recipe, constraints)
    total = sum(wheel.size for wheel in resolved)
    recipe["lock"].write_text(
        f"# Made by make.py --update {recipe['name']}: {len(resolved)} wheels, {total / 1e6:.0f} MB.\n" +
        "".join(wheel.line() + "\n" for wheel in resolved))
    print(f"{recipe['name']}: {len(resolved)} wheels, {total / 1e6:.0f} MB", flush=True)


def debian_root(arch, cache):
    """The Debian below every environment of an architecture, from the cache."""
    root = pathlib.Path(cache, f"debian-12-{arch}")
    if not root.exists():
        with tempfile.TemporaryDirectory(dir=cache) as work:
            made = pathlib.Path(work, "root")
            done = subprocess.run([HERE / "debian-root", arch, made], stdout=subprocess.PIPE, text=True)
            if done.returncode:
                raise OSError(done.stdout.strip())
            made.rename(root)
    return root


def missing_groups(recipes, cache, extra):
    """What to fetch, as (wheels, recipe) for one call of pip each: large wheels alone, small ones together."""
    seen, large, small = set(), [], {}
    wanted = [(wheel, recipe, recipe["name"]) for recipe in recipes for wheel in wheels.read_lock(recipe["lock"])]
    # One call cannot have two versions of a package: each recipe has its own call, and so does each of the others.
    for wheel, recipe, together in wanted + [(wheel, recipe, wheel.sha256) for wheel, recipe in extra]:
        if wheel.sha256 in seen or wheels.cached(wheel, cache).exists():
            continue
        seen.add(wheel.sha256)
        if wheel.size > wheels.SMALL_WHEEL:
            large.append(([wheel], recipe))
        else:
            small.setdefault(together, ([], recipe))[0].append(wheel)
    return sorted(large, key=lambda group: -group[0][0].size) + list(small.values())


def fetch_missing(recipes, cache, verbose=False, extra=()):
    """Fills the cache with the wheels of the recipes and the `extra` ones. Returns, by hash, why a wheel is not available."""
    began, failed, came, size = time.monotonic(), {}, 0, 0
    cache.mkdir(parents=True, exist_ok=True)
    groups = missing_groups(recipes, cache, extra)
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        jobs = {pool.submit(wheels.fetch, group, recipe, cache): group for group, recipe in groups}
        for done, job in enumerate(concurrent.futures.as_completed(jobs), 1):
            group = jobs[job]
            try:
                fetched = job.result()
            except OSError as error:
                failed.update({wheel.sha256: f"{wheel.file}: {error}" for wheel in group})
                continue
            whole = sum(wheel.size for wheel in group)
            came, size = came + fetched.came, size + whole
            if verbose:
                print(f"  {fetched.came / 1e6:6.1f} of {whole / 1e6:6.1f} MB, {fetched.seconds:5.1f} s: {group[0].file}",
                      file=sys.stderr)
            elif sys.stderr.isatty():
                print(f"\r{done} of {len(jobs)} downloads, {came / 1e6:.0f} MB ", end="", file=sys.stderr, flush=True)
    if groups:
        line = f"fetched {came / 1e6:.0f} of {size / 1e6:.0f} MB in {time.monotonic() - began:.0f} s"
        print("\r" * sys.stderr.isatty() + line, file=sys.stderr)
    return failed


def extra_wheels(groups):
    """Wheels that edits take from elsewhere, as separate recipes for the download."""
    for name, group in groups.items():
        recipe = read_recipe(name)
        wanted = [pin for one in group for pin in edits.pins(one.get("edit", []))] + list(edits.pins(recipe.get("setup", [])))
        for pin in sorted(set(wanted)):
            yield edits.find_wheel(recipe, pin), edits.machine_of(recipe, pin)


def fetch_packages(recipe, group, cache):
    """Packages of Debian that the edits of these trials install."""
    for system, packages in (("debian-12", edits.packages), ("debian-13", edits.newer_packages)):
        wanted = [package for one in group for package in packages(one.get("edit", []))]
        debs.fetch(wanted, recipe["arch"], cache, system)


def debian_python(root, python):
    """The interpreter of that Debian. It has one version; any other is a stand-in, the same file under another name."""
    path = root / "usr/bin" / f"python{python}"
    if not path.exists():
        os.link(root / "usr/bin" / f"python{DEBIAN_PYTHON}", path)
    return path


def debian_environment(recipe, cache, root, needed):
    """An environment of Python in a Debian below root. Returns its path there, and variables."""
    shutil.copytree(debian_root(recipe["arch"], cache), root, symlinks=True, copy_function=os.link)
    place, variables = (CONDA, CONDA_VARIABLES) if recipe.get("conda") else (VENV, VARIABLES)
    prefix, python = root / place.lstrip("/"), recipe["python"]
    (prefix / "bin").mkdir(parents=True)
    (prefix / "lib" / f"python{python}" / "site-packages").mkdir(parents=True)
    interpreter = debian_python(root, python)
    if recipe.get("conda"):  # conda has its own Python; here it is Debian's
        os.link(interpreter, prefix / "bin" / f"python{python}")
        for name in ("python", "python3"):
            (prefix / "bin" / name).symlink_to(f"python{python}")
        (prefix / "conda-meta").mkdir()
        (prefix / "conda-meta" / "history").write_text("")
        layouts.write_conda_record(prefix, {"conda": "python", "version": f"{python}.9", "build": "h955ad1f_0"},
                                   ["bin/python", "bin/python3", f"bin/python{python}"], wheels.make_room)
    else:
        (prefix / "lib64").symlink_to("lib")
        (prefix / "bin" / "python3").symlink_to(f"/usr/bin/python{python}")
        for name in ("python", f"python{python}"):
            (prefix / "bin" / name).symlink_to("python3")
        (prefix / "pyvenv.cfg").write_text(
            "home = /usr/bin\ninclude-system-site-packages = false\n"
            f"version = {python}.2\nexecutable = /usr/bin/python{python}\n"
            f"command = /usr/bin/python{python} -m venv {VENV}\n")
    for wheel in needed:
        wheels.install(wheel, cache, wheels.venv_layout(root, place, python))
    return place, variables


def windows_environment(recipe, cache, root, needed):
    """Python on a drive C: below root. Returns its path there, and variables."""
    home = windows_root.prefix(recipe["python"])
    layout = wheels.windows_layout(root, home)
    (layout.prefix / layout.site).mkdir(parents=True)
    for wheel in needed:
        wheels.install(wheel, cache, layout)
    windows_root.add_python(root, recipe["python"])
    return "C:\\" + home, windows_root.variables(recipe["python"])


def stamp(recipe):
    """Identifies the inputs of an environment: with the same stamp it need not be built again."""
    made_of = {key: value for key, value in recipe.items() if key != "lock"}
    text = json.dumps(made_of, sort_keys=True) + recipe["lock"].read_text() + str(reduce.REVISION)
    for source in sorted(HERE.glob("*.py")) + [HERE / "debian-root"]:
        text += source.read_text()
    return hashlib.sha256(text.encode()).hexdigest()


def build(recipe, cache, out, failed):
    """Builds one environment from the cache. Returns its folder; OSError if something is not available."""
    if recipe.get("shelf"):
        raise ValueError(f"{recipe['name']} is a shelf: its wheels are for edits, there is nothing to build")
    if not os.path.exists(recipe.get("needs", "/")):
        raise OSError(f"this machine has no {recipe['needs']}")
    final = pathlib.Path(out, recipe["name"])
    out.mkdir(parents=True, exist_ok=True)
    made_of = stamp(recipe)
    try:
        if not (final / edits.UNDO).exists() and json.loads((final / "environment.json").read_text())["stamp"] == made_of:
            return final
    except (OSError, KeyError, ValueError):
        pass
    needed = wheels.read_lock(recipe["lock"])
    for wheel in needed:
        if wheel.sha256 in failed:
            raise OSError(failed[wheel.sha256])
    with tempfile.TemporaryDirectory(dir=out) as work:
        root = pathlib.Path(work, "environment", "root")
        on_windows = recipe["platform"] == "windows"
        place, variables = (windows_environment if on_windows else debian_environment)(recipe, cache, root, needed)
        edits.make(recipe.get("setup", []), edits.Place(root, place, recipe, cache))
        fill = edits.Place(root, place, recipe, cache).fill
        environment = {**variables, **{name: fill(value) for name, value in recipe["env"].items()}}
        (root.parent / "env").write_text("".join(f"{name}={value}\n" for name, value in environment.items()))
        facts = {key: recipe[key] for key in ("name", "python", "arch", "platform", "requirements", "host")}
        facts |= {"venv": place, "stamp": made_of}
        (root.parent / "environment.json").write_text(json.dumps(facts, indent=1) + "\n")
        shutil.rmtree(final, ignore_errors=True)
        root.parent.rename(final)
    return final


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipes", nargs="*")
    parser.add_argument("--ci", action="store_true", help="all recipes with ci = true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--cache", type=pathlib.Path, default=default_cache())
    parser.add_argument("--out", type=pathlib.Path, help="default: built/ in the cache; same file system as the cache")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    recipes = [read_recipe(name) for name in options.recipes + (ci_recipes() if options.ci else [])]
    if not recipes:
        parser.error("no recipe given")
    try:
        if options.update:
            for recipe in recipes:
                update(recipe)
            return 0
        extra = [(edits.find_wheel(recipe, pin), recipe) for recipe in recipes
                 for pin in edits.pins(recipe.get("setup", []))]
        failed = fetch_missing(recipes, options.cache, options.verbose, extra)
        for recipe in recipes:
            print(build(recipe, options.cache, options.out or options.cache / "built", failed))
    except OSError as error:
        print(f"make.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
