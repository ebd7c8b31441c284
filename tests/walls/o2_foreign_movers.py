"""Labels and annotations by which an operator knows its pods, on pods of a tenant."""
import json

from attacks import regression

OURS = "holdfast.dev/v1alpha1"


@regression
def a_tenants_pod_is_no_mover_of_another_namespace(world):
    """With the administrator's move's uid, name and attempt, and the report that a mover ends with."""
    machine, tenant, ns = world.machine, world.tenant(), "o2-admins"
    machine.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": ns}})
    # Its password is not there: the mover waits for it, and a second one has all the time it wants.
    machine.create({"apiVersion": OURS, "kind": "BackupLocation", "metadata": {"name": "vault"},
                    "spec": {"file": {"path": str(world.folder / ns)}, "password": {"name": "none"}}}, ns)
    machine.create({"apiVersion": OURS, "kind": "DataMove", "metadata": {"name": "theirs"}, "spec": {
        "direction": "Backup", "document": {"name": "d", "content": "text"}, "location": {"name": "vault"}}}, ns)
    mover = machine.until(lambda: next(iter(machine.list("Pod", ns)), None), "the move has its mover")
    report = {"snapshotID": "0" * 64, "verified": "Content", "bytesDone": 1, "bytesUploaded": 1, "again": False}
    body = tenant.pod(mover["metadata"]["name"], f"printf %s '{json.dumps(report)}' >/dev/termination-log",
                      restartPolicy="Never")
    body["metadata"]["labels"] = mover["metadata"]["labels"]
    body["metadata"]["annotations"] = {"holdfast.dev/data-move-of": f"{ns}/theirs"}
    tenant.create(body)
    machine.until(lambda: machine.get("Pod", body["metadata"]["name"], tenant.ns)["status"].get("phase") == "Succeeded",
                  "the tenant's pod has ended", 60)
    machine.api.merge(machine.path("DataMove", "theirs", ns), {"metadata": {"annotations": {"look": "now"}}})
    status = machine.get("DataMove", "theirs", ns)["status"]
    machine.delete("DataMove", "theirs", ns=ns)
    machine.until(lambda: not machine.get("DataMove", "theirs", ns), "the move goes")
    if status.get("phase") in ("Completed", "Failed"):
        return json.dumps(status)
    return None if machine.get("Pod", body["metadata"]["name"], tenant.ns) else "the tenant's pod went with the move"
