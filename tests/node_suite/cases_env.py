"""The environment of a container: values, references, expansion."""
from frame import c, case, has, holds, phase, same, waiting

FOREVER = "trap 'exit 0' TERM; while :; do sleep 0.2; done"


def field(name, path):
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}


def resource(name, which, divisor=None, container=None):
    ref = {"resource": which}
    if divisor:
        ref["divisor"] = divisor
    if container:
        ref["containerName"] = container
    return {"name": name, "valueFrom": {"resourceFieldRef": ref}}


def key(kind, name, entry, optional=None):
    ref = {"name": name, "key": entry}
    if optional is not None:
        ref["optional"] = optional
    return {"name": "X", "valueFrom": {f"{kind}KeyRef": ref}}


def printed(t, text, **spec):
    return t.said(f'printf %s "{text}"', **spec)


@case("a literal value is what the container sees")
def env_value(t):
    same(printed(t, "$X", env=[{"name": "X", "value": "a  b"}]), "a  b")


@case("$(NAME) in a value is the variable defined before it")
def env_expansion(t):
    same(printed(t, "$B", env=[{"name": "A", "value": "one"}, {"name": "B", "value": "<$(A)>"}]), "<one>")


@case("$(NAME) of a variable that is unknown, or defined later, stays as it is written")
def env_expansion_unknown(t):
    same(t.said("env | grep ^B=", env=[{"name": "B", "value": "$(A)$(NONE)"}, {"name": "A", "value": "one"}]),
         "B=$(A)$(NONE)\n")


@case("$$(NAME) is $(NAME), not expanded")
def env_expansion_escaped(t):
    same(t.said("env | grep ^B=", env=[{"name": "A", "value": "one"}, {"name": "B", "value": "$$(A) $A"}]),
         "B=$(A) $A\n")


@case("$(NAME) is expanded in command and args")
def command_expansion(t):
    t.pod("", command=["/bin/sh", "-c", "echo $(A) \"$@\" >/dev/termination-log", "sh"], args=["$(A)", "$$(A)", "$(N)"],
          env=[{"name": "A", "value": "one"}])
    same(t.message(t.ended()), "one one $(A) $(N)\n")


@case("args follow command")
def args_follow_command(t):
    t.pod("", command=["/bin/sh", "-c"], args=["echo args >/dev/termination-log"])
    same(t.message(t.ended()), "args\n")


@case("fieldRef gives the pod's name, namespace and uid")
def env_field_metadata(t):
    env = [field("N", "metadata.name"), field("S", "metadata.namespace"), field("U", "metadata.uid")]
    text = printed(t, "$N $S $U", env=env)
    same(text, f"p {t.ns} {t.get()['metadata']['uid']}")


@case("fieldRef gives one label and one annotation; one that is not there is empty")
def env_field_label(t):
    env = [field("L", "metadata.labels['app']"), field("A", "metadata.annotations['x/y']"),
           field("N", "metadata.labels['none']")]
    same(printed(t, "$L $A <$N>", env=env, labels={"app": "web"}, annotations={"x/y": "z"}), "web z <>")


@case("fieldRef gives the node's name and the service account's")
def env_field_spec(t):
    text = printed(t, "$N $S", env=[field("N", "spec.nodeName"), field("S", "spec.serviceAccountName")])
    same(text, f"{t.get()['spec']['nodeName']} default")


@case("fieldRef gives the pod's and the host's addresses as the status has them")
def env_field_address(t):
    text = printed(t, "$P $H $S", env=[field("P", "status.podIP"), field("H", "status.hostIP"),
                                       field("S", "status.podIPs")])
    status = t.get()["status"]
    same(text, f"{status['podIP']} {status['hostIP']} {status['podIP']}")


@case("resourceFieldRef gives limits and requests, rounded up to the divisor")
def env_resource(t):
    env = [resource("C", "limits.cpu"), resource("M", "limits.cpu", "1m"), resource("B", "limits.memory"),
           resource("K", "requests.memory", "1Mi")]
    same(printed(t, "$C $M $B $K", env=env,
                 resources={"limits": {"cpu": "250m", "memory": "64Mi"}, "requests": {"memory": "33M"}}),
         "1 250 67108864 32")


@case("resourceFieldRef of a limit that is not set gives what the node can allocate")
def env_resource_default(t):
    text = printed(t, "$M", env=[resource("M", "limits.memory")])
    holds(int(text) > 256 << 20, f"limits.memory: {text}")


@case("configMapKeyRef and secretKeyRef give the key's value")
def env_keys(t):
    t.config_map("m", {"k": "from map"})
    t.secret("s", {"k": "from secret"})
    second = {**key("secret", "s", "k"), "name": "Y"}
    same(printed(t, "$X,$Y", env=[key("configMap", "m", "k"), second]), "from map,from secret")


