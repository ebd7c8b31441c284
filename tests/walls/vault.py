"""An administrators' location, and what tenants and administrators ask of it."""
import itertools
import json

from machine import Failed, Refused

ADMINS = "holdfast-system"
OURS = "holdfast.dev/v1alpha1"
SNAPSHOTS = "/apis/snapshot.storage.k8s.io/v1"
PASSWORD = "of the vault"
NUMBERS = itertools.count()
OVER = ("Completed", "Failed", "Canceled")


def object_of(kind, name, spec, **more):
    return {"apiVersion": OURS, "kind": kind, "metadata": {"name": name, **more}, "spec": spec}


class Vault:
    """A folder of its own for each attack, which tenants may use."""

    def __init__(self, world, *tenants, **spec):
        self.world, self.machine = world, world.machine
        self.name = f"vault-{next(NUMBERS)}"
        self.folder = world.folder / self.name
        for kind, body in (("Namespace", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": ADMINS}}),
                           ("Secret", {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "vault-password"},
                                       "stringData": {"password": PASSWORD}})):
            try:
                self.machine.api.create(self.machine.path(kind, ns=ADMINS), body)
            except Refused as there:
                if there.code != 409:
                    raise
        self.machine.create(object_of("BackupLocation", self.name, {
            "file": {"path": str(self.folder)}, "password": {"name": "vault-password"},
            "allowedNamespaces": [each.ns for each in tenants], **spec}), ADMINS)
        self.machine.until(lambda: self.condition("Available").get("status") == "True", f"{self.name} is available")

    @property
    def reference(self):
        return {"name": self.name, "namespace": ADMINS}

    def condition(self, wanted):
        status = (self.machine.get("BackupLocation", self.name, ADMINS) or {}).get("status", {})
        return next((each for each in status.get("conditions") or [] if each["type"] == wanted), {})

    def document(self, name, content="as it was", **more):
        return object_of("DataMove", name, {"direction": "Backup", "document": {"name": "d", "content": content},
                                            "location": self.reference, **more})

    def admin_move(self, name, ns=ADMINS, **spec):
        return self.machine.create(object_of("DataMove", name, {"location": self.reference, **spec}), ns)

    def status(self, name, ns):
        return (self.machine.get("DataMove", name, ns) or {}).get("status", {})

    def until_phase(self, name, ns, *phases):
        def look():
            status = self.status(name, ns)
            return status if status.get("phase") in phases else None
        return self.machine.until(look, lambda: f"move {ns}/{name} is {phases}: {json.dumps(self.status(name, ns))}",
                                  90)

    def ended(self, name, ns):
        return self.until_phase(name, ns, *OVER)

    def completed(self, name, ns):
        status = self.ended(name, ns)
        if status["phase"] != "Completed":
            raise Failed(f"move {name}: {json.dumps(status)}")
        return status

    def movers(self):
        """Pods of movers that are at work beside the location."""
        found = []
        for pod in self.machine.list("Pod", ADMINS):
            told = {each["name"]: each.get("value", "") for each in pod["spec"]["containers"][0].get("env", [])}
            if str(self.name) in json.dumps(pod["spec"].get("volumes", [])) and "HOLDFAST_MOVE" in told:
                found.append(pod)
        return found

    def snapshots(self, repository):
        """Ids in the folder of a repository."""
        return sorted(each.name for each in (self.folder / repository / "snapshots").glob("?" * 64))


def reason(status):
    return next((each["reason"] for each in status.get("conditions", []) if each["type"] == "Completed"), "")


def fill(tenant, claim, script):
    """A claim of the tenant's with something on it."""
    machine = tenant.world.machine
    tenant.create({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": claim}, "spec": {
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "8Mi"}}}})
    tenant.create(tenant.pod(f"fill-{claim}", script, restartPolicy="Never",
                             volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": claim}}],
                             mounts=[{"name": "v", "mountPath": "/v"}]))
    machine.until(lambda: (machine.get("Pod", f"fill-{claim}", tenant.ns) or {}).get("status", {}).get("phase") ==
                  "Succeeded", f"{claim} is filled")
    machine.delete("Pod", f"fill-{claim}", 0, tenant.ns)


def may_snapshot(tenant):
    """As administrators of clusters allow it: VolumeSnapshots of its own."""
    rights = "/apis/rbac.authorization.k8s.io/v1"
    api = tenant.world.machine.api
    api.create(f"{rights}/namespaces/{tenant.ns}/roles", {"metadata": {"name": "snapshots"}, "rules": [
        {"apiGroups": ["snapshot.storage.k8s.io"], "resources": ["volumesnapshots"], "verbs": ["*"]}]})
    api.create(f"{rights}/namespaces/{tenant.ns}/rolebindings", {
        "metadata": {"name": "snapshots"}, "subjects": tenant_subject(tenant),
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "snapshots"}})


def tenant_subject(tenant):
    bound = tenant.world.machine.api.get(
        f"/apis/rbac.authorization.k8s.io/v1/namespaces/{tenant.ns}/rolebindings/tenant")
    return bound["subjects"]
