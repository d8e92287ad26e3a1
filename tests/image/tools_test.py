#!/usr/bin/env python3
"""Images that other people's programs made (umoci, skopeo, buildah): `culprit check` of each is that of `--root` on the tree that
umoci unpacks. Programs that are not here are left out.

  tools_test.py CULPRIT [STACK...]    STACK: a folder of the lab's stacks (root/, env), instead of the tree made here
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "apply")]
stacks = [pathlib.Path(word) for word in sys.argv[2:]]
del sys.argv[2:]
import image_test
from image_test import comparable, report_of

ROOTLESS = ["--rootless"] if os.geteuid() != 0 else []


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, words))}: {done.stderr.strip()[-500:]}")
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
        places = ["--storage-driver", "vfs", "--root", work / "storage", "--runroot", work / "run"]
        name = work / "buildah.tar"
        try:
            container = run("buildah", *places, "from", f"oci:{layout}:stack").strip()
            run("buildah", *places, "config", "--label", "by=buildah", container)
            run("buildah", *places, "commit", container, f"docker-archive:{name}:stack")
        except RuntimeError as reason:
            print("buildah cannot work here:", str(reason)[-200:])
            return
        yield "buildah docker-archive", name


def check_stack(stack):
    """How many images were compared, and which of them differ."""
    count, wrong = 0, []
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        root = stack / "root" if stack else work / "sick"
        if not stack:
            root.mkdir()
            image_test.sick_machine(root)
        variables = variables_of(stack or work)
        layout, tree = umoci_layout(root, variables, work)
        (work / "env").write_text("\n".join(variables) + "\n")
        truth = comparable(report_of("--root", tree, "--env", work / "env")[0])
        for name, image in copies_of(layout, work):
            report = comparable(report_of(image)[0])
            count += 1
            if report != truth:
                wrong.append(f"{stack or 'made here'}, {name}: {[f['code'] for f in report['findings']]} "
                             f"instead of {[f['code'] for f in truth['findings']]}; {json.dumps(report['not_checked'])[:500]}")
        print(f"{stack.name if stack else 'made here'}: {count} images, {[f['code'] for f in truth['findings']]}")
    return count, wrong


def main():
    if shutil.which("umoci") is None:
        print("umoci is not here: nothing compared")
        return 0
    results = [check_stack(stack) for stack in stacks or [None]]
    wrong = [line for _, lines in results for line in lines]
    print(f"{sum(count for count, _ in results)} images compared, {len(wrong)} differ", *wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
