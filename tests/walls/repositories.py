"""Repositories that strangers forged, and people who restore them. Imported before `recipes`, which it finds."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "forge"))
from recipes import PASSWORD  # noqa: E402

LIMIT_SECONDS, NOBODY = 120, 65534


class Victim:
    """Root of a machine with a repository that is not theirs."""

    def __init__(self, world, folder):
        self.binary, self.folder = world.machine.binary, folder
        self.repository = folder / "repository"

    def receive(self, recipe):
        recipe.write(self.binary, self.repository)
        return self

    def start(self, *words, **how):
        environment = {**os.environ, "RESTIC_REPOSITORY": str(self.repository), "RESTIC_PASSWORD": PASSWORD,
                       "RESTIC_CACHE_DIR": str(self.folder / "cache")}
        return subprocess.Popen([self.binary, "repo", *map(str, words)], env=environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)

    def run(self, *words):
        """(exit code, output and errors)"""
        process = self.start(*words)
        out, err = process.communicate(timeout=LIMIT_SECONDS)
        return process.returncode, (out + err).decode(errors="surrogateescape")


@contextmanager
def victim(world):
    """In a folder that all may enter, as a person's often is."""
    folder = Path(tempfile.mkdtemp(prefix="holdfast-victim."))
    folder.chmod(0o755)
    try:
        yield Victim(world, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def until(look, process=None):
    """What `look` gives when that is something; nothing if the process ends without it."""
    end = time.monotonic() + LIMIT_SECONDS
    while time.monotonic() < end:
        found = look()
        if found or (process and process.poll() is not None):
            return found
        time.sleep(0.02)
    raise TimeoutError("what was waited for did not come")


def interrupt(process):
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=LIMIT_SECONDS)
    return process.returncode, (out + err).decode(errors="replace")
