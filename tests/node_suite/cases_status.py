"""Status of a pod: phases, conditions and their reasons, the members of container statuses."""
import re

from frame import c, case, condition, has, holds, phase, running, same, state_of, terminated

FOREVER = "trap 'exit 0' TERM; while :; do sleep 0.1; done"
TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")


def qos(t, resources):
    t.pod(FOREVER, resources=resources)
    return t.runs()["status"]["qosClass"]


@case("a running pod has the five conditions, all True, each with a transition time")
def five_conditions(t):
    t.pod(FOREVER)
    pod = t.ready()
    same({each["type"]: each["status"] for each in pod["status"]["conditions"]},
         {"PodReadyToStartContainers": "True", "Initialized": "True", "Ready": "True", "ContainersReady": "True",
          "PodScheduled": "True"})
    for each in pod["status"]["conditions"]:
        holds(TIME.match(each["lastTransitionTime"]), f"{each}")


@case("conditions stand in kubelet's order")
def condition_order(t):
    t.pod(FOREVER)
    same([each["type"] for each in t.ready()["status"]["conditions"]],
         ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"])


@case("conditions and the status carry the generation that they were made for")
def observed_generation(t):
    t.pod(FOREVER)
    pod = t.ready()
    same(pod["status"].get("observedGeneration"), pod["metadata"].get("generation"))
    same({each.get("observedGeneration") for each in pod["status"]["conditions"]}, {1})


@case("a condition's transition time changes only with its status")
def transition_time(t):
    web = t.serve()
    t.pod(FOREVER, readinessProbe=web.get(periodSeconds=1, failureThreshold=1))
    first = condition(t.ready(), "Initialized")["lastTransitionTime"]
    web.code = 500
    pod = t.until(lambda pod: condition(pod, "Ready")["status"] == "False", "no longer ready")
    same(condition(pod, "Initialized")["lastTransitionTime"], first)


@case("phases go from Pending to Running to Succeeded")
def phases(t):
    history = t.history()
    t.pod("sleep 2")
    t.ended()
    t.delete()
    history.join(20)
    order = []
    for pod in history.seen:
        if not order or order[-1] != phase(pod):
            order.append(phase(pod))
    same(order, ["Pending", "Running", "Succeeded"])


@case("a pod that succeeded has Ready and ContainersReady False with PodCompleted; Initialized stays True")
def completed_conditions(t):
    t.pod("true")
    pod = t.ended()
    same([[condition(pod, kind).get(key) for key in ("status", "reason")]
          for kind in ("Ready", "ContainersReady", "Initialized")],
         [["False", "PodCompleted"], ["False", "PodCompleted"], ["True", "PodCompleted"]])
    same(condition(pod, "PodReadyToStartContainers")["status"], "False")


@case("a pod that failed has Ready and ContainersReady False with PodFailed")
def failed_conditions(t):
    t.pod("exit 1")
    pod = t.ended()
    same([[condition(pod, kind).get(key) for key in ("status", "reason")] for kind in ("Ready", "ContainersReady")],
         [["False", "PodFailed"], ["False", "PodFailed"]])


@case("a pod has startTime, hostIP, podIP and the lists of them")
def addresses(t):
    t.pod(FOREVER)
    status = t.ready()["status"]
    holds(TIME.match(status["startTime"]), status["startTime"])
    same(status["podIPs"], [{"ip": status["podIP"]}])
    same(status["hostIPs"], [{"ip": status["hostIP"]}])


@case("two pods have two addresses")
def two_addresses(t):
    t.pod(FOREVER, name="a")
    t.pod(FOREVER, name="b")
    holds(t.ready("a")["status"]["podIP"] != t.ready("b")["status"]["podIP"], "addresses differ")


@case("a pod's address stays when a container restarts")
def address_stays(t):
    t.pod("sleep 1; exit 1", restart="Always")
    before = t.runs()["status"]["podIP"]
    pod = t.until(lambda pod: state_of(pod).get("restartCount", 0) >= 1, "it restarted")
    same(pod["status"]["podIP"], before)


@case("hostNetwork: the pod's address is the node's")
def host_network(t):
    t.pod(FOREVER, hostNetwork=True)
    status = t.ready()["status"]
    same(status["podIP"], status["hostIP"])


@case("a pod without requests and limits is BestEffort")
def best_effort(t):
    same(qos(t, {}), "BestEffort")


@case("a pod with requests below its limits is Burstable")
def burstable(t):
    same(qos(t, {"requests": {"cpu": "10m"}}), "Burstable")


@case("a pod whose limits of cpu and memory are its requests is Guaranteed")
def guaranteed(t):
    same(qos(t, {"limits": {"cpu": "100m", "memory": "64Mi"}}), "Guaranteed")


@case("a running container has state.running.startedAt, no lastState, restartCount 0")
def running_members(t):
    t.pod(FOREVER)
    status = state_of(t.ready())
    holds(TIME.match(status["state"]["running"]["startedAt"]), f"{status}")
    same([status["lastState"], status["restartCount"], status["ready"], status["started"]], [{}, 0, True, True])
    same(len(status["state"]), 1)


@case("a terminated container is neither ready nor started")
def terminated_not_ready(t):
    t.pod("true")
    status = state_of(t.ended())
    same([status["ready"], status["started"]], [False, False])


@case("container statuses stand in the order of the spec's names, whatever starts first")
def status_order(t):
    t.pod(containers=[c(FOREVER, "z"), c(FOREVER, "a"), c(FOREVER, "m")])
    same([each["name"] for each in t.ready()["status"]["containerStatuses"]], ["a", "m", "z"])


@case("init container statuses stand in the order of the spec")
def init_status_order(t):
    t.pod(FOREVER, initContainers=[c("true", "z"), c("true", "a")])
    same([each["name"] for each in t.ready()["status"]["initContainerStatuses"]], ["z", "a"])


@case("a container's status lists its volume mounts")
def status_mounts(t):
    t.pod(FOREVER, volumes=[{"name": "v", "emptyDir": {}}], automountServiceAccountToken=False,
          volumeMounts=[{"name": "v", "mountPath": "/v"}])
    same(state_of(t.ready()).get("volumeMounts"), [{"name": "v", "mountPath": "/v"}])


@case("a container's status has the resources it was given")
def status_resources(t):
    t.pod(FOREVER, resources={"limits": {"cpu": "100m", "memory": "64Mi"}, "requests": {"cpu": "50m"}})
    status = state_of(t.ready())
    same(status["resources"], {"limits": {"cpu": "100m", "memory": "64Mi"},
                               "requests": {"cpu": "50m", "memory": "64Mi"}})
    same(status["allocatedResources"], {"cpu": "50m", "memory": "64Mi"})


@case("a pod whose node selector fits no node stays Pending, Unschedulable")
def unschedulable(t):
    t.pod(FOREVER, nodeSelector={"no": "such"})
    pod = t.until(lambda pod: condition(pod, "PodScheduled"), "a verdict")
    verdict = condition(pod, "PodScheduled")
    same([verdict["status"], verdict["reason"], phase(pod)], ["False", "Unschedulable", "Pending"])
    has(verdict["message"], "0/1 nodes are available")
    t.event("FailedScheduling", "0/1 nodes are available")


@case("a pod that asks for more than the node has is not scheduled")
def too_much(t):
    t.pod(FOREVER, resources={"requests": {"memory": "100Ti"}})
    pod = t.until(lambda pod: condition(pod, "PodScheduled"), "a verdict")
    has(condition(pod, "PodScheduled").get("message"), "Insufficient memory")


@case("a label that changes while the pod runs does not restart it")
def label_change(t):
    t.pod(FOREVER, labels={"a": "1"})
    before = state_of(t.ready())["containerID"]
    t.api.merge(f"{t.core}/pods/p", {"metadata": {"labels": {"a": "2"}}})
    t.stays(lambda pod: running(pod) and state_of(pod)["containerID"] == before, "the same container", 2)


@case("a finished pod keeps its status and its container's end")
def finished_stays(t):
    t.pod("echo x >/dev/termination-log; exit 3")
    before = terminated(t.ended())
    t.stays(lambda pod: terminated(pod) == before and phase(pod) == "Failed", "as it was", 2)


@case("of a long termination message the last 4096 bytes are kept")
def long_message(t):
    t.pod("{ printf begin; head -c 9000 /dev/zero | tr '\\0' x; printf end; } >/dev/termination-log")
    message = t.message(t.ended())
    same([len(message), message[:5], message[-4:]], [4096, "xxxxx", "xend"])
