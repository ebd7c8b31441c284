"""Pods change hands by their labels: orphans are adopted, relabelled pods let go, what is too many is deleted."""
from manifests import replica_set

POD = """
apiVersion: v1
kind: Pod
metadata:
  name: stray
  labels: {app: web, from: elsewhere}
spec:
  containers:
  - {name: app, image: "app:0"}
"""


def play(story):
    story.apply(POD)
    story.picture("an orphan")
    story.apply(replica_set("web", 2))
    story.picture("adopted")
    mine = [pod["metadata"]["name"] for pod in story.all("pods") if pod["metadata"]["name"] != "stray"]
    story.kubectl("label", "pod", mine[0], "app=other", "--overwrite")
    story.picture("released and replaced")
    story.kubectl("label", "pod", mine[0], "app=web", "--overwrite")
    story.picture("one too many")
    story.kubectl("delete", "rs", "web", "--cascade=orphan")
    story.picture("orphans again")
    story.apply(replica_set("next", 2))
    story.picture("adopted by another")
