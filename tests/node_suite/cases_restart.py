"""Restart policies, back-off, and how a container's end is told."""
from frame import c, case, has, holds, phase, running, same, state_of, terminated, waiting

SHARED = {"volumes": [{"name": "d", "emptyDir": {}}]}
MOUNT = {"volumeMounts": [{"name": "d", "mountPath": "/d"}]}
FOREVER = "trap 'exit 0' TERM; while :; do sleep 0.2; done"
ONCE = "[ -e /d/once ] || { touch /d/once; exit %d; }; "


@case("restartPolicy Always starts a container again that ended with 0")
def always_restarts_success(t):
    t.pod(ONCE % 0 + FOREVER, restart="Always", **SHARED, **MOUNT)
    pod = t.until(lambda pod: running(pod) and state_of(pod)["restartCount"] == 1, "it runs again")
    last = state_of(pod)["lastState"]["terminated"]
    same([last["exitCode"], last["reason"]], [0, "Completed"])


@case("restartPolicy Always starts a container again that failed")
def always_restarts_failure(t):
    t.pod(ONCE % 9 + FOREVER, restart="Always", **SHARED, **MOUNT)
    pod = t.until(lambda pod: running(pod) and state_of(pod)["restartCount"] == 1, "it runs again")
    last = state_of(pod)["lastState"]["terminated"]
    same([last["exitCode"], last["reason"]], [9, "Error"])


@case("restartPolicy OnFailure leaves a container that ended with 0: the pod has Succeeded")
def on_failure_leaves_success(t):
    t.pod("true", restart="OnFailure")
    pod = t.ended()
    same([phase(pod), state_of(pod)["restartCount"]], ["Succeeded", 0])


@case("restartPolicy OnFailure starts a failed container again, and the pod may still succeed")
def on_failure_restarts(t):
    t.pod(ONCE % 2 + "true", restart="OnFailure", **SHARED, **MOUNT)
    pod = t.ended()
    same([phase(pod), state_of(pod)["restartCount"]], ["Succeeded", 1])


@case("restartPolicy Never leaves a failed container: the pod has Failed and nothing was restarted")
def never_leaves_failure(t):
    t.pod("exit 42")
    pod = t.ended()
    same([phase(pod), state_of(pod)["restartCount"]], ["Failed", 0])
    same([terminated(pod)["exitCode"], terminated(pod)["reason"]], [42, "Error"])


@case("a container that ended with 0 is terminated with reason Completed, its times and its id")
def terminated_members(t):
    t.pod("sleep 1")
    end = terminated(t.ended())
    same([end["exitCode"], end["reason"]], [0, "Completed"])
    holds(end["startedAt"] < end["finishedAt"], f"times: {end}")
    has(end["containerID"], "://")


@case("the second failure in a row ends in CrashLoopBackOff, with the pause, the container and the pod in its message")
def crash_loop_message(t):
    made = t.pod("exit 5", restart="Always")
    pod = t.until(lambda pod: waiting(pod).get("reason") == "CrashLoopBackOff", "back-off")
    same(waiting(pod)["message"],
         f"back-off 10s restarting failed container=c pod=p_{t.ns}({made['metadata']['uid']})")
    same(state_of(pod)["lastState"]["terminated"]["exitCode"], 5)
    same(state_of(pod)["restartCount"], 1)
    same(phase(pod), "Running")


@case("back-off is told in an event BackOff that names container and pod")
def back_off_event(t):
    made = t.pod("exit 5", restart="Always")
    event = t.event("BackOff")
    same(event["message"], f"Back-off restarting failed container c in pod p_{t.ns}({made['metadata']['uid']})")
    same(event["type"], "Warning")


@case("the pause doubles with each failure: 10 s, then 20 s", slow=True)
def back_off_doubles(t):
    t.pod("exit 5", restart="Always")
    t.until(lambda pod: waiting(pod).get("message", "").startswith("back-off 10s "), "the first pause")
    pod = t.until(lambda pod: waiting(pod).get("message", "").startswith("back-off 20s "), "the second pause")
    same(state_of(pod)["restartCount"], 2)


