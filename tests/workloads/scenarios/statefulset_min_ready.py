"""Ordinals may start anywhere, and a pod counts as available only after minReadySeconds."""
from manifests import stateful_set

MORE = """
minReadySeconds: 3
ordinals: {start: 5}
"""


def available(story):
    return story.get("statefulsets", "db")["status"].get("availableReplicas", 0)


def play(story):
    story.apply(stateful_set("db", 2, more=MORE))
    story.until("ready pod", lambda: story.kubelet_step() or available(story) == 2)
    story.picture("both available")
    story.kubectl("patch", "sts", "db", "--type=merge", "-p", '{"spec": {"ordinals": {"start": 6}}}')
    # Until then the status counts the pod that goes.
    story.settle()
    story.until("available pod after the move", lambda: available(story) == 2)
    story.picture("moved up by one")
