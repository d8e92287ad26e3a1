"""The package index that pip is configured to use: what it lists, and members of wheels read by byte ranges."""
import email.parser
import functools
import io
import json
import os
import pathlib
import re
import ssl
import subprocess
import sys
import tarfile
import tempfile
import urllib.error
import urllib.parse
import urllib.request
import zipfile

# Source archives: PKG-INFO is near the start of most. A mirror may fetch a whole archive before it sends a part of it, so
# large ones are not worth the wait.
START_OF_ARCHIVE, LARGEST_ARCHIVE = 2 << 20, 16 << 20


class Unreachable(Exception):
    """The source of a subject is not available here."""


def pip_setting(name):
    variable = os.environ.get("PIP_" + name.upper().replace("-", "_"))
    if variable:
        return variable
    listed = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True)
    found = re.findall(rf"^\S*\.{name}='(.*)'$", listed.stdout, re.MULTILINE)
    return found[-1] if found else None


def index_address():
    """The JSON address beside the simple index that pip uses."""
    simple = pip_setting("index-url")
    if not simple:
        try:
            from pip._internal.models.index import PyPI
        except ImportError as error:
            raise Unreachable(f"pip is not there to say which package index it uses ({error})") from error
        simple = PyPI.simple_url
    return re.sub(r"/(\+?simple)?/*$", "", simple) + "/pypi"


