"""H5: what a pod makes as long as it likes, and the node, which is one process with the server, reads."""
import re
from pathlib import Path

from attacks import attack
from world import is_ready

LONG = 256  # MiB; a file without a block on the disk
MUCH = 128  # MiB more than before


class Memory:
    """Of the server, at its highest from now on."""

    def __init__(self, world):
        self.world = world
        Path(f"/proc/{world.machine.process.pid}/clear_refs").write_text("5", encoding="utf-8")
        self.before = self.highest()

    def highest(self):
        status = Path(f"/proc/{self.world.machine.process.pid}/status").read_text(encoding="utf-8")
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) // 1024

    def taken(self):
        more = self.highest() - self.before
        return f"{more} MiB" if more > MUCH else None


@attack("messages are read with a bound")
def fills_memory_by_a_message(world):
    tenant, memory = world.tenant(), Memory(world)
    tenant.ended(tenant.pod("p", f"truncate -s {LONG}M /dev/termination-log"))
    return memory.taken()


@attack("answers to probes are read with a bound")
def fills_memory_by_answers(world):
    """Six probes at once ask for a file that is nearly as long as an answer may be at all."""
    tenant = world.tenant()
    body = tenant.pod("p", "mkdir /www; truncate -s 60M /www/long; exec httpd -f -p $POD_IP:8080 -h /www")
    server = body["spec"]["containers"][0]
    server["env"] = [{"name": "POD_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}]
    asked = {"httpGet": {"path": "/long", "port": 8080}, "periodSeconds": 1, "timeoutSeconds": 20}
    body["spec"]["containers"] += [{"name": f"c{n}", "image": world.IMAGE, "command": ["sleep", "1000"],
                                    "readinessProbe": asked} for n in range(6)]
    memory = Memory(world)
    tenant.create(body)
    world.machine.until(lambda: is_ready(world.machine.get("Pod", "p", tenant.ns)), "the probes have their answers")
    world.machine.delete("Pod", "p", 0, tenant.ns)
    return memory.taken()
