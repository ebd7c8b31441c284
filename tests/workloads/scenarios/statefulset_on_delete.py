"""With OnDelete a new template reaches a pod only once it is deleted."""
from manifests import stateful_set

ON_DELETE = """
updateStrategy:
  type: OnDelete
"""


def play(story):
    story.apply(stateful_set("db", 3, more=ON_DELETE))
    story.picture("revision 1")
    story.kubectl("set", "image", "sts/db", "app=app:2")
    story.picture("nothing moved")
    story.kubectl("delete", "pod", "db-1", "--wait=false")
    story.picture("one replaced")
    story.kubectl("delete", "pod", "db-0", "db-2", "--wait=false")
    story.picture("all replaced")
