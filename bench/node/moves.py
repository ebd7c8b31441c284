#!/usr/bin/env python3
"""A volume into a repository and back by data moves, beside the repository tool alone, stock restic and cp.

    moves.py file|s3 FOLDER MIB

The wall of a move is from the DataMove's creation to Completed: its pod's start, the transfer and the proof are in it.
The others do the transfer alone, `holdfast repo` and restic with their defaults, and cp leaves its bytes to the page
cache. In a bucket there is no cp beside.
"""
import os
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent))
from figures import BINARY, MiB, Machine, RESTIC, await_status, bound_folder, claim  # noqa: E402
from figures import clear, fill, find_peer, folder_of, report, same, timed  # noqa: E402

OURS = "/apis/holdfast.dev/v1alpha1/namespaces/default"
PASSWORD = "bench"


class Place:
    """Where repositories go: folders, or parts of a bucket."""

    def __init__(self, kind, folder):
        self.kind, self.folder = kind, folder / "repositories"
        self.folder.mkdir()
        self.service = os.environ.get("HOLDFAST_S3", "")

    def location(self):
        if self.kind == "file":
            return {"file": {"path": str(self.folder / "move")}}
        endpoint, bucket = self.service.rsplit("/", 1)
        return {"s3": {"endpoint": endpoint, "bucket": bucket, "prefix": "move", "region": os.environ["AWS_REGION"],
                       "forcePathStyle": True}, "credential": {"name": "key"}}

    def repository(self, name):
        return str(self.folder / name) if self.kind == "file" else f"s3:{self.service}/{name}"


class Bench:
    def __init__(self, machine, place, folder, mib):
        self.machine, self.place, self.folder, self.mib = machine, place, folder, mib
        self.data = bound_folder(machine, "data", mib)
        fill(self.data, mib)
        self.case = {"backup": f"backup-{place.kind}", "restore": f"restore-{place.kind}"}

    def said(self, verb, subject, seconds, restored=None):
        case = self.case[verb]
        report(case, subject, "wall", "s", seconds)
        report(case, subject, "rate", "MB/s", self.mib * MiB / 1e6 / seconds)
        if restored:
            report(case, subject, "same", "1", 1 if same(self.data, restored) else 0)

    def prepare_location(self):
        secrets = {"password": {"password": PASSWORD}}
        if self.place.kind == "s3":
            secrets["key"] = {name: os.environ[name] for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")}
        for name, data in secrets.items():
            self.machine.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "stringData": data})
        self.machine.create({"apiVersion": "holdfast.dev/v1alpha1", "kind": "BackupLocation",
                             "metadata": {"name": "bench"}, "spec": {
                                 "default": True, "password": {"name": "password"}, **self.place.location()}})
        path = f"{OURS}/backuplocations/bench"
        await_status(self.machine, path, lambda status: status.get("phase") == "Available", "the location")

    def move(self, name, spec):
        os.sync()
        began = time.monotonic()
        self.machine.api.create(f"{OURS}/datamoves", {"apiVersion": "holdfast.dev/v1alpha1", "kind": "DataMove",
                                                      "metadata": {"name": name}, "spec": spec})
        path = f"{OURS}/datamoves/{name}"
        await_status(self.machine, path, lambda status: status.get("phase") == "Completed", f"move {name}")
        return time.monotonic() - began, self.machine.api.get(path)["status"]["snapshotID"]

    def by_move(self):
        self.prepare_location()
        took, snapshot = self.move("there", {"direction": "Backup", "volume": {"persistentVolumeClaim": "data"}})
        self.said("backup", "holdfast-move", took)
        self.machine.create(claim("back", self.mib))
        took, _ = self.move("back", {"direction": "Restore", "snapshot": snapshot,
                                     "volume": {"persistentVolumeClaim": "back"}})
        back = folder_of(self.machine, "back")
        self.said("restore", "holdfast-move", took, back)
        for each in back.iterdir():
            clear(each) if each.is_dir() else each.unlink()

    def by_tool(self, subject, program):
        """restic, or what has its verbs: ours."""
        work = self.folder / subject
        work.mkdir()
        environment = {**os.environ, "RESTIC_PASSWORD": PASSWORD, "RESTIC_REPOSITORY": self.place.repository(subject),
                       "RESTIC_CACHE_DIR": str(work / "cache")}
        timed([*program, "init"], env=environment)
        self.said("backup", subject, timed([*program, "backup", "."], env=environment, cwd=self.data))
        target = work / "restored"
        took = timed([*program, "restore", "latest", "--target", target], env=environment)
        self.said("restore", subject, took, target)
        clear(work)
        if self.place.kind == "file":
            clear(self.place.folder / subject)

    def by_cp(self):
        there, back = self.folder / "cp-there", self.folder / "cp-back"
        self.said("backup", "cp", timed(["cp", "-a", "--reflink=never", self.data, there]))
        self.said("restore", "cp", timed(["cp", "-a", "--reflink=never", there, back]), back)
        clear(there)
        clear(back)


def measure(kind, folder, mib):
    work = folder / f"moves-{kind}"
    work.mkdir()
    (work / "machine").mkdir()
    place = Place(kind, work)
    with Machine(BINARY, work / "machine", ("--provider", "copy")) as machine:
        print(f"bench: moves to a {'bucket' if kind == 's3' else 'folder'}", file=sys.stderr, flush=True)
        bench = Bench(machine, place, work, mib)
        bench.by_move()
        bench.by_tool("holdfast-repo", [BINARY, "repo"])
        if restic := find_peer("restic", "0.18.0"):
            bench.by_tool(RESTIC, [restic])
        if kind == "file":
            bench.by_cp()
    clear(work)


if __name__ == "__main__":
    measure(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
