"""Each index needs one success; pods know theirs by label, annotation, environment and host name."""
from manifests import JOB_QUIET_SECONDS, job


def index(pod):
    return pod["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"]


def of(story, number):
    return next(pod for pod in story.running() if index(pod) == str(number))


def play(story):
    story.quiet = JOB_QUIET_SECONDS
    story.apply(job("sum", "completions: 4\nparallelism: 3\ncompletionMode: Indexed"))
    story.picture("0 to 2 running")
    story.finish(of(story, 1))
    story.picture("1 done, 3 running")
    story.finish(of(story, 2))
    story.finish(of(story, 3))
    story.picture("only 0 is missing")
    story.finish(of(story, 0))
    story.picture("complete")
