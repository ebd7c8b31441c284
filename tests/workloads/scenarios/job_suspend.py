"""A suspended Job has no pods, and starts anew when it is resumed."""
from manifests import JOB_QUIET_SECONDS, job


def play(story):
    story.quiet = JOB_QUIET_SECONDS
    story.apply(job("sum", "completions: 2\nparallelism: 2\nsuspend: true"))
    story.picture("made suspended")
    story.kubectl("patch", "job", "sum", "--type=merge", "-p", '{"spec": {"suspend": false}}')
    story.picture("resumed")
    story.finish(story.running()[0])
    story.picture("one done")
    story.kubectl("patch", "job", "sum", "--type=merge", "-p", '{"spec": {"suspend": true}}')
    story.picture("suspended")
    story.kubectl("patch", "job", "sum", "--type=merge", "-p", '{"spec": {"suspend": false}}')
    story.picture("resumed again")
    story.finish(story.running()[0])
    story.picture("complete")
