"""A third template while the second has not come up: the unhealthy pods go first."""
from manifests import deployment, rolling
from story import image


def play(story):
    story.apply(deployment("web", 4, more=rolling(1, 1)))
    story.settle()
    story.ready = lambda pod: image(pod) != "app:2"
    story.kubectl("set", "image", "deployment/web", "app=app:2")
    story.picture("stuck")
    story.kubectl("set", "image", "deployment/web", "app=app:3")
    story.picture("rolled over")
