"""U2: what an attempt has saved is known to the next one, and leaves the repository with the rest."""
import os
import signal
import time
from pathlib import Path

from attacks import attack
from machine import Failed
from vault import Vault

TRIES = 8


def mover_process(pod):
    """The pid of the program in that pod, or none."""
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and b"mover" in Path(f"/proc/{entry}/cmdline").read_bytes() and \
                    f'"podName":"{pod}"'.encode() in Path(f"/proc/{entry}/environ").read_bytes():
                return int(entry)
        except OSError:
            continue
    return None


def killed_with_its_snapshot_saved(vault, tenant, name):
    """The mover of the first attempt dies after its snapshot is there and before it can tell. False: it was faster."""
    tenant.create(vault.document(name, "x" * 300000, tags=[name]))
    vault.until_phase(name, tenant.ns, "Prepared", "InProgress", "Completed")
    pid, end = None, time.monotonic() + 60
    while time.monotonic() < end:
        status = vault.status(name, tenant.ns) if pid is None else {}
        if status.get("phase") == "Completed":
            return False
        pid = pid or mover_process(status.get("mover", ""))
        if pid and set(vault.snapshots(tenant.ns)) - killed_with_its_snapshot_saved.known:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                return False
            return vault.ended(name, tenant.ns).get("attempts", 0) > 1
    raise Failed(f"move {name} saves nothing")


@attack("attempts take up what was saved")
def leaves_a_snapshot_that_nobody_knows(world):
    tenant = world.tenant()
    vault = Vault(world, tenant)
    tenant.create(vault.document("first"))
    vault.completed("first", tenant.ns)
    for number in range(TRIES):
        before = set(vault.snapshots(tenant.ns))
        killed_with_its_snapshot_saved.known = before
        if not killed_with_its_snapshot_saved(vault, tenant, f"killed-{number}"):
            continue
        saved = set(vault.snapshots(tenant.ns)) - before
        return f"{len(saved)} snapshots of one move" if len(saved) > 1 else None
    raise Failed(f"none of {TRIES} movers was killed in time")
