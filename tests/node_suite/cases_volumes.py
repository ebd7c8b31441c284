"""Volumes of pods: mounts, owners, and changes while the pod runs."""
import base64
import json
import time

from frame import Failed, c, case, has, holds, phase, running, same, state_of, waiting

FOREVER = "trap 'exit 0' TERM; while :; do sleep 0.2; done"


def at(volume, path="/v", **fields):
    return [{"name": volume, "mountPath": path, **fields}]


def one(source, **fields):
    """One volume and its mount at /v."""
    return {"volumes": [{"name": "v", **source}], "volumeMounts": at("v", **fields)}


@case("containers of a pod share an emptyDir")
def empty_dir_shared(t):
    reads = "while ! [ -e /v/x ]; do sleep 0.1; done; cat /v/x >/dev/termination-log"
    t.pod(containers=[c(reads, volumeMounts=at("v")),
                      c("echo hello >/v/x.tmp; mv /v/x.tmp /v/x", "w", volumeMounts=at("v"))],
          volumes=[{"name": "v", "emptyDir": {}}])
    same(t.message(t.ended()), "hello\n")


@case("an emptyDir is empty, and everybody may write to it")
def empty_dir_mode(t):
    same(t.said("stat -c %a /v; ls -A /v", **one({"emptyDir": {}})), "777\n")


@case("an emptyDir with medium Memory is a tmpfs")
def empty_dir_memory(t):
    has(t.said("grep ' /v ' /proc/mounts", **one({"emptyDir": {"medium": "Memory"}})), "tmpfs")


@case("a ConfigMap's keys are files, 0644, links into a folder that is swapped whole")
def config_map_files(t):
    t.config_map("m", {"a": "1", "b.txt": "2"})
    text = t.said("ls /v; cat /v/a /v/b.txt; echo; stat -L -c %a /v/a; readlink /v/a; "
                  "ls -A /v | grep -c '^[.][.]data$'", **one({"configMap": {"name": "m"}}))
    same(text, "a\nb.txt\n12\n644\n..data/a\n1\n")


@case("binaryData of a ConfigMap is decoded")
def config_map_binary(t):
    t.config_map("m", {}, binaryData={"x": base64.b64encode(b"bin").decode()})
    same(t.said("cat /v/x", **one({"configMap": {"name": "m"}})), "bin")


@case("items picks keys, gives them paths and modes; the others are not there")
def config_map_items(t):
    t.config_map("m", {"a": "1", "b": "2"})
    items = [{"key": "a", "path": "deep/er/file", "mode": 0o400}]
    same(t.said("ls /v; cat /v/deep/er/file; stat -L -c ' %a' /v/deep/er/file",
                **one({"configMap": {"name": "m", "items": items}})), "deep\n1 400\n")


@case("defaultMode is the mode of all files")
def config_map_mode(t):
    t.config_map("m", {"a": "1"})
    same(t.said("stat -L -c %a /v/a", **one({"configMap": {"name": "m", "defaultMode": 0o440}})), "440\n")


@case("a Secret's keys are files, 0644 unless said otherwise, in memory")
def secret_files(t):
    t.secret("s", {"key": "hidden"})
    text = t.said("cat /v/key; stat -L -c ' %a' /v/key; grep -c 'tmpfs /v ' /proc/mounts",
                  **one({"secret": {"secretName": "s"}}))
    same(text, "hidden 644\n1\n")


@case("files of ConfigMaps, Secrets and tokens cannot be written")
def config_map_read_only(t):
    t.config_map("m", {"a": "1"})
    has(t.said("echo x >/v/new", **one({"configMap": {"name": "m"}})), "Read-only file system")


@case("an optional ConfigMap or Secret that is not there is an empty folder")
def optional_volume(t):
    t.pod("ls /v /w >/dev/termination-log", containers=[
        c("ls /v /w >/dev/termination-log", volumeMounts=at("v") + at("w", "/w"))],
        volumes=[{"name": "v", "configMap": {"name": "none", "optional": True}},
                 {"name": "w", "secret": {"secretName": "none", "optional": True}}])
    same(t.message(t.ended()), "/v:\n\n/w:\n")


