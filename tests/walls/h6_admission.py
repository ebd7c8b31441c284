"""Capabilities that reach past a pod: raw sockets on the network that all pods share, and device nodes."""
from asking import refused
from attacks import attack

NET_RAW, MKNOD = 13, 27


@attack("NET_RAW and MKNOD are reaches")
def listens_to_its_neighbours(world):
    tenant = world.tenant()
    body = tenant.pod("p", "sleep 10000", security={"capabilities": {"add": ["NET_RAW", "CAP_MKNOD"]}})
    if refused(lambda: tenant.running(body)):
        return None
    bits = int(tenant.run("p", "grep CapEff /proc/self/status")[1].split()[1], 16)
    return [name for name, bit in (("NET_RAW", NET_RAW), ("MKNOD", MKNOD)) if bits >> bit & 1]
