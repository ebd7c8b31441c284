"""One run of a quiescing script in one shell, line by line."""
import contextlib
import os
import select
import signal
import subprocess
import time
import uuid
from pathlib import Path

WAIT_SECONDS = 60


class Failed(Exception):
    """What was promised does not hold."""


def until(look, what):
    end = time.monotonic() + WAIT_SECONDS
    while not look():
        if time.monotonic() > end:
            raise Failed(f"not within {WAIT_SECONDS} s: {what}")
        time.sleep(0.05)


class Scripts:
    """What the product would run, with /bin/sh replaced by one of the shells that may be behind that name."""

    def __init__(self, print_argv, shell, environment=None):
        self.print_argv, self.shell, self.environment = print_argv, shell, environment or {}

    def argv(self, *asked):
        printed = subprocess.run([self.print_argv, *map(str, asked)], stdout=subprocess.PIPE, check=True).stdout
        words = printed.decode().split("\0")[:-1]
        if words[:2] != ["/bin/sh", "-c"]:
            raise Failed(f"not a script: {words}")
        return [*self.shell, *words[1:]]

    def start(self, *asked, **environment):
        return Session(self.argv(*asked), {**os.environ, **self.environment, **environment})


class Session:
    def __init__(self, argv, environment):
        self.mark = f"HOLDFAST_TEST={uuid.uuid4()}"
        name, value = self.mark.split("=")
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env={**environment, name: value}, start_new_session=True)
        self.pending = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.kill()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            pipe.close()

    def line(self):
        """The next line of stdout; None at its end."""
        while b"\n" not in self.pending:
            if not select.select([self.process.stdout], [], [], WAIT_SECONDS)[0]:
                raise Failed(f"no line within {WAIT_SECONDS} s, after {self.pending!r}")
            more = os.read(self.process.stdout.fileno(), 65536)
            if not more:
                if self.pending:
                    raise Failed(f"half a line: {self.pending!r}")
                return None
            self.pending += more
        line, self.pending = self.pending.split(b"\n", 1)
        return line.decode()

    def expect(self, *lines):
        for wanted in lines:
            got = self.line()
            if got != wanted:
                raise Failed(f"{got!r} instead of {wanted!r}; stderr: {self.errors()}")

    def errors(self):
        os.set_blocking(self.process.stderr.fileno(), False)
        return (self.process.stderr.read() or b"").decode(errors="replace")[-800:]

    def say(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def end(self):
        self.process.stdin.close()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def ends_with(self, code, *lines):
        """Prints these and no other lines, ends with that code, and leaves no process behind."""
        self.expect(*lines, None)
        if self.process.wait(WAIT_SECONDS) != code:
            raise Failed(f"code {self.process.returncode} instead of {code}; stderr: {self.errors()}")
        until(lambda: not self.processes(), "everything that was started is gone")

    def processes(self):
        """Pids of what was started by it, whoever its parent is by now."""
        found = []
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                if self.mark.encode() in Path(f"/proc/{entry}/environ").read_bytes().split(b"\0"):
                    found.append(int(entry))
            except OSError:
                continue
        return found
