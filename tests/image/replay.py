"""A fault of the lab as the layer on top of its healthy stack: which layer does `culprit check` of the image blame?"""
import dataclasses
import hashlib
import json
import os
import pathlib
import stat
import tarfile
import tempfile

import edits
import image_test
import images
import make
import trial as trials
from image_test import comparable

STEPS = ["ADD debian", "RUN pip install -r requirements.txt", "RUN the fault"]
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


@dataclasses.dataclass
class Outcome:
    """One fault, replayed."""
    id: str
    recipe: str
    found: bool = False  # a finding of the right code or cause
    right: bool = False  # and each one that names what is at fault blames the layer of the fault
    differs: list = dataclasses.field(default_factory=list)  # codes that only the image, or only its tree, has
    said: list = dataclasses.field(default_factory=list)  # the findings of the fault: code, instruction of their layer, subject
    skipped: str = ""  # why it cannot be replayed here

    @property
    def good(self):
        return self.found and self.right and not self.differs and not self.skipped


def state_of(root):
    """{path: what a builder compares}"""
    found = {}
    for path in images.all_paths(root):
        status = (root / path).lstat()
        target = os.readlink(root / path) if (root / path).is_symlink() else ""
        found[path] = (status.st_mode, status.st_size, status.st_mtime_ns, status.st_ino, target)
    return found


def layer_between(before, root, output):
    """What a builder would put into the next layer."""
    after = state_of(root)
    changed = [path for path in after if (before.get(path) != after[path] and not
               ((root / path).is_dir() and not (root / path).is_symlink() and path in before))]
    removed = [path for path in before if path not in after and os.path.dirname(path) in {"", *after}]
    images.tar_of(root, changed, output)
    with tarfile.open(output, "a") as archive:
        for path in removed:
            archive.addfile(tarfile.TarInfo(os.path.join(os.path.dirname(path), images.WHITEOUT + os.path.basename(path))))
    return output


