"""H3: a backup is forgotten by who has the right to, and not before its time."""
from attacks import attack
from vault import ADMINS, Vault, object_of, reason


def forget(vault, ns, snapshot, by):
    by(object_of("DataMove", "forget", {"direction": "Forget", "snapshots": [snapshot], "tags": ["mine"],
                                        "location": vault.reference}))
    return reason(vault.ended("forget", ns)) == "Moved"


@attack("forgetting is a right of its own")
def forgets_what_lies_in_the_administrators_location(world):
    """With the tenant's own token, which somebody has stolen."""
    tenant = world.tenant()
    vault = Vault(world, tenant)
    tenant.create(vault.document("keep", tags=["mine"]))
    snapshot = vault.completed("keep", tenant.ns)["snapshotID"]
    gone = forget(vault, tenant.ns, snapshot, tenant.create)
    return "the backup is gone" if gone and snapshot not in vault.snapshots(tenant.ns) else None


@attack("nothing is forgotten before its time")
def forgets_what_is_too_young(world):
    """With the rights of the location's own namespace."""
    tenant = world.tenant()
    vault = Vault(world, tenant, minimumRetention="30d", allowForget=[tenant.ns])
    tenant.create(vault.document("keep", tags=["mine"]))
    snapshot = vault.completed("keep", tenant.ns)["snapshotID"]
    gone = forget(vault, tenant.ns, snapshot, tenant.create)
    return "the backup is gone" if gone and snapshot not in vault.snapshots(tenant.ns) else None


@attack("what a move leaves behind is cleared away")
def leaves_movers_behind_in_the_administrators_namespace(world):
    """The finalizer of a move is taken off, and the move deleted: its mover works on for nobody, for ever."""
    tenant = world.tenant()
    vault = Vault(world, tenant)
    tenant.running(tenant.pod("slow", "sleep 600"))
    tenant.create(object_of("DataMove", "endless", {
        "direction": "Backup", "location": vault.reference, "pod": {"name": "slow", "command": ["sleep", "500"]}}))
    vault.until_phase("endless", tenant.ns, "InProgress")
    mover = vault.movers()[0]["metadata"]["name"]
    tenant.api.merge(tenant.path("DataMove", "endless"), {"metadata": {"finalizers": None}})
    tenant.api.delete(tenant.path("DataMove", "endless"))
    world.machine.until(lambda: not world.machine.get("DataMove", "endless", tenant.ns), "the move is gone")
    # The operator has seen that when it has accepted the next one.
    tenant.create(vault.document("next"))
    vault.completed("next", tenant.ns)

    def left():
        pod = world.machine.get("Pod", mover, ADMINS)
        return pod and "deletionTimestamp" not in pod["metadata"]
    if not left():
        return None
    world.machine.delete("Pod", mover, 0, ADMINS)
    return f"pod {mover} works for a move that is gone"
