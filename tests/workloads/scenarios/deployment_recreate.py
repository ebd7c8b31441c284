"""Recreate: no new pod before the last old one is gone, also while old ones take long to end."""
from manifests import deployment


def play(story):
    story.apply(deployment("web", 2, more="strategy: {type: Recreate}"))
    story.picture("revision 1")
    story.finish_deletion_now, finish = False, story.finish_deletion
    story.finish_deletion = lambda pod: None if not story.finish_deletion_now else finish(pod)
    story.kubectl("set", "image", "deployment/web", "app=app:2")
    story.pulse.await_quiet(story.ns, 1.5, 60)
    assert len(story.all("replicasets")) == 1, "a new ReplicaSet before the old pods are gone"
    story.finish_deletion_now = True
    story.picture("revision 2")
    story.kubectl("scale", "deployment/web", "--replicas=3")
    story.picture("scaled")
