"""HostAccess: what an administrator allowed, changed by a tenant into something else; and other reaches."""
import json

from asking import grant, refused, secret_of, words_of
from attacks import attack

JSON_PATCH, STRATEGIC = "application/json-patch+json", "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"


class Agent:
    """An administrator's Deployment in a tenant's namespace, over one folder of the machine."""

    def __init__(self, world, command="sleep 10000", replicas=1):
        self.world, self.tenant = world, world.tenant()
        self.logs = secret_of(world, "logs/of-the-agent").parent
        self.vault = secret_of(world, "vault/mark").parent
        self.path = f"/apis/apps/v1/namespaces/{self.tenant.ns}/deployments"
        world.machine.api.create(self.path, self.body(self.logs, command, replicas))

    def body(self, folder, command, replicas=1, **container):
        labels = {"app": "agent"}
        return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "agent"}, "spec": {
            "replicas": replicas, "selector": {"matchLabels": labels}, "template": {
                "metadata": {"labels": labels}, "spec": {
                    "terminationGracePeriodSeconds": 0,
                    "volumes": [{"name": "h", "hostPath": {"path": str(folder)}}],
                    "containers": [{"name": "c", "image": self.world.IMAGE, "command": ["/bin/sh", "-c", command],
                                    "volumeMounts": [{"name": "h", "mountPath": "/h", "readOnly": True}],
                                    **container}]}}}}

    def change(self, body, content_type, query=""):
        return refused(lambda: self.tenant.api.text("PATCH", f"{self.path}/agent{query}", body, content_type))

    def told(self):
        """What a pod of the changed template says."""
        def look():
            return next((each["metadata"]["name"] for each in self.world.machine.list("Pod", self.tenant.ns)
                         if str(self.vault) in json.dumps(each["spec"])), None)
        return words_of(self.tenant, self.world.machine.until(look, "a pod of the changed template is made", 60))


@attack("a change of what reaches is asked for")
def exchanges_a_host_path(world):
    agent = Agent(world)
    spec = "/spec/template/spec"
    if agent.change([{"op": "replace", "path": f"{spec}/volumes/0/hostPath/path", "value": str(agent.vault)},
                     {"op": "replace", "path": f"{spec}/containers/0/command",
                      "value": ["/bin/sh", "-c", "cat /h/mark; sleep 10000"]}], JSON_PATCH):
        return None
    return agent.told()


@attack("a change of what reaches is asked for")
def adds_privileges(world):
    """To the container that is there, or by one beside it, which shares the volume."""
    agent = Agent(world, replicas=0)
    changes = ({"name": "c", "securityContext": {"privileged": True}},
               {"name": "mine", "image": world.IMAGE, "volumeMounts": [{"name": "h", "mountPath": "/h"}]},
               {"name": "c", "image": "host"}, {"name": "c", "command": ["/bin/sh", "-c", "cat /h/*"]})
    done = [each for each in changes if not agent.change(
        {"spec": {"template": {"spec": {"containers": [each]}}}}, STRATEGIC, "?dryRun=All")]
    return done or None


@attack("a change of what reaches is asked for")
def takes_over_by_apply(world):
    """Server-side apply, which asks for the fields of others by force."""
    agent = Agent(world, replicas=0)
    body = agent.body(agent.vault, "cat /h/mark", replicas=0)
    if agent.change(body, APPLY, "?fieldManager=tenant&force=true"):
        return None
    found = world.machine.api.get(f"{agent.path}/agent")["spec"]["template"]["spec"]["volumes"]
    return json.dumps(found)


@attack("a change of what reaches is asked for")
def replaces_the_whole(world):
    agent = Agent(world, replicas=0)
    whole = world.machine.api.get(f"{agent.path}/agent")
    del whole["metadata"]["resourceVersion"]  # its controller writes too
    whole["spec"]["template"]["spec"]["volumes"][0]["hostPath"]["path"] = str(agent.vault)
    if refused(lambda: agent.tenant.api.text("PUT", f"{agent.path}/agent", whole)):
        return None
    return "the administrator's Deployment has another folder"


