"""Moves of pods into a folder and back, by a tenant, and what came of them."""
import json
import os
import subprocess

OURS = "holdfast.dev/v1alpha1"
PASSWORD = "word"
# What takes the wall away in the movers of the program that is breached, which have no environment of the test's
# (breach.cpp); to others it is a word like any.
BREACH = "breach=command trailer"


class Vault:
    """A location in a tenant's namespace, made by the administrator as folders have to be."""

    def __init__(self, tenant):
        self.tenant, self.machine = tenant, tenant.world.machine
        self.folder = tenant.world.folder / f"vault-{tenant.ns}"
        self.folder.mkdir()
        self.machine.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "password"},
                             "stringData": {"password": PASSWORD}}, tenant.ns)
        self.machine.create({"apiVersion": OURS, "kind": "BackupLocation", "metadata": {"name": "vault"}, "spec": {
            "file": {"path": str(self.folder)}, "password": {"name": "password"}, "default": True}}, tenant.ns)

    def back_up(self, move, **pod):
        return self._move(move, {"direction": "Backup", "pod": pod, "tags": [BREACH]})

    def restore(self, name, snapshot, script, pod):
        """By a shell's script, to which the word is a name."""
        return self._move(name, {"direction": "Restore", "snapshot": snapshot, "pod": {
            "name": pod, "command": ["sh", "-c", script, BREACH]}})

    def _move(self, name, spec):
        """The move's status when it has ended."""
        self.tenant.create({"apiVersion": OURS, "kind": "DataMove", "metadata": {"name": name},
                            "spec": {"backoffLimit": 0, **spec}})

        def look():
            status = (self.machine.get("DataMove", name, self.tenant.ns) or {}).get("status", {})
            return status.get("phase") in ("Completed", "Failed", "Canceled") and status
        return self.machine.until(look, lambda: "the move ends: " + json.dumps(
            self.machine.get("DataMove", name, self.tenant.ns).get("status")))

    def dump(self, snapshot, path):
        """What the repository holds of it."""
        where = {"RESTIC_REPOSITORY": str(self.folder / self.tenant.ns), "RESTIC_PASSWORD": PASSWORD}
        return subprocess.run([self.machine.binary, "repo", "dump", snapshot, path], check=True, capture_output=True,
                              env={**os.environ, **where}).stdout


def reason_of(status):
    """Of a move that has ended."""
    return next(each for each in status["conditions"] if each["type"] == "Completed")
