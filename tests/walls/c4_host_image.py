"""The image `host`: the machine's own root, as a tenant's image."""
from asking import acting_as, entered, grant, refused, secret_of, with_token_of, words_of
from attacks import attack
from world import Failed, NoUpgrade, Refused

KINDS = {"Deployment": "apps/v1", "StatefulSet": "apps/v1", "ReplicaSet": "apps/v1", "DaemonSet": "apps/v1",
         "Job": "batch/v1", "CronJob": "batch/v1"}
SPELLINGS = ("host", "host:latest", "library/host", "host:")


@attack("the image host is a reach")
def reads_files_of_the_machine(world):
    tenant, secret = world.tenant(), secret_of(world, "of-the-machine")
    body = tenant.pod("p", "sleep 10000", image="host")
    if refused(lambda: tenant.running(body)):
        return None
    return tenant.run("p", f"cat {secret}")[1]


def template(kind, image):
    pod = {"metadata": {"labels": {"a": "b"}}, "spec": {
        "restartPolicy": "Never" if kind.endswith("Job") else "Always", "initContainers": [
            {"name": "c", "image": image, "command": ["true"]}],
        "containers": [{"name": "d", "image": "localhost/tenants", "command": ["true"]}]}}
    spec = {"template": pod}
    if not kind.endswith("Job"):
        spec["selector"] = {"matchLabels": {"a": "b"}}
    if kind == "CronJob":
        spec = {"schedule": "0 0 1 1 *", "suspend": True, "jobTemplate": {"spec": spec}}
    return {"apiVersion": KINDS[kind], "kind": kind, "metadata": {"name": "t"}, "spec": spec}


@attack("the image host is a reach")
def spells_it_otherwise_in_templates(world):
    """In any kind that makes pods, in any container, in any way to write the name."""
    tenant = world.tenant()
    taken = []
    for kind, version in KINDS.items():
        path = f"/apis/{version}/namespaces/{tenant.ns}/{kind.lower()}s?dryRun=All"
        for image in SPELLINGS:
            if not refused(lambda body=template(kind, image), path=path: tenant.api.create(path, body)):
                taken.append(f"{kind} with {image}")
    return taken if len(taken) == len(KINDS) * len(SPELLINGS) else unexpected(taken)


def unexpected(taken):
    """Some, but not all: something else than the wall decided."""
    return f"only {taken}" if taken else None


@attack("a namespace is marked by who owns the machine")
def allows_itself_the_image(world):
    """A tenant that may write its own Namespace, for its labels, by each of the doors of it."""
    tenant = world.tenant()
    grant(tenant, "namer", {"apiGroups": [""], "resources": ["namespaces", "namespaces/status",
                                                              "namespaces/finalize"], "verbs": ["*"]})
    labels = {"labels": {"holdfast.dev/host-image": "allowed"}}
    path = f"/api/v1/namespaces/{tenant.ns}"
    whole = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": tenant.ns, **labels},
             "spec": {"finalizers": ["kubernetes"]}}
    refused(lambda: tenant.api.merge(f"{path}/status", {"metadata": labels}))
    refused(lambda: tenant.api.text("PUT", f"{path}/finalize", whole))
    refused(lambda: tenant.api.merge(path, {"metadata": labels}))
    if refused(lambda: tenant.create(tenant.pod("p", "true", image="host"))):
        return None
    return "a pod of the machine's own image"


@attack("a tenant's wish is judged by its namespace")
def has_the_operator_make_it(world):
    """What an operator makes from a tenant's wish, with the rights of the operator."""
    tenant, secret = world.tenant(), secret_of(world, "by-the-operator")
    body = tenant.pod("p", f"cat {secret}; sleep 10000", image="host")
    body["metadata"]["annotations"] = {"holdfast.dev/reach": "namespace"}
    if refused(lambda: world.machine.api.create(tenant.path("Pod"), body)):
        return None
    return words_of(tenant, "p")


def of_an_administrator(world, tenant, name="admins"):
    """A pod in the tenant's namespace, as the operator's movers are there."""
    body = tenant.pod(name, "sleep 10000", image="host")
    world.machine.api.create(tenant.path("Pod"), body)
    world.machine.until(lambda: (world.machine.get("Pod", name, tenant.ns) or {}).get("status", {}).get("phase")
                        == "Running", "the administrator's pod runs", 60)


@attack("exec is asked for as making is")
def gets_into_a_pod_of_the_operator(world):
    tenant, secret = world.tenant(), secret_of(world, "in-a-mover")
    of_an_administrator(world, tenant)
    try:
        return entered(tenant.api, tenant.ns, "admins", f"cat {secret}")
    except NoUpgrade as answer:
        return None if answer.code == 403 else f"{answer}"


@attack("exec is asked for as making is")
def gets_in_as_an_account(world):
    """As the namespace's own account, which `edit` may act as; and with a token of it."""
    tenant, secret = world.tenant(), secret_of(world, "as-an-account")
    grant(tenant, "entering", {"apiGroups": [""], "resources": ["pods/exec"], "verbs": ["*"]},
                   {"kind": "ServiceAccount", "name": "default", "namespace": tenant.ns})
    of_an_administrator(world, tenant)
    for api in (acting_as(tenant, f"system:serviceaccount:{tenant.ns}:default"), with_token_of(tenant, "default")):
        try:
            return entered(api, tenant.ns, "admins", f"cat {secret}")
        except NoUpgrade as answer:
            if answer.code != 403:
                return f"{answer}"
    return None


@attack("the image host is a reach")
def exchanges_the_image_of_its_own_pod(world):
    """A pod that was judged when it was made, given another image after."""
    tenant = world.tenant()
    tenant.create(tenant.pod("p", "sleep 10000"))
    patch = [{"op": "replace", "path": "/spec/containers/0/image", "value": "host"}]
    try:
        tenant.api.text("PATCH", tenant.path("Pod", "p"), patch, "application/json-patch+json")
    except Refused as answer:
        return None if answer.code == 403 else f"{answer}"
    return "its pod runs the machine's own image from its next start on"


@attack("pods of ours hold nothing of the machine")
def reads_the_machine_from_the_image_of_our_pods(world):
    """The program that movers are, in their own image: with it a tenant backs up a file of the machine."""
    tenant, secret = world.tenant(), secret_of(world, "beside-our-program")
    repository = [{"name": "r", "mountPath": "/r"}]
    environment = [{"name": "RESTIC_PASSWORD", "value": "of the tenant"}, {"name": "RESTIC_REPOSITORY", "value": "/r"}]
    container = {"name": "c", "image": "localhost/holdfast", "volumeMounts": repository, "env": environment}
    body = tenant.pod("p", "", [{"name": "r", "emptyDir": {}}])
    body["spec"]["initContainers"] = [{**container, "name": "i", "command": ["/usr/bin/holdfast", "repo", "init"]}]
    body["spec"]["containers"] = [{**container, "command": ["/usr/bin/holdfast", "repo", "backup", str(secret)]}]
    said = tenant.ended(body)
    if "snapshot" in said and "saved" in said:
        return said
    if f"{secret} is not there" in said:
        return None
    raise Failed(f"the backup ended by something else than that the file is not there: {said!r}")
