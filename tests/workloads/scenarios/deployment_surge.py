"""A rollout with room to surge and some unavailability stops where the bounds say while new pods do not get ready."""
from manifests import deployment, rolling
from story import image


def play(story):
    story.apply(deployment("web", 5, more=rolling(2, 1)))
    story.picture("revision 1")
    story.ready = lambda pod: image(pod) == "app:1"
    story.kubectl("set", "image", "deployment/web", "app=app:2")
    story.picture("stuck at the bounds")
    ready = []
    story.ready = lambda pod: image(pod) == "app:1" or (len(ready) < 1 and not ready.append(pod))
    story.picture("one new pod ready")
    story.ready = lambda pod: True
    story.picture("revision 2")
