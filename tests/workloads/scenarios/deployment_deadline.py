"""A rollout that makes no progress says so after progressDeadlineSeconds, and recovers once it does."""
from manifests import deployment
from story import image


def reason(story):
    conditions = story.get("deployments", "web")["status"].get("conditions", [])
    return next((c["reason"] for c in conditions if c["type"] == "Progressing"), "")


def play(story):
    story.apply(deployment("web", 2, more="progressDeadlineSeconds: 6"))
    story.settle()
    story.ready = lambda pod: image(pod) == "app:1"
    story.kubectl("set", "image", "deployment/web", "app=app:2")
    story.settle()
    story.until("time-out", lambda: reason(story) == "ProgressDeadlineExceeded")
    story.picture("timed out")
    story.ready = lambda pod: True
    story.picture("recovered")
