#!/usr/bin/env python3
"""Images that other people's programs made (umoci, skopeo, buildah, podman): `culprit check` of each is that of `--root` on the tree
that umoci unpacks. Programs that are not here are left out.

  tools_test.py CULPRIT [--lab] [STACK...]    --lab: ten stacks of the lab as well, built if need be, each with one of its faults
                                              STACK: the folder of a stack (root/, env), instead of the tree made here
"""
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
LAB = HERE.parent.parent / "lab"
sys.path[:0] = [str(HERE), str(HERE.parent / "apply"), str(LAB / "stacks"), str(LAB / "trials")]
# Of Python, conda, containers, modules and programs; small ones, since all of these programs write the holes of a file. A healthy
# stack has nothing to find, so each is broken first.
FAULTS = {"tensorrt-lean": "tensorrt-plugin-empty", "conda-radio": "eighth-radio-cufft-removed", "nvimgcodec-cu12": "fourth-nvimgcodec-without-libnvcomp",
          "ctranslate2-4.5": "ctranslate2-without-cudnn", "hpc-modules": "fourth-hpc-cufft-cut", "cupy-cuda13": "cupy-without-nvrtc",
          "frozen-app": "frozen-without-cufft-and-curand", "onnxruntime-current": "cudnn9-heuristic-removed-onnxruntime",
          "numba-0.60": "numba-with-numpy-2.2", "spconv-cu120": "fifth-spconv-cumm-gone"}
with_lab = "--lab" in sys.argv
stacks = [pathlib.Path(word) for word in sys.argv[2:] if word != "--lab"]
del sys.argv[2:]
import edits
import image_test
import make
import trial as trials
from image_test import comparable, report_of

ROOT = os.geteuid() == 0
ROOTLESS = [] if ROOT else ["--rootless"]


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, words))}: {done.returncode}: {done.stderr.strip()[-500:]}")
    return done.stdout


def variables_of(stack):
    if (stack / "env").exists():
        return [line for line in (stack / "env").read_text().split("\n") if line]
    return ["PATH=/opt/venv/bin:/usr/bin", "LD_LIBRARY_PATH=/usr/lib"]


def copy_into(source, target, only=None):
    """Files with their holes and links; `only`: one name at the top, or all but that with a leading '!'."""
    skip = [f"--exclude=./{only[1:]}"] if only and only.startswith("!") else []
    what = [f"./{only}"] if only and not skip else ["."]
    pack = subprocess.Popen(["tar", "-C", source, "-S", *skip, "-cf", "-", *what], stdout=subprocess.PIPE)
    subprocess.run(["tar", "-C", target, "-S", "-xf", "-"], stdin=pack.stdout, check=True)
    assert pack.wait() == 0


def umoci_layout(root, variables, work):
    """Three layers: the system, /opt, and one that removes and adds; returns the layout and the tree that umoci unpacks."""
    layout, bundle = work / "layout", work / "bundle"
    run("umoci", "init", "--layout", layout)
    run("umoci", "new", "--image", f"{layout}:stack")
    run("umoci", "unpack", *ROOTLESS, "--image", f"{layout}:stack", bundle)

    def repack(step):
        run("umoci", "repack", "--refresh-bundle", "--history.created_by", step, "--image", f"{layout}:stack", bundle)

    copy_into(root, bundle / "rootfs", "!opt")
    (bundle / "rootfs" / "usr" / "left.txt").write_text("removed later")
    (bundle / "rootfs" / "usr" / "gone").mkdir()
    (bundle / "rootfs" / "usr" / "gone" / "libcudnn.so.9").write_text("removed later")
    repack("ADD system")
    copy_into(root, bundle / "rootfs", "opt")
    repack("RUN pip install")
    (bundle / "rootfs" / "usr" / "left.txt").unlink()
    shutil.rmtree(bundle / "rootfs" / "usr" / "gone")
    (bundle / "rootfs" / "etc" / "added").write_text("added")
    repack("RUN rm -r /usr/gone")
    words = [word for variable in variables for word in ("--config.env", variable)]
    run("umoci", "config", *words, "--image", f"{layout}:stack")
    run("umoci", "gc", "--layout", layout)
    tree = work / "tree"
    run("umoci", "unpack", *ROOTLESS, "--image", f"{layout}:stack", tree)
    shutil.rmtree(bundle)
    return layout, tree / "rootfs"


def copies_of(layout, work):
    """The same image as other programs write it."""
    yield "umoci layout", layout
    if shutil.which("skopeo"):
        policy = ["--insecure-policy"]
        for kind, more in (("docker-archive", []), ("oci-archive", []), ("oci-archive", ["--dest-compress-format", "zstd"])):
            name = work / f"{kind}{len(more)}.tar"
            run("skopeo", *policy, "copy", *more, f"oci:{layout}:stack", f"{kind}:{name}:stack")
            yield f"skopeo {kind} {' '.join(more)}", name
            name.unlink()
    if shutil.which("buildah"):
        try:
            yield from copies_of_storage(layout, work)
        except RuntimeError as reason:
            print("buildah or podman cannot work here:", str(reason)[-200:])


