"""rollout undo brings back an old ReplicaSet under a new revision and remembers the old one."""
from manifests import deployment


def play(story):
    story.apply(deployment("web", 2))
    story.settle()
    story.kubectl("annotate", "deployment/web", "kubernetes.io/change-cause=second")
    story.kubectl("set", "image", "deployment/web", "app=app:2")
    story.picture("revision 2")
    story.kubectl("rollout", "undo", "deployment/web")
    story.picture("back to revision 1 as 3")
    story.kubectl("rollout", "undo", "deployment/web", "--to-revision=2")
    story.picture("revision 2 again as 4")
    story.kubectl("annotate", "deployment/web", "deprecated.deployment.rollback.to=3")
    story.picture("the old way of rolling back")
