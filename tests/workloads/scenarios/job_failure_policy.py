"""A failure policy looks at exit codes: some do not count, some end the Job."""
from manifests import JOB_QUIET_SECONDS, job

MORE = """completions: 2
parallelism: 2
backoffLimit: 3
podFailurePolicy:
  rules:
  - action: Ignore
    onExitCodes: {containerName: app, operator: In, values: [7]}
  - action: FailJob
    onExitCodes: {operator: In, values: [42]}
"""


def play(story):
    story.quiet = JOB_QUIET_SECONDS
    story.apply(job("sum", MORE))
    story.picture("running")
    story.finish(story.running()[0], 7)
    story.until("replacement", lambda: len(story.running()) == 2)
    story.picture("7 did not count")
    story.finish(story.running()[0], 42)
    story.until("end", lambda: story.kubelet_step() or not story.running())
    story.picture("42 ended it")
