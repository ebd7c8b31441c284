"""publishNotReadyAddresses shows pods before they are ready and while they go."""
from manifests import SLICE_QUIET_SECONDS, pod, service

UNREADY = """
clusterIP: 10.0.0.12
publishNotReadyAddresses: true
ports: [{port: 80, targetPort: 8080}]
"""


def play(story):
    story.quiet = SLICE_QUIET_SECONDS
    story.ready = lambda each: False
    story.apply(service("web", UNREADY))
    story.apply(pod("a"))
    story.settle()
    story.run_pod(story.get("pods", "a"), ready=False)
    story.picture("shown before it is ready")
    story.patch("services", "web", {"spec": {"publishNotReadyAddresses": False}})
    story.picture("no longer")
