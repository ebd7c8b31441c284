"""A StatefulSet from its creation over scaling and a new template to its deletion, pictured where it waits."""
from manifests import stateful_set
from story import image


def play(story):
    story.ready = lambda pod: pod["metadata"]["name"] == "db-0"
    story.apply(stateful_set("db", 3))
    story.picture("the second waits to be ready")
    story.ready = lambda pod: True
    story.picture("all three")
    story.kubectl("scale", "sts", "db", "--replicas=5")
    story.picture("five")
    story.ready = lambda pod: image(pod) == "app:1" or pod["metadata"]["name"] == "db-4"
    story.kubectl("set", "image", "sts/db", "app=app:2")
    story.picture("rolling, the fourth not ready")
    story.ready = lambda pod: True
    story.picture("revision 2")
    story.kubectl("rollout", "undo", "sts/db")
    story.picture("back at revision 1, renumbered")
    story.kubectl("scale", "sts", "db", "--replicas=1")
    story.picture("one")
    story.kubectl("delete", "sts", "db")
    story.until("end of the pods", lambda: story.kubelet_step() or not story.all("pods"))
    story.picture("gone")
