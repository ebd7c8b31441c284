"""Without a number of completions one success means that no more pods are started."""
from manifests import JOB_QUIET_SECONDS, job


def play(story):
    story.quiet = JOB_QUIET_SECONDS
    story.apply(job("sum", "parallelism: 2"))
    story.picture("two running")
    story.kubectl("patch", "job", "sum", "--type=merge", "-p", '{"spec": {"parallelism": 3}}')
    story.picture("three running")
    story.kubectl("patch", "job", "sum", "--type=merge", "-p", '{"spec": {"parallelism": 2}}')
    story.picture("two again")
    story.finish(story.running()[0])
    story.picture("one done, no other started")
    story.finish(story.running()[0])
    story.picture("complete")
