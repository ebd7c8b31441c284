"""Trailers of commands, in one shell: the output is the command's own, byte by byte, and its end is told."""
import os
import re
import signal
import subprocess
import tempfile
from pathlib import Path

from shell import Failed, until

NONCE = "5ca1ab1e5ca1ab1e5ca1ab1e5ca1ab1e"


def expect(got, wanted, what):
    if got != wanted:
        raise Failed(f"{what}: {got!r} instead of {wanted!r}")


def run(scripts, counted, *words, data=b"", **environment):
    """(output without the trailer, code and count that the trailer says, what it ended with, errors)"""
    argv = scripts.argv("command", counted, NONCE, *words)
    done = subprocess.run(argv, input=data, capture_output=True, check=False, timeout=60,
                          env={**os.environ, **environment})
    found = re.search(rb"HOLDFAST END %s (\d+) (\d+|-)\n\Z" % NONCE.encode(), done.stdout)
    if not found:
        raise Failed(f"no trailer at the end of {done.stdout[-200:]!r}; {done.stderr[-400:]!r}")
    count = None if found[2] == b"-" else int(found[2])
    return done.stdout[:found.start()], int(found[1]), count, done.returncode, done.stderr


def codes(scripts):
    for counted in ("nothing", "output", "input"):
        for code in (0, 1, 3, 126, 255):
            got = run(scripts, counted, "sh", "-c", f"exit {code}")
            expect((got[1], got[3]), (code, code), f"{counted}: exit {code}")
        expect(run(scripts, counted, "sh", "-c", "kill -9 $$")[1], 137, f"{counted}: killed")
        expect(run(scripts, counted, "no-such-program")[1], 127, f"{counted}: a program that is not there")
        # A word of the shell is no program, and must neither end it nor change it.
        expect(run(scripts, counted, "exit", "0")[1], 127, f"{counted}: exit")


def output_is_clean(scripts):
    data = bytes(range(256)) * 5000 + b"no line end"
    for counted, count in (("nothing", None), ("output", len(data))):
        out, code, counts, _, errors = run(scripts, counted, "cat", data=data)
        expect((out == data, code, errors), (True, 0, b""), counted)
        expect(counts, count, f"the count of {counted}")


def awkward_counts(scripts):
    for size in (0, 1, 2, 65535, 65536, 65537, 1 << 20):
        got = run(scripts, "output", "head", "-c", str(size), "/dev/zero")
        expect((len(got[0]), got[2]), (size, size), "output")
        got = run(scripts, "input", "wc", "-c", data=b"x" * size)
        expect((int(got[0]), got[2]), (size, size), "input")


def small_pieces(scripts):
    got = run(scripts, "output", "sh", "-c", "for i in 1 2 3 4 5 6 7 8 9; do printf $i; done")
    expect((got[0], got[2]), (b"123456789", 9), "written piece by piece")


def words_as_they_are(scripts):
    words = ["", "two words", "it's", 'a "quote"', "$HOME `id` \\", "line\nbreak", "*", "-n", ";x"]
    for counted in ("nothing", "output", "input"):
        got = run(scripts, counted, "printf", "[%s]", *words)
        expect(got[0].decode(), "".join(f"[{word}]" for word in words), counted)


def errors_stay_apart(scripts):
    for counted in ("nothing", "output", "input"):
        got = run(scripts, counted, "sh", "-c", "echo out; echo err >&2; exit 4")
        expect((got[0], got[1], got[4]), (b"out\n", 4, b"err\n"), counted)


def input_that_is_not_read(scripts):
    """The command ends before its input: what went in is not known, and nothing waits for the rest."""
    out, code, count, _, _ = run(scripts, "input", "true", data=b"x" * (4 << 20))
    expect((out, code), (b"", 0), "its end")
    if count is not None and count >= 4 << 20:
        raise Failed(f"{count} bytes are said to have gone in")


def lines_come_at_once(scripts):
    """Neither a lock that is READY nor a dump that is slow waits for a buffer to be full."""
    for counted in ("nothing", "output", "input"):
        with scripts.start("command", counted, NONCE, "sh", "-c", "echo READY; cat; exit 7") as session:
            session.expect("READY")
            session.say("through")
            if counted != "input":
                session.expect("through")
            session.end()
            line = session.line()
            if line == "through":
                line = session.line()
            expect(bool(re.fullmatch(rf"HOLDFAST END {NONCE} 7 \S+", line or "")), True, f"{counted}: {line}")


def without_dd(scripts):
    """Where nothing can count, the end is told all the same."""
    if scripts.shell[0] == "busybox":
        return  # it has its own
    with tempfile.TemporaryDirectory() as folder:
        for name in ("cat", "sh"):
            found = subprocess.run(["which", name], capture_output=True, text=True, check=True).stdout.strip()
            (Path(folder) / name).symlink_to(found)
        argv = subprocess.run(["which", scripts.shell[0]], capture_output=True, text=True, check=True).stdout.strip()
        for counted in ("output", "input"):
            words = scripts.argv("command", counted, NONCE, "cat")
            done = subprocess.run([argv, *words[1:]], input=b"text", capture_output=True, check=False,
                                  env={"PATH": folder})
            expect(done.stdout, b"text" + f"HOLDFAST END {NONCE} 0 -\n".encode(), f"{counted}: {done.stderr}")


def a_shell_that_is_killed_says_nothing(scripts):
    for counted in ("nothing", "output", "input"):
        with scripts.start("command", counted, NONCE, "sh", "-c", "echo begun; exec sleep 600") as session:
            session.expect("begun")
            session.process.send_signal(signal.SIGKILL)

            def gone():  # a process in the midst of exec shows no environment, and is found the next time
                left = session.processes()
                for pid in left:
                    os.kill(pid, signal.SIGKILL)
                return not left
            until(gone, "all of it is gone")
            expect(session.line(), None, counted)


def what_is_left_behind(scripts):
    """A process that keeps the output open is waited for where bytes are counted, and not where a lock is."""
    leave = "(sleep 1; echo late) & echo early"
    out, code, count, _, _ = run(scripts, "output", "sh", "-c", leave)
    expect((out, code, count), (b"early\nlate\n", 0, 11), "counted")
    argv = scripts.argv("command", "nothing", NONCE, "sh", "-c", leave)
    done = subprocess.run(argv, capture_output=True, check=False, timeout=60)
    expect(done.stdout, b"early\n" + f"HOLDFAST END {NONCE} 0 -\n".encode() + b"late\n", "not counted")


CASES = [codes, output_is_clean, awkward_counts, small_pieces, words_as_they_are, errors_stay_apart,
         input_that_is_not_read, lines_come_at_once, without_dd, a_shell_that_is_killed_says_nothing,
         what_is_left_behind]
