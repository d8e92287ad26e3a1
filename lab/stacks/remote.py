"""A wheel on the index; only the bytes that are read are downloaded.

pip's own finder and session, in this process, locate the file and connect, so that pip's index, proxy,
certificates and credentials are used. Neither is a stable interface of pip. If they are not as expected,
Unavailable says so, and a call of pip downloads the whole wheel.
"""
import contextlib
import io
import os
import tempfile
import time

BLOCK = 1 << 16  # minimum per request
REQUEST = 1 << 23  # at most
ATTEMPTS = 5


class Unavailable(OSError):
    """The index cannot be read in ranges, or not this way."""


@contextlib.contextmanager
def connection(options):
    """(finder, session) of pip, configured as a call of it with these options would be."""
    with contextlib.ExitStack() as stack:
        try:
            from pip._internal.cli import cmdoptions
            from pip._internal.commands import create_command
            command = create_command("download")
            parsed, _ = command.parse_args(["--no-cache-dir", "--no-input", *options, "-"])
            stack.enter_context(command.main_context())
            session = command.get_default_session(parsed)
            target = cmdoptions.make_target_python(parsed)
            finder = command._build_package_finder(parsed, session, target_python=target)
        except (ImportError, AttributeError, TypeError) as error:
            raise Unavailable(f"pip is not as expected: {error!r}") from error
        yield finder, session


def find(finder, wheel):
    """The address of the wheel, by name and hash."""
    for candidate in finder.find_all_candidates(wheel.name):
        link = candidate.link
        if link.filename == wheel.file and link.hash_name == "sha256" and link.hash == wheel.sha256:
            if link.scheme not in ("http", "https"):
                raise Unavailable(f"{wheel.file} is a file already")
            return link.url_without_fragment
    raise Unavailable(f"the index names no {wheel.file} with the hash of the lock")


class RemoteFile(io.RawIOBase):
    """The file at `url`; what was read stays in a nameless file in `scratch`. `fetched` counts bytes."""

    def __init__(self, session, url, size, scratch):
        super().__init__()
        self.session, self.url, self.size = session, url, size
        self.spool = tempfile.TemporaryFile(dir=scratch)
        self.present = bytearray(-(-size // BLOCK))
        self.at = self.fetched = 0
        self.fetch(max(size - BLOCK, 0), size)  # first read of an archive; also shows whether the server supports ranges

    def close(self):
        self.spool.close()
        super().close()

    def readable(self):
        return True

    def seekable(self):
        return True

    def seek(self, offset, whence=io.SEEK_SET):
        self.at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self.at, io.SEEK_END: self.size}[whence]
        return self.at

    def tell(self):
        return self.at

    def readinto(self, buffer):
        data = self.read_range(self.at, min(self.at + len(buffer), self.size))
        buffer[:len(data)] = data
        self.at += len(data)
        return len(data)

    def read_range(self, begin, end):
        """The bytes [begin, end), from the server if they are not here yet."""
        self.fetch(begin, end)
        return os.pread(self.spool.fileno(), end - begin, begin)

    def fetch(self, begin, end):
        block, last = begin // BLOCK, -(-end // BLOCK)
        while block < last:
            if self.present[block]:
                block += 1
                continue
            stop = block + 1
            while stop < last and not self.present[stop] and (stop - block) * BLOCK < REQUEST:
                stop += 1
            self._request(block * BLOCK, min(stop * BLOCK, self.size))
            self.present[block:stop] = b"\1" * (stop - block)
            block = stop

    def _request(self, begin, end):
        for attempt in range(ATTEMPTS):
            try:
                # Without a length, the server may compress; a range of that would be useless.
                headers = {"Range": f"bytes={begin}-{end - 1}", "Accept-Encoding": "identity"}
                with self.session.get(self.url, headers=headers, stream=True) as answer:
                    if answer.status_code == 200:
                        raise Unavailable("the server gives no ranges")
                    expected = f"bytes {begin}-{end - 1}/{self.size}"
                    if answer.status_code != 206 or answer.headers.get("Content-Range") != expected:
                        raise OSError(f"answer {answer.status_code} {answer.headers.get('Content-Range', '')} "
                                      f"where {expected} was asked for")
                    data = answer.content
                if len(data) != end - begin:
                    raise OSError(f"{len(data)} bytes came where {end - begin} were asked for")
                os.pwrite(self.spool.fileno(), data, begin)
                self.fetched += len(data)
                return
            except Unavailable:
                raise
            except OSError as error:  # those of requests are such
                if attempt + 1 == ATTEMPTS:
                    raise OSError(f"{self.url.rsplit('/', 1)[1]}: {error}") from error
                time.sleep(2 ** attempt)
