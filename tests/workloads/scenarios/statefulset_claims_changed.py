"""A retention policy that changes moves the owners of the claims; a claim of another owner is left alone."""
from manifests import claims, stateful_set


def play(story):
    story.apply(stateful_set("db", 2, more=claims("Retain", "Retain")))
    story.picture("nobody owns them")
    story.apply(stateful_set("db", 2, more=claims("Retain", "Delete")))
    story.picture("the set does")
    story.apply(stateful_set("db", 2, more=claims("Delete", "Retain")))
    story.picture("nobody does while the pods stay")
    story.apply(stateful_set("db", 1, more=claims("Delete", "Delete")))
    story.picture("the set does, and one is gone")
    story.patch("persistentvolumeclaims", "data-db-0", {"metadata": {"ownerReferences": [
        {"apiVersion": "v1", "kind": "ConfigMap", "name": "kube-root-ca.crt", "controller": True,
         "uid": story.server.request("GET", f"/api/v1/namespaces/{story.ns}/configmaps/kube-root-ca.crt")[
             "metadata"]["uid"]}]}})
    story.kubectl("delete", "pod", "db-0", "--wait=false")
    story.picture("another controller has it")