@case("an optional key, map or secret that is not there leaves the variable unset")
def env_optional(t):
    t.config_map("m", {"k": "v"})
    env = [key("configMap", "m", "none", True), {**key("configMap", "none", "k", True), "name": "Y"},
           {**key("secret", "none", "k", True), "name": "Z"}]
    same(printed(t, "${X-unset} ${Y-unset} ${Z-unset}", env=env), "unset unset unset")


def refusal(t, env):
    t.pod("true", **env)
    pod = t.until(lambda pod: waiting(pod).get("reason") == "CreateContainerConfigError", "the reason")
    same(phase(pod), "Pending")
    return waiting(pod)["message"]


@case("a ConfigMap that is not there keeps the container waiting with CreateContainerConfigError")
def env_missing_map(t):
    same(refusal(t, {"env": [key("configMap", "m", "k")]}), 'configmap "m" not found')


@case("a key that is not in the ConfigMap is named with namespace and map")
def env_missing_map_key(t):
    t.config_map("m", {"k": "v"})
    same(refusal(t, {"env": [key("configMap", "m", "q")]}), f"couldn't find key q in ConfigMap {t.ns}/m")


@case("a Secret that is not there keeps the container waiting with CreateContainerConfigError")
def env_missing_secret(t):
    same(refusal(t, {"env": [key("secret", "s", "k")]}), 'secret "s" not found')


@case("a key that is not in the Secret is named with namespace and secret")
def env_missing_secret_key(t):
    t.secret("s", {"k": "v"})
    same(refusal(t, {"env": [key("secret", "s", "q")]}), f"couldn't find key q in Secret {t.ns}/s")


@case("envFrom of a ConfigMap that is not there keeps the container waiting")
def env_from_missing(t):
    same(refusal(t, {"envFrom": [{"configMapRef": {"name": "m"}}]}), 'configmap "m" not found')


@case("CreateContainerConfigError is told in an event Failed, and ends when the object comes", slow=True)
def env_recovers(t):
    refusal(t, {"env": [key("configMap", "m", "k")]})
    t.event("Failed", 'Error: configmap "m" not found')
    t.config_map("m", {"k": "v"})
    same(phase(t.ended()), "Succeeded")


@case("envFrom gives all keys of a ConfigMap and a Secret, with the prefix")
def env_from(t):
    t.config_map("m", {"A": "1", "B": "2"})
    t.secret("s", {"C": "3"})
    same(printed(t, "$A$B$P_C", envFrom=[{"configMapRef": {"name": "m"}},
                                         {"prefix": "P_", "secretRef": {"name": "s"}}]), "123")


@case("env comes after envFrom, and a later envFrom after an earlier one")
def env_precedence(t):
    t.config_map("m", {"A": "m", "B": "m", "C": "m"})
    t.config_map("n", {"A": "n", "B": "n"})
    same(printed(t, "$A$B$C", envFrom=[{"configMapRef": {"name": "m"}}, {"configMapRef": {"name": "n"}}],
                 env=[{"name": "A", "value": "e"}]), "enm")


@case("an optional envFrom that is not there adds nothing")
def env_from_optional(t):
    same(printed(t, "fine", envFrom=[{"secretRef": {"name": "s", "optional": True}}]), "fine")


@case("services of the namespace are in the environment of pods made after them")
def service_links(t):
    t.create(f"{t.core}/services", {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "my-db"},
                                    "spec": {"selector": {"app": "db"}, "ports": [{"port": 5432}]}})
    text = printed(t, "$MY_DB_SERVICE_PORT $MY_DB_PORT_5432_TCP_PORT $MY_DB_PORT_5432_TCP_PROTO")
    same(text, "5432 5432 tcp")


@case("with enableServiceLinks false only the API server's own service is in the environment")
def no_service_links(t):
    t.create(f"{t.core}/services", {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "my-db"},
                                    "spec": {"selector": {"app": "db"}, "ports": [{"port": 5432}]}})
    text = printed(t, "<$MY_DB_SERVICE_PORT> ${KUBERNETES_SERVICE_HOST:+set} ${KUBERNETES_SERVICE_PORT:+set}",
                   enableServiceLinks=False)
    same(text, "<> set set")


@case("HOSTNAME is the pod's name, and PATH is set")
def env_hostname(t):
    same(t.said("env | grep ^HOSTNAME=; env | grep -c ^PATH="), "HOSTNAME=p\n1\n")


@case("a variable of the machine or the node is not in the container")
def env_nothing_else(t):
    text = t.said("env | cut -d= -f1", enableServiceLinks=False)
    strange = {name for name in text.split() if not name.startswith("KUBERNETES_")}
    holds(strange <= {"PATH", "HOME", "HOSTNAME", "PWD", "SHLVL", "_", "OLDPWD"}, f"variables: {strange}")


@case("an init container has an environment of its own")
def env_of_init(t):
    t.pod("true", initContainers=[c('echo "$X" >/dev/termination-log', "i", env=[{"name": "X", "value": "i"}])],
          env=[{"name": "X", "value": "c"}])
    pod = t.ended()
    has(pod["status"]["initContainerStatuses"][0]["state"]["terminated"].get("message"), "i")