class Layout:
    """An OCI layout whose large layers are written once."""

    def __init__(self, folder, architecture):
        self.blobs = folder / "blobs" / "sha256"
        self.blobs.mkdir(parents=True)
        (folder / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
        self.folder, self.architecture = folder, architecture

    def add(self, data):
        if isinstance(data, pathlib.Path):
            name = images.digest_of(data)
            os.rename(data, self.blobs / name)
        else:
            name = hashlib.sha256(data).hexdigest()
            (self.blobs / name).write_bytes(data)
        return {"digest": f"sha256:{name}"}

    def remove(self, blob):
        (self.blobs / blob["digest"].removeprefix("sha256:")).unlink(missing_ok=True)

    def image(self, layers, variables, healthy, of_fault, command):
        """The variables that a container has, those of the healthy stack, and those that the fault sets; what a container runs."""
        def settings(some):
            return [{"created_by": f"ENV {name}={value}", "empty_layer": True} for name, value in some.items()]

        config = {"os": "linux", "architecture": self.architecture,
                  "config": {"Env": [f"{k}={v}" for k, v in variables.items()], "Cmd": command},
                  "history": [*settings(healthy), *({"created_by": step} for step in STEPS), *settings(of_fault)]}
        manifest = self.add(json.dumps({"config": self.add(json.dumps(config).encode()), "layers": layers}).encode())
        (self.folder / "index.json").write_text(json.dumps({"manifests": [manifest]}))
        return self.folder


def is_right(finding, trial):
    return finding["code"] in trials.each(trial.get("code", [])) or finding["cause"] in trials.each(trial["cause"])


def judge(outcome, trial, place, report, wanted):
    """wanted: the instructions of the fault."""
    def blames(finding):
        return finding.get("layer", {}).get("created_by", "")

    found = [finding for finding in report["findings"] if is_right(finding, trial)]
    files = [place.fill(file) for file in trials.each(trial["file"])]
    named = [finding for finding in found if any(trials.named(finding, file) for file in files)] or found
    outcome.found = bool(found)
    outcome.right = bool(named) and all(blames(finding) in wanted for finding in named)
    outcome.said = [(finding["code"], blames(finding), finding["subject"]) for finding in named]


def codes_of(report):
    return {json.dumps(finding, sort_keys=True): finding["code"] for finding in comparable(report)["findings"]}


def differences(image, tree):
    """The codes of findings that are not the same, and what was not checked."""
    of_image, of_tree = codes_of(image), codes_of(tree)
    found = [f"image: {code}" for text, code in of_image.items() if text not in of_tree]
    found += [f"tree: {code}" for text, code in of_tree.items() if text not in of_image]
    if not found and comparable(image) != comparable(tree):
        found.append(f"not checked: {image['not_checked']} and {tree['not_checked']}"[:500])
    return found


def unshare(before, root, undo):
    """Edits link files of the stack; what a step of a build copies is a file of its own."""
    inodes = {state[3] for state in before.values()}
    for path, state in state_of(root).items():
        if before.get(path) != state and stat.S_ISREG(state[0]) and state[3] in inodes and (root / path).lstat().st_nlink > 1:
            edits.private_copy(root / path, undo)


def replay(trial, folder, recipe, cache, base, layout, layers):
    facts = json.loads((folder / "environment.json").read_text())
    place, undo = edits.Place(folder / "root", facts["venv"], recipe, cache), edits.Undo(folder / edits.UNDO)
    outcome, top = Outcome(trial["id"], trial["recipe"]), None
    try:
        edits.make(trial.get("edit", []), place, undo)
        unshare(base, folder / "root", undo)
        emptied = {name: "" for name, value in trial.get("env", {}).items() if value == "-"}  # `ENV` cannot remove a variable
        variables = trials.variables_of(folder, trial, place) | emptied
        with tempfile.NamedTemporaryFile("w", suffix=".env") as env, tempfile.TemporaryDirectory(dir=layout.folder.parent) as work:
            env.write("".join(f"{name}={value}\n" for name, value in variables.items()))
            env.flush()
            top = layout.add(layer_between(base, folder / "root", pathlib.Path(work) / "top.tar"))
            of_fault = {name: variables[name] for name in trial.get("env", {}) if name in variables}
            command = [place.fill(target) for target in trials.each(trial.get("target", []))]
            image = layout.image([*layers, top], variables, trials.variables_of(folder, {}, place), of_fault, command)
            image_test.HOST = place.fill(trial.get("host", facts["host"]))
            report = image_test.report_of(image)[0]
            wanted = {f"ENV {name}={value}" for name, value in of_fault.items()} | ({STEPS[-1]} if trial.get("edit") else set())
            judge(outcome, trial, place, report, wanted)
            if not command:  # a container that runs a program is checked with it and its environments: no tree is asked for both
                outcome.differs = differences(report, image_test.report_of("--root", folder / "root", "--env", env.name)[0])
    finally:
        undo.take_back()
        if top:
            layout.remove(top)
    return outcome


def prepare(name, group, cache):
    """Downloads what the stack and its faults need. Returns why wheels are not available, by hash."""
    recipe = make.read_recipe(name)
    failed = make.fetch_missing([recipe], cache, extra=list(make.extra_wheels({name: group})))
    make.fetch_packages(recipe, group, cache)
    return failed


def replay_all(name, group, cache, built):
    """The outcome of each fault of a stack."""
    try:
        recipe = make.read_recipe(name)
        folder = make.build(recipe, cache, built, prepare(name, group, cache))
    except (ValueError, OSError) as reason:
        yield from (Outcome(trial["id"], name, skipped=str(reason)[:200]) for trial in group)
        return
    with tempfile.TemporaryDirectory(dir=built) as work:
        work, root = pathlib.Path(work), folder / "root"
        paths = images.all_paths(root)
        layout = Layout(work / "layout", ARCHITECTURES[recipe["arch"]])
        layers = [layout.add(images.tar_of(root, [path for path in paths if (path.split("/")[0] == "opt") == of_opt], work / "part.tar"))
                  for of_opt in (False, True)]
        base = state_of(root)
        for trial in group:
            try:
                yield replay(trial, folder, recipe, cache, base, layout, layers)
            except (ValueError, OSError, AssertionError) as reason:
                yield Outcome(trial["id"], name, skipped=str(reason)[:300])