def places_of(work):
    """A storage of its own for buildah and podman."""
    return ["--storage-driver", "overlay" if ROOT else "vfs", "--root", work / "storage", "--runroot", work / "run"]


def copies_of_storage(layout, work):
    """Once through the storage that buildah and podman share."""
    places = places_of(work)
    container = run("buildah", *places, "from", f"oci:{layout}:stack").strip()
    run("buildah", *places, "config", "--label", "by=buildah", container)
    image = run("buildah", *places, "commit", "-q", container, "stack").strip()
    for program, kind in (("buildah", "docker-archive"), ("podman", "oci-archive")):
        if shutil.which(program) is None:
            continue
        name = work / f"{program}.tar"
        if program == "podman":
            run("podman", *places, "save", "-q", "--format", kind, "-o", name, image)
        else:
            run("buildah", *places, "push", "-q", image, f"{kind}:{name}:stack")
        yield f"{program} {kind}", name
        name.unlink()
    run("buildah", *places, "rm", "-a")
    run("buildah", *places, "rmi", "-a", "-f")


def built_from_dockerfile(root, variables, work):
    """The same tree as buildah makes it from a Dockerfile, with the variables in between."""
    if shutil.which("buildah") is None:
        return
    context = work / "context"
    (context / "system").mkdir(parents=True)
    copy_into(root, context / "system", "!opt")
    copy_into(root, context, "opt")
    settings = "".join(f"ENV {variable}\n" for variable in variables)
    (context / "Dockerfile").write_text(f"FROM scratch\nCOPY system /\n{settings}COPY opt /opt\nWORKDIR /\n")
    name = work / "dockerfile.tar"
    try:
        run("buildah", *places_of(work), "bud", "-q", "--layers", "--isolation", "chroot", "-t", "made", context)
        run("buildah", *places_of(work), "push", "-q", "made", f"docker-archive:{name}:made")
    except RuntimeError as reason:
        print("buildah cannot build here:", str(reason)[-200:])
        return
    yield "buildah bud", name


def check_stack(stack, variables=None, broken=False):
    """How many images were compared, and which of them differ. `broken`: there is something to find."""
    count, wrong = 0, []
    with tempfile.TemporaryDirectory(suffix="t") as folder:  # buildah takes no name that ends in "_"
        work = pathlib.Path(folder)
        root = stack / "root" if stack else work / "sick"
        if not stack:
            root.mkdir()
            image_test.sick_machine(root)
        variables = variables or variables_of(stack or work)
        if stack and (stack / "environment.json").exists():
            image_test.HOST = json.loads((stack / "environment.json").read_text())["host"] or image_test.HOST
        layout, tree = umoci_layout(root, variables, work)
        (work / "env").write_text("\n".join(variables) + "\n")
        truth = comparable(report_of("--root", tree, "--env", work / "env")[0])
        made = built_from_dockerfile(root, variables, work) if not stack else []
        for name, image in itertools.chain(copies_of(layout, work), made):
            report = comparable(report_of(image)[0])
            count += 1
            if report != truth:
                wrong.append(f"{stack or 'made here'}, {name}: {[f['code'] for f in report['findings']]} "
                             f"instead of {[f['code'] for f in truth['findings']]}; {json.dumps(report['not_checked'])[:500]}")
        codes = [finding["code"] for finding in truth["findings"]]
        print(f"{stack.name if stack else 'made here'}: {count} images, {codes}", flush=True)
        if broken and not codes:
            wrong.append(f"{stack.name}: nothing is found")
    return count, wrong


def lab_results():
    """The same for each stack of the lab that can be built here, broken and repaired again."""
    cache, faults = make.default_cache(), {trial["id"]: trial for trial in trials.faults()}
    for name, fault in FAULTS.items():
        trial, recipe = faults[fault], make.read_recipe(name)
        try:
            failed = make.fetch_missing([recipe], cache, extra=list(make.extra_wheels({name: [trial]})))
            make.fetch_packages(recipe, [trial], cache)
            stack = make.build(recipe, cache, cache / "built-images", failed)
        except OSError as reason:
            print(f"{name}: cannot be built here: {str(reason)[:200]}")
            continue
        facts = json.loads((stack / "environment.json").read_text())
        place, undo = edits.Place(stack / "root", facts["venv"], recipe, cache), edits.Undo(stack / edits.UNDO)
        try:
            edits.make(trial.get("edit", []), place, undo)
            yield check_stack(stack, [f"{key}={value}" for key, value in trials.variables_of(stack, trial, place).items()], True)
        finally:
            undo.take_back()


def main():
    if shutil.which("umoci") is None:
        print("umoci is not here: nothing compared")
        return 0
    results = [check_stack(stack) for stack in stacks or [None]]
    if with_lab:
        results += lab_results()
    wrong = [line for _, lines in results for line in lines]
    print(f"{sum(count for count, _ in results)} images of {len(results)} trees compared, {len(wrong)} differ", *wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
