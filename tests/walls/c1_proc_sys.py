"""C1: the machine's knobs in /proc and /sys, turned or read from inside a pod whose root is the machine's."""
from attacks import attack
from world import Exec

# What is written is what stood there.
TURN = 'v=$(cat {0}) && printf "%s\\n" "$v" >{0} && echo turned'
OPEN = "( : >>{0} ) && echo opened"


def as_root(world, script):
    """In a pod with the machine's own users, as administrators make them for what needs them."""
    tenant = world.tenant()
    return tenant.ended(tenant.pod("p", f"({script}) 2>&1", hostUsers=True), by=world.machine.api)


@attack("knobs of the machine are masked")
def turns_core_pattern(world):
    said = as_root(world, TURN.format("/proc/sys/kernel/core_pattern"))
    return said if "turned" in said else None


@attack("knobs of the machine are masked")
def opens_knobs(world):
    knobs = ("sysrq-trigger", "irq/default_smp_affinity", "sys/vm/drop_caches", "sys/net/ipv4/ip_forward")
    said = as_root(world, "; ".join(OPEN.format(f"/proc/{each}") for each in knobs))
    return said if "opened" in said else None


@attack("knobs of the machine are masked")
def reads_what_tells_of_the_machine(world):
    said = as_root(world, "head -c 60 /proc/timer_list /proc/interrupts; ls /sys/firmware")
    found = [each for each in ("Timer List", "CPU0", "acpi", "dmi") if each in said]
    return found or None


@attack("knobs of the machine are masked")
def turns_a_knob_by_exec(world):
    tenant = world.tenant()
    tenant.running(tenant.pod("p", "sleep 1000", hostUsers=True), by=world.machine.api)
    session = Exec(world.machine.api, tenant.ns, "p", ["/bin/sh", "-c", TURN.format("/proc/sys/kernel/core_pattern")])
    session.finish()
    return session.out.decode() or None


@attack("knobs of the machine are masked")
def turns_a_knob_with_the_machines_processes(world):
    tenant = world.tenant()
    said = tenant.ended(tenant.pod("p", TURN.format("/proc/sys/kernel/core_pattern"), hostUsers=True, hostPID=True),
                        by=world.machine.api)
    return said if "turned" in said else None
