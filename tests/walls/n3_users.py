"""N3: root, or another user, of a pod taken for one of the machine's, or of another pod's."""
import socket
import struct
from concurrent.futures import ThreadPoolExecutor

from attacks import attack


class Service:
    """Of the machine: it asks the kernel who calls, at an address that all network namespaces' processes reach."""

    def __init__(self, tenant, world):
        self.name = f"holdfast-walls-{tenant.ns}-{world.folder.parent.name}-{world.folder.name}"
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.bind("\0" + self.name)
        self.socket.listen()
        self.socket.settimeout(60)

    def caller(self):
        """The user id of who calls next, as the machine sees it."""
        connection, _ = self.socket.accept()
        with connection:
            return struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1]


def calls(tenant, name, service, **security):
    body = tenant.pod(name, f"/bin/attacker call {service.name}", security=security)
    with ThreadPoolExecutor(1) as crew:
        heard = crew.submit(service.caller)
        tenant.ended(body)
        return heard.result()


@attack("pods have users of their own")
def is_taken_for_root(world):
    tenant = world.tenant()
    caller = calls(tenant, "p", Service(tenant, world))
    return f"user {caller}" if caller < 65536 else None


@attack("pods have users of their own")
def kills_processes_of_the_machine(world):
    tenant = world.tenant()
    said = tenant.ended(tenant.pod("p", "kill -0 1 && echo may", hostPID=True), by=world.machine.api)
    return said if "may" in said else None


@attack("pods have users of their own")
def takes_the_mask_off(world):
    """By rights that an administrator gave, and that are rights over the pod alone."""
    tenant = world.tenant()
    script = ("umount -l /proc/sys; mount -o remount,rw,bind /proc/sys; v=$(cat /proc/sys/kernel/core_pattern); "
              "printf '%s\\n' \"$v\" >/proc/sys/kernel/core_pattern && echo turned")
    said = tenant.ended(tenant.pod("p", script, security={"capabilities": {"add": ["SYS_ADMIN"]}}),
                        by=world.machine.api)
    return said if "turned" in said else None


@attack("no two pods have the same range of ids")
def has_the_users_of_another_pod(world):
    one, other = world.tenant(), world.tenant()
    service = Service(one, world)
    callers = [calls(each, "p", service, runAsUser=999) for each in (one, other)]
    return callers if callers[0] == callers[1] else None
