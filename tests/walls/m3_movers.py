"""M3: a tenant has a bounded number of movers beside the administrators' location."""
from attacks import attack
from vault import Vault, object_of

MOVES, PLACES = 6, 2


@attack("movers at work are limited")
def starts_as_many_movers_as_it_likes(world):
    tenant = world.tenant()
    vault = Vault(world, tenant, limits={"movesPerNamespace": PLACES})
    tenant.running(tenant.pod("slow", "sleep 600"))
    names = [f"many-{number}" for number in range(MOVES)]
    for name in names:
        tenant.create(object_of("DataMove", name, {
            "direction": "Backup", "location": vault.reference, "pod": {"name": "slow", "command": ["sleep", "500"]}}))

    def settled():
        """Each is at work, or says that it waits."""
        return all(vault.status(name, tenant.ns).get("phase") == "InProgress" or
                   any(each["type"] == "Queued" and each["reason"] == "RepositoryBusy"
                       for each in vault.status(name, tenant.ns).get("conditions", [])) for name in names)
    world.machine.until(settled, "all moves are at work or wait", 90)
    at_work = len(vault.movers())
    for name in names:
        tenant.api.merge(tenant.path("DataMove", name), {"spec": {"cancel": True}})
    for name in names:
        vault.ended(name, tenant.ns)
    return f"{at_work} movers at once" if at_work > PLACES else None
