"""Trial 10: a session whose stream ends while its command holds the lock on, until the limit in its container."""
from attacks import attack, on_kubelet
from group_runs import RUN, Application, lying_image, reason_of

# As a session looks from outside whose node's runtime was killed: READY, an end that is said to be good, and the
# command goes on by itself until its limit.
LOST = """*holdfast-session*)
  touch /data/held
  (sleep 4; rm /data/held) </dev/null >/dev/null 2>&1 &
  echo READY
  exit 0 ;;"""

# It lets go where it is told to: by the end of its input, and by the limit in its container.
HOLD = ('trap "rm -f /d/held; exit" TERM; exec 3<&0; touch /d/held; echo READY; cat <&3 & wait $!; '
        'rm -f /d/held')
DEADLINE = 6


@attack("command trailer")
def lock_outlives_its_run(world):
    tenant = world.tenant()
    application = Application(tenant, lying_image(world, "lost", LOST))
    hold = {"name": "hold", "action": "session", "args": ["hold-it"]}
    status = application.run({"preActions": [hold], "freezeDeadlineSeconds": 3})
    if "held" in application.files():
        return f"the run ended ({status['state']}, {reason_of(status)['reason']}) and the lock is held"
    return None


@on_kubelet("command trailer")
def lock_when_containerd_is_killed(world, _):
    """The command is not told: it holds its lock until the limit, and so long the run goes on."""
    hold = {"name": "hold", "action": "session", "args": ["sh", "-c", HOLD]}
    world.on_volume("held").unlink(missing_ok=True)
    world.volumes.hang()  # so that the cut does not come
    name = world.snapshot({"preActions": [hold], "freezeDeadlineSeconds": DEADLINE})
    try:
        world.until(world.on_volume("held").exists,
                    lambda: f"the lock is taken: {world.status(RUN, name)}")
        world.kill("containerd")
    finally:
        world.volumes.go_on()
    status = world.ended(RUN, name, "state", ("Completed", "Error"))
    held = world.on_volume("held").exists()
    world.until(lambda: not world.on_volume("held").exists(), "the lock is let go")
    return f"the run ended ({status['state']}), and the lock was held" if held else None
