"""N2: system calls that are doors of the kernel, by a container, by exec in it and by its probes."""
from attacks import attack

ATTACKER = "/bin/attacker doors 2>&1"


def got(said):
    return [line for line in said.splitlines() if line.startswith("got ")] or None


@attack("system calls are filtered")
def calls_from_a_container(world):
    tenant = world.tenant()
    return got(tenant.ended(tenant.pod("p", ATTACKER)))


@attack("system calls are filtered")
def calls_by_exec(world):
    tenant = world.tenant()
    tenant.running(tenant.pod("p", "sleep 1000"))
    return got(tenant.run("p", ATTACKER)[1])


@attack("system calls are filtered")
def calls_from_a_probe(world):
    """What the probe wrote is the file's content."""
    tenant = world.tenant()
    body = tenant.pod("p", "until [ -e /tmp/said ]; do sleep 0.1; done; cat /tmp/said")
    body["spec"]["containers"][0]["startupProbe"] = {
        "periodSeconds": 1, "exec": {"command": ["/bin/sh", "-c", f"{ATTACKER} >/tmp/new; mv /tmp/new /tmp/said"]}}
    return got(tenant.ended(body))
