"""Three ways to quiesce a database for a snapshot of its volumes. Each returns for how long it was held by its own
account, in seconds."""
import json
import os
import shutil
import subprocess
import sys
import time

from database import NS
from figures import BINARY

ADMINS = "longhorn-system"
POLL_SECONDS = 1
PASSWORD = "bench"
RUN = "/run/mysqld"
CLIENT = f"mariadb --no-defaults --socket={RUN}/mysqld.sock -uroot --batch --skip-column-names --unbuffered"
# A lock that a command leaves behind: the plain one, whose session ends with it, holds nothing.
LOCK = f"""rm -f {RUN}/said
setsid sh -c 'echo $$ >{RUN}/pid
{{ echo "FLUSH TABLES WITH READ LOCK; SELECT 1;"; exec sleep 1000; }} | {CLIENT} >{RUN}/said' \\
  </dev/null >/dev/null 2>&1 &
until [ -s {RUN}/said ]; do sleep 0.005; done"""
UNLOCK = f"kill -s KILL -- -$(cat {RUN}/pid)"


class Holdfast:
    """A group snapshot with the profile for MariaDB."""
    name = "holdfast"

    def __init__(self, machine, database):
        self.machine, self.group = machine, f"{database.name}-volumes"
        machine.create({"apiVersion": "longhorn.io/v1beta2", "kind": "VolumeGroup", "metadata": {"name": self.group},
                        "spec": {"group": {"kind": "StatefulSet", "names": [database.name], "namespace": NS},
                                 "snapshot": {"profile": "mariadb"}}}, ADMINS)

    def take(self, number):
        name = f"{self.group}-{number}"
        self.machine.create({"apiVersion": "longhorn.io/v1beta2", "kind": "VolumeGroupAction", "metadata": {
            "name": name}, "spec": {"volumeGroup": self.group, "action": "snapshot"}}, ADMINS)

        def look():
            status = self.machine.get("VolumeGroupAction", name, ADMINS).get("status", {})
            return status.get("state") in ("Completed", "Error") and status
        status = self.machine.until(look, f"{name} ends")
        if status.get("consistency") != "Application":
            sys.exit(f"bench: {name} is no snapshot of a database that held still: {json.dumps(status)[:2000]}")
        window = next(each for each in status["operations"] if each["name"] == "window")
        return window["result"]["windowMicros"] / 1e6

    def clear(self, number):
        self.machine.delete("VolumeGroupAction", f"{self.group}-{number}", ns=ADMINS)
        self.machine.until(lambda: not self.machine.list("VolumeSnapshot", NS), "its snapshots are gone")


class Locked:
    """What both peers have in common: a command that locks, and one that unlocks when all is done."""

    def __init__(self, machine, database):
        self.machine, self.database = machine, database

    def take(self, number):
        self.machine.run(self.database.pod, ["sh", "-c", LOCK], "server", NS)
        began = time.monotonic()
        self.protect(number)
        self.machine.run(self.database.pod, ["sh", "-c", UNLOCK], "server", NS)
        return time.monotonic() - began


class HooksAroundSnapshot(Locked):
    """A snapshot of each volume, all asked for at once; the lock goes when a look at them, each second, has found all
    ready to use. Tools of the field ask for one after the other and look every five seconds."""
    name = "hooks-around-snapshot"

    def snapshot(self, claim, number):
        return f"{claim}-{number}"

    def protect(self, number):
        names = [self.snapshot(claim, number) for claim in self.database.claims]
        for name, claim in zip(names, self.database.claims):
            self.machine.create({"apiVersion": "snapshot.storage.k8s.io/v1", "kind": "VolumeSnapshot", "metadata": {
                "name": name}, "spec": {"source": {"persistentVolumeClaimName": claim}}}, NS)
        while not all((self.machine.get("VolumeSnapshot", name, NS).get("status") or {}).get("readyToUse")
                      for name in names):
            time.sleep(POLL_SECONDS)

    def clear(self, number):
        for claim in self.database.claims:
            self.machine.delete("VolumeSnapshot", self.snapshot(claim, number), ns=NS)
        self.machine.until(lambda: not self.machine.list("VolumeSnapshot", NS), "its snapshots are gone")


class ReleaseAfterUpload(Locked):
    """The volumes go into a new repository on this machine's disk while the lock is held."""
    name = "release-after-upload"

    def repository(self, number):
        return self.machine.folder / f"repository-{number}"

    def environment(self, number):
        return {**os.environ, "RESTIC_PASSWORD": PASSWORD, "RESTIC_REPOSITORY": str(self.repository(number)),
                "RESTIC_CACHE_DIR": str(self.machine.folder / "cache")}

    def take(self, number):
        subprocess.run([BINARY, "repo", "init"], env=self.environment(number), check=True, capture_output=True)
        return super().take(number)

    def protect(self, number):
        subprocess.run([BINARY, "repo", "backup", *self.database.folders], env=self.environment(number), check=True,
                       capture_output=True)

    def clear(self, number):
        shutil.rmtree(self.repository(number))
