"""The fsfreeze profile on filesystems of the test's own."""
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from shell import Failed, until


class Filesystems:
    """Two file systems in files, one of them where a path has a space; None where this is not allowed."""

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="holdfast-quiesce."))
        self.paths = [self.folder / "with space", self.folder / "plain"]
        for path in self.paths:
            path.mkdir()
            image = self.folder / f"{path.name}.img"
            with open(image, "wb") as file:
                file.truncate(32 << 20)
            made = subprocess.run(["mkfs.ext4", "-q", image], capture_output=True, check=False)
            mounted = made.returncode == 0 and subprocess.run(["mount", "-o", "loop", image, path],
                                                              capture_output=True, check=False).returncode == 0
            if not mounted:
                self.__exit__()
                return None
        return self

    def __exit__(self, *_):
        for path in self.paths:
            subprocess.run(["fsfreeze", "-u", path], capture_output=True, check=False)
            subprocess.run(["umount", "-l", path], capture_output=True, check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def frozen(self):
        """By a second freeze, which a file system that is frozen refuses: a write would hang."""
        found = []
        for path in self.paths:
            tried = subprocess.run(["fsfreeze", "-f", path], capture_output=True, text=True, check=False)
            if tried.returncode == 0:
                subprocess.run(["fsfreeze", "-u", path], check=True)
            elif "busy" in tried.stderr:
                found.append(path)
            else:
                raise Failed(tried.stderr)
        return found


def frozen(scripts, world, deadline=600):
    session = scripts.start("profile", "fsfreeze", 30000, deadline, *world.paths)
    session.expect("HOLDFAST CONNECTED")
    if world.frozen():
        raise Failed("frozen before it was asked to")
    session.say("lock")
    session.expect("READY")
    if world.frozen() != world.paths:
        raise Failed(f"READY, and frozen is only {world.frozen()}")
    return session


def end_of_stdin(scripts, world):
    with frozen(scripts, world) as session:
        session.end()
        session.expect("HOLDFAST RELEASED")
        if world.frozen():
            raise Failed(f"still frozen: {world.frozen()}")
        session.ends_with(0)


def deadline(scripts, world):
    with scripts.start("profile", "fsfreeze", 1000, 4, *world.paths) as session:
        session.expect("HOLDFAST CONNECTED")
        session.say("lock")
        session.ends_with(3, "READY", "HOLDFAST EXPIRED")
        if world.frozen():
            raise Failed(f"still frozen: {world.frozen()}")


def killed(scripts, world):
    for kill in (lambda session: session.kill(), lambda session: os.killpg(session.process.pid, signal.SIGKILL)):
        with frozen(scripts, world, deadline=40) as session:
            kill(session)
            until(lambda: not world.frozen(), "what was frozen thaws without the shell")
            until(lambda: not session.processes(), "what the shell left behind is gone")


def one_cannot_be_frozen(scripts, world):
    subprocess.run(["fsfreeze", "-f", world.paths[1]], check=True)
    with scripts.start("profile", "fsfreeze", 5000, 600, *world.paths) as session:
        session.expect("HOLDFAST CONNECTED")
        session.say("lock")
        said = session.line()
        session.ends_with(1)
    if not said.startswith("HOLDFAST FAILED LockNotAcquired ") or str(world.paths[1]) not in said:
        raise Failed(f"{said!r} where one file system is frozen by another")
    if world.frozen() != world.paths[1:]:
        raise Failed(f"frozen is {world.frozen()}, of which only the second is another's")
    subprocess.run(["fsfreeze", "-u", world.paths[1]], check=True)


def shared(scripts, world):
    inside, beside = world.paths[0] / "inside", world.folder / "beside"
    inside.mkdir(exist_ok=True)
    beside.mkdir(exist_ok=True)
    refused(scripts, "/")
    refused(scripts, inside)
    refused(scripts, "/proc")
    refused(scripts, world.paths[1], inside)
    for source in (world.paths[0], inside):
        subprocess.run(["mount", "--bind", source, beside], check=True)
        try:
            refused(scripts, world.paths[0])
            if source == inside:
                refused(scripts, beside, world.paths[0])
        finally:
            subprocess.run(["umount", beside], check=True)
    if world.frozen():
        raise Failed(f"frozen: {world.frozen()}")


def refused(scripts, *paths):
    with scripts.start("profile", "fsfreeze", 1000, 5, *paths) as session:
        said = session.line()
        if not said.startswith("HOLDFAST FAILED SharedFilesystem "):
            raise Failed(f"{said!r} for {paths}")
        session.ends_with(1)


CASES = [end_of_stdin, deadline, killed, one_cannot_be_frozen, shared]
