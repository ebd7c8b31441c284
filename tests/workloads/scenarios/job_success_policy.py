"""A success policy ends the Job early; pods that still run are no failures."""
from manifests import JOB_QUIET_SECONDS, job
from scenarios.job_indexed import of

MORE = """completions: 3
parallelism: 3
completionMode: Indexed
successPolicy:
  rules:
  - succeededIndexes: "0,2"
    succeededCount: 1
"""


def play(story):
    story.quiet = JOB_QUIET_SECONDS
    story.apply(job("sum", MORE))
    story.picture("running")
    story.finish(of(story, 1))
    story.picture("1 is not enough")
    story.finish(of(story, 2))
    story.picture("complete")
