"""A pod counts as available only after minReadySeconds, and the status says so without any further event."""
from manifests import replica_set


def play(story):
    story.ready = lambda pod: False
    story.apply(replica_set("web", 2, more="minReadySeconds: 4"))
    story.picture("created")
    for pod in story.all("pods"):
        story.run_pod(pod)
    story.until("ready replica", lambda: story.get("replicasets", "web")["status"].get("readyReplicas") == 2)
    story.until("available replica", lambda: story.get("replicasets", "web")["status"].get("availableReplicas") == 2)
    story.picture("available")
    story.run_pod(story.all("pods")[0], ready=False)
    story.picture("one no longer ready")