class Index:
    """What an index says about packages and their files."""

    def __init__(self):
        self.address = index_address()
        self.cache = Cache(pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "culprit/harvest")
        self.context = ssl.create_default_context(cafile=pip_setting("cert"))

    def open(self, address, **headers):
        request = urllib.request.Request(address, headers={"User-Agent": "culprit-harvest", **headers})
        return urllib.request.urlopen(request, timeout=30, context=self.context)

    def read(self, address, what, **headers):
        """The bytes, or None if there is nothing."""
        for attempt in range(3):
            try:
                with self.open(address, **headers) as answer:
                    if "Range" in headers and answer.status != 206:
                        raise Unreachable(f"the package index sends no part of a file for {what}")
                    return answer.read()
            except urllib.error.HTTPError as error:
                if error.code == 404:
                    return None
                if attempt == 2:
                    raise Unreachable(f"the package index answers {error.code} for {what}") from None
            except OSError as error:
                if attempt == 2:
                    raise Unreachable(f"the package index does not answer for {what}: {type(error).__name__}") from None

    @functools.cache  # several subjects ask for the same
    def project(self, package):
        text = self.read(f"{self.address}/{package}/json", package)
        if text is None:
            raise Unreachable(f"the package index does not have {package} as JSON")
        return json.loads(text)

    def wheel(self, package, file):
        """A wheel of which only the needed parts are read."""
        return zipfile.ZipFile(RangeFile(self, self.file_address(package, file), file["size"]))

    def member(self, wheel, name):
        """A member of a wheel, with few requests."""
        entry = wheel.getinfo(name)
        wheel.fp.prefetch(entry.header_offset, entry.compress_size + 4096)
        return wheel.read(name)

    def file_address(self, package, file):
        return urllib.parse.urljoin(f"{self.address}/{package}/json", file["url"])

    def metadata(self, package, file):
        """The METADATA of a wheel, the PKG-INFO of a source archive, as a message; None if an archive has none."""
        text = self.cache.get(file, "metadata", lambda: self.read_metadata(package, file))
        return email.parser.BytesParser().parsebytes(text, headersonly=True) if text else None

    def read_metadata(self, package, file):
        name, address = file["filename"], self.file_address(package, file)
        if not name.endswith(".whl"):
            if not name.endswith(".tar.gz") or file["size"] > LARGEST_ARCHIVE:
                return b""
            return read_pkg_info(RangeFile(self, address, min(file["size"], START_OF_ARCHIVE)))
        if file.get("core-metadata") or file["size"] > 8 << 20:  # not every index says which files have it
            text = self.read(address + ".metadata", name)
            if text is not None:
                return text
        with self.wheel(package, file) as wheel:
            return wheel.read(next(n for n in wheel.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", n)))

    def requirements(self, package, files):
        """(Requires-Dist lines, Requires-Python or '') of a release: those of its Linux x86-64 wheel, or the next best file."""
        files = [f for f in files if f["filename"].endswith((".whl", ".tar.gz"))]
        if not files:
            return [], ""
        best = min(files, key=lambda f: (not f["filename"].endswith(".whl"), "x86_64" not in f["filename"],
                                         "linux" not in f["filename"], f["filename"]))
        message = self.metadata(package, best)
        if message is None:
            return [], best.get("requires_python") or ""
        return message.get_all("Requires-Dist") or [], message.get("Requires-Python") or ""


def read_pkg_info(file):
    """From the start of an archive, or of a part of it, no further than PKG-INFO; b"" if it is not there."""
    try:
        with tarfile.open(fileobj=file, mode="r|gz") as archive:
            for member in archive:
                if re.fullmatch(r"[^/]+/PKG-INFO", member.name):
                    return archive.extractfile(member).read()
    except (tarfile.ReadError, EOFError):
        pass
    return b""


class Cache:
    """What was read of a file on the index, by its digest: files never change, so nothing is asked for twice."""

    def __init__(self, folder):
        self.folder = folder

    def get(self, file, kind, read):
        digest = file["digests"]["sha256"]
        path = self.folder / digest[:2] / f"{digest}.{kind}"
        if path.exists():
            return path.read_bytes()
        content = read()
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as part:
            part.write(content)
        os.replace(part.name, path)
        return content


class RangeFile(io.RawIOBase):
    """A file on a server; reads blocks of it as they are needed."""

    BLOCK = 1 << 16

    def __init__(self, index, address, size):
        self.index, self.address, self.size, self.at, self.blocks = index, address, size, 0, {}

    def seekable(self):
        return True

    def tell(self):
        return self.at

    def seek(self, offset, whence=io.SEEK_SET):
        self.at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self.at, io.SEEK_END: self.size}[whence]
        return self.at

    def prefetch(self, start, count, piece=1 << 23):
        """Reads what follows in large pieces."""
        at = self.at
        for offset in range(start, min(self.size, start + count), piece):
            self.seek(offset)
            self.read(min(piece, start + count - offset))
        self.seek(at)

    def read(self, count=-1):
        end = self.size if count is None or count < 0 else min(self.size, self.at + count)
        first, last = self.at // self.BLOCK, max(end - 1, self.at) // self.BLOCK
        missing = [block for block in range(first, last + 1) if block not in self.blocks]
        if missing and end > self.at:
            start, stop = missing[0] * self.BLOCK, min(self.size, (missing[-1] + 1) * self.BLOCK)
            data = self.index.read(self.address, self.address.rpartition("/")[2], Range=f"bytes={start}-{stop - 1}")
            if data is None or len(data) != stop - start:
                raise Unreachable(f"{self.address.rpartition('/')[2]} could not be read")
            for i, block in enumerate(range(missing[0], missing[-1] + 1)):
                self.blocks[block] = data[i * self.BLOCK:(i + 1) * self.BLOCK]
        whole = b"".join(self.blocks[block] for block in range(first, last + 1)) if end > self.at else b""
        data = whole[self.at - first * self.BLOCK:end - first * self.BLOCK]
        self.at = end
        return data


def final_versions(project):
    """Final releases that have files, oldest first."""
    final = [v for v, files in project["releases"].items()
             if re.fullmatch(r"\d+(\.\d+)*(\.post\d+)?", v) and any(not f.get("yanked") for f in files)]
    return sorted(final, key=version_key)


def version_key(text):
    return [int(part) for part in re.findall(r"\d+", text)]
