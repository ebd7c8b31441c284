"""A ReplicaSet keeps its number: up, down, after a pod is lost, and the cheapest pod goes first."""
from manifests import replica_set


def play(story):
    story.apply(replica_set("web", 2))
    story.picture("created")
    story.kubectl("scale", "rs/web", "--replicas=4")
    story.picture("scaled up")

    keep = sorted(pod["metadata"]["name"] for pod in story.all("pods"))[:2]
    for name in keep:
        story.kubectl("annotate", "pod", name, "controller.kubernetes.io/pod-deletion-cost=100")
    story.kubectl("scale", "rs/web", "--replicas=2")
    story.settle()
    left = sorted(pod["metadata"]["name"] for pod in story.all("pods"))
    assert left == keep, f"{left} are left, the dear ones were {keep}"
    story.picture("scaled down")

    story.kubectl("delete", "pod", keep[0], "--wait=false")
    story.picture("lost pod replaced")
    story.end_pod(story.get("pods", keep[1]), "Failed")
    story.picture("failed pod replaced")
    story.kubectl("scale", "rs/web", "--replicas=0")
    story.picture("scaled to nothing")
    story.kubectl("delete", "rs", "web", "--wait=false")
    story.picture("deleted")
