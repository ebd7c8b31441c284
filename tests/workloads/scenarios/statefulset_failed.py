"""A pod that failed or succeeded is replaced; one that is in the way by its name is adopted or waited for."""
from manifests import stateful_set

STRAY = """
apiVersion: v1
kind: Pod
metadata:
  name: db-1
  labels: {app: db}
spec:
  terminationGracePeriodSeconds: 5
  containers:
  - {name: app, image: "app:1"}
"""


def play(story):
    story.apply(STRAY)
    story.apply(stateful_set("db", 2))
    story.picture("one adopted")
    story.end_pod(story.get("pods", "db-0"), "Failed")
    story.picture("replaced after a failure")
    story.end_pod(story.get("pods", "db-0"), "Succeeded")
    story.picture("replaced after an end")
    story.kubectl("label", "pod", "db-1", "app=other", "--overwrite")
    story.until("release", lambda: not story.get("pods", "db-1")["metadata"].get("ownerReferences"))
    story.kubectl("delete", "pod", "db-1", "--wait=false")
    # The real controller has been refused the name all the while, and waits longer each time.
    story.until("new pod", lambda: story.kubelet_step() or
                any(pod["metadata"].get("ownerReferences") for pod in story.all("pods", "app=db")
                    if pod["metadata"]["name"] == "db-1"))
    story.picture("let go, deleted, made anew")
