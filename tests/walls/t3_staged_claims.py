"""Trial 3: a restore from another namespace's location took the claim away before the pod that mounted it, and waited
for ever; the embedded server hid it."""
import hashlib
import hmac
import itertools
import json
import os
import subprocess

from attacks import real, regression
from h7_impersonation import NS

OURS = "holdfast.dev/v1alpha1"
numbers = itertools.count()


def stored(machine, location, ns):
    """A snapshot of one file in the repository of a namespace in an administrator's location: its id."""
    source = machine.folder / f"{ns}-source"
    source.mkdir()
    (source / "file").write_text("text", encoding="utf-8")
    derived = hmac.new(b"theirs", f"holdfast.dev/repository/{ns}".encode(), hashlib.sha256).hexdigest()
    environment = {**os.environ, "RESTIC_REPOSITORY": f"{location}/{ns}", "RESTIC_PASSWORD": derived}
    for words in (["init"], ["backup", source], ["snapshots", "--json"]):
        done = subprocess.run([machine.binary, "repo", *words], env=environment, check=True, capture_output=True,
                              text=True)
    return json.loads(done.stdout)[0]["id"]


def restored(machine, place, ns, tenant_ns, create, storage_class=None):
    """What is wrong with a restore into a tenant's claim out of an administrator's location."""
    snapshot = stored(machine, place, tenant_ns)
    machine.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "password"},
                    "stringData": {"password": "theirs"}}, ns)
    machine.create({"apiVersion": OURS, "kind": "BackupLocation", "metadata": {"name": "vault"},
                    "spec": {"file": {"path": str(place)}, "password": {"name": "password"},
                             "allowedNamespaces": [tenant_ns]}}, ns)
    create({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "back"}, "spec": {
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Mi"}},
        **({"storageClassName": storage_class} if storage_class else {})}})
    create({"apiVersion": OURS, "kind": "DataMove", "metadata": {"name": "home"}, "spec": {
        "direction": "Restore", "snapshot": snapshot, "volume": {"persistentVolumeClaim": "back"},
        "location": {"name": "vault", "namespace": ns}}})

    def over():
        status = machine.get("DataMove", "home", tenant_ns).get("status") or {}
        return status.get("phase") in ("Completed", "Failed") and status
    status = machine.until(over, lambda: f"the move ends: {machine.get('DataMove', 'home', tenant_ns)}")
    if status["phase"] != "Completed" or status["verified"]["method"] != "Content":
        return json.dumps(status)

    def left():
        """The pod of the repository's upkeep is there as well."""
        return [each["metadata"]["name"] for kind in ("Pod", "PersistentVolumeClaim") for each in machine.list(kind, ns)
                if each["metadata"]["name"].startswith("home-")]
    machine.until(lambda: not left(), lambda: f"nothing stays beside the location: {left()}")
    return None


@regression
def a_restore_beside_another_namespaces_location_ends(world):
    machine, tenant, ns = world.machine, world.tenant(), f"keepers-{next(numbers)}"
    machine.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": ns}})
    return restored(machine, world.folder / ns, ns, tenant.ns, tenant.create)


@real
def a_restore_beside_another_namespaces_location_ends_on_a_cluster(cluster):
    cluster.operated()
    tenant = cluster.namespace()
    return restored(cluster, cluster.folder / "vault", NS, tenant, lambda body: cluster.create(body, tenant),
                    "holdfast-local")
