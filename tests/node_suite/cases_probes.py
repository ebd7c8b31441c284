"""Probes: what they ask, how often, and what follows."""
import time

from frame import case, condition, has, holds, is_ready, running, same, state_of

FOREVER = "trap 'exit 0' TERM; while :; do sleep 0.1; done"
OFTEN = {"periodSeconds": 1, "failureThreshold": 1}


def command(*words, **fields):
    return {"exec": {"command": list(words)}, "periodSeconds": 1, **fields}


def restarted(pod):
    return state_of(pod).get("restartCount", 0) >= 1


@case("a container without a readiness probe is ready when it runs")
def ready_without_probe(t):
    t.pod(FOREVER)
    status = state_of(t.ready())
    same([status["ready"], status["started"]], [True, True])


@case("a container is not ready until its readiness probe has succeeded")
def readiness_exec(t):
    t.pod("sleep 3; touch /var/tmp/up; " + FOREVER, readinessProbe=command("test", "-e", "/var/tmp/up"))
    pod = t.runs()
    same([state_of(pod)["ready"], state_of(pod)["started"]], [False, True])
    verdict = condition(pod, "Ready")
    same([verdict["status"], verdict["reason"], verdict["message"]],
         ["False", "ContainersNotReady", "containers with unready status: [c]"])
    t.ready()


@case("a readiness probe that fails again takes readiness away; nothing is restarted")
def readiness_lost(t):
    web = t.serve()
    t.pod(FOREVER, restart="Always", readinessProbe=web.get(**OFTEN))
    t.ready()
    web.code = 500
    pod = t.until(lambda pod: not is_ready(pod), "no longer ready")
    same(state_of(pod)["restartCount"], 0)
    web.code = 200
    t.ready()


@case("an HTTP probe asks with GET, kubelet's User-Agent and the headers given")
def http_request(t):
    web = t.serve()
    probe = web.get("/healthz?x=1", **OFTEN)
    probe["httpGet"]["httpHeaders"] = [{"name": "X-Custom", "value": "yes"}]
    t.pod(FOREVER, readinessProbe=probe)
    t.ready()
    path, headers = web.requests[0]
    same(path, "/healthz?x=1")
    same(headers["X-Custom"], "yes")
    has(headers["User-Agent"], "kube-probe/1.34")
    same(headers["Connection"], "close")


@case("an HTTP probe succeeds with any code from 200 to 399")
def http_codes(t):
    web = t.serve(399)
    t.pod(FOREVER, readinessProbe=web.get(**OFTEN))
    t.ready()


@case("an HTTP probe that gets 404 fails, and the event Unhealthy has the code")
def http_failure(t):
    web = t.serve(404)
    t.pod(FOREVER, readinessProbe=web.get(**OFTEN))
    event = t.event("Unhealthy")
    same(event["message"], "Readiness probe failed: HTTP probe failed with statuscode: 404")
    same(event["type"], "Warning")


@case("an HTTP probe follows a redirect on the same host")
def http_redirect(t):
    web, other = t.serve(302), t.serve(200)
    web.headers["Location"] = f"http://127.0.0.1:{other.port}/next"
    t.pod(FOREVER, readinessProbe=web.get(**OFTEN))
    t.ready()
    same(other.requests[0][0], "/next")


@case("without a host a probe asks the pod's own address")
def probe_pod_address(t):
    t.pod(FOREVER, readinessProbe={"httpGet": {"port": 7}, **OFTEN})
    message = t.event("Unhealthy")["message"]
    address = t.get()["status"]["podIP"]
    holds(message.startswith(f'Readiness probe failed: Get "http://{address}:7/": dial tcp {address}:7: '), message)
    has(message, "connection refused")


@case("a port by name is the container's port of that name")
def probe_named_port(t):
    t.pod(FOREVER, ports=[{"name": "web", "containerPort": 9}], readinessProbe={"tcpSocket": {"port": "web"}, **OFTEN})
    has(t.event("Unhealthy")["message"], ":9: connect: connection refused")


