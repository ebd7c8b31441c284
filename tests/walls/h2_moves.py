"""H2: an administrator's backup of a tenant's namespace is what the administrator asked for, or it is no backup."""
import json
import time

from attacks import attack
from group_backups import Group
from machine import Refused
from vault import ADMINS, SNAPSHOTS, Vault, fill, may_snapshot, object_of, reason

DEFINITION = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/datamoves.holdfast.dev"


def without_rules(world):
    """The definitions are of an earlier release: the server refuses no edit of a DataMove."""
    def strip(schema):
        if isinstance(schema, dict):
            schema.pop("x-kubernetes-validations", None)
            for each in schema.values():
                strip(each)
        elif isinstance(schema, list):
            for each in schema:
                strip(each)
    definition = world.machine.api.get(DEFINITION)
    versions = definition["spec"]["versions"]
    strip(versions)
    world.machine.api.merge(DEFINITION, {"spec": {"versions": versions}})


def at_the_end_of_the_queue(vault, tenant, name, repository):
    """A move that keeps the only place of a repository until it is canceled."""
    vault.machine.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"slow-{name}"}, "spec": {
        "terminationGracePeriodSeconds": 0, "containers": [
            {"name": "c", "image": vault.world.IMAGE, "command": ["/bin/sh", "-c", "sleep 600"]}]}}, tenant)
    vault.machine.until(lambda: (vault.machine.get("Pod", f"slow-{name}", tenant) or {}).get("status", {}).get("phase")
                        == "Running", "the slow pod runs")
    vault.admin_move(name, tenant, direction="Backup", repository=repository,
                     pod={"name": f"slow-{name}", "command": ["sleep", "500"]})
    vault.until_phase(name, tenant, "InProgress")


@attack("moves do what they were accepted for")
def is_edited_between_acceptance_and_start(world):
    """A move that waits for its place is made into another one."""
    without_rules(world)
    tenant = world.tenant()
    vault = Vault(world, tenant, limits={"movesPerNamespace": 1})
    at_the_end_of_the_queue(vault, tenant.ns, "first", tenant.ns)
    tenant.create(vault.document("second", "as it was"))
    vault.until_phase("second", tenant.ns, "Accepted")
    tenant.api.merge(tenant.path("DataMove", "second"), {"spec": {"document": {"name": "other"}}})
    tenant.api.merge(tenant.path("DataMove", "first"), {"spec": {"cancel": True}})
    status = vault.ended("second", tenant.ns)
    named = status["phase"] == "Completed" and tenant_reads(vault, tenant, status["snapshotID"])
    return f"the move was accepted for d, and has backed up {named}" if named and named != "d" else None


def tenant_reads(vault, tenant, snapshot):
    """The name of the document in a snapshot: d or other."""
    for name in ("d", "other"):
        move = f"read-{name}-{snapshot[:8]}"
        tenant.create(object_of("DataMove", move, {"direction": "Restore", "document": {"name": name},
                                                   "snapshot": snapshot, "location": vault.reference}))
        documents = vault.ended(move, tenant.ns).get("documents") or [{}]
        if "content" in documents[0]:
            return name
    return ""


@attack("only the operator writes moves")
def forges_a_status_by_the_token_of_a_mover(world):
    """The account of a mover in the tenant's own namespace says that another move is done."""
    tenant = world.tenant()
    tenant.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "own"}, "stringData": {
        "AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s", "password": "p"}})
    tenant.create(object_of("BackupLocation", "own", {
        "s3": {"bucket": "b", "endpoint": "http://127.0.0.1:1"}, "credential": {"name": "own"},
        "password": {"name": "own"}}))
    tenant.create(object_of("DataMove", "bait", {"direction": "Backup", "document": {"name": "d", "content": "x"},
                                                 "location": {"name": "own"}}))
    accounts = f"/api/v1/namespaces/{tenant.ns}/serviceaccounts"

    def account():
        return next((each["metadata"]["name"] for each in tenant.api.get(accounts)["items"]
                     if each["metadata"]["name"].startswith("mover-")), None)
    name = world.machine.until(account, "the mover has an account")
    bindings = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{tenant.ns}/rolebindings"
    world.machine.until(lambda: name in [each["metadata"]["name"] for each in world.machine.api.get(bindings)["items"]],
                        "the account has its rights")
    token = tenant.api.create(f"{accounts}/{name}/token", {"apiVersion": "authentication.k8s.io/v1",
                                                           "kind": "TokenRequest", "spec": {}})["status"]["token"]
    world.machine.create(object_of("DataMove", "victim", {"direction": "Backup", "cancel": True, "location": {
        "name": "own"}, "document": {"name": "d", "content": "x"}}), tenant.ns)
    mover = type(tenant.api)(world.machine.data / "admin.kubeconfig", token=token)
    try:
        mover.merge(tenant.path("DataMove", "victim") + "/status", {"status": {
            "phase": "Completed", "snapshotID": "0" * 64, "verified": {"method": "Structure"}}})
    except Refused as refused:
        if refused.code != 403:
            raise
        return None
    return "a move that nobody carried out is Completed"