@case("a ConfigMap that is not there keeps the pod in ContainerCreating, with an event FailedMount")
def missing_config_map(t):
    t.pod("true", **one({"configMap": {"name": "none"}}))
    has(t.event("FailedMount")["message"], 'MountVolume.SetUp failed for volume "v" : configmap "none" not found')
    pod = t.until(waiting, "it waits")
    same([waiting(pod)["reason"], phase(pod)], ["ContainerCreating", "Pending"])


@case("a Secret that is not there keeps the pod in ContainerCreating, with an event FailedMount")
def missing_secret(t):
    t.pod("true", **one({"secret": {"secretName": "none"}}))
    has(t.event("FailedMount")["message"], 'MountVolume.SetUp failed for volume "v" : secret "none" not found')
    same(waiting(t.until(waiting, "it waits"))["reason"], "ContainerCreating")


@case("a key that items asks for and the ConfigMap has not is a FailedMount")
def missing_item(t):
    t.config_map("m", {"a": "1"})
    t.pod("true", **one({"configMap": {"name": "m", "items": [{"key": "q", "path": "q"}]}}))
    has(t.event("FailedMount")["message"], "references non-existent config key: q")


@case("a ConfigMap that comes later lets the pod start")
def config_map_comes(t):
    t.pod("cat /v/a >/dev/termination-log", **one({"configMap": {"name": "m"}}))
    t.event("FailedMount")
    t.config_map("m", {"a": "late"})
    same(t.message(t.ended()), "late")


@case("a changed ConfigMap is seen in the running container, whole", slow=True)
def config_map_update(t):
    t.config_map("m", {"a": "1", "b": "1"})
    t.pod("while [ $(cat /v/a) = 1 ]; do sleep 0.1; done; cat /v/* >/dev/termination-log",
          **one({"configMap": {"name": "m"}}))
    t.runs()
    t.api.merge(f"{t.core}/configmaps/m", {"data": {"a": "2", "b": "2", "c": "2"}})
    same(t.message(t.ended(seconds=150)), "222")


@case("a changed ConfigMap is not seen through a subPath", slow=True)
def config_map_sub_path_stays(t):
    t.config_map("m", {"a": "1"})
    t.pod("while [ $(cat /v/a) = 1 ]; do sleep 0.1; done; sleep 2; cat /f >/dev/termination-log",
          volumes=[{"name": "v", "configMap": {"name": "m"}}],
          volumeMounts=at("v") + at("v", "/f", subPath="a"))
    t.runs()
    t.api.merge(f"{t.core}/configmaps/m", {"data": {"a": "2"}})
    same(t.message(t.ended(seconds=150)), "1")


@case("subPath mounts one file of a volume")
def sub_path_file(t):
    t.config_map("m", {"a": "1"})
    same(t.said("cat /etc/one; ls /etc/passwd", volumes=[{"name": "v", "configMap": {"name": "m"}}],
                volumeMounts=at("v", "/etc/one", subPath="a")), "1/etc/passwd\n")


@case("a subPath that is not there is made as a folder")
def sub_path_made(t):
    t.pod(containers=[c("touch /v/x; ls /w >/dev/termination-log",
                        volumeMounts=at("v", subPath="a/b") + at("v", "/w"))],
          volumes=[{"name": "v", "emptyDir": {}}])
    same(t.message(t.ended()), "a\n")


