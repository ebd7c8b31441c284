"""Trial 1: pre and post actions whose stream is cut before they have run."""
from attacks import attack
from group_runs import Application, lying_image, reason_of

# An action that is said to have ended well and never ran; each but the first runs.
CUT = """*holdfast-guard*) ;;
*do-it-once*)
  [ -e /data/tried ] || { touch /data/tried; exit 0; } ;;"""


def script(*words):
    return ["sh", "-c", *words, "do-it-once"]


@attack("command trailer")
def pre_action(world):
    tenant = world.tenant()
    application = Application(tenant, lying_image(world, "cut", CUT))
    status = application.run({"preActions": [{"name": "lock", "args": script("touch /data/locked")}],
                              "postActions": [{"name": "unlock", "args": ["rm", "-f", "/data/locked"]}],
                              "freezeDeadlineSeconds": 2})
    if status["state"] == "Completed" and "locked" not in application.files():
        return "the run is Completed, and the command that locks has never run"
    assert reason_of(status)["reason"] == "SessionLost", reason_of(status)
    return None


@attack("command trailer")
def post_action(world):
    """It is run again until its end was seen."""
    tenant = world.tenant()
    application = Application(tenant, lying_image(world, "cut", CUT))
    status = application.run({"preActions": [{"name": "lock", "args": ["touch", "/data/locked"]}],
                              "postActions": [{"name": "unlock", "args": script("rm /data/locked; touch /data/free")}],
                              "freezeDeadlineSeconds": 2})
    assert status["state"] == "Completed", reason_of(status)
    return None if "free" in application.files() else "the run is over, and the command that unlocks has never run"
