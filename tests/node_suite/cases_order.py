"""Order of containers: init containers, sidecars, hooks after the start."""
from frame import c, case, condition, has, holds, phase, running, same, state_of, terminated, waiting

SHARED = {"volumes": [{"name": "d", "emptyDir": {}}]}
MOUNT = {"volumeMounts": [{"name": "d", "mountPath": "/d"}]}
FOREVER = "trap 'exit 0' TERM; while :; do sleep 0.2; done"


def sidecar(script, name, **fields):
    return c(script, name, restartPolicy="Always", **MOUNT, **fields)


@case("init containers run one after the other, in the order of the spec")
def init_containers_in_order(t):
    t.pod(containers=[c("cat /d/log >/dev/termination-log", **MOUNT)], **SHARED,
          initContainers=[c("sleep 1; echo first >>/d/log", "a", **MOUNT), c("echo second >>/d/log", "b", **MOUNT)])
    same(t.message(t.ended()), "first\nsecond\n")


@case("while an init container runs, containers wait with PodInitializing and the pod is Pending")
def containers_wait_for_init(t):
    t.pod("sleep 60", initContainers=[c("sleep 60", "i")])
    pod = t.until(lambda pod: running(pod, "i", True), "the init container runs")
    same(phase(pod), "Pending")
    same(waiting(pod).get("reason"), "PodInitializing")
    same(state_of(pod)["started"], False, "started")
    initialized = condition(pod, "Initialized")
    same([initialized["status"], initialized["reason"]], ["False", "ContainersNotInitialized"])
    same(initialized["message"], "containers with incomplete status: [i]")


@case("the condition Initialized names all init containers that are not done")
def initialized_names_all(t):
    t.pod("sleep 60", initContainers=[c("sleep 60", "i"), c("true", "j")])
    pod = t.until(lambda pod: running(pod, "i", True), "the init container runs")
    same(condition(pod, "Initialized")["message"], "containers with incomplete status: [i j]")
    same(waiting(pod, "j", True).get("reason"), "PodInitializing")


@case("under restartPolicy Never a failed init container fails the pod, and its containers never start")
def failed_init_fails_pod(t):
    t.pod("true", initContainers=[c("exit 3", "i"), c("true", "j")])
    pod = t.ended()
    same(phase(pod), "Failed")
    same(terminated(pod, "i", True)["exitCode"], 3)
    holds(not terminated(pod) and not running(pod), f"the container ran: {state_of(pod)}")
    holds(not terminated(pod, "j", True), "the second init container ran")
    same(condition(pod, "Initialized")["status"], "False")


@case("under restartPolicy Always a failed init container is run again until it succeeds")
def init_restarts_under_always(t):
    t.pod(FOREVER, restart="Always", **SHARED,
          initContainers=[c("[ -e /d/once ] || { touch /d/once; exit 1; }", "i", **MOUNT)])
    pod = t.ready()
    same(state_of(pod, "i", True)["restartCount"], 1)
    same(state_of(pod, "i", True)["lastState"], {})  # it is done: nobody asks how it began


@case("under restartPolicy OnFailure a failed init container is run again until it succeeds")
def init_restarts_under_on_failure(t):
    t.pod("true", restart="OnFailure", **SHARED,
          initContainers=[c("[ -e /d/once ] || { touch /d/once; exit 1; }", "i", **MOUNT)])
    same(phase(t.ended()), "Succeeded")
    same(state_of(t.get(), "i", True)["restartCount"], 1)


@case("an init container that failed twice waits in CrashLoopBackOff; the pod stays Pending")
def init_crash_loops(t):
    t.pod("true", restart="Always", initContainers=[c("exit 1", "i")])
    pod = t.until(lambda pod: waiting(pod, "i", True).get("reason") == "CrashLoopBackOff", "back-off")
    same(phase(pod), "Pending")
    same(waiting(pod).get("reason"), "PodInitializing")
    has(waiting(pod, "i", True)["message"], "restarting failed container=i pod=p_")


@case("an init container that is done is terminated with Completed, ready, not started")
def init_done_status(t):
    t.pod(FOREVER, initContainers=[c("true", "i")])
    done = state_of(t.ready(), "i", True)
    same([done["state"]["terminated"]["reason"], done["ready"], done["started"]], ["Completed", True, False])


@case("an init container with restartPolicy Always is started before those that follow, and stays")
def sidecar_starts_first(t):
    t.pod(containers=[c("cat /d/log >/dev/termination-log", **MOUNT)], **SHARED,
          initContainers=[sidecar("echo side >>/d/log; " + FOREVER, "s"),
                          c("while ! [ -e /d/log ]; do sleep 0.1; done; echo init >>/d/log", "i", **MOUNT)])
    same(t.message(t.ended()), "side\ninit\n")


@case("what follows a sidecar waits until its startup probe has succeeded", slow=True)
def sidecar_startup_gates(t):
    probe = {"exec": {"command": ["test", "-e", "/d/up"]}, "periodSeconds": 1, "failureThreshold": 60}
    t.pod(containers=[c("ls /d >/dev/termination-log", **MOUNT)], **SHARED,
          initContainers=[sidecar("sleep 3; touch /d/up; " + FOREVER, "s", startupProbe=probe)])
    pod = t.until(lambda pod: running(pod, "s", True), "the sidecar runs")
    same(state_of(pod, "s", True)["started"], False, "started")
    same(waiting(pod).get("reason"), "PodInitializing")
    same(t.message(t.ended()), "up\n")


