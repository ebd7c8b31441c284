"""A limit of failures per index fails the index and not the others."""
from manifests import JOB_QUIET_SECONDS, job
from scenarios.job_indexed import of

MORE = "completions: 3\nparallelism: 3\ncompletionMode: Indexed\nbackoffLimitPerIndex: 1"


def play(story):
    story.quiet = JOB_QUIET_SECONDS
    story.apply(job("sum", MORE))
    story.picture("running")
    story.finish(of(story, 1), 1)
    story.until("replacement", lambda: len(story.running()) == 3)
    story.picture("1 again")
    story.finish(of(story, 1), 1)
    story.picture("1 failed for good")
    story.finish(of(story, 0))
    story.finish(of(story, 2))
    story.picture("failed")
