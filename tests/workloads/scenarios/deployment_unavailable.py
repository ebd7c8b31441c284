"""Without surge, old pods go first, never more than may be unavailable; percentages round as they must."""
from manifests import deployment, rolling
from story import image


def play(story):
    story.apply(deployment("web", 3, more=rolling(0, "34%")))
    story.picture("revision 1")
    story.ready = lambda pod: image(pod) == "app:1"
    story.kubectl("set", "image", "deployment/web", "app=app:2")
    story.picture("one down")
    story.ready = lambda pod: True
    story.picture("revision 2")
    story.kubectl("patch", "deployment", "web", "--type=merge",
                  "-p", '{"spec":{"strategy":{"rollingUpdate":{"maxSurge":"1%","maxUnavailable":"1%"}}}}')
    story.kubectl("set", "image", "deployment/web", "app=app:3")
    story.picture("revision 3, tiny percentages")