@case("a pod whose containers are done has Succeeded although its sidecar would go on; the sidecar is ended")
def sidecar_does_not_hold_pod(t):
    t.pod(containers=[c("sleep 1")], **SHARED, initContainers=[sidecar(FOREVER, "s")])
    pod = t.ended()
    same(phase(pod), "Succeeded")
    holds(terminated(pod, "s", True), f"the sidecar lives: {state_of(pod, 's', True)}")


@case("sidecars are ended after the containers, the last one first")
def sidecars_end_in_reverse(t):
    def ends(name, more=""):
        return f"trap 'echo {name} >>/d/log; {more} exit 0' TERM; while :; do sleep 0.1; done"
    t.pod(containers=[c("sleep 1; echo main >>/d/log", **MOUNT)], **SHARED, terminationGracePeriodSeconds=20,
          initContainers=[sidecar(ends("one", "cat /d/log >/dev/termination-log;"), "one"),
                          sidecar(ends("two"), "two")])
    pod = t.ended()
    same(terminated(pod, "one", True).get("message"), "main\ntwo\none\n")


@case("a sidecar that exits is started again, also under restartPolicy Never")
def sidecar_restarts(t):
    t.pod(FOREVER, **SHARED,
          initContainers=[sidecar("[ -e /d/once ] || { touch /d/once; sleep 1; exit 4; }; " + FOREVER, "s")])
    pod = t.until(lambda pod: state_of(pod, "s", True).get("restartCount") == 1 and running(pod, "s", True),
                  "the sidecar runs again")
    same(state_of(pod, "s", True)["lastState"]["terminated"]["exitCode"], 4)
    same(phase(pod), "Running")


@case("a sidecar counts for the pod's readiness")
def sidecar_readiness_counts(t):
    probe = {"exec": {"command": ["false"]}, "periodSeconds": 1}
    t.pod(FOREVER, **SHARED, initContainers=[sidecar(FOREVER, "s", readinessProbe=probe)])
    pod = t.runs()
    pod = t.until(lambda pod: running(pod) and condition(pod, "ContainersReady").get("message"), "a verdict")
    same(condition(pod, "ContainersReady")["message"], "containers with unready status: [s]")
    t.stays(lambda pod: condition(pod, "Ready")["status"] == "False", "not ready", 2)


@case("a postStart hook runs in the container, and the pod is not ready before it is done")
def post_start_holds_readiness(t):
    hook = {"postStart": {"exec": {"command": ["/bin/sh", "-c", "sleep 2; touch /d/hook"]}}}
    t.pod(containers=[c("while ! [ -e /d/hook ]; do sleep 0.1; done; " + FOREVER, lifecycle=hook, **MOUNT)], **SHARED)
    t.stays(lambda pod: not state_of(pod).get("ready"), "not ready", 1)
    t.ready()


@case("until its postStart hook is done a container is not reported as running", slow=True)
def post_start_hides_running(t):
    hook = {"postStart": {"exec": {"command": ["/bin/sh", "-c", "touch /d/hook; sleep 5"]}}}
    mark = {"exec": {"command": ["test", "-e", "/d/hook"]}}
    t.pod(containers=[c(FOREVER, lifecycle=hook, startupProbe=mark, **MOUNT)], **SHARED)
    t.event("Started")
    t.stays(lambda pod: waiting(pod).get("reason") == "ContainerCreating", "waiting", 2)
    t.ready()


@case("the next container is started after the postStart hook of the one before")
def post_start_holds_next(t):
    hook = {"postStart": {"exec": {"command": ["/bin/sh", "-c", "sleep 2; echo hook >>/d/log"]}}}
    t.pod(containers=[c("while [ $(cat /d/log | wc -l) -lt 2 ]; do sleep 0.1; done; cat /d/log >/dev/termination-log",
                        lifecycle=hook, **MOUNT), c("echo next >>/d/log", "n", **MOUNT)], **SHARED)
    same(t.message(t.ended()), "hook\nnext\n")


@case("a container whose postStart hook fails is killed, with an event FailedPostStartHook")
def failed_post_start(t):
    hook = {"postStart": {"exec": {"command": ["/bin/sh", "-c", "echo oh dear; exit 7"]}}}
    t.pod(FOREVER, restart="Always", lifecycle=hook)
    event = t.event("FailedPostStartHook")
    same(event["type"], "Warning")
    has(event["message"], "PostStartHook failed")
    t.until(lambda pod: state_of(pod).get("lastState", {}).get("terminated"), "the container was killed")


@case("a postStart httpGet is asked for by the node itself")
def post_start_http(t):
    web = t.serve()
    t.pod(FOREVER, lifecycle={"postStart": web.get("/started")})
    t.ready()
    same([path for path, _ in web.requests], ["/started"])


@case("a postStart sleep holds the pod's readiness for its seconds")
def post_start_sleep(t):
    t.pod(FOREVER, lifecycle={"postStart": {"sleep": {"seconds": 3}}}, terminationGracePeriodSeconds=5)
    t.event("Started")
    t.stays(lambda pod: not state_of(pod).get("ready"), "not ready", 1.5)
    t.ready()
