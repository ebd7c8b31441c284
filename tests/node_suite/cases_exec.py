"""Commands in running containers, over WebSocket."""
from frame import Failed, c, case, has, same
from websocket import NoUpgrade

FOREVER = "trap 'exit 0' TERM; while :; do sleep 0.1; done"


def ready_pod(t, **spec):
    t.pod(FOREVER, **spec)
    t.ready()


def refusal(t, *arguments, **options):
    try:
        talk = t.exec(*arguments, **options)
        code = talk.finish()
    except NoUpgrade as refused:
        return refused
    raise Failed(f"it ran: {code} {talk.status}")


def not_there(t, container):
    """What the closing Status says when the connection came, but no container was behind it."""
    talk = t.exec(["true"], container=container)
    same([talk.finish(), talk.status["reason"], talk.status["code"]], [None, "InternalError", 500])
    return talk.status["message"]


@case("exec gives stdout, stderr and the exit code, each apart")
def exec_streams(t):
    ready_pod(t)
    talk = t.exec("echo out; echo err >&2; exit 7")
    same([talk.finish(), talk.out, talk.err], [7, b"out\n", b"err\n"])


@case("a command that succeeds ends with a Status Success")
def exec_success(t):
    ready_pod(t)
    talk = t.exec(["true"])
    same([talk.finish(), talk.status["status"]], [0, "Success"])


@case("a command that fails ends with a Status NonZeroExitCode and the code as its cause")
def exec_failure(t):
    ready_pod(t)
    talk = t.exec("exit 3")
    talk.finish()
    same([talk.status["status"], talk.status["reason"], talk.status["message"]],
         ["Failure", "NonZeroExitCode", "command terminated with non-zero exit code: command terminated with "
          "exit code 3"])
    same(talk.status["details"]["causes"], [{"reason": "ExitCode", "message": "3"}])


@case("a command that a signal ended has 128 plus its number")
def exec_signal(t):
    ready_pod(t)
    same(t.exec("kill -9 $$").finish(), 137)


@case("stdin reaches the command; under v5 its half-close is the end of the input, and output goes on")
def exec_half_close(t):
    ready_pod(t)
    talk = t.exec("cat; echo after", stdin=True)
    talk.write(b"hello ")
    talk.write(b"there\n")
    talk.close_stdin()
    same([talk.finish(), talk.out], [0, b"hello there\nafter\n"])
    same(talk.protocol, "v5.channel.k8s.io")


@case("v4 is served too")
def exec_v4(t):
    ready_pod(t)
    talk = t.exec("echo four; exit 4", protocol="v4.channel.k8s.io")
    same([talk.finish(), talk.out, talk.protocol], [4, b"four\n", "v4.channel.k8s.io"])


@case("stdin works line by line while the command answers")
def exec_dialogue(t):
    ready_pod(t)
    talk = t.exec("while read line; do echo got $line; done", stdin=True)
    talk.write(b"one\n")
    talk.until(b"got one\n")
    talk.write(b"two\n")
    talk.until(b"got two\n")
    talk.close_stdin()
    same(talk.finish(), 0)


@case("without stdin the command sees the end of its input at once")
def exec_no_stdin(t):
    ready_pod(t)
    talk = t.exec("cat; echo end")
    same([talk.finish(), talk.out], [0, b"end\n"])


@case("large output arrives whole", slow=True)
def exec_large_output(t):
    ready_pod(t)
    talk = t.exec("head -c 8000000 /dev/zero; echo done >&2")
    same([talk.finish(), len(talk.out), talk.err], [0, 8000000, b"done\n"])


@case("large input arrives whole")
def exec_large_input(t):
    ready_pod(t)
    talk = t.exec("wc -c", stdin=True)
    for _ in range(64):
        talk.write(b"x" * 50000)
    talk.close_stdin()
    same([talk.finish(), talk.out.strip()], [0, b"3200000"])


