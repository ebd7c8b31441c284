"""PodSecurity: labels that were taken and not enforced; and other policies that say so now."""
import http.client
import json
import threading

from asking import as_token, refused
from attacks import attack
from world import Refused

LABEL = "pod-security.kubernetes.io/enforce"
POLICIES = {
    "networking.k8s.io/v1/namespaces/{}/networkpolicies": {"podSelector": {}},
    "v1/namespaces/{}/resourcequotas": {"hard": {"pods": "0"}},
    "v1/namespaces/{}/limitranges": {"limits": [{"type": "Pod", "max": {"cpu": "1"}}]},
    "admissionregistration.k8s.io/v1/validatingwebhookconfigurations": None,
    "admissionregistration.k8s.io/v1/mutatingwebhookconfigurations": None,
    "admissionregistration.k8s.io/v1/validatingadmissionpolicies": {
        "matchConstraints": {"resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"],
                                                "resources": ["pods"]}]}, "validations": [{"expression": "false"}]},
    "admissionregistration.k8s.io/v1/validatingadmissionpolicybindings": {"policyName": "p",
                                                                          "validationActions": ["Deny"]},
}


def ask_for(world, tenant, level):
    world.machine.api.merge(f"/api/v1/namespaces/{tenant.ns}", {"metadata": {"labels": {LABEL: level}}})


@attack("PodSecurity is enforced")
def runs_as_root_where_nobody_may(world):
    tenant = world.tenant()
    ask_for(world, tenant, "restricted")
    if refused(lambda: tenant.running(tenant.pod("p", "sleep 10000"))):
        return None
    return tenant.run("p", "id")[1]


@attack("PodSecurity is enforced")
def has_a_controller_make_it(world):
    """The controllers have every right, and are judged as anybody."""
    tenant = world.tenant()
    ask_for(world, tenant, "baseline")
    path = f"/apis/apps/v1/namespaces/{tenant.ns}/replicasets"
    pod = tenant.pod("p", "sleep 10000", hostNetwork=True)
    tenant.api.create(path, {"metadata": {"name": "r"}, "spec": {
        "selector": {"matchLabels": {"a": "b"}},
        "template": {"metadata": {"labels": {"a": "b"}}, "spec": pod["spec"]}}})

    def look():
        found = tenant.api.get(f"{path}/r").get("status", {})
        return found.get("replicas") or found.get("conditions")
    found = world.machine.until(look, "the ReplicaSet has made its pod, or says why not", 60)
    return "a pod on the machine's network" if isinstance(found, int) else None


@attack("PodSecurity is enforced")
def is_faster_than_the_label(world):
    """Pods made without a pause while the label is set: none may be taken once that has been answered."""
    tenant = world.tenant()
    answered, made = threading.Event(), []

    def flood(number):
        api = as_token(tenant, tenant.api.credentials["Authorization"].removeprefix("Bearer "))
        for turn in range(1000):
            late = answered.is_set()
            try:
                api.create(tenant.path("Pod"), tenant.pod(f"p-{number}-{turn}", "true", hostPID=False,
                                                          hostNetwork=True, nodeName="nowhere"))
            except Refused:
                return
            if late:
                made.append(f"p-{number}-{turn}")
                return
    crew = [threading.Thread(target=flood, args=(number,)) for number in range(3)]
    for each in crew:
        each.start()
    ask_for(world, tenant, "baseline")
    answered.set()
    for each in crew:
        each.join()
    return made or None


@attack("what is not enforced is said")
def is_believed_to_be_kept_out(world):
    """Policies that this server does not enforce, taken without a word."""
    tenant, silent = world.tenant(), []
    for path, spec in POLICIES.items():
        kind = path.rsplit("/", 1)[1]
        where = ("/api/" if path.startswith("v1/") else "/apis/") + path.format(tenant.ns) + "?dryRun=All"
        body = {"metadata": {"name": "p"}, **({"spec": spec} if spec else {})}
        if not any("not enforced" in each for each in warnings(world.machine.api, where, body)):
            silent.append(kind)
    return silent or None


def warnings(api, path, body):
    connection: http.client.HTTPSConnection = api.connect()
    connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json", **api.credentials})
    answer = connection.getresponse()
    text = answer.read().decode(errors="replace")
    connection.close()
    if answer.status != 201:
        raise Refused(answer.status, text)
    return answer.headers.get_all("Warning") or []
