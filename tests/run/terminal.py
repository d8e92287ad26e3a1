"""A user at a terminal, for tests: starts a command in a real pseudo-terminal, types, reads, waits."""

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time


class Terminal:
    """The command is the leader of a session whose terminal this is, as under a shell without job control."""

    def __init__(self, command, streams="ttt", files=(), environment=None, size=(24, 80)):
        """streams: for each of the three 't' terminal, 'p' pipe, 'f' the next of `files`, 'n' /dev/null."""
        self.master, slave = pty.openpty()
        self.resize(*size)
        self.slave = slave
        self.before = self.settings()  # the command may change them as soon as it runs
        files = list(files)
        self.pipes = {}
        theirs = []
        for number, kind in enumerate(streams):
            if kind == "t":
                theirs.append(slave)
            elif kind == "p":
                ours, end = os.pipe()
                if number == 0:
                    ours, end = end, ours
                self.pipes[number] = ours
                theirs.append(end)
            elif kind == "f":
                theirs.append(os.open(files.pop(0), os.O_RDWR | os.O_CREAT, 0o600))
            else:
                theirs.append(os.open(os.devnull, os.O_RDWR))
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.setsid()
                fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
                copies = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in theirs]
                for number, fd in enumerate(copies):
                    os.dup2(fd, number)
                os.closerange(3, 256)
                os.execvpe(command[0], command, environment or os.environ)
            finally:
                os._exit(99)
        for fd in theirs:
            if fd != slave:
                os.close(fd)
        self.seen = b""
        self.status = None

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def settings(self):
        return termios.tcgetattr(self.slave)

    def type(self, keys):
        os.write(self.master, keys)

    def _read(self, seconds):
        fds = [self.master] + [fd for number, fd in self.pipes.items() if number]
        ready, _, _ = select.select(fds, [], [], seconds)
        for fd in ready:
            try:
                data = os.read(fd, 65536)
            except OSError:
                data = b""
            self.seen += data
            if not data and fd != self.master:
                self.pipes = {n: p for n, p in self.pipes.items() if p != fd}
        return bool(ready)

    def wait_for(self, text, seconds=120):
        """Waits until the text is on the screen; forgets what came before it."""
        end = time.monotonic() + seconds
        while text not in self.seen:
            if time.monotonic() > end:
                raise AssertionError(f"no {text!r} within {seconds} s, but {self.seen!r}")
            self._read(0.05)
        at = self.seen.index(text) + len(text)
        before, self.seen = self.seen[:at], self.seen[at:]
        return before

    def wait(self, seconds=120):
        """Waits until it has ended: its exit status, or minus its signal."""
        end = time.monotonic() + seconds
        while True:
            self._read(0.02)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > end:
                os.kill(self.pid, signal.SIGKILL)
                raise AssertionError(f"not ended after {seconds} s: {self.seen[-2000:]!r}")
        while self._read(0.05):
            if not self.pipes and not select.select([self.master], [], [], 0)[0]:
                break
        return os.waitstatus_to_exitcode(status)

    def close(self):
        for fd in [self.master, self.slave, *self.pipes.values()]:
            os.close(fd)
