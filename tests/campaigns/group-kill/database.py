"""A bank that tells what its server was asked, one client that wants to write, and a group over the bank's volumes."""
import json
import os
import subprocess
import time

from groups import Group
from ledger import Mariadb
from machine import Failed

RUN = "/run/mysqld"
CLIENT = f"mariadb --no-defaults --socket={RUN}/mysqld.sock -uroot --batch --skip-column-names --unbuffered"
# A lock that outlives the command that took it, as people make one: the client stays behind, until somebody kills it.
TAKE = f"""rm -f {RUN}/pair.said
setsid sh -c 'echo $$ >{RUN}/pair.pid
{{ echo "FLUSH TABLES WITH READ LOCK; SELECT \\"pair locked\\";"; exec sleep 1000; }} | {CLIENT} >{RUN}/pair.said' \\
  </dev/null >/dev/null 2>&1 &
until grep -q locked {RUN}/pair.said 2>/dev/null; do sleep 0.02; done"""
GIVE = f"""[ -s {RUN}/pair.pid ] || exit 0
kill -s KILL -- -$(cat {RUN}/pair.pid)
rm -f {RUN}/pair.pid"""
WAYS = {"profile": {"profile": "mariadb"},
        "pair": {"preActions": [{"name": "take", "action": "execute", "args": ["sh", "-c", TAKE]}],
                 "postActions": [{"name": "give", "action": "execute", "args": ["sh", "-c", GIVE]}]}}
# One that can be met while it is under way.
WAYS["slow"] = {**WAYS["pair"], "preActions": [{"name": "take", "action": "execute", "args": [
    "sh", "-c", f"touch {RUN}/begun; sleep 1; rm {RUN}/begun\n{TAKE}"]}]}
LOCKED = ("holdfast locked", "pair locked")
RELEASED = ("BACKUP STAGE END", "holdfast released")


class Told(Mariadb):
    """Its server writes down every statement, as it gets it."""

    def objects(self):
        out = super().objects()
        for body in out:
            if body["kind"] == "StatefulSet":
                server = body["spec"]["template"]["spec"]["containers"][0]
                server["command"] += ["--general-log=1", f"--general-log-file={RUN}/general.log"]
        return out

    def watch(self, machine):
        self.log = next((machine.data / "node/pods").rglob("general.log"))

    def begun(self):
        """Whether the slow command is under way, and has no lock yet."""
        return (self.log.parent / "begun").exists()

    def size(self):
        return os.stat(self.log).st_size

    def locked(self, since):
        """Whether a run's lock was taken after that place in the log, and whether it was given back."""
        with open(self.log, "rb") as log:
            log.seek(since)
            text = log.read().decode(errors="replace")
        return any(each in text for each in LOCKED), any(each in text for each in RELEASED)


class Write:
    """One INSERT by a client of its own, that may have to wait."""

    def __init__(self, address, number):
        self.process = subprocess.Popen(
            ["mariadb", "--no-defaults", f"--host={address}", "--user=clients", "--connect-timeout=10", "bank", "-e",
             f"INSERT INTO proofs VALUES ({number})"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def waits(self):
        return self.process.poll() is None

    def through(self, seconds, when):
        """Seconds from now until it was done; Failed if that is not within its time."""
        began = time.monotonic()
        try:
            _, said = self.process.communicate(timeout=max(0.1, seconds))
        except subprocess.TimeoutExpired:
            self.end()
            raise Failed(f"an INSERT is not through {seconds:.1f} s {when}") from None
        if self.process.returncode:
            raise Failed(f"an INSERT failed {when}: {said}")
        return time.monotonic() - began

    def end(self):
        if self.waits():
            self.process.kill()
            self.process.wait()


class Watched(Group):
    """A group whose runs are judged from outside."""

    def __init__(self, machine, bank, way, ns, admins):
        self.machine, self.name, self.ns, self.members = machine, f"{bank.name}-{way}", admins, ns
        self.asked = 0
        machine.create({"apiVersion": "longhorn.io/v1beta2", "kind": "VolumeGroup", "metadata": {"name": self.name},
                        "spec": {"group": {"kind": "StatefulSet", "names": [bank.name], "namespace": ns},
                                 "snapshot": WAYS[way]}}, admins)

    def deadline(self, seconds):
        self.machine.api.merge(self.machine.path("VolumeGroup", self.name, self.ns),
                               {"spec": {"snapshot": {"freezeDeadlineSeconds": seconds}}})

    def trigger(self):
        self.asked = self.status().get("runs", 0)
        self.ask("VolumeGroup", self.name, "snapshot")

    def ended(self):
        """The action of the last trigger, once it has ended."""
        def look():
            status = self.status()
            over = status.get("runs", 0) > self.asked and status.get("state") in ("Completed", "Error")
            return over and self.action(status["last"])
        return self.machine.until(look, lambda: f"the run ends: {json.dumps(self.status())}\n"
                                  f"{self.machine.operator.log()}")

    def judge(self, action):
        """Its state and reason. What ended in error has left nothing; what did not has all of its snapshots."""
        status = action["status"]
        reason = next((each["reason"] for each in status["conditions"] if each["type"] == "Completed"), "")
        if not reason or (status["state"] == "Error" and status.get("consistency", "Unknown") != "Unknown"):
            raise Failed(f"it ended without a reason, or as what it is not: {json.dumps(status)}")
        for claim in self.machine.list("PersistentVolumeClaim", self.members):
            marks = [each for each in claim["metadata"].get("labels", {}) if each.startswith("cut.holdfast.dev/")]
            if marks:
                raise Failed(f"claim {claim['metadata']['name']} still has {marks}")
        left = self.left()
        if status["state"] == "Error" and left:
            raise Failed(f"a run that ended in error ({reason}) left {left}")
        if status["state"] == "Completed" and len(left) != 3:
            raise Failed(f"a run that completed has {left}")
        if status.get("owed"):
            raise Failed(f"it ended and still owes {status['owed']}")
        return status["state"], reason

    def left(self):
        """Every snapshot there is: runs before this one have been deleted."""
        return [f"{kind}/{each['metadata']['name']}" for kind in ("VolumeGroupSnapshot", "VolumeSnapshot")
                for each in self.machine.list(kind, self.members)]

    def forget(self, action):
        self.machine.delete("VolumeGroupAction", action["metadata"]["name"], ns=self.ns)
        self.machine.until(lambda: not self.left(), lambda: f"snapshots go with their action: {self.left()}")
