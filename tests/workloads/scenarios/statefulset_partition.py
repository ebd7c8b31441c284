"""Pods below the partition keep the current revision, also when they are made anew."""
from manifests import partition, stateful_set


def play(story):
    story.apply(stateful_set("db", 4, more=partition(2)))
    story.picture("revision 1")
    story.kubectl("set", "image", "sts/db", "app=app:2")
    story.picture("two at revision 2")
    story.kubectl("delete", "pod", "db-0", "db-3", "--wait=false")
    story.picture("made anew, each at its revision")
    story.kubectl("scale", "sts", "db", "--replicas=1")
    story.picture("only one that was kept back")
    story.kubectl("scale", "sts", "db", "--replicas=3")
    story.picture("grown over the partition")
    story.apply(stateful_set("db", 3, image="app:2", more=partition(0)))
    story.picture("all at revision 2")
