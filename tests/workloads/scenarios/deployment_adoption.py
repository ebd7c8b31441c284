"""A Deployment finds the ReplicaSets of a predecessor with the same selector, and lets go of relabelled ones."""
from manifests import deployment


def play(story):
    story.apply(deployment("web", 2))
    story.settle()
    story.kubectl("set", "image", "deployment/web", "app=app:2")
    story.picture("two revisions")
    story.kubectl("delete", "deployment", "web", "--cascade=orphan")
    story.picture("orphans")
    story.apply(deployment("web", 2, image="app:2"))
    story.picture("found again")
    old = next(each for each in story.all("replicasets") if each["spec"]["replicas"] == 0)
    story.kubectl("label", "rs", old["metadata"]["name"], "app=other", "--overwrite")
    story.picture("one let go")
