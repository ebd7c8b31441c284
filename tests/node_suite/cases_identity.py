"""Identity of a container: user, groups, rights, names, processes."""
from frame import c, case, has, holds, phase, same, terminated, waiting

FOREVER = "trap 'exit 0' TERM; while :; do sleep 0.2; done"


def caps(t, **context):
    """The effective rights, as a mask."""
    t.pod(containers=[c("grep CapEff /proc/self/status | cut -f 2 >/dev/termination-log", securityContext=context)])
    return int(t.message(t.ended()), 16)


@case("runAsUser and runAsGroup of the pod are the container's")
def run_as(t):
    same(t.said("id -u; id -g; id -G", securityContext={"runAsUser": 1234, "runAsGroup": 4321}), "1234\n4321\n4321\n")


@case("runAsUser alone leaves the group at 0")
def run_as_user_only(t):
    same(t.said("id -u; id -g", securityContext={"runAsUser": 1234}), "1234\n0\n")


@case("a container's runAsUser comes before the pod's")
def container_user_first(t):
    t.pod(containers=[c("id -u >/dev/termination-log", securityContext={"runAsUser": 5})],
          securityContext={"runAsUser": 1234})
    same(t.message(t.ended()), "5\n")


@case("supplementalGroups are among the container's groups")
def supplemental_groups(t):
    text = t.said("id -G", securityContext={"runAsUser": 1234, "runAsGroup": 1234, "supplementalGroups": [77, 88]})
    same(sorted(text.split()), ["1234", "77", "88"])


@case("runAsNonRoot without a user refuses an image that runs as root")
def non_root_image(t):
    t.pod("true", securityContext={"runAsNonRoot": True})
    pod = t.until(lambda pod: waiting(pod).get("reason") == "CreateContainerConfigError", "the reason")
    has(waiting(pod)["message"], "container has runAsNonRoot and image will run as root")
    t.event("Failed", "Error: container has runAsNonRoot and image will run as root")


@case("runAsNonRoot refuses runAsUser 0")
def non_root_user(t):
    t.pod(containers=[c("true", securityContext={"runAsNonRoot": True, "runAsUser": 0})])
    pod = t.until(lambda pod: waiting(pod).get("reason") == "CreateContainerConfigError", "the reason")
    has(waiting(pod)["message"], "container's runAsUser breaks non-root policy")


@case("runAsNonRoot lets another user run")
def non_root_fine(t):
    same(t.said("id -u", securityContext={"runAsNonRoot": True, "runAsUser": 1234}), "1234\n")


@case("with readOnlyRootFilesystem the root cannot be written, volumes can")
def read_only_root(t):
    t.pod(containers=[c("echo x >/v/x && (echo x >/x) 2>/dev/termination-log; cat /v/x >>/dev/termination-log",
                        securityContext={"readOnlyRootFilesystem": True},
                        volumeMounts=[{"name": "v", "mountPath": "/v"}])], volumes=[{"name": "v", "emptyDir": {}}])
    message = t.message(t.ended())
    has(message, "Read-only file system")
    has(message, "x\n")


@case("the root can be written by default, and is the container's own")
def writable_root(t):
    t.pod(containers=[c("echo mine >/x; sleep 2; cat /x >/dev/termination-log"), c("sleep 1; ls /x", "o")])
    pod = t.ended()
    same(t.message(pod), "mine\n")
    same(terminated(pod, "o")["exitCode"] != 0, True, "the neighbour does not see it")


@case("root has the runtime's default rights, but here for NET_RAW and MKNOD: it may change owners, not the machine")
def default_capabilities(t):
    same(caps(t) | 1 << 13 | 1 << 27, 0xa80425fb)


@case("capabilities.drop ALL leaves root without rights")
def drop_all(t):
    same(caps(t, capabilities={"drop": ["ALL"]}), 0)


@case("capabilities.add gives one more right")
def add_capability(t):
    same(caps(t, capabilities={"drop": ["ALL"], "add": ["NET_ADMIN"]}), 1 << 12)


@case("another user than root has no rights")
def user_without_rights(t):
    same(caps(t, runAsUser=1234), 0)


