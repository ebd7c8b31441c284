"""Ends of pods: grace, hooks, signals, deletion."""
import time

from client import Refused
from frame import c, case, condition, has, holds, phase, running, same, state_of, terminated

FOREVER = "trap 'exit 0' TERM; while :; do sleep 0.1; done"
DEAF = "trap '' TERM; while :; do sleep 0.1; done"
SHARED = {"volumes": [{"name": "d", "emptyDir": {}}]}
MOUNT = {"volumeMounts": [{"name": "d", "mountPath": "/d"}]}


def last_seen(history, container="c"):
    """The container's last terminated state before its pod was gone."""
    ends = [terminated(pod, container) for pod in history.seen if terminated(pod, container)]
    return ends[-1] if ends else {}


def deleted(t, grace=None, name="p"):
    """Deletes a running pod and gives its history."""
    history = t.history(name)
    t.delete(name, grace)
    t.gone(name)
    history.join(10)
    return history


@case("deletion sends SIGTERM to the container's first process, and its own exit code is the one reported")
def deletion_terminates(t):
    t.pod("trap 'exit 7' TERM; while :; do sleep 0.1; done", terminationGracePeriodSeconds=30)
    t.ready()
    same(last_seen(deleted(t)).get("exitCode"), 7)


@case("a container that ignores SIGTERM is killed at the end of the grace period: 137")
def deletion_kills(t):
    t.pod(DEAF, terminationGracePeriodSeconds=2)
    t.ready()
    begun = time.monotonic()
    end = last_seen(deleted(t))
    same(end.get("exitCode"), 137)
    holds(time.monotonic() - begun >= 1.9, "it had its grace")


@case("a deleted pod keeps its object, with deletionTimestamp and grace, while its containers end", slow=True)
def deletion_timestamp(t):
    t.pod(DEAF, terminationGracePeriodSeconds=4)
    t.ready()
    t.delete()
    pod = t.get()
    same(pod["metadata"]["deletionGracePeriodSeconds"], 4)
    holds(pod["metadata"]["deletionTimestamp"], "a timestamp")
    same(phase(pod), "Running")
    t.gone()


@case("gracePeriodSeconds of the request comes before the pod's own")
def requested_grace(t):
    t.pod(DEAF, terminationGracePeriodSeconds=600)
    t.ready()
    t.delete(grace=1)
    t.gone(seconds=30)


@case("gracePeriodSeconds 0 removes the object at once; its processes follow")
def forced_deletion(t):
    t.pod(DEAF, terminationGracePeriodSeconds=600)
    t.ready()
    t.delete(grace=0)
    try:
        t.get()
        holds(False, "the object is gone at once")
    except Refused as refused:
        same(refused.code, 404)


@case("a second request may shorten the grace that is running")
def shortened_grace(t):
    t.pod(DEAF, terminationGracePeriodSeconds=600)
    t.ready()
    t.delete()
    t.delete(grace=1)
    t.gone(seconds=30)


@case("a preStop exec runs to its end before SIGTERM is sent")
def pre_stop_before_term(t):
    hook = {"preStop": {"exec": {"command": ["/bin/sh", "-c", "sleep 1; echo hook >>/d/log"]}}}
    t.pod("trap 'echo term >>/d/log; cat /d/log >/dev/termination-log; exit 0' TERM; while :; do sleep 0.1; done",
          lifecycle=hook, terminationGracePeriodSeconds=30, **SHARED, **MOUNT)
    t.ready()
    same(last_seen(deleted(t)).get("message"), "hook\nterm\n")


@case("a preStop hook that takes longer than the grace period is cut off, and the container is ended", slow=True)
def pre_stop_too_long(t):
    hook = {"preStop": {"exec": {"command": ["sleep", "600"]}}}
    t.pod(FOREVER, lifecycle=hook, terminationGracePeriodSeconds=3)
    t.ready()
    deleted(t)


@case("a preStop httpGet is asked for by the node itself")
def pre_stop_http(t):
    web = t.serve()
    t.pod(FOREVER, lifecycle={"preStop": web.get("/stopping")}, terminationGracePeriodSeconds=30)
    t.ready()
    deleted(t)
    same([path for path, _ in web.requests], ["/stopping"])


@case("a preStop sleep delays SIGTERM")
def pre_stop_sleep(t):
    t.pod("trap 'exit 0' TERM; while :; do sleep 0.1; done", lifecycle={"preStop": {"sleep": {"seconds": 2}}},
          terminationGracePeriodSeconds=30)
    t.ready()
    begun = time.monotonic()
    deleted(t)
    holds(time.monotonic() - begun >= 2, "it slept")


