#!/usr/bin/env python3
"""Archives whose bytes depend on nothing but their contents and SOURCE_DATE_EPOCH.

  write_archive.py zip FILE FOLDER                        a zip of everything in FOLDER
  write_archive.py conda FILE linux-64 FOLDER             a conda package of FOLDER; FILE is NAME-VERSION-BUILD.conda
  write_archive.py oci FILE VERSION amd64=FOLDER ...      an OCI image with one layer per CPU, as an archive

The image starts from nothing: FOLDER is its whole file system, and /usr/bin/culprit is its entry point. The archive is an
OCI layout (podman load, skopeo copy oci-archive:) and has the list that `docker load` of any age reads as well.
"""
import gzip
import hashlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import time
import zipfile

EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])
CREATED = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH))
OCI = "application/vnd.oci.image."


def members(folder):
    root = pathlib.Path(folder)
    return [(path, path.relative_to(root).as_posix()) for path in sorted(root.rglob("*"))]


def write_zip(file, folder):
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, name in members(folder):
            if path.is_dir():
                continue
            info = zipfile.ZipInfo(name, time.gmtime(EPOCH)[:6])
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3
            info.external_attr = path.stat().st_mode << 16
            archive.writestr(info, path.read_bytes())


def tar_entry(name, mode, size=0, directory=False):
    info = tarfile.TarInfo(name)
    info.type = tarfile.DIRTYPE if directory else tarfile.REGTYPE
    info.mode, info.size, info.mtime = mode & 0o7777, size, EPOCH
    return info


def tar_of(folder):
    """As an image and a conda package have it."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path, name in members(folder):
            mode = path.stat().st_mode
            if path.is_dir():
                tar.addfile(tar_entry(name, mode, directory=True))
            else:
                data = path.read_bytes()
                tar.addfile(tar_entry(name, mode, len(data)), io.BytesIO(data))
    return out.getvalue()


def write_conda(file, platform, folder):
    """A zip of two archives: what conda reads about the package, and its files."""
    name, version, build = pathlib.Path(file).stem.rsplit("-", 2)
    system, cpu = platform.split("-")
    files = [(path, found) for path, found in members(folder) if path.is_file()]
    paths = [{"_path": found, "path_type": "hardlink", "size_in_bytes": path.stat().st_size,
              "sha256": hashlib.sha256(path.read_bytes()).hexdigest()} for path, found in files]
    about = {
        "index.json": {"name": name, "version": version, "build": build, "build_number": 0, "subdir": platform,
                       "platform": system, "arch": {"64": "x86_64"}.get(cpu, cpu), "depends": [], "timestamp": EPOCH * 1000},
        "paths.json": {"paths_version": 1, "paths": paths},
        "about.json": {"summary": "finds what is wrong with a CUDA/cuDNN stack, proves it, and gives you the fix"}}
    info = io.BytesIO()
    with tarfile.open(fileobj=info, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        texts = {key: json.dumps(value, sort_keys=True) for key, value in about.items()}
        texts["files"] = "".join(found + "\n" for _, found in files)
        for key, text in sorted(texts.items()):
            tar.addfile(tar_entry("info/" + key, 0o644, len(text)), io.BytesIO(text.encode()))
    stem = f"{name}-{version}-{build}"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for member, data in (("metadata.json", b'{"conda_pkg_format_version": 2}'),
                             (f"pkg-{stem}.tar.zst", packed(tar_of(folder))), (f"info-{stem}.tar.zst", packed(info.getvalue()))):
            archive.writestr(zipfile.ZipInfo(member, time.gmtime(EPOCH)[:6]), data)


def packed(data):
    return subprocess.run(["zstd", "-q", "-19", "--single-thread", "-c"], input=data, check=True, stdout=subprocess.PIPE).stdout


class Blobs:
    """Files of the layout, named after their digests."""

    def __init__(self):
        self.files = {}

    def add(self, media_type, data):
        if not isinstance(data, bytes):
            data = json.dumps(data, sort_keys=True).encode()
        digest = hashlib.sha256(data).hexdigest()
        self.files["blobs/sha256/" + digest] = data
        return {"mediaType": media_type, "digest": "sha256:" + digest, "size": len(data)}


def blob_path(descriptor):
    return "blobs/" + descriptor["digest"].replace(":", "/")


def add_image(blobs, cpu, folder, labels):
    """The manifest of one CPU's image and its entry in the list for `docker load`."""
    plain = tar_of(folder)
    layer = blobs.add(OCI + "layer.v1.tar+gzip", gzip.compress(plain, 9, mtime=0))
    config = blobs.add(OCI + "config.v1+json", {
        "created": CREATED, "architecture": cpu, "os": "linux",
        "config": {"Entrypoint": ["/usr/bin/culprit"], "Env": ["PATH=/usr/bin"], "WorkingDir": "/", "Labels": labels},
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(plain).hexdigest()]},
        "history": [{"created": CREATED, "created_by": "packaging/build-packages oci"}]})
    manifest = blobs.add(OCI + "manifest.v1+json", {
        "schemaVersion": 2, "mediaType": OCI + "manifest.v1+json", "config": config, "layers": [layer]})
    manifest["platform"] = {"architecture": cpu, "os": "linux"}
    docker = {"Config": blob_path(config), "Layers": [blob_path(layer)],
              "RepoTags": [f"culprit:{labels['org.opencontainers.image.version']}-{cpu}"]}
    return manifest, docker


def write_oci(file, version, *images):
    blobs = Blobs()
    labels = {"org.opencontainers.image.title": "culprit", "org.opencontainers.image.version": version}
    made = [add_image(blobs, *image.split("=", 1), labels) for image in images]
    index_type = OCI + "index.v1+json"
    index = blobs.add(index_type, {"schemaVersion": 2, "mediaType": index_type,
                                   "manifests": [manifest for manifest, _ in made]})
    index["annotations"] = {"org.opencontainers.image.ref.name": f"culprit:{version}"}
    files = blobs.files | {
        "oci-layout": b'{"imageLayoutVersion": "1.0.0"}',
        "index.json": json.dumps({"schemaVersion": 2, "manifests": [index]}, sort_keys=True).encode(),
        "manifest.json": json.dumps([docker for _, docker in made], sort_keys=True).encode()}
    with tarfile.open(file, "w", format=tarfile.USTAR_FORMAT) as tar:
        for folder in "blobs", "blobs/sha256":
            tar.addfile(tar_entry(folder, 0o755, directory=True))
        for name, data in sorted(files.items()):
            tar.addfile(tar_entry(name, 0o644, len(data)), io.BytesIO(data))


{"zip": write_zip, "conda": write_conda, "oci": write_oci}[sys.argv[1]](*sys.argv[2:])
