"""Headless services show host names, and may have no ports."""
from manifests import SLICE_QUIET_SECONDS, pod, service, stateful_set


def play(story):
    story.quiet = SLICE_QUIET_SECONDS
    story.apply(service("db", "clusterIP: None\nports: [{port: 80}]", labels="app: db"))
    story.apply(service("bare", "clusterIP: None", labels="app: db"))
    story.apply(stateful_set("db", 2))
    story.apply(pod("guest", labels="app: db"))
    story.picture("named and nameless")
    story.kubectl("scale", "sts", "db", "--replicas=1")
    story.picture("one fewer")
