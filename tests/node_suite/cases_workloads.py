"""Workloads end to end: what controllers and nodes do together."""
from frame import case, holds, is_ready, same

FOREVER = "trap 'exit 0' TERM; while :; do sleep 0.1; done"
APPS, BATCH = "/apis/apps/v1", "/apis/batch/v1"


def template(script, labels=None, **spec):
    container = {"name": "c", "image": "host", "imagePullPolicy": "Never", "command": ["/bin/sh", "-c", script]}
    container.update(spec.pop("container", {}))
    return {"metadata": {"labels": labels or {"app": "w"}},
            "spec": {"containers": [container], "terminationGracePeriodSeconds": 1, **spec}}


def pods(t, selector="app%3Dw"):
    return t.api.get(f"{t.core}/pods?labelSelector={selector}")["items"]


def deployment(t, replicas, script=FOREVER, **spec):
    return t.create(f"{APPS}/namespaces/{t.ns}/deployments", {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "w"}},
                 "template": template(script, **spec)}})


def stateful_set(t, replicas, script=FOREVER, **fields):
    t.create(f"{t.core}/services", {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"},
                                    "spec": {"clusterIP": "None", "selector": {"app": "w"}, "ports": [{"port": 80}]}})
    t.create(f"{APPS}/namespaces/{t.ns}/statefulsets", {
        "apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "s"},
        "spec": {"replicas": replicas, "serviceName": "s", "selector": {"matchLabels": {"app": "w"}},
                 "template": template(script), **fields}})


def job(t, script, **spec):
    t.create(f"{BATCH}/namespaces/{t.ns}/jobs", {
        "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"},
        "spec": {"template": template(script, restartPolicy="Never"), **spec}})


def job_condition(t, kind):
    def look():
        found = t.api.get(f"{BATCH}/namespaces/{t.ns}/jobs/j")
        return found if any(each["type"] == kind and each["status"] == "True"
                            for each in found["status"].get("conditions") or []) else None
    return t.await_that(look, f"the job is {kind}")


@case("a Deployment's pods become ready, and it is available")
def deployment_available(t):
    deployment(t, 2)
    found = t.await_that(lambda: (lambda d: d if d["status"].get("availableReplicas") == 2 else None)(
        t.api.get(f"{APPS}/namespaces/{t.ns}/deployments/d")), "two are available")
    same(found["status"]["readyReplicas"], 2)


@case("a Deployment's pod that is deleted is replaced by a ready one")
def deployment_heals(t):
    deployment(t, 1)
    first = t.await_that(lambda: [pod for pod in pods(t) if is_ready(pod)], "a ready pod")[0]
    t.delete(first["metadata"]["name"])
    t.await_that(lambda: [pod for pod in pods(t) if is_ready(pod) and
                          pod["metadata"]["uid"] != first["metadata"]["uid"]], "another ready pod")


@case("a rolling update replaces pods only by ready ones")
def deployment_rolls(t):
    deployment(t, 2)
    t.await_that(lambda: sum(map(is_ready, pods(t))) == 2, "two ready pods")
    t.api.merge(f"{APPS}/namespaces/{t.ns}/deployments/d",
                {"spec": {"template": template("echo v2; " + FOREVER, {"app": "w", "v": "2"})}})
    least = []

    def look():
        now = pods(t)
        least.append(sum(map(is_ready, now)))
        return len(now) == 2 and all(pod["metadata"]["labels"].get("v") == "2" and is_ready(pod) for pod in now)
    t.await_that(look, "all pods are new and ready")
    holds(min(least) >= 1, f"ready pods in between: {min(least)}")


@case("a StatefulSet starts its pods one after the other, each when the one before is ready")
def stateful_set_order(t):
    stateful_set(t, 3, "sleep 1; " + FOREVER)
    t.await_that(lambda: sum(map(is_ready, pods(t))) == 3, "three ready pods")
    starts = [t.get(f"s-{i}") for i in range(3)]
    ready = [[each["lastTransitionTime"] for each in pod["status"]["conditions"] if each["type"] == "Ready"][0]
             for pod in starts]
    holds(ready[0] <= starts[1]["metadata"]["creationTimestamp"] and
          ready[1] <= starts[2]["metadata"]["creationTimestamp"], f"{ready}")


@case("a StatefulSet's pods have stable names, hostnames and the service's domain in /etc/hosts")
def stateful_set_names(t):
    stateful_set(t, 1)
    t.ready("s-0")
    same(t.output("cat /proc/sys/kernel/hostname", "s-0"), "s-0\n")
    hosts = [line.split() for line in t.output("cat /etc/hosts", "s-0").splitlines()]
    holds([t.get("s-0")["status"]["podIP"], f"s-0.s.{t.ns}.svc.cluster.local", "s-0"] in hosts, f"{hosts}")


@case("a StatefulSet's pod that is deleted comes back under its name")
def stateful_set_heals(t):
    stateful_set(t, 1)
    first = t.ready("s-0")["metadata"]["uid"]
    t.delete("s-0")
    t.await_that(lambda: [pod for pod in pods(t) if is_ready(pod) and pod["metadata"]["uid"] != first],
                 "the pod is back")
    same([pod["metadata"]["name"] for pod in pods(t)], ["s-0"])


@case("a Job whose pod succeeds is complete")
def job_completes(t):
    job(t, "true")
    same(job_condition(t, "Complete")["status"]["succeeded"], 1)


@case("a Job whose pods fail is tried again, and fails after backoffLimit", slow=True)
def job_fails(t):
    job(t, "exit 1", backoffLimit=1)
    same(job_condition(t, "Failed")["status"]["failed"], 2)


@case("a Job of several completions runs as many pods")
def job_completions(t):
    job(t, "true", completions=3, parallelism=3)
    same(job_condition(t, "Complete")["status"]["succeeded"], 3)


@case("a pod that is ready is in its service's endpoints, one that is not ready is not")
def endpoints_follow_readiness(t):
    web = t.serve()
    t.create(f"{t.core}/services", {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"},
                                    "spec": {"selector": {"app": "w"}, "ports": [{"port": 80}]}})
    t.pod(FOREVER, labels={"app": "w"}, readinessProbe=web.get(periodSeconds=1, failureThreshold=1))
    address = t.ready()["status"]["podIP"]

    def ready_addresses():
        slices = t.api.get(f"/apis/discovery.k8s.io/v1/namespaces/{t.ns}/endpointslices")["items"]
        return [ip for each in slices for end in each.get("endpoints") or [] if end["conditions"].get("ready")
                for ip in end["addresses"]]
    t.await_that(lambda: address in ready_addresses(), "the address is there")
    web.code = 500
    t.await_that(lambda: address not in ready_addresses(), "the address is gone")
