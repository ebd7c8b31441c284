"""Backups of an administrators' group over a tenant's claims."""
import json
import subprocess

from vault import ADMINS, PASSWORD


class Group:
    """A group of administrators over a tenant's claims."""

    def __init__(self, vault, tenant, *claims):
        self.vault, self.machine, self.tenant = vault, vault.machine, tenant
        self.name = f"night-{tenant.ns}"
        self.machine.create({"apiVersion": "longhorn.io/v1beta2", "kind": "VolumeGroup",
                             "metadata": {"name": self.name}, "spec": {
                                 "group": {"kind": "PersistentVolumeClaim", "names": list(claims),
                                           "namespace": tenant.ns},
                                 "backup": {"location": vault.reference}}}, ADMINS)
        self.repository = f"{ADMINS}.{tenant.ns}"

    def backup(self):
        """The name of the action that is made for it."""
        path = self.machine.path("VolumeGroup", self.name, ADMINS)
        self.machine.api.merge(path, {"metadata": {"labels": {"longhornio.volume-group-action": "backup"}}})
        group = self.machine.until(
            lambda: (self.machine.get("VolumeGroup", self.name, ADMINS).get("status") or {}).get("running"),
            "the backup has begun")
        self.machine.until(lambda: self.machine.get("VolumeGroupAction", group, ADMINS), "there is an action")
        return group

    def action(self, name):
        return self.machine.get("VolumeGroupAction", name, ADMINS) or {}

    def ended(self, name):
        def look():
            action = self.action(name)
            return action if action.get("status", {}).get("state") in ("Completed", "Error") else None
        return self.machine.until(look, lambda: f"{name} has ended: {json.dumps(self.action(name).get('status'))}", 120)

    def restored(self, action, claim, path):
        """What stock restic finds in the backup of that claim."""
        snapshot = next(each["snapshotID"] for each in action["status"]["inputs"]["claims"] if each["name"] == claim)
        return subprocess.run([self.machine.binary, "repo", "-r", str(self.vault.folder / self.repository), "dump",
                               snapshot, path], capture_output=True, check=True, text=True,
                              env={"RESTIC_PASSWORD": self.password()}).stdout

    def password(self):
        words = ["openssl", "dgst", "-sha256", "-hmac", PASSWORD, "-r"]
        out = subprocess.run(words, input=f"holdfast.dev/repository/{self.repository}", capture_output=True, check=True,
                             text=True).stdout
        return out.split()[0]
