"""The guard of owed commands, and sessions that are people's own, in one shell."""
import os
import signal
import subprocess
import tempfile
from pathlib import Path

from shell import Failed

AWKWARD = ["", "two words", "it's", 'a "quote"', "$HOME `id` \\", "line\nbreak", "*", "-n", ";x"]


class Notes:
    """A file that post commands leave their words in."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="holdfast-quiesce.")
        self.file = Path(self.folder.name) / "notes"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def post(self, *words):
        return ["sh", "-c", 'file=$1; shift; printf "%s\\0" "$@" >>"$file"', "post", str(self.file), *words, ";"]

    def expect(self, *words):
        got = self.file.read_bytes().decode().split("\0")[:-1] if self.file.exists() else []
        if got != list(words):
            raise Failed(f"the posts left {got} instead of {list(words)}")


def done(scripts):
    with Notes() as notes, scripts.start("guard", 600, *notes.post("ran")) as guard:
        guard.expect("HOLDFAST ARMED")
        guard.say("something else")
        guard.say("done")
        guard.ends_with(0)
        notes.expect()


def end_of_stdin(scripts):
    posts = lambda notes: [*notes.post("first", *AWKWARD), *notes.post("second")]  # noqa: E731
    with Notes() as notes, scripts.start("guard", 2, *posts(notes)) as guard:
        guard.expect("HOLDFAST ARMED")
        guard.end()
        # At once, and again at the deadline: what was under way before may have taken its lock between the two.
        guard.ends_with(0, *["HOLDFAST POST 0 0", "HOLDFAST POST 1 0"] * 2)
        notes.expect(*["first", *AWKWARD, "second"] * 2)


def half_a_line_is_not_done(scripts):
    with Notes() as notes, scripts.start("guard", 2, *notes.post("ran")) as guard:
        guard.expect("HOLDFAST ARMED")
        guard.process.stdin.write(b"done")
        guard.end()
        guard.ends_with(0, *["HOLDFAST POST 0 0"] * 2)
        notes.expect("ran", "ran")


def deadline(scripts):
    with Notes() as notes, scripts.start("guard", 1, *notes.post("ran")) as guard:
        guard.ends_with(0, "HOLDFAST ARMED", "HOLDFAST POST 0 0")
        notes.expect("ran")


def told_to_end(scripts):
    with Notes() as notes, scripts.start("guard", 2, *notes.post("ran")) as guard:
        guard.expect("HOLDFAST ARMED")
        guard.process.send_signal(signal.SIGTERM)
        guard.ends_with(0, *["HOLDFAST POST 0 0"] * 2)
        notes.expect("ran", "ran")


def a_post_that_fails(scripts):
    posts = lambda notes: ["sh", "-c", "exit 7", ";", "exit", "0", ";", *notes.post("ran")]  # noqa: E731
    with Notes() as notes, scripts.start("guard", 2, *posts(notes)) as guard:
        guard.expect("HOLDFAST ARMED")
        guard.end()
        # `exit` is a word of the shell and no program: it must not end the guard.
        guard.ends_with(1, *["HOLDFAST POST 0 7", "HOLDFAST POST 1 127", "HOLDFAST POST 2 0"] * 2)
        notes.expect("ran", "ran")


def nobody_reads(scripts):
    with Notes() as notes:
        loud = ["sh", "-c", "head -c 1000000 /dev/zero", ";"]
        with scripts.start("guard", 2, *loud, *notes.post("ran")) as guard:
            guard.expect("HOLDFAST ARMED")
            guard.process.stdout.close()
            guard.process.stderr.close()
            guard.end()
            guard.process.wait(60)
            notes.expect("ran", "ran")


def no_sleep(scripts):
    if scripts.shell[0] == "busybox":
        return  # it has its own
    with tempfile.TemporaryDirectory() as empty:
        for asked in (["guard", 1, "true", ";"], ["session", 1, "cat"]):
            argv = scripts.argv(*asked)
            argv[0] = subprocess.run(["which", argv[0]], capture_output=True, text=True, check=True).stdout.strip()
            ended = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                                   env={**os.environ, "PATH": empty})
            if (ended.returncode, ended.stdout) != (1, "HOLDFAST FAILED NoSleep\n"):
                raise Failed(f"without sleep: {ended}")


def session_as_it_is(scripts):
    with scripts.start("session", 600, "sh", "-c", 'echo READY; printf "%s\n" "$@"; cat; exit 7', "x",
                       "two words", "it's") as session:
        session.expect("READY", "two words", "it's")
        session.say("through")
        session.expect("through")
        session.end()
        session.ends_with(7)


TELLS = 'trap "echo told; exit 5" TERM; echo READY; while :; do sleep 1; done'


def session_told_to_end(scripts):
    with scripts.start("session", 600, "sh", "-c", TELLS) as held:
        held.expect("READY")
        held.process.send_signal(signal.SIGTERM)
        held.ends_with(5, "told")


def session_expires(scripts):
    # What the command started goes too, and what does not listen.
    stubborn = 'trap "" TERM; echo READY; cat & sleep 600'
    with scripts.start("session", 1, "sh", "-c", stubborn) as session:
        session.ends_with(3, "READY", "HOLDFAST EXPIRED")


def presync(scripts):
    for paths in ([], ["/", "/dev"], ["/no such folder"]):
        with scripts.start("presync", *paths) as session:
            session.ends_with(0)


CASES = [done, end_of_stdin, half_a_line_is_not_done, deadline, told_to_end, a_post_that_fails, nobody_reads, no_sleep,
         session_as_it_is, session_told_to_end, session_expires, presync]
