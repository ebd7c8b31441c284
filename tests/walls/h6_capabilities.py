"""H6: rights that reach other pods over the network that all share, or devices."""
from attacks import attack


@attack("NET_RAW and MKNOD are asked for by name")
def listens_to_the_network(world):
    tenant = world.tenant()
    said = tenant.ended(tenant.pod("p", "/bin/attacker listen 2>&1", hostUsers=True), by=world.machine.api)
    return said if "got packets" in said else None


@attack("NET_RAW and MKNOD are asked for by name")
def makes_devices(world):
    tenant = world.tenant()
    said = tenant.ended(tenant.pod("p", "mknod /tmp/zero c 1 5 && echo made", hostUsers=True), by=world.machine.api)
    return said if "made" in said else None