@case("a TCP probe succeeds when the connection opens")
def tcp_success(t):
    web = t.serve()
    t.pod(FOREVER, readinessProbe={"tcpSocket": {"host": "127.0.0.1", "port": web.port}, **OFTEN})
    t.ready()


@case("a TCP probe that is refused fails, and the event says so")
def tcp_failure(t):
    t.pod(FOREVER, readinessProbe={"tcpSocket": {"port": 9}, **OFTEN})
    address = t.get()["status"].get("podIP") or t.runs()["status"]["podIP"]
    same(t.event("Unhealthy")["message"],
         f"Readiness probe failed: dial tcp {address}:9: connect: connection refused")


@case("a failed exec probe is told with what the command printed")
def exec_failure_output(t):
    t.pod(FOREVER, readinessProbe=command("/bin/sh", "-c", "echo not yet; exit 1"))
    same(t.event("Unhealthy")["message"].strip(), "Readiness probe failed: not yet")


@case("an exec probe that takes longer than timeoutSeconds has failed")
def exec_timeout(t):
    t.pod(FOREVER, readinessProbe=command("sleep", "20", timeoutSeconds=1))
    has(t.event("Unhealthy")["message"], "timed out")
    same(is_ready(t.get()), False)


@case("an HTTP probe that gets no answer within timeoutSeconds has failed")
def http_timeout(t):
    web = t.serve()
    web.delay = 10
    t.pod(FOREVER, readinessProbe=web.get(timeoutSeconds=1, **OFTEN))
    message = t.event("Unhealthy")["message"]
    has(message, "Client.Timeout exceeded while awaiting headers")


@case("a liveness probe that fails failureThreshold times restarts the container")
def liveness_restarts(t):
    t.pod(FOREVER, restart="Always", livenessProbe=command("false", failureThreshold=2))
    pod = t.until(restarted, "it restarted")
    last = state_of(pod)["lastState"].get("terminated") or t.until(
        lambda pod: state_of(pod)["lastState"].get("terminated"), "lastState")["status"]
    holds(last, "lastState")
    t.event("Killing", "Container c failed liveness probe, will be restarted")


@case("a container that its liveness probe gave up has the grace period to end")
def liveness_grace(t):
    t.pod("trap 'exit 5' TERM; while :; do sleep 0.1; done", restart="Always", terminationGracePeriodSeconds=30,
          livenessProbe=command("false", failureThreshold=1))
    pod = t.until(lambda pod: restarted(pod) and state_of(pod)["lastState"].get("terminated"), "it restarted")
    same(state_of(pod)["lastState"]["terminated"]["exitCode"], 5)


@case("terminationGracePeriodSeconds of a liveness probe comes before the pod's")
def liveness_own_grace(t):
    t.pod("trap '' TERM; while :; do sleep 0.1; done", restart="Always", terminationGracePeriodSeconds=600,
          livenessProbe=command("false", failureThreshold=1, terminationGracePeriodSeconds=1))
    pod = t.until(lambda pod: restarted(pod) and state_of(pod)["lastState"].get("terminated"), "it restarted",
                  seconds=60)
    same(state_of(pod)["lastState"]["terminated"]["exitCode"], 137)
    # Nobody waits ten minutes for it when the suite ends.
    t.delete(grace=1)
    t.gone()


@case("under restartPolicy Never a failed liveness probe ends the pod as Failed")
def liveness_never(t):
    t.pod("trap 'exit 1' TERM; while :; do sleep 0.1; done", livenessProbe=command("false", failureThreshold=1))
    pod = t.ended()
    same(pod["status"]["phase"], "Failed")


@case("a liveness failure below failureThreshold changes nothing", slow=True)
def liveness_below_threshold(t):
    t.pod(FOREVER, restart="Always", livenessProbe=command("false", failureThreshold=100))
    t.event("Unhealthy", "Liveness probe failed")
    t.stays(lambda pod: not restarted(pod), "not restarted", 4)
    same(is_ready(t.get()), True)


