"""A Deployment from nothing: revision 1, conditions, annotations on its ReplicaSet, scaling both ways."""
from manifests import deployment


def play(story):
    story.ready = lambda pod: False
    story.apply(deployment("web", 2))
    story.picture("created, nothing ready")
    story.ready = lambda pod: True
    story.picture("all ready")
    story.kubectl("scale", "deployment/web", "--replicas=4")
    story.picture("scaled up")
    story.kubectl("scale", "deployment/web", "--replicas=1")
    story.picture("scaled down")
    story.kubectl("annotate", "deployment/web", "note=copied")
    story.picture("annotation copied")
    story.kubectl("scale", "deployment/web", "--replicas=0")
    story.picture("scaled to nothing")
    story.kubectl("delete", "deployment", "web", "--wait=false")
    story.picture("deleted")
