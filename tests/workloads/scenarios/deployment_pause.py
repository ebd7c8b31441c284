"""A paused Deployment scales but does not roll; resuming lets it go on."""
from manifests import deployment


def play(story):
    story.apply(deployment("web", 2))
    story.settle()
    story.kubectl("rollout", "pause", "deployment/web")
    story.picture("paused")
    story.kubectl("set", "image", "deployment/web", "app=app:2")
    story.picture("changed while paused")
    story.kubectl("scale", "deployment/web", "--replicas=3")
    story.picture("scaled while paused")
    story.kubectl("rollout", "resume", "deployment/web")
    story.picture("resumed")
