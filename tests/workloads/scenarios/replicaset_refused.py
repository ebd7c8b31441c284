"""Pods that the server refuses show as ReplicaFailure, and the condition goes once they are let in."""
from manifests import replica_set

QUOTA = """
apiVersion: v1
kind: LimitRange
metadata:
  name: small
spec:
  limits:
  - type: Pod
    max: {cpu: 100m}
"""


def failing(story):
    return any(c["type"] == "ReplicaFailure" for c in story.get("replicasets", "web")["status"].get("conditions", []))


def play(story):
    story.apply(QUOTA)
    story.apply(replica_set("web", 1))
    story.until("ReplicaFailure", lambda: failing(story))
    condition = [(c["type"], c["status"], c["reason"]) for c in story.get("replicasets", "web")["status"]["conditions"]]
    assert condition == [("ReplicaFailure", "True", "FailedCreate")], condition
    story.kubectl("delete", "limitrange", "small")
    story.until("pod", lambda: story.all("pods"))
    story.until("end of the failure", lambda: not failing(story))
    story.picture("let in")