@case("back-off counts also for containers that ended with 0 under restartPolicy Always")
def back_off_after_success(t):
    t.pod("exit 0", restart="Always")
    pod = t.until(lambda pod: waiting(pod).get("reason") == "CrashLoopBackOff", "back-off")
    same(state_of(pod)["lastState"]["terminated"]["exitCode"], 0)


@case("a restarted container has a new containerID, lastState has the old one")
def new_container_id(t):
    t.pod("sleep 1; " + ONCE % 1 + FOREVER, restart="Always", **SHARED, **MOUNT)
    first = state_of(t.runs())["containerID"]
    pod = t.until(lambda pod: running(pod) and state_of(pod)["restartCount"] == 1, "it runs again")
    same(state_of(pod)["lastState"]["terminated"]["containerID"], first)
    holds(state_of(pod)["containerID"] != first, "the id is new")


@case("what a container wrote to its own root is gone after a restart, an emptyDir's content is not")
def root_is_fresh(t):
    script = "ls /var/tmp/mark /d >/dev/termination-log 2>&1; touch /var/tmp/mark; "
    t.pod(script + ONCE % 1 + "true", restart="OnFailure", **SHARED, **MOUNT)
    message = t.message(t.ended())
    has(message, "once")
    has(message, "No such file")


@case("a pod fails when one of its containers failed, once all have ended")
def one_failure_fails_pod(t):
    t.pod(containers=[c("exit 1", "a"), c("sleep 2", "b")])
    pod = t.until(lambda pod: terminated(pod, "a"), "the first has ended")
    same(phase(pod), "Running")
    same(phase(t.ended()), "Failed")


@case("a container that restarts does not touch its neighbours")
def neighbours_untouched(t):
    t.pod(containers=[c("sleep 1; exit 1", "a"), c(FOREVER, "b")], restart="Always")
    pod = t.until(lambda pod: state_of(pod, "a").get("restartCount", 0) >= 1, "the first restarted")
    same(state_of(pod, "b")["restartCount"], 0)
    holds(running(pod, "b"), "the second runs")


@case("lastState keeps the termination message of the run before")
def last_state_message(t):
    t.pod("echo why >/dev/termination-log; " + ONCE % 1 + FOREVER, restart="Always", **SHARED, **MOUNT)
    pod = t.until(lambda pod: running(pod) and state_of(pod)["restartCount"] == 1, "it runs again")
    same(state_of(pod)["lastState"]["terminated"].get("message"), "why\n")


@case("a pod past its activeDeadlineSeconds has Failed with DeadlineExceeded")
def active_deadline(t):
    t.pod(FOREVER, activeDeadlineSeconds=2)
    pod = t.ended()
    same([phase(pod), pod["status"]["reason"]], ["Failed", "DeadlineExceeded"])
    same(pod["status"]["message"], "Pod was active on the node longer than the specified deadline")


@case("activeDeadlineSeconds ends a pod although its containers would be restarted; nothing starts again")
def active_deadline_beats_restart(t):
    t.pod(FOREVER, activeDeadlineSeconds=2, restart="Always")
    pod = t.ended()
    same(pod["status"]["reason"], "DeadlineExceeded")
    t.until(lambda pod: not running(pod), "the container ended")
    t.stays(lambda pod: not running(pod), "ended", 2)


@case("a process that the end of the grace period kills has exit code 137")
def killed_is_137(t):
    t.pod("trap '' TERM; while :; do sleep 0.2; done", activeDeadlineSeconds=6)
    t.ended()
    pod = t.until(terminated, "the container ended")
    same([terminated(pod)["exitCode"], terminated(pod)["reason"]], [137, "Error"])


