"""A Job that is active for too long fails, and its pods go."""
from manifests import JOB_QUIET_SECONDS, ended, job


def play(story):
    story.quiet = JOB_QUIET_SECONDS
    story.apply(job("sum", "completions: 2\nparallelism: 2\nactiveDeadlineSeconds: 30"))
    story.picture("two running")
    story.until("end", lambda: story.kubelet_step() or ended(story.get("jobs", "sum")))
    story.picture("failed")
