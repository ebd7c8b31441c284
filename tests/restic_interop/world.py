"""The two programs, a folder to work in, and how a case says what it found."""
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

PASSWORD = "a password, with \u00fcnicode"
TIMEOUT_SECONDS = 120


class Failed(Exception):
    """A case that did not hold; the text says how."""


class Tool:
    """One program with its way of being called; every method returns what the command printed."""

    def __init__(self, words, world):
        self.words, self.world = words, world

    def call(self, repo, *arguments, password=PASSWORD, stdin=None, cwd=None, env=None):
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.world.folder), "TZ": "Europe/Berlin",
                       "LANG": "C.UTF-8", "RESTIC_REPOSITORY": str(repo), "RESTIC_PASSWORD": password,
                       "RESTIC_CACHE_DIR": str(self.world.folder / "cache"), **(env or {})}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS"):
            if name in os.environ:
                environment[name] = os.environ[name]
        return subprocess.run([*self.words, *map(str, arguments)], env=environment, cwd=cwd or self.world.folder,
                              input=stdin, capture_output=True, check=False, timeout=TIMEOUT_SECONDS)

    def bytes(self, repo, *arguments, **how):
        ran = self.call(repo, *arguments, **how)
        if ran.returncode != 0:
            raise Failed(f"{self.name} {' '.join(map(str, arguments))}: exit {ran.returncode}\n"
                         + (ran.stdout[-1000:] + ran.stderr[-2000:]).decode(errors="replace"))
        return ran.stdout

    def text(self, repo, *arguments, **how):
        return self.bytes(repo, *arguments, **how).decode(errors="replace")

    def json(self, repo, *arguments, **how):
        """The one value, or the values of all lines."""
        lines = self.text(repo, *arguments, "--json", **how).splitlines()
        values = [json.loads(line) for line in lines if line.startswith(("{", "["))]
        return values[0] if len(values) == 1 else values

    def summary(self, repo, *arguments, **how):
        values = self.json(repo, *arguments, **how)
        return values if isinstance(values, dict) else values[-1]

    def restore(self, repo, snapshot, target, *flags):
        """Whole, as restic has it: ours leaves special files to those who ask for them."""
        special = ("--special",) if self is self.world.ours else ()
        return self.text(repo, "restore", snapshot, "--target", target, *special, *flags)

    def latest(self, repo):
        return max(self.json(repo, "snapshots"), key=lambda one: one["time"])

    @property
    def name(self):
        return " ".join(Path(word).name for word in self.words)


class World:
    """Made once: the sample, and a repository of it by each program."""

    def __init__(self, restic, holdfast, keep=False):
        self.folder = Path(tempfile.mkdtemp(prefix="holdfast-interop."))
        self.folder.chmod(0o755)
        self.keep = keep
        (self.folder / "cache").mkdir()
        self.restic = Tool([restic], self)
        self.ours = Tool([holdfast, "repo"], self)
        said = subprocess.run([restic, "version"], capture_output=True, text=True, check=False).stdout.split()
        self.version = tuple(int(part) for part in said[1].split(".")[:2]) if said else ()
        self.count = 0

    def new(self, name):
        """A path that nobody has used."""
        self.count += 1
        return self.folder / f"{name}-{self.count}"

    def copy(self, repo):
        target = self.new(repo.name)
        shutil.copytree(repo, target, symlinks=True)
        return target

    def forge(self, binary, repo, recipe):
        """Writes what no program would write, by tests/forge."""
        subprocess.run([binary, repo], check=True, input=recipe.encode(),
                       env={**os.environ, "RESTIC_PASSWORD": PASSWORD})

    def close(self):
        if not self.keep:
            subprocess.run(["chmod", "-R", "u+rwX", self.folder], check=False)
            shutil.rmtree(self.folder, ignore_errors=True)


def expect(condition, text):
    if not condition:
        raise Failed(text)


def expect_equal(got, wanted, text):
    if got != wanted:
        raise Failed(f"{text}: {got!r}, wanted {wanted!r}")