@case("a shell that leaves at SIGTERM with 143 is reported with 143")
def terminated_is_143(t):
    t.pod("trap 'exit 143' TERM; while :; do sleep 0.1; done", activeDeadlineSeconds=8,
          terminationGracePeriodSeconds=20)
    t.ended()
    same(terminated(t.until(terminated, "the container ended"))["exitCode"], 143)


@case("a container that needs more than its memory limit ends with OOMKilled and 137")
def oom_killed(t):
    t.pod("exec tail /dev/zero", resources={"limits": {"memory": "24Mi"}})
    end = terminated(t.ended())
    same([end["reason"], end["exitCode"]], ["OOMKilled", 137])


@case("a command that is not there is a StartError with 128 that says so")
def command_not_found(t):
    t.pod(command=["no-such-program"], script="")
    end = terminated(t.ended())
    same([end["reason"], end["exitCode"]], ["StartError", 128])
    has(end["message"], 'exec: "no-such-program": executable file not found in $PATH')
    same(end["startedAt"], "1970-01-01T00:00:00Z")


@case("a command by path that is not there is a StartError that names the path")
def command_path_not_found(t):
    t.pod(command=["/no/such/program"], script="")
    end = terminated(t.ended())
    same([end["reason"], end["exitCode"]], ["StartError", 128])
    has(end["message"], "/no/such/program")
    has(end["message"], "no such file or directory")


@case("a command that must not be executed is a StartError: permission denied")
def command_not_executable(t):
    t.pod(command=["/etc/passwd"], script="")
    end = terminated(t.ended())
    same([end["reason"], end["exitCode"]], ["StartError", 128])
    has(end["message"], "permission denied")


@case("a command that does not start is told in an event Failed")
def start_error_event(t):
    t.pod(command=["no-such-program"], script="")
    event = t.event("Failed", "executable file not found in $PATH")
    holds(event["message"].startswith("Error: "), event["message"])


@case("a command that does not start under restartPolicy Always waits with RunContainerError or CrashLoopBackOff")
def start_error_loops(t):
    t.pod(command=["no-such-program"], script="", restart="Always")
    pod = t.until(lambda pod: waiting(pod).get("reason") in ("RunContainerError", "CrashLoopBackOff"), "it waits")
    holds(phase(pod) in ("Running", "Pending"), phase(pod))
    pod = t.until(lambda pod: waiting(pod).get("reason") == "CrashLoopBackOff", "back-off")
    same(state_of(pod)["lastState"]["terminated"]["reason"], "StartError")


@case("the termination message is what the container wrote to /dev/termination-log, cut at 4096 bytes")
def message_is_cut(t):
    t.pod("head -c 5000 /dev/zero | tr '\\0' x >/dev/termination-log")
    same(t.message(t.ended()), "x" * 4096)


@case("terminationMessagePath names another file")
def message_path(t):
    t.pod("echo here >/var/tmp/why", terminationMessagePath="/var/tmp/why")
    same(t.message(t.ended()), "here\n")


@case("with FallbackToLogsOnError a failed container's message is the end of its log")
def message_from_log(t):
    t.pod("echo one; echo two >&2; exit 1", terminationMessagePolicy="FallbackToLogsOnError")
    message = t.message(t.ended())
    same(sorted(message.split()), ["one", "two"])


@case("FallbackToLogsOnError takes no log of a container that ended with 0")
def no_message_from_log(t):
    t.pod("echo one", terminationMessagePolicy="FallbackToLogsOnError")
    holds("message" not in terminated(t.ended()), "no message")


@case("with FallbackToLogsOnError a message that was written comes before the log")
def written_message_first(t):
    t.pod("echo log; echo written >/dev/termination-log; exit 1", terminationMessagePolicy="FallbackToLogsOnError")
    same(t.message(t.ended()), "written\n")


@case("FallbackToLogsOnError takes no more than 80 lines")
def message_from_log_lines(t):
    t.pod("seq 1 200; exit 1", terminationMessagePolicy="FallbackToLogsOnError")
    lines = t.message(t.ended()).split()
    same([len(lines), lines[-1]], [80, "200"])
