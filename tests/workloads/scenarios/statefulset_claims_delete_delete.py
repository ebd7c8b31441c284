"""Claims when the set shrinks (Delete) and when it goes (Delete)."""
from manifests import claims, stateful_set


def play(story):
    story.apply(stateful_set("db", 3, more=claims("Delete", "Delete")))
    story.picture("with claims")
    story.kubectl("scale", "sts", "db", "--replicas=1")
    story.picture("shrunk")
    story.kubectl("scale", "sts", "db", "--replicas=2")
    story.picture("grown again")
    story.kubectl("delete", "sts", "db")
    story.until("end of the pods", lambda: story.kubelet_step() or not story.all("pods"))
    story.picture("gone")
