"""Old ReplicaSets beyond revisionHistoryLimit go, oldest first."""
from manifests import deployment


def play(story):
    story.apply(deployment("web", 1, more="revisionHistoryLimit: 2"))
    for number in range(2, 6):
        story.settle()
        story.kubectl("set", "image", "deployment/web", f"app=app:{number}")
    story.picture("five revisions, two kept")
    story.kubectl("patch", "deployment", "web", "--type=merge", "-p", '{"spec":{"revisionHistoryLimit":0}}')
    story.picture("none kept")
