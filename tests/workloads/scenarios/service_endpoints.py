"""Endpoints and slices follow the readiness, the labels and the life of the pods."""
from manifests import SLICE_QUIET_SECONDS, pod, service


def play(story):
    story.quiet = SLICE_QUIET_SECONDS
    story.ready = lambda each: each["metadata"]["name"] != "c"
    story.apply(service("web", "clusterIP: 10.0.0.11\nports: [{port: 80, targetPort: 8080}]"))
    story.picture("no pods")
    for name in "abc":
        story.apply(pod(name))
    story.picture("two ready, one without an address")
    story.run_pod(story.get("pods", "c"), ready=False)
    story.picture("one not ready")
    story.ready = lambda each: True
    story.picture("three ready")
    story.kubectl("label", "pod", "a", "app=other", "--overwrite")
    story.picture("one turned away")
    story.finish(story.get("pods", "b"))
    story.picture("one ended")
    story.kubectl("label", "service", "web", "team=a")
    story.picture("a label more")
    story.kubectl("delete", "pod", "c", "--wait=false")
    story.picture("none left")
    story.kubectl("delete", "service", "web")
    story.picture("no service")
