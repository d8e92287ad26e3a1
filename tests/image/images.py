"""Makes container images from a tree, as builders do: layers by tar, gzip and zstd of this machine, and the JSON around
them. The layers on top of each other give the tree again; what they hide on the way is junk that nobody may see."""
import gzip
import hashlib
import io
import json
import os
import pathlib
import platform
import shutil
import subprocess
import tarfile

FORMATS = ("gnu", "pax", "posix", "oldgnu")
ARM = platform.machine() == "aarch64"  # whose programs are in the trees made here
ARCHITECTURE = "arm64" if ARM else "amd64"
OPAQUE, WHITEOUT = ".wh..wh..opq", ".wh."


def run(*words, **more):
    return subprocess.run([str(word) for word in words], check=True, **more)


def all_paths(root):
    """Everything below root, directories first, as tar is told to take it."""
    found = []
    for folder, folders, files in os.walk(root):
        inner = os.path.relpath(folder, root)
        for name in sorted([*folders, *files]):
            found.append(name if inner == "." else os.path.join(inner, name))
    return sorted(found)


def tar_of(root, paths, output, form="gnu"):
    """A layer with these paths of a tree."""
    names = "\0".join("./" + path for path in paths)
    run("tar", "-C", root, f"--format={form}", "-S", "--no-recursion", "--null", "-T", "-", "-cf", output,
        "--numeric-owner", input=names.encode())
    return output


def tar_of_members(output, members):
    """A layer by hand: {path: bytes}, or None for a directory; a whiteout is a file of no bytes."""
    with tarfile.open(output, "w", format=tarfile.PAX_FORMAT) as archive:
        for path, data in members.items():
            info = tarfile.TarInfo(path)
            if data is None:
                info.type, info.mode = tarfile.DIRTYPE, 0o755
                archive.addfile(info)
            else:
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
    return output


def layers_of(root, work, count=3):
    """Plain layers that give the tree: its paths dealt out, and junk in between that later layers hide."""
    paths = all_paths(root)
    folders = [path for path in paths if (root / path).is_dir() and not (root / path).is_symlink()]
    others = [path for path in paths if path not in set(folders)]
    layers = []
    for number in range(count):
        mine = [path for path in others if hashlib.md5(path.encode()).digest()[0] % count == number]
        linked = {(root / path).lstat().st_ino for path in mine if (root / path).lstat().st_nlink > 1}
        mine += [path for path in others if path not in mine and (root / path).lstat().st_ino in linked]
        layers.append(tar_of(root, folders + mine, work / f"part{number}.tar", FORMATS[number % len(FORMATS)]))
    victims = [path for path in others if not (root / path).is_symlink()][:3]
    below = tar_of_members(work / "junk.tar", {
        "usr/lib/libcuda.so.1": b"junk", "junk": None, "junk/libcudnn.so.9": b"junk", "opt": None,
        "opt/hidden/inner/libcudart.so.12": b"junk", **{path: b"old" for path in victims}})
    cover = tar_of_members(work / "cover.tar", {
        f"usr/lib/{WHITEOUT}libcuda.so.1": b"", f"{WHITEOUT}junk": b"", "opt": None, f"opt/{OPAQUE}": b""})
    return [below, cover, *layers]


def packed(layer, how):
    """The file of a layer, compressed."""
    if how == "plain":
        return layer
    output = layer.with_suffix(f".tar.{how}")
    if how == "gzip":
        with open(layer, "rb") as source, gzip.open(output, "wb", compresslevel=1) as target:
            shutil.copyfileobj(source, target, 1 << 20)
    else:
        run("zstd", "-q", "-f", "-1", layer, "-o", output)
    return output


def digest_of(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def config_of(layers, running=None, steps=None, architecture=ARCHITECTURE):
    history = [{"created_by": step} for step in steps or [f"RUN step {i}" for i in range(len(layers))]]
    return {"os": "linux", "architecture": architecture, "config": running or {}, "history": history,
            "rootfs": {"type": "layers", "diff_ids": ["sha256:" + digest_of(layer) for layer in layers]}}


def docker_archive(output, layers, config, how=("plain",)):
    """As `docker save` wrote it for years: manifest.json comes last."""
    folder = output.with_suffix(".folder")
    folder.mkdir()
    names = []
    for number, layer in enumerate(layers):
        name = hashlib.sha256(f"{number}{layer}".encode()).hexdigest()
        (folder / name).mkdir()
        names.append(f"{name}/layer.tar")
        shutil.copyfile(packed(layer, how[number % len(how)]), folder / names[-1])
    text = json.dumps(config).encode()
    config_name = hashlib.sha256(text).hexdigest() + ".json"
    (folder / config_name).write_bytes(text)
    (folder / "manifest.json").write_text(json.dumps([{"Config": config_name, "RepoTags": ["lab:1"], "Layers": names}]))
    run("tar", "-C", folder, "-cf", output, *sorted({name.split("/")[0] for name in names}), config_name, "manifest.json")
    shutil.rmtree(folder)
    return output


def oci_folder(folder, layers, config, how=("plain",)):
    blobs = folder / "blobs" / "sha256"
    blobs.mkdir(parents=True)

    def add(data):
        name = digest_of(data) if isinstance(data, pathlib.Path) else hashlib.sha256(data).hexdigest()
        if isinstance(data, pathlib.Path):
            shutil.copyfile(data, blobs / name)
        else:
            (blobs / name).write_bytes(data)
        return {"digest": f"sha256:{name}", "size": (blobs / name).stat().st_size}

    suffix = {"plain": "", "gzip": "+gzip", "zstd": "+zstd"}
    described = []
    for number, layer in enumerate(layers):
        kind = how[number % len(how)]
        described.append({"mediaType": "application/vnd.oci.image.layer.v1.tar" + suffix[kind], **add(packed(layer, kind))})
    manifest = add(json.dumps({"schemaVersion": 2, "config": add(json.dumps(config).encode()), "layers": described}).encode())
    fitting = {"os": config["os"], "architecture": config["architecture"]}
    (folder / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": [{**manifest, "platform": fitting}]}))
    (folder / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
    return folder


def oci_archive(output, layers, config, how=("plain",)):
    folder = oci_folder(output.with_suffix(".folder"), layers, config, how)
    run("tar", "-C", folder, "-cf", output, ".")
    shutil.rmtree(folder)
    return output
