"""Groups of volumes as their users have them: a group, labels that ask for something, and what became of it."""
import json

from machine import Failed

LABEL = "longhornio.volume-group-action"
ENDED = ("Completed", "Error")


def from_repository(machine, ns, location, group, members):
    """Restores the newest backup of a group of which this cluster knows nothing but the location."""
    name = "from-the-repository"
    path = machine.path("VolumeGroupAction", name, ns)
    machine.create({"apiVersion": "longhorn.io/v1beta2", "kind": "VolumeGroupAction", "metadata": {
        "name": name, "labels": {LABEL: "restore"}}, "spec": {"action": "backup", "source": {
            "location": location, "group": group, "namespace": members}}}, ns)

    def look():
        status = machine.api.get(path).get("status") or {}
        return status.get("state") in ENDED and (status.get("restores") or status["state"] == "Error") and status
    status = machine.until(look, lambda: f"{name} ends: {json.dumps(machine.api.get(path).get('status'))}", 300)
    if status["state"] != "Completed" or status.get("consistency") != "Application":
        raise Failed(f"{name}: {json.dumps(status)}")


class Group:
    """One VolumeGroup over a bank's pod, in a namespace of administrators."""

    def __init__(self, machine, bank, members, admins, location=None):
        self.machine, self.name, self.ns, self.members = machine, f"{bank.name}-volumes", admins, members
        how = {"profile": bank.profile}
        machine.create({"apiVersion": "longhorn.io/v1beta2", "kind": "VolumeGroup", "metadata": {"name": self.name},
                        "spec": {"group": {"kind": "StatefulSet", "names": [bank.name], "namespace": members},
                                 "snapshot": how, "backup": {**how, **({"location": location} if location else {})}}},
                       admins)

    def status(self):
        return (self.machine.get("VolumeGroup", self.name, self.ns) or {}).get("status") or {}

    def action(self, name):
        return self.machine.get("VolumeGroupAction", name, self.ns) or {}

    def ask(self, kind, name, what):
        self.machine.api.merge(self.machine.path(kind, name, self.ns), {"metadata": {"labels": {LABEL: what}}})

    def take(self, what):
        """The name of the action that a snapshot or backup made, once it has ended well."""
        runs = self.status().get("runs", 0)
        self.ask("VolumeGroup", self.name, what)

        def look():
            status = self.status()
            return status.get("runs", 0) > runs and status.get("state") in ENDED and status.get("last")
        name = self.machine.until(look, lambda: f"a {what} ends: {json.dumps(self.status())}", 300)
        self.completed(name)
        return name

    def consistent(self, name):
        status = self.action(name)["status"]
        if status.get("consistency") != "Application":
            raise Failed(f"{name} is {status.get('consistency')}: {status.get('consistencyReason')}: "
                         f"{status.get('consistencyMessage')}; steps {json.dumps(status['triggered'])}")

    def bring_back(self, name, what, **restore):
        """A revert or a restore by the action of that name."""
        if restore:
            path = self.machine.path("VolumeGroupAction", name, self.ns)
            self.machine.api.merge(path, {"spec": {"restore": restore}})
        before = self.action(name)["status"].get("restores", 0)
        self.ask("VolumeGroupAction", name, what)

        def look():
            status = self.action(name)["status"]
            return status.get("restores", 0) > before and status.get("state") in ENDED
        self.machine.until(look, lambda: f"the {what} ends: {json.dumps(self.action(name).get('status'))}", 300)
        self.completed(name)
        return self.references(name, "restored")

    def completed(self, name):
        status = self.action(name).get("status") or {}
        if status.get("state") != "Completed":
            raise Failed(f"{name}: {json.dumps(status)}")

    def references(self, name, block="triggered"):
        """What was made for each claim, by its name."""
        found = self.action(name)["status"][block]["references"]["resources"]
        return {each["name"]: each.get("items", {}) for each in found}
