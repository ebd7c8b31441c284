"""With minReadySeconds a rollout waits for each new pod to last, and changing it alone is no new revision."""
from manifests import deployment, rolling


def complete(story):
    status = story.get("deployments", "web")["status"]
    return status.get("availableReplicas") == status.get("updatedReplicas") == status.get("replicas") == 2


def play(story):
    story.apply(deployment("web", 2, more="minReadySeconds: 2\n" + rolling(1, 0)))
    story.settle()
    story.until("available pods", lambda: complete(story))
    story.picture("revision 1")
    story.kubectl("set", "image", "deployment/web", "app=app:2")
    for _ in range(6):
        story.settle()
        story.pulse.await_quiet(story.ns, 3, 60)
    story.until("end of the rollout", lambda: complete(story))
    story.picture("revision 2")
    story.kubectl("patch", "deployment", "web", "--type=merge", "-p", '{"spec":{"minReadySeconds":0}}')
    story.picture("no longer waiting")