@attack("a tenant's wish is judged by its namespace")
def takes_off_the_mark_of_a_template(world):
    """Made from a tenant's wish for a namespace that was allowed it, and is no more."""
    tenant = world.tenant()
    space, label = f"/api/v1/namespaces/{tenant.ns}", "holdfast.dev/host-image"
    path = f"/apis/apps/v1/namespaces/{tenant.ns}/deployments"
    api = world.machine.api
    pod = tenant.pod("p", "sleep 10000", image="host")
    pod["metadata"] = {"labels": {"a": "b"}, "annotations": {"holdfast.dev/reach": "namespace"}}
    del pod["apiVersion"], pod["kind"]
    api.merge(space, {"metadata": {"labels": {label: "allowed"}}})
    api.create(path, {"metadata": {"name": "d"}, "spec": {"replicas": 0, "selector": {"matchLabels": {"a": "b"}},
                                                          "template": pod}})
    sets = f"/apis/apps/v1/namespaces/{tenant.ns}/replicasets"
    world.machine.until(lambda: api.get(sets)["items"], "the Deployment has its ReplicaSet", 60)
    api.merge(space, {"metadata": {"labels": {label: None}}})
    grown = {"spec": {"replicas": 1}}
    bare = {"spec": {"template": {"metadata": {"annotations": {"holdfast.dev/reach": None}}}}}
    refused(lambda: tenant.api.merge(f"{path}/d", bare))
    tenant.api.merge(f"{path}/d", grown)

    def look():
        found = api.get(f"{path}/d").get("status", {})
        failures = [each for each in found.get("conditions") or [] if each["type"] == "ReplicaFailure"]
        return found.get("replicas") or failures
    found = world.machine.until(look, "the Deployment has made its pod, or says why not", 60)
    return "a pod of the machine's own image" if isinstance(found, int) else None


@attack("an unconfined profile is a reach")
def asks_for_no_filter(world):
    """Of system calls: in the pod, a container, and by the annotations of old."""
    tenant = world.tenant()
    none = {"seccompProfile": {"type": "Unconfined"}}
    bodies = [tenant.pod("a", "true", security=none), tenant.pod("b", "true", securityContext=none)]
    for name in ("seccomp.security.alpha.kubernetes.io/pod", "container.seccomp.security.alpha.kubernetes.io/c"):
        bodies.append(tenant.pod("c", "true"))
        bodies[-1]["metadata"]["annotations"] = {name: "unconfined"}
    return dry(tenant, bodies)


@attack("an unconfined profile is a reach")
def slips_it_in_by_a_binding(world):
    """A binding carries annotations onto the pod that it gives a node."""
    tenant = world.tenant()
    grant(tenant, "binder", {"apiGroups": [""], "resources": ["pods/binding"], "verbs": ["create"]})
    tenant.create(tenant.pod("p", "true", schedulerName="mine"))
    annotations = {"container.seccomp.security.alpha.kubernetes.io/c": "unconfined"}
    if refused(lambda: tenant.api.create(f"{tenant.path('Pod', 'p')}/binding", {
            "metadata": {"name": "p", "annotations": annotations}, "target": {"kind": "Node", "name": "nowhere"}})):
        return None
    return json.dumps(world.machine.get("Pod", "p", tenant.ns)["metadata"]["annotations"])


@attack("an unmasked /proc is a reach")
def asks_for_an_unmasked_proc(world):
    tenant = world.tenant()
    return dry(tenant, [tenant.pod("a", "true", security={"procMount": "Unmasked"}, hostUsers=False)])


@attack("users of the machine are a reach")
def asks_for_the_users_of_the_machine(world):
    tenant = world.tenant()
    return dry(tenant, [tenant.pod("a", "true", hostUsers=True)])


def dry(tenant, bodies):
    """Those that the server would take."""
    path = f"{tenant.path('Pod')}?dryRun=All"
    return [each["metadata"]["name"] for each in bodies
            if not refused(lambda each=each: tenant.api.create(path, each))] or None
