"""A parallel set makes and removes its pods at once, and still rolls one at a time."""
from manifests import stateful_set
from story import image

PARALLEL = """
podManagementPolicy: Parallel
"""


def play(story):
    story.ready = lambda pod: False
    story.apply(stateful_set("db", 3, more=PARALLEL))
    story.picture("all made, none ready")
    story.ready = lambda pod: True
    story.picture("ready")
    story.ready = lambda pod: image(pod) == "app:1"
    story.kubectl("set", "image", "sts/db", "app=app:2")
    story.picture("one at revision 2, not ready")
    story.ready = lambda pod: True
    story.picture("revision 2")
    story.kubectl("scale", "sts", "db", "--replicas=0")
    story.picture("none")
