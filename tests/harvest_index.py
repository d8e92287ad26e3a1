"""A package index in memory, for tests/harvest_test.py: wheels and archives with a few members, read like real ones."""
import hashlib
import io
import pathlib
import sys
import tarfile
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from harvesting.index import Cache, Index


def wheel(metadata="", **members):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x-1.dist-info/METADATA", metadata)
        for name, text in members.items():
            archive.writestr(name, text)
    return content.getvalue()


def archive(metadata):
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        for name, text in (("x-1/CHANGES", "x"), ("x-1/PKG-INFO", metadata)):
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return content.getvalue()


class FakeIndex(Index):
    """files: {(package, version): {file name: bytes}}. Counts what is read."""

    def __init__(self, files, cache, day="2026-10-01"):
        self.address, self.cache, self.contents, self.reads = "http://index/pypi", Cache(pathlib.Path(cache)), {}, 0
        self.projects = {}
        for (package, version), own in files.items():
            project = self.projects.setdefault(package, {"info": {"name": package}, "releases": {}})
            for name, content in own.items():
                self.contents[f"http://index/files/{name}"] = content
                project["releases"].setdefault(version, []).append({
                    "filename": name, "url": f"http://index/files/{name}", "size": len(content), "yanked": False,
                    "requires_python": ">=3.9", "upload_time": day + "T00:00:00", "digests": {"sha256": hashlib.sha256(
                        name.encode() + content).hexdigest()}})

    def project(self, package):
        return self.projects.get(package, {"info": {"name": package}, "releases": {}})

    def read(self, address, what, **headers):
        self.reads += 1
        content = self.contents.get(address)
        if content is None or "Range" not in headers:
            return content
        first, last = map(int, headers["Range"].removeprefix("bytes=").split("-"))
        return content[first:last + 1]
