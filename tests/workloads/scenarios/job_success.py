"""A Job runs as many pods at once as it may, and ends when enough have succeeded."""
from manifests import JOB_QUIET_SECONDS, job


def play(story):
    story.quiet = JOB_QUIET_SECONDS
    story.apply(job("sum", "completions: 3\nparallelism: 2"))
    story.picture("two running")
    story.finish(story.running()[0])
    story.picture("one done, the third running")
    story.finish(story.running()[0])
    story.picture("two done")
    story.finish(story.running()[0])
    story.picture("complete")
    story.kubectl("delete", "job", "sum")
    story.until("end of the pods", lambda: story.kubelet_step() or not story.all("pods"))
    story.picture("gone")
