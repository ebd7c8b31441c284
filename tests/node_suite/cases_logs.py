"""Logs of containers."""
import re
import time
import urllib.parse

from client import Refused
from frame import c, case, has, holds, same, state_of, waiting

FOREVER = "trap 'exit 0' TERM; while :; do sleep 0.1; done"
ONCE = "[ -e /d/once ] || { touch /d/once; echo first; exit 1; }; echo second; "
SHARED = {"volumes": [{"name": "d", "emptyDir": {}}], "volumeMounts": [{"name": "d", "mountPath": "/d"}]}
STAMP = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|[+-]\d\d:\d\d) ")


def refusal(t, **query):
    try:
        text = t.log(**query)
    except Refused as refused:
        return refused
    raise AssertionError(f"served: {text!r}")


def five(t):
    t.pod("for i in 1 2 3 4 5; do echo line $i; done")
    t.ended()


@case("the log of an ended container is there, stdout and stderr in one")
def log_of_ended(t):
    t.pod("echo out; sleep 0.3; echo err >&2")
    t.ended()
    same(t.log(), "out\nerr\n")


@case("the log of a running container is what it has written so far")
def log_of_running(t):
    t.pod("echo now; " + FOREVER)
    t.ready()
    t.await_that(lambda: t.log() == "now\n", "the line")


@case("tailLines gives the last lines")
def log_tail(t):
    five(t)
    same([t.log(tailLines=2), t.log(tailLines=0), t.log(tailLines=99).count("\n")], ["line 4\nline 5\n", "", 5])


@case("limitBytes cuts the log")
def log_limit(t):
    five(t)
    same(t.log(limitBytes=9), "line 1\nli")


@case("timestamps puts the time before each line")
def log_timestamps(t):
    five(t)
    lines = t.log(timestamps="true").splitlines()
    same(len(lines), 5)
    for line in lines:
        holds(STAMP.match(line), line)
    holds(lines[0].endswith(" line 1"), lines[0])


@case("sinceSeconds gives what is not older", slow=True)
def log_since_seconds(t):
    t.pod("echo old; sleep 4; echo new; " + FOREVER)
    t.await_that(lambda: state_of(t.get()).get("ready") and "new" in t.log(), "both lines")
    same(t.log(sinceSeconds=3), "new\n")


@case("sinceTime gives what is not older")
def log_since_time(t):
    t.pod("echo old; sleep 2; echo new")
    t.ended()
    stamp = t.log(timestamps="true").splitlines()[1].split(" ")[0]
    stamp = re.sub(r"\.\d+", "", stamp)
    same(t.log(sinceTime=urllib.parse.quote(stamp)), "new\n")


@case("previous gives the log of the run before")
def log_previous(t):
    t.pod(ONCE + FOREVER, restart="Always", **SHARED)
    t.until(lambda pod: state_of(pod).get("ready") and state_of(pod)["restartCount"] == 1, "it runs again")
    t.await_that(lambda: t.log() == "second\n", "the second run's line")
    same(t.log(previous="true"), "first\n")


@case("previous of a container that never restarted is refused")
def log_no_previous(t):
    t.pod(FOREVER)
    t.ready()
    refused = refusal(t, previous="true")
    same([refused.code, refused.message], [400, 'previous terminated container "c" in pod "p" not found'])


@case("follow goes on until the container ends")
def log_follow(t):
    t.pod("for i in 1 2 3; do echo line $i; sleep 0.5; done")
    t.until(lambda pod: state_of(pod).get("ready") or state_of(pod).get("state", {}).get("terminated"), "it runs")
    answer = t.api.stream(f"{t.core}/pods/p/log?follow=true")
    same(answer.read().decode(), "line 1\nline 2\nline 3\n")


@case("follow gives lines as they come")
def log_follow_live(t):
    t.pod("echo one; sleep 3; echo two")
    t.until(lambda pod: state_of(pod).get("state", {}).get("running"), "it runs")
    answer = t.api.stream(f"{t.core}/pods/p/log?follow=true")
    same(answer.readline(), b"one\n")
    holds("terminated" not in state_of(t.get())["state"], "it still runs")
    same(answer.read(), b"two\n")


@case("follow with tailLines begins at the tail")
def log_follow_tail(t):
    five(t)
    same(t.api.stream(f"{t.core}/pods/p/log?follow=true&tailLines=1").read(), b"line 5\n")


@case("the log of a container that waits is refused with its reason")
def log_of_waiting(t):
    t.pod("true", image="nothing-of-this-name")
    t.until(lambda pod: waiting(pod).get("reason") == "ErrImageNeverPull", "the reason")
    refused = refusal(t)
    same([refused.code, refused.message],
         [400, 'container "c" in pod "p" is waiting to start: image can\'t be pulled']
         if "can't be pulled" in refused.message
         else [400, 'container "c" in pod "p" is waiting to start: ErrImageNeverPull'])


@case("the log of a container that waits for the init containers is refused with PodInitializing")
def log_of_initializing(t):
    t.pod("true", initContainers=[c("sleep 60", "i")])
    t.until(lambda pod: state_of(pod, "i", True).get("state", {}).get("running"), "the init container runs")
    refused = refusal(t, container="c")
    same([refused.code, refused.message], [400, 'container "c" in pod "p" is waiting to start: PodInitializing'])


@case("a container that the pod has not is refused by name")
def log_of_unknown(t):
    t.pod(FOREVER)
    t.ready()
    refused = refusal(t, container="x")
    same([refused.code, refused.message], [400, "container x is not valid for pod p"])


@case("a pod of several containers must be asked for one of them")
def log_must_choose(t):
    t.pod(containers=[c(FOREVER, "a"), c(FOREVER, "b")])
    t.ready()
    refused = refusal(t)
    same([refused.code, refused.message],
         [400, "a container name must be specified for pod p, choose one of: [a b]"])


@case("the log of an init container can be asked for")
def log_of_init(t):
    t.pod(FOREVER, initContainers=[c("echo from init", "i")])
    t.ready()
    same(t.log(container="i"), "from init\n")


@case("a long line comes back whole, and so does one without an end")
def log_long_line(t):
    t.pod("head -c 100000 /dev/zero | tr '\\0' x; echo; printf open")
    t.ended()
    text = t.log()
    same([len(text), text[-6:]], [100005, "x\nopen"])


@case("bytes that are no text come back as they are")
def log_bytes(t):
    t.pod("printf '\\001\\342\\202\\254\\n'")
    t.ended()
    same(t.log(), "\x01€\n")


@case("many lines come back in order")
def log_many_lines(t):
    t.pod("seq 1 20000; sleep 1")  # some runtimes lose what was written just before the end
    t.ended()
    t.await_that(lambda: t.log(tailLines=1) == "20000\n", "the last line")
    same(t.log(), "".join(f"{i}\n" for i in range(1, 20001)))


@case("the log of a pod that is gone is not found")
def log_of_gone(t):
    t.pod("true")
    t.ended()
    t.delete()
    t.gone()
    refused = refusal(t)
    same([refused.code, refused.message], [404, 'pods "p" not found'])


@case("a log stays while its pod does, also after its container's end")
def log_stays(t):
    five(t)
    time.sleep(3)
    has(t.log(), "line 5")


@case("what a container writes to may be opened anew by its name")
def reopened_output(t):
    t.pod(containers=[c("echo out >/dev/stdout; echo err >/dev/stderr", securityContext={"runAsUser": 1234})])
    t.ended()
    same(sorted(t.log().split()), ["err", "out"])