@case("subPathExpr is expanded from the container's environment")
def sub_path_expr(t):
    env = [{"name": "NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]
    t.pod(containers=[c("touch /v/x; ls /w >/dev/termination-log", env=env,
                        volumeMounts=at("v", subPathExpr="of-$(NAME)") + at("v", "/w"))],
          volumes=[{"name": "v", "emptyDir": {}}])
    same(t.message(t.ended()), "of-p\n")


@case("a readOnly mount cannot be written, though the volume can elsewhere")
def read_only_mount(t):
    t.pod(containers=[c("echo x >/w/x && (echo y >/v/y) 2>/dev/termination-log", volumeMounts=at("v", readOnly=True)
                        + at("v", "/w"))], volumes=[{"name": "v", "emptyDir": {}}])
    has(t.message(t.ended()), "Read-only file system")


@case("mounts within mounts are made outer first, whatever their order")
def nested_mounts(t):
    t.pod(containers=[c("ls /v >/dev/termination-log; ls /v/in >>/dev/termination-log",
                        volumeMounts=at("w", "/v/in") + at("v"))],
          volumes=[{"name": "v", "emptyDir": {}}, {"name": "w", "emptyDir": {}}])
    same(t.message(t.ended()), "in\n")


@case("downwardAPI files hold the pod's labels, annotations and names")
def downward_files(t):
    items = [{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}},
             {"path": "one", "fieldRef": {"fieldPath": "metadata.annotations['k']"}},
             {"path": "name", "fieldRef": {"fieldPath": "metadata.name"}},
             {"path": "cpu", "resourceFieldRef": {"containerName": "c", "resource": "limits.cpu", "divisor": "1m"}}]
    same(t.said("cat /v/labels; echo; cat /v/one; echo; cat /v/name; echo; cat /v/cpu",
                labels={"a": "1", "b": "2"}, annotations={"k": "x y"}, resources={"limits": {"cpu": "100m"}},
                **one({"downwardAPI": {"items": items}})), 'a="1"\nb="2"\nx y\np\n100')


@case("a changed label is seen in a downwardAPI file", slow=True)
def downward_update(t):
    items = [{"path": "l", "fieldRef": {"fieldPath": "metadata.labels['a']"}}]
    t.pod("while [ $(cat /v/l) = 1 ]; do sleep 0.1; done; cat /v/l >/dev/termination-log", labels={"a": "1"},
          **one({"downwardAPI": {"items": items}}))
    t.runs()
    t.api.merge(f"{t.core}/pods/p", {"metadata": {"labels": {"a": "2"}}})
    same(t.message(t.ended(seconds=150)), "2")


@case("a service account's token, the authority's certificate and the namespace are mounted by default")
def default_token(t):
    folder = "/var/run/secrets/kubernetes.io/serviceaccount"
    text = t.said(f"cd {folder}; ls; cat namespace; echo; head -n 1 ca.crt; cut -c 1-3 token")
    same(text, f"ca.crt\nnamespace\ntoken\n{t.ns}\n-----BEGIN CERTIFICATE-----\neyJ\n")


@case("automountServiceAccountToken false mounts no token")
def no_token(t):
    has(t.said("ls /var/run/secrets/kubernetes.io/serviceaccount", automountServiceAccountToken=False), "No such file")


@case("a projected token has the audience and the lifetime asked for, and is bound to the pod")
def projected_token(t):
    source = {"serviceAccountToken": {"path": "t", "audience": "vault", "expirationSeconds": 1200}}
    token = t.said("cat /v/t", **one({"projected": {"sources": [source]}}))
    body = token.split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    same(claims["aud"], ["vault"])
    same(claims["exp"] - claims["iat"], 1200)
    same(claims["kubernetes.io"]["pod"], {"name": "p", "uid": t.get()["metadata"]["uid"]})
    same(claims["sub"], f"system:serviceaccount:{t.ns}:default")


@case("a projected volume holds what all its sources give")
def projected_sources(t):
    t.config_map("m", {"a": "1"})
    t.secret("s", {"b": "2"})
    sources = [{"configMap": {"name": "m"}}, {"secret": {"name": "s", "items": [{"key": "b", "path": "x/b"}]}},
               {"downwardAPI": {"items": [{"path": "n", "fieldRef": {"fieldPath": "metadata.name"}}]}}]
    same(t.said("cat /v/a /v/x/b /v/n", **one({"projected": {"sources": sources}})), "12p")


@case("fsGroup owns an emptyDir, may write to it, and is among the container's groups")
def fs_group(t):
    text = t.said("stat -c '%g %a' /v; touch /v/x; stat -c %g /v/x; id -G",
                  securityContext={"runAsUser": 1234, "runAsGroup": 1234, "fsGroup": 5678}, **one({"emptyDir": {}}))
    same(text, "5678 2777\n5678\n1234 5678\n")


@case("fsGroup may read the files of a Secret whose mode gives nothing to others")
def fs_group_secret(t):
    t.secret("s", {"k": "v"})
    same(t.said("cat /v/k; stat -L -c ' %g %a' /v/k", securityContext={"runAsUser": 1234, "fsGroup": 5678},
                **one({"secret": {"secretName": "s", "defaultMode": 0o400}})), "v 5678 440\n")


@case("a hostPath of type Directory that is not there is a FailedMount")
def host_path_missing(t):
    t.pod("true", **one({"hostPath": {"path": "/no/such/folder", "type": "Directory"}}))
    has(t.event("FailedMount")["message"], "hostPath type check failed: /no/such/folder is not a directory")


@case("a hostPath shows the machine's own folder")
def host_path(t):
    has(t.said("cat /v/status", **one({"hostPath": {"path": "/proc/self", "type": "Directory"}})), "Name:")


@case("a claim that is not there keeps the pod from being scheduled")
def missing_claim(t):
    t.pod("true", **one({"persistentVolumeClaim": {"claimName": "none"}}))
    pod = t.until(lambda pod: pod["status"].get("conditions"), "a verdict")
    verdict = pod["status"]["conditions"][0]
    same([verdict["type"], verdict["status"], verdict["reason"]], ["PodScheduled", "False", "Unschedulable"])
    has(verdict["message"], 'persistentvolumeclaim "none" not found')


@case("a claim of the default class holds its data over pods")
def claim_keeps_data(t):
    classes = t.api.get("/apis/storage.k8s.io/v1/storageclasses")["items"]
    if not any("true" in (each["metadata"].get("annotations") or {}).values() for each in classes):
        return  # a cluster without storage of its own
    t.create(f"{t.core}/persistentvolumeclaims", {
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "d"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Mi"}}}})
    claim = one({"persistentVolumeClaim": {"claimName": "d"}})
    t.pod("echo kept >/v/x", name="a", **claim)
    same(phase(t.ended("a")), "Succeeded")
    same(t.said("cat /v/x", name="b", **claim), "kept\n")


@case("a token file is renewed in place before it ends, not at each look", slow=True)
def token_is_stable(t):
    source = {"serviceAccountToken": {"path": "t", "expirationSeconds": 3600}}
    t.pod(FOREVER, **one({"projected": {"sources": [source]}}))
    t.ready()
    first = t.output("cat /v/t")
    time.sleep(25)
    same(t.output("cat /v/t") == first, True, "the same token")


@case("a volume nobody can make is a FailedMount that repeats, and the rest of the node goes on")
def other_pods_go_on(t):
    t.pod("true", name="bad", **one({"configMap": {"name": "none"}}))
    t.event("FailedMount", name="bad")
    t.pod("true", name="good")
    same(phase(t.ended("good")), "Succeeded")
    if running(t.get("bad")) or state_of(t.get("bad")).get("restartCount"):
        raise Failed("the other one started")


@case("an emptyDir of a container's neighbour is not mounted where it is not asked for")
def only_asked_mounts(t):
    t.pod(containers=[c("grep -c ' /v ' /proc/mounts >/dev/termination-log; true"),
                      c("true", "w", volumeMounts=at("v"))],
          volumes=[{"name": "v", "emptyDir": {}}])
    same(t.message(t.ended()), "0\n")
    holds(state_of(t.get(), "w"), "two containers")


@case("files of a volume have the same owners in pods with users of their own and with the machine's")
def same_owners(t):
    classes = t.api.get("/apis/storage.k8s.io/v1/storageclasses")["items"]
    if not any("true" in (each["metadata"].get("annotations") or {}).values() for each in classes):
        return  # a cluster without storage of its own
    t.create(f"{t.core}/persistentvolumeclaims", {
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "d"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Mi"}}}})
    claim = one({"persistentVolumeClaim": {"claimName": "d"}})
    look = "; stat -c '%u:%g %a' /v/*"
    wrote = t.said("touch /v/root /v/other; chown 999:777 /v/other; chmod 2750 /v/other" + look, name="a",
                   hostUsers=True, **claim)
    same(wrote, "999:777 2750\n0:0 644\n")
    same(t.said("touch /v/mine; chown 5:6 /v/mine" + look, name="b", **claim), "5:6 644\n" + wrote)
    same(t.said("stat -c '%u:%g' /v/*", name="c", hostUsers=True, **claim), "5:6\n999:777\n0:0\n")
