"""A program on a terminal that the test plays the user of."""
import fcntl
import os
import pty
import select
import struct
import termios
import time

LIMIT_SECONDS = 60


class Terminal:
    def __init__(self, words, rows, columns):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            # The size is set by the parent; it must be there before the program asks for it.
            while struct.unpack("HHHH", fcntl.ioctl(0, termios.TIOCGWINSZ, b"\0" * 8))[0] == 0:
                time.sleep(0.01)
            os.execv(words[0], words)
        self.resize(rows, columns)
        self.seen = b""

    def resize(self, rows, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text):
        os.write(self.fd, text)

    def read_until(self, mark):
        """What came up to the mark, which is taken away too."""
        end = time.monotonic() + LIMIT_SECONDS
        while mark not in self.seen:
            if not select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError(f"no {mark!r} in {self.seen!r}")
            try:
                more = os.read(self.fd, 65536)
            except OSError:
                more = b""
            if not more:
                raise AssertionError(f"ended without {mark!r}: {self.seen!r}")
            self.seen += more
        before, self.seen = self.seen.split(mark, 1)
        return before

    def finish(self):
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self.fd)
        return code
