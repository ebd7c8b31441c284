"""Failures are replaced after a pause until the limit; then what still runs is stopped and counted as failed."""
from manifests import JOB_QUIET_SECONDS, job


def play(story):
    story.quiet = JOB_QUIET_SECONDS
    story.apply(job("sum", "completions: 2\nparallelism: 2\nbackoffLimit: 1"))
    story.picture("two running")
    story.finish(story.running()[0], 1)
    story.until("replacement", lambda: len(story.running()) == 2)
    story.picture("replaced after the pause")
    story.finish(story.running()[0], 1)
    story.picture("failed")
