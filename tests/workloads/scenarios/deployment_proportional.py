"""Scaling in the middle of a rollout spreads over old and new ReplicaSets in proportion."""
from manifests import deployment, rolling
from story import image


def play(story):
    story.apply(deployment("web", 6, more=rolling(3, 2)))
    story.settle()
    story.ready = lambda pod: image(pod) == "app:1"
    story.kubectl("set", "image", "deployment/web", "app=app:2")
    story.picture("half way")
    story.kubectl("scale", "deployment/web", "--replicas=10")
    story.picture("scaled up half way")
    story.kubectl("scale", "deployment/web", "--replicas=4")
    story.picture("scaled down half way")
    story.ready = lambda pod: True
    story.picture("finished")
