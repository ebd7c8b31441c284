"""Trial 1 on a real node: kubelet, or containerd, is killed in the middle of a stream (tests/walls/run --kubelet)."""
import time

from attacks import on_kubelet

LINES, LINE_SECONDS = 61, 0.05
DUMP = f"touch /d/begun; for i in $(seq {LINES}); do echo line $i; sleep {LINE_SECONDS}; done"


def dump(world, victim, breach):
    world.on_volume("begun").unlink(missing_ok=True)
    name = world.dump(DUMP, breach)
    world.until(world.on_volume("begun").exists, lambda: f"the command is under way: {world.status('DataMove', name)}")
    time.sleep(LINES * LINE_SECONDS / 3)
    world.kill(victim)
    status = world.ended("DataMove", name, "phase", ("Completed", "Failed"))
    if status["phase"] == "Failed":
        return None
    kept = world.kept(status["snapshotID"]).splitlines()
    return None if len(kept) == LINES else f"Completed with {len(kept)} of {LINES} lines"


@on_kubelet("command trailer")
def dump_when_kubelet_is_killed(world, breach):
    return dump(world, "kubelet", breach)


@on_kubelet("command trailer")
def dump_when_containerd_is_killed(world, breach):
    return dump(world, "containerd", breach)