@case("successThreshold successes in a row are needed to be ready")
def success_threshold(t):
    web = t.serve()
    t.pod(FOREVER, readinessProbe=web.get(periodSeconds=1, successThreshold=3))
    t.ready()
    holds(len(web.requests) >= 3, f"{len(web.requests)} requests")


@case("failureThreshold failures in a row are needed to lose readiness")
def failure_threshold(t):
    web = t.serve()
    t.pod(FOREVER, readinessProbe=web.get(periodSeconds=1, failureThreshold=3))
    t.ready()
    before = len(web.requests)
    web.code = 500
    t.until(lambda pod: not is_ready(pod), "no longer ready")
    holds(len(web.requests) - before >= 3, f"{len(web.requests) - before} requests")


@case("no probe is made before initialDelaySeconds have passed", slow=True)
def initial_delay(t):
    web = t.serve()
    t.pod(FOREVER, readinessProbe=web.get(initialDelaySeconds=4, **OFTEN))
    t.runs()
    time.sleep(2)
    same(web.requests, [])
    t.ready()


@case("liveness and readiness probes wait for the startup probe")
def startup_first(t):
    startup, other = t.serve(500), t.serve(200)
    t.pod(FOREVER, startupProbe=startup.get(periodSeconds=1, failureThreshold=100), livenessProbe=other.get(**OFTEN),
          readinessProbe=other.get(**OFTEN))
    pod = t.until(lambda pod: running(pod) and startup.requests, "the startup probe asks")
    time.sleep(2)
    same([state_of(pod)["started"], state_of(pod)["ready"], other.requests], [False, False, []])
    startup.code = 200
    pod = t.ready()
    same(state_of(pod)["started"], True)
    holds(other.requests, "the others ask now")


@case("the startup probe asks no more once it has succeeded")
def startup_once(t):
    web = t.serve()
    t.pod(FOREVER, startupProbe=web.get(periodSeconds=1))
    t.ready()
    before = len(web.requests)
    time.sleep(3)
    same(len(web.requests), before)


@case("a startup probe that fails failureThreshold times restarts the container")
def startup_restarts(t):
    t.pod(FOREVER, restart="Always", startupProbe=command("false", failureThreshold=2))
    t.until(restarted, "it restarted")
    t.event("Unhealthy", "Startup probe failed")
    t.event("Killing", "Container c failed startup probe, will be restarted")


@case("a readiness gate holds the pod back although its containers are ready")
def readiness_gate(t):
    t.pod(FOREVER, readinessGates=[{"conditionType": "example.com/go"}])
    pod = t.until(lambda pod: condition(pod, "ContainersReady").get("status") == "True", "containers are ready")
    verdict = condition(pod, "Ready")
    same([verdict["status"], verdict["reason"], verdict["message"]],
         ["False", "ReadinessGatesNotReady",
          'corresponding condition of pod readiness gate "example.com/go" does not exist.'])


@case("a readiness gate that is set lets the pod be ready, and the condition is kept")
def readiness_gate_set(t):
    t.pod(FOREVER, readinessGates=[{"conditionType": "example.com/go"}])
    t.until(lambda pod: condition(pod, "ContainersReady").get("status") == "True", "containers are ready")
    t.api.patch_status(f"{t.core}/pods/p", {"status": {"conditions": [{"type": "example.com/go", "status": "True"}]}})
    same(condition(t.ready(), "example.com/go")["status"], "True")


@case("probes start again with a restarted container: it is not ready at once", slow=True)
def probes_after_restart(t):
    web = t.serve()
    t.pod("sleep 2; exit 1", restart="Always", readinessProbe=web.get(initialDelaySeconds=1, **OFTEN))
    t.until(restarted, "it restarted")
    pod = t.until(lambda pod: restarted(pod) and not running(pod), "it ended again")
    same(state_of(pod)["ready"], False)


@case("an exec probe whose command is not there has failed, with the reason in the event")
def probe_command_missing(t):
    t.pod(FOREVER, readinessProbe=command("no-such-program"))
    has(t.event("Unhealthy")["message"], "executable file not found in $PATH")