@case("the working directory is workingDir; / without it")
def working_dir(t):
    t.pod(containers=[c("pwd >/dev/termination-log", workingDir="/etc"), c("pwd >/dev/termination-log", "o")])
    pod = t.ended()
    same([t.message(pod), t.message(pod, "o")], ["/etc\n", "/\n"])


@case("a workingDir that is not there is made")
def working_dir_made(t):
    same(t.said("pwd", workingDir="/var/tmp/deep/er"), "/var/tmp/deep/er\n")


@case("each container has processes of its own, its command is number 1", slow=True)
def own_processes(t):
    t.pod(containers=[c("sleep 1; ls /proc | grep -c '^[0-9]' >/dev/termination-log; echo $$$$ >>/dev/termination-log"),
                      c("sleep 3", "o")])
    lines = t.message(t.ended()).split()
    same(lines[1], "1")
    holds(int(lines[0]) <= 4, f"processes: {lines[0]}")


@case("with shareProcessNamespace containers see each other's processes, and none of theirs is number 1")
def shared_processes(t):
    t.pod(containers=[c("sleep 1; cat /proc/[0-9]*/cmdline | tr '\\0' ' ' >/dev/termination-log; "
                        "echo pid $$$$ >>/dev/termination-log"), c("sleep 43", "o")], shareProcessNamespace=True,
          activeDeadlineSeconds=20)
    pod = t.until(terminated, "the first has ended")
    has(t.message(pod), "sleep 43")
    holds("pid 1\n" not in t.message(pod), t.message(pod))


@case("the hostname is the pod's name")
def hostname(t):
    same(t.said("cat /proc/sys/kernel/hostname /etc/hostname"), "p\np\n")


@case("spec.hostname is the hostname")
def hostname_set(t):
    same(t.said("cat /proc/sys/kernel/hostname", hostname="other"), "other\n")


@case("with hostname and subdomain /etc/hosts has the full name beside the short one")
def subdomain(t):
    text = t.said("cat /etc/hosts", hostname="web", subdomain="svc")
    same([line.split() for line in text.splitlines() if "web" in line.split()],
         [[t.get()["status"]["podIP"], f"web.svc.{t.ns}.svc.cluster.local", "web"]])


@case("/etc/hosts is the node's work: localhost, and the pod's address with its name")
def hosts_file(t):
    text = t.said("cat /etc/hosts")
    holds(text.startswith("# Kubernetes-managed hosts file.\n"), text)
    lines = [line.split() for line in text.splitlines()]
    holds(["127.0.0.1", "localhost"] in lines, text)
    holds([t.get()["status"]["podIP"], "p"] in lines, text)


@case("hostAliases are in /etc/hosts")
def host_aliases(t):
    text = t.said("cat /etc/hosts", hostAliases=[{"ip": "10.1.2.3", "hostnames": ["a.example", "b"]}])
    holds(["10.1.2.3", "a.example", "b"] in [line.split() for line in text.splitlines()], text)
    has(text, "# Entries added by HostAliases.")


@case("stdin is closed unless it is asked for: who reads it sees its end")
def no_stdin(t):
    same(t.said("cat; echo end"), "end\n")


@case("/dev has what programs expect")
def devices(t):
    same(t.said("for d in null zero full random urandom tty; do [ -c /dev/$d ] || echo no $d; done; "
                "[ -d /dev/shm ] && echo x >/dev/shm/x && echo shm"), "shm\n")


@case("containers of a pod share /dev/shm")
def shared_memory(t):
    t.pod(containers=[c("while ! [ -e /dev/shm/x ]; do sleep 0.1; done; cat /dev/shm/x >/dev/termination-log"),
                      c("echo shared >/dev/shm/y; mv /dev/shm/y /dev/shm/x; sleep 2", "o")])
    same(t.message(t.ended()), "shared\n")


@case("two pods with a process of the same name do not see each other")
def pods_apart(t):
    t.pod(FOREVER, name="a")
    t.ready("a")
    text = t.said("cat /proc/[0-9]*/cmdline | tr '\\0' ' '", name="b")
    holds("while :" not in text, text)
    same(phase(t.get("a")), "Running")
