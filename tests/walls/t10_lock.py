"""Trial 10: a session whose stream ends while its command holds the lock on, until the limit in its container."""
from attacks import attack
from group_runs import Application, lying_image, reason_of

# As a session looks from outside whose node's runtime was killed: READY, an end that is said to be good, and the
# command goes on by itself until its limit.
LOST = """*holdfast-session*)
  touch /data/held
  (sleep 4; rm /data/held) </dev/null >/dev/null 2>&1 &
  echo READY
  exit 0 ;;"""


@attack("command trailer")
def lock_outlives_its_run(world):
    tenant = world.tenant()
    application = Application(tenant, lying_image(world, "lost", LOST))
    hold = {"name": "hold", "action": "session", "args": ["hold-it"]}
    status = application.run({"preActions": [hold], "freezeDeadlineSeconds": 3})
    if "held" in application.files():
        return f"the run ended ({status['state']}, {reason_of(status)['reason']}) and the lock is held"
    return None
