"""A finished Job goes after its time, and its pods with it."""
from manifests import JOB_QUIET_SECONDS, job


def play(story):
    story.quiet = JOB_QUIET_SECONDS
    story.apply(job("sum", "ttlSecondsAfterFinished: 3"))
    story.picture("running")
    story.finish(story.running()[0])
    story.until("end of the Job", lambda: story.kubelet_step() or not story.all("jobs"))
    story.picture("gone")
