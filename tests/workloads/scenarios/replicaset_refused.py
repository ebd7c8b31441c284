"""Pods that the server refuses show as ReplicaFailure, and the condition goes once they are let in."""
from manifests import deployment


def failing(story):
    return any(c["type"] == "ReplicaFailure" for c in story.get("deployments", "web")["status"].get("conditions", []))


def play(story):
    story.apply(deployment("web", 1).replace("    spec:\n", "    spec:\n      serviceAccountName: ghost\n"))
    story.until("ReplicaFailure", lambda: failing(story))
    for kind in ("deployments", "replicasets"):
        status = story.all(kind)[0]["status"]
        condition = next(c for c in status["conditions"] if c["type"] == "ReplicaFailure")
        assert (condition["status"], condition["reason"]) == ("True", "FailedCreate"), condition
        assert condition["message"].endswith('serviceaccount "ghost" not found'), condition
    story.kubectl("create", "serviceaccount", "ghost")
    story.until("pod", lambda: story.all("pods"))
    story.until("end of the failure", lambda: not failing(story))
    story.picture("let in")