@attack("repositories of others are for administrators")
def puts_a_catalogue_into_the_administrators_repository(world):
    tenant = world.tenant()
    vault = Vault(world, tenant)
    body = vault.document("forged", json.dumps({"group": f"{ADMINS}/night"}), repository=f"{ADMINS}.{tenant.ns}",
                          tags=[f"vg={ADMINS}/night", "catalogue"])
    tenant.create(body)
    status = vault.ended("forged", tenant.ns)
    return f"snapshot {status['snapshotID'][:8]} of the tenant's" if reason(status) == "Moved" else None


@attack("moves of a group stand with the group")
def ends_the_moves_of_the_administrators(world):
    """Whatever DataMoves of the administrator's run are in the tenant's namespace, they are canceled."""
    tenant = world.tenant()
    vault = Vault(world, tenant)
    fill(tenant, "data", "echo good >/v/file")
    group = Group(vault, tenant, "data")
    action = group.backup()

    def canceled():
        for each in tenant.api.get(tenant.path("DataMove"))["items"]:
            tenant.api.merge(tenant.path("DataMove", each["metadata"]["name"]), {"spec": {"cancel": True}})
        return group.action(action).get("status", {}).get("state") in ("Completed", "Error")
    world.machine.until(canceled, "the backup has ended")
    status = group.ended(action)["status"]
    return f"the backup ended with {reason(status)}" if status["state"] == "Error" else None


@attack("backups are read back")
def takes_a_snapshot_out_of_the_bucket_before_it_is_listed(world):
    """By who may write to the bucket: the catalogue waits for its place meanwhile."""
    tenant = world.tenant()
    vault = Vault(world, tenant, limits={"movesPerNamespace": 1})
    fill(tenant, "data", "echo good >/v/file")
    group = Group(vault, tenant, "data")
    first, second = f"before-{tenant.ns}", f"between-{tenant.ns}"
    at_the_end_of_the_queue(vault, ADMINS, first, group.repository)
    action = group.backup()
    world.machine.until(lambda: uploads(world, tenant), "the upload waits")
    time.sleep(1.1)  # of moves of one second the name says which is first
    vault.admin_move(second, direction="Backup", repository=group.repository,
                     pod={"name": f"slow-{first}", "command": ["sleep", "500"]})
    vault.until_phase(second, ADMINS, "Accepted")
    cancel(world, first)
    vault.until_phase(second, ADMINS, "InProgress")
    for snapshot in vault.snapshots(group.repository):
        (vault.folder / group.repository / "snapshots" / snapshot).rename(vault.folder / f"taken-{snapshot}")
    cancel(world, second)
    ended = group.ended(action)["status"]
    return "a backup that is not there is Completed" if ended["state"] == "Completed" else None


def uploads(world, tenant):
    """The data moves of volumes of the tenant's."""
    return [each for each in world.machine.list("DataMove", ADMINS)
            if each["spec"].get("volume", {}).get("namespace") == tenant.ns]


def cancel(world, name):
    world.machine.api.merge(world.machine.path("DataMove", name, ADMINS), {"spec": {"cancel": True}})


@attack("what is uploaded is what was cut")
def puts_another_snapshot_in_the_place_of_the_cut(world):
    """While the upload waits for its place, the tenant writes other bytes and cuts them under the cut's own name."""
    tenant = world.tenant()
    may_snapshot(tenant)
    vault = Vault(world, tenant, limits={"movesPerNamespace": 1})
    fill(tenant, "data", "echo good >/v/file")
    group = Group(vault, tenant, "data")
    at_the_end_of_the_queue(vault, ADMINS, f"first-{tenant.ns}", group.repository)
    action = group.backup()

    upload = world.machine.until(lambda: uploads(world, tenant), "the upload waits")[0]
    name = upload["spec"]["volume"]["volumeSnapshot"]
    cut = tenant.api.get(f"{SNAPSHOTS}/namespaces/{tenant.ns}/volumesnapshots/{name}")
    replace(world, tenant, cut)
    cancel(world, f"first-{tenant.ns}")
    ended = group.ended(action)
    if ended["status"]["state"] != "Completed":
        return None
    held = group.restored(ended, "data", "/data/file").strip()
    return f"the backup holds {held}, and good was cut" if held != "good" else None


def replace(world, tenant, cut):
    path = f"{SNAPSHOTS}/namespaces/{tenant.ns}/volumesnapshots"
    name = cut["metadata"]["name"]
    tenant.create(tenant.pod("write", "echo forged >/v/file; sync", restartPolicy="Never",
                             volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}],
                             mounts=[{"name": "v", "mountPath": "/v"}]))
    world.machine.until(lambda: (world.machine.get("Pod", "write", tenant.ns) or {}).get("status", {}).get("phase") ==
                        "Succeeded", "other bytes are written")
    tenant.api.delete(f"{path}/{name}")

    def again():
        try:
            return tenant.api.create(path, {
                "apiVersion": cut["apiVersion"], "kind": cut["kind"], "spec": cut["spec"],
                "metadata": {"name": name, "labels": cut["metadata"].get("labels", {}),
                             "annotations": cut["metadata"].get("annotations", {})}})
        except Refused as refused:
            if refused.code != 409:
                raise
            return None
    world.machine.until(again, "the name is free")
    world.machine.until(lambda: tenant.api.get(f"{path}/{name}").get("status", {}).get("readyToUse"), "it is cut again")
