"""The postgresql profile against a real server."""
import base64
import shutil
import subprocess
from pathlib import Path

from servers import Postgresql
from shell import Failed, until


def ready(scripts, *options, deadline=600):
    session = scripts.start("profile", "postgresql", 5000, deadline, *options)
    session.expect("HOLDFAST CONNECTED")
    session.say("lock")
    session.expect("READY")
    return session


def checkpoints(server):
    return int(server.ask("SELECT checkpoints_req FROM pg_stat_bgwriter"))


def in_backup(server):
    """Sessions of ours; a base backup is held by exactly one, and goes with it."""
    return int(server.ask("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'holdfast'"))


def atomic(scripts, server):
    before = checkpoints(server)
    with ready(scripts) as session:
        until(lambda: checkpoints(server) > before, "a checkpoint came before the cut")
        server.ask("CREATE TABLE IF NOT EXISTS t (n int); INSERT INTO t VALUES (1)")  # nothing is locked
        session.end()
        session.ends_with(0, "HOLDFAST RELEASED")


def killed(scripts, server):
    with ready(scripts, "per-volume") as session:
        session.kill()
        until(lambda: in_backup(server) == 0, "the session goes with the shell")
        until(lambda: not session.processes(), "what the shell left behind is gone")


def deadline(scripts, server):
    with ready(scripts, "per-volume", deadline=6) as session:
        session.ends_with(3, "HOLDFAST EXPIRED")
        until(lambda: in_backup(server) == 0, "the session is gone")


def lost(scripts, server):
    with ready(scripts) as session:
        server.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holdfast'")
        until(lambda: in_backup(server) == 0, "the session is gone")
        session.end()
        said = session.line()
        if not said.startswith("HOLDFAST FAILED SessionLost "):
            raise Failed(f"{said!r} for a session that was lost")
        session.ends_with(1)


def per_volume(scripts, server):
    """A copy that is made file by file while rows come in starts with the label, and has every row that was there."""
    server.ask("CREATE TABLE IF NOT EXISTS ledger (n int); INSERT INTO ledger SELECT generate_series(1, 1000)")
    before = int(server.ask("SELECT count(*) FROM ledger"))
    with Copy(server) as copy:
        with ready(scripts, "per-volume") as session:
            server.ask("INSERT INTO ledger SELECT generate_series(1, 20000)")
            copy.take()
            server.ask("INSERT INTO ledger SELECT generate_series(1, 20000); CHECKPOINT")
            session.end()
            labels = dict(word_pair(session.line()) for _ in range(2))
            kind, *segments, dot = session.line().removeprefix("HOLDFAST ").split(" ")
            if (kind, dot) != ("WAL", ".") or segments != sorted(segments):
                raise Failed(f"{kind} {segments} {dot}")
            for what, where in (("data", server.data), ("log", server.data / "pg_wal")):
                said = session.line()
                if said != f"HOLDFAST AT {what} {where.resolve()}":
                    raise Failed(said)
            session.ends_with(0, "HOLDFAST RELEASED")
        copy.complete(labels, segments)
        copy.serve(copy.data, copy.as_user)
        found = int(copy.ask("SELECT count(*) FROM ledger"))
        if found < before + 20000:
            raise Failed(f"{found} rows came back of {before + 20000}")


def word_pair(line):
    kind, name, text, dot = line.removeprefix("HOLDFAST ").split(" ")
    if (kind, dot) != ("LABEL", "."):
        raise Failed(f"{line!r} is no label")
    return name, base64.b64decode(text, validate=True)


class Copy(Postgresql):
    """A server from a copy of another's folder."""

    def __init__(self, origin):
        super().__init__()
        self.origin, self.as_user = origin, origin.as_user
        self.data = self.folder / "data"

    def __enter__(self):
        return self

    def take(self):
        self.copy(self.origin.data, self.data)
        shutil.rmtree(self.data / "pg_wal")  # it would lie on another volume, cut at another moment
        (self.data / "pg_wal").mkdir()
        (self.data / "postmaster.pid").unlink()

    def copy(self, source, target):
        # Files may vanish meanwhile, which cp reports.
        subprocess.run(["cp", "-a", source, target], stderr=subprocess.DEVNULL, check=False)

    def complete(self, labels, segments):
        (self.data / "backup_label").write_bytes(labels["backup_label"])
        if labels["tablespace_map"]:
            raise Failed("there is no tablespace to be mapped")
        for name in segments:
            self.copy(self.origin.data / "pg_wal" / name, self.data / "pg_wal" / name)
        if self.as_user:
            subprocess.run(["chown", "-R", "65534:65534", self.folder], check=True)
        Path(self.data / "pg_wal").chmod(0o700)


def refused(scripts, _):
    with scripts.start("profile", "postgresql", 1000, 5, POSTGRES_USER="nobody-of-that-name") as session:
        said = session.line()
        if not said.startswith("HOLDFAST FAILED NotConnected ") or "nobody-of-that-name" not in said:
            raise Failed(f"{said!r} for a role that does not exist")
        session.ends_with(1)


CASES = [atomic, killed, deadline, lost, per_volume, refused]