@case("a preStop hook that fails is told in an event, and the container is ended all the same")
def pre_stop_fails(t):
    hook = {"preStop": {"exec": {"command": ["/bin/sh", "-c", "exit 3"]}}}
    t.pod(FOREVER, lifecycle=hook, terminationGracePeriodSeconds=30)
    t.ready()
    deleted(t)
    has(t.event("FailedPreStopHook")["message"], "PreStopHook failed")


@case("preStop does not run when a container ends by itself")
def no_pre_stop_at_exit(t):
    web = t.serve()
    t.pod("sleep 1", lifecycle={"preStop": web.get()})
    t.ended()
    same(web.requests, [])


@case("preStop runs when a failed liveness probe restarts the container")
def pre_stop_at_restart(t):
    web = t.serve()
    t.pod(FOREVER, restart="Always", lifecycle={"preStop": web.get()}, terminationGracePeriodSeconds=10,
          livenessProbe={"exec": {"command": ["false"]}, "periodSeconds": 1, "failureThreshold": 1})
    t.until(lambda pod: state_of(pod).get("restartCount", 0) >= 1, "it restarted")
    holds(web.requests, "the hook was called")


@case("the end of a pod is told in an event Killing per container")
def killing_event(t):
    t.pod(containers=[c(FOREVER, "a"), c(FOREVER, "b")])
    t.ready()
    t.delete()
    t.event("Killing", "Stopping container a")
    same(t.event("Killing", "Stopping container b")["type"], "Normal")


@case("all containers are told to end at once, not one after the other", slow=True)
def ended_together(t):
    t.pod(containers=[c("trap 'sleep 3; exit 0' TERM; while :; do sleep 0.1; done", name) for name in "abc"],
          terminationGracePeriodSeconds=30)
    t.ready()
    begun = time.monotonic()
    deleted(t)
    holds(time.monotonic() - begun < 9, "in less time than one after the other")


@case("a pod that ends by deletion is reported terminal before it is gone")
def terminal_before_gone(t):
    t.pod("trap 'exit 0' TERM; while :; do sleep 0.1; done", terminationGracePeriodSeconds=30)
    t.ready()
    history = deleted(t)
    same(phase(history.seen[-1]), "Succeeded")
    holds(not running(history.seen[-1]), "no container runs")


@case("a pod that was killed in its deletion has Failed at the end")
def failed_before_gone(t):
    t.pod(DEAF, terminationGracePeriodSeconds=1, restart="Always")
    t.ready()
    same(phase(deleted(t).seen[-1]), "Failed")


@case("a pod in deletion is not ready any more once its containers have ended")
def not_ready_at_end(t):
    t.pod(FOREVER, terminationGracePeriodSeconds=30)
    t.ready()
    last = deleted(t).seen[-1]
    same([condition(last, kind)["status"] for kind in ("Ready", "ContainersReady")], ["False", "False"])
    same(condition(last, "PodReadyToStartContainers")["status"], "False")


@case("containers of a pod in deletion are not restarted", slow=True)
def no_restart_in_deletion(t):
    t.pod(containers=[c("trap 'exit 1' TERM; while :; do sleep 0.1; done", "a"), c(DEAF, "b")], restart="Always",
          terminationGracePeriodSeconds=5)
    t.ready()
    history = deleted(t)
    same({state_of(pod, "a").get("restartCount") for pod in history.seen}, {0})


@case("a pod that never started its containers goes at once")
def waiting_pod_goes(t):
    t.pod("true", image="nothing-of-this-name", terminationGracePeriodSeconds=600)
    t.event("Failed")
    t.delete()
    t.gone(seconds=30)


@case("a pod that has ended goes at once when it is deleted")
def ended_pod_goes(t):
    t.pod("true", terminationGracePeriodSeconds=600)
    t.ended()
    t.delete()
    t.gone(seconds=30)


@case("a new pod of the same name starts afresh after the old one is gone")
def same_name_again(t):
    t.pod("sleep 600", terminationGracePeriodSeconds=1)
    first = t.ready()["metadata"]["uid"]
    t.delete()
    t.gone()
    t.pod("echo new >/dev/termination-log")
    pod = t.ended()
    same(t.message(pod), "new\n")
    holds(pod["metadata"]["uid"] != first, "another uid")


@case("a pod of an ended namespace is ended with its processes")
def namespace_goes(t):
    t.pod(FOREVER)
    t.ready()
    t.api.delete(f"/api/v1/namespaces/{t.ns}")
    t.gone()