@case("with a terminal the command has one, and both outputs come as one")
def exec_tty(t):
    ready_pod(t)
    talk = t.exec("[ -t 0 ] && [ -t 1 ] && echo terminal; echo err >&2", stdin=True, tty=True)
    same([talk.finish(), talk.out, talk.err], [0, b"terminal\r\nerr\r\n", b""])


@case("the size of the terminal is what the client says")
def exec_resize(t):
    ready_pod(t)
    talk = t.exec("while [ \"$(stty size)\" != '33 111' ]; do sleep 0.1; done; echo sized", stdin=True, tty=True)
    talk.resize(111, 33)
    talk.until(b"sized")
    talk.finish()


@case("the command has the container's environment, user and working directory")
def exec_surroundings(t):
    ready_pod(t, env=[{"name": "X", "value": "y"}], workingDir="/etc",
              securityContext={"runAsUser": 1234, "runAsGroup": 4321})
    same(t.output("echo $X; pwd; id -u; id -g; echo $HOSTNAME"), "y\n/etc\n1234\n4321\np\n")


@case("the command sees the container's files and mounts")
def exec_mounts(t):
    t.config_map("m", {"a": "1"})
    t.pod("echo mine >/var/tmp/x; " + FOREVER, volumes=[{"name": "v", "configMap": {"name": "m"}}],
          volumeMounts=[{"name": "v", "mountPath": "/v"}])
    t.ready()
    t.await_that(lambda: t.output("cat /v/a; cat /var/tmp/x; true") == "1mine\n", "the files")


@case("the command is among the container's processes")
def exec_processes(t):
    ready_pod(t)
    has(t.output("cat /proc/1/cmdline | tr '\\0' ' '"), "while :")


@case("a command that is not there is an error, not an exit code of the shell")
def exec_not_found(t):
    ready_pod(t)
    talk = t.exec(["no-such-program"])
    talk.finish()
    same(talk.status["status"], "Failure")
    has(talk.status["message"], 'exec: "no-such-program": executable file not found in $PATH')


@case("a container that the pod has not is refused by name")
def exec_unknown_container(t):
    ready_pod(t)
    refused = refusal(t, ["true"], container="x")
    same([refused.code, refused.message], [400, "container x is not valid for pod p"])


@case("a pod of several containers must be asked for one of them")
def exec_must_choose(t):
    t.pod(containers=[c(FOREVER, "a"), c(FOREVER, "b")])
    t.ready()
    refused = refusal(t, ["true"])
    same([refused.code, refused.message],
         [400, "a container name must be specified for pod p, choose one of: [a b]"])
    same(t.output("echo b", container="b"), "b\n")


@case("a pod that has ended takes no command")
def exec_in_ended(t):
    t.pod("true")
    t.ended()
    same(not_there(t, "c"), 'Internal error occurred: unable to upgrade connection: container not found ("c")')


@case("a container that does not run is not found")
def exec_in_waiting(t):
    t.pod(containers=[c(FOREVER, "a"), c("true", "b", image="nothing-of-this-name")])
    t.runs("p", "a")
    same(not_there(t, "b"), 'Internal error occurred: unable to upgrade connection: container not found ("b")')


@case("a pod that is not there is not found")
def exec_no_pod(t):
    refused = refusal(t, ["true"])
    same([refused.code, refused.message], [404, 'pods "p" not found'])


@case("two commands at once do not mix")
def exec_two(t):
    ready_pod(t)
    first, second = t.exec("sleep 1; echo one"), t.exec("sleep 1; echo two")
    same([second.finish(), first.finish(), first.out, second.out], [0, 0, b"one\n", b"two\n"])


@case("a sidecar takes commands while it runs")
def exec_in_sidecar(t):
    t.pod(FOREVER, initContainers=[c(FOREVER, "s", restartPolicy="Always")])
    t.ready()
    same(t.output("echo side", container="s"), "side\n")


@case("an init container that runs takes commands")
def exec_in_init(t):
    t.pod("true", initContainers=[c(FOREVER, "i")])
    t.until(lambda pod: (pod["status"].get("initContainerStatuses") or [{}])[0].get("state", {}).get("running"),
            "it runs")
    same(t.output("echo init", container="i"), "init\n")
