"""N1: the shim of a pod dies, and what ran in the pod stays, with the pod's volumes in its hands."""
import os
import signal
from pathlib import Path

from attacks import attack
from world import Failed


def pids(mark):
    """Processes of the machine that have it among their words."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            words = Path(f"/proc/{entry}/cmdline").read_bytes() if entry.isdigit() else b""
        except OSError:
            continue
        if mark.encode() in words:
            found.append(int(entry))
    return found


@attack("a holder dies with its shim")
def outlives_its_shim(world):
    """By another user, and by the word that a parent's death shall not be told."""
    tenant = world.tenant()
    mark = f"outlives-{tenant.ns}"
    body = tenant.pod("p", f"sleep 1000; : {mark}", security={"runAsUser": 1234})
    body["spec"]["containers"].append({"name": "o", "image": world.IMAGE, "command": ["/bin/attacker", "deaf", mark]})
    tenant.create(body)
    machine = world.machine
    machine.until(lambda: len(pids(mark)) == 2, "both containers run")
    uid = machine.get("Pod", "p", tenant.ns)["metadata"]["uid"]
    before = pids(mark)
    shim = next(pid for pid in machine.shims() if uid in Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8"))
    os.kill(shim, signal.SIGKILL)
    try:
        machine.until(lambda: not set(before) & set(pids(mark)), "they are gone", 2)
    except Failed:
        for pid in set(before) & set(pids(mark)):
            os.kill(pid, signal.SIGKILL)
        return f"{len(before)} processes live on"
    finally:
        machine.delete("Pod", "p", 0, tenant.ns)
    return None
