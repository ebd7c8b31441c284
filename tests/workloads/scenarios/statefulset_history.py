"""Revisions beyond the limit go, oldest first, and never one that a pod has."""
from manifests import stateful_set


def play(story):
    story.apply(stateful_set("db", 1, more="revisionHistoryLimit: 1"))
    for number in range(2, 6):
        story.picture(f"before image {number}")
        story.kubectl("set", "image", "sts/db", f"app=app:{number}")
    story.picture("one old revision left")
