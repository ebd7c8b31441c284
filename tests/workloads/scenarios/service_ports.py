"""Named ports mean other numbers on other pods, and nothing on some."""
from manifests import SLICE_QUIET_SECONDS, pod, service

PORTS = """
clusterIP: 10.0.0.13
ports:
- {name: http, port: 80, targetPort: web, protocol: TCP, appProtocol: http}
- {name: dns, port: 53, targetPort: 53, protocol: UDP}
"""


def play(story):
    story.quiet = SLICE_QUIET_SECONDS
    story.apply(service("web", PORTS))
    story.apply(pod("a", ports="- {name: web, containerPort: 8080}"))
    story.apply(pod("b", ports="- {name: web, containerPort: 9090}"))
    story.apply(pod("c"))
    story.picture("three groups")
    story.kubectl("delete", "pod", "b", "--wait=false")
    story.picture("two groups")
    story.patch("services", "web", {"spec": {"ports": [
        {"name": "http", "port": 80, "targetPort": 8080, "protocol": "TCP"}]}})
    story.picture("one group")
    story.patch("services", "web", {"spec": {"selector": None}})
    story.picture("left as it was")
