"""exec and logs of real pods on `holdfast up`.

    streams_test.py [--kubectl VERSION]

Each case is run by our own commands, or by a pinned kubectl, whose flags they share. $HOLDFAST_BINARY is the binary.
"""
import argparse
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

from machine import Machine, wait_for
from terminal import Terminal

LIMIT_SECONDS = 120
CASES = []


def case(function):
    CASES.append(function)
    return function


def kubectl_only(function):
    function.kubectl_only = True
    CASES.append(function)
    return function


class Subject:
    """Whoever speaks for the user."""

    def __init__(self, machine, program, is_kubectl):
        self.machine, self.is_kubectl = machine, is_kubectl
        self.words = [str(program)]
        os.environ["KUBECONFIG"] = str(machine.kubeconfig)
        os.environ["HOME"] = str(machine.folder)  # kubectl's cache

    def run(self, *arguments, data=None):
        feed = {"input": data} if data is not None else {"stdin": subprocess.DEVNULL}
        return subprocess.run([*self.words, *arguments], capture_output=True, check=False, timeout=LIMIT_SECONDS,
                              **feed)

    def start(self, *arguments):
        return subprocess.Popen([*self.words, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)

    def shell(self, script, *flags, data=None):
        return self.run("exec", "web", "-c", "main", *flags, "--", "sh", "-c", script, data=data)


def equal(got, expected):
    assert got == expected, f"{got!r} instead of {expected!r}"


def holds(text, part):
    assert part in text, f"no {part!r} in {text!r}"


@case
def exit_codes_are_the_commands_own(subject):
    for code in (0, 1, 7, 255):
        equal(subject.shell(f"exit {code}").returncode, code)
    holds(subject.shell("exit 7").stderr, b"command terminated with exit code 7")


@case
def a_command_that_dies_of_a_signal_has_128_and_its_number(subject):
    equal(subject.shell("kill -9 $$").returncode, 137)


@case
def output_and_errors_stay_apart(subject):
    done = subject.shell("echo out; echo err >&2")
    equal(done.stdout, b"out\n")
    equal(done.stderr, b"err\n")


@case
def arguments_arrive_as_they_are(subject):
    words = ["a b", "", "'", "\"", "&x=1", "ü%20+", "--flag"]
    done = subject.run("exec", "web", "-c", "main", "--", "printf", "[%s]", *words)
    equal(done.stdout.decode(), "".join(f"[{word}]" for word in words))


@case
def without_i_there_is_no_input(subject):
    equal(subject.shell("cat; echo end").stdout, b"end\n")


@case
def the_end_of_the_input_arrives(subject):
    equal(subject.shell("cat; echo end", "-i", data=b"one\ntwo\n").stdout, b"one\ntwo\nend\n")


@case
def the_command_goes_on_after_the_end_of_its_input(subject):
    equal(subject.shell("cat >/dev/null; sleep 1; echo later; exit 3", "-i", data=b"x").stdout, b"later\n")


@case
def megabytes_go_both_ways(subject):
    data = os.urandom(1 << 20) * 24
    done = subject.shell("cat", "-i", data=data)
    equal(done.returncode, 0)
    equal(hashlib.sha256(done.stdout).hexdigest(), hashlib.sha256(data).hexdigest())


@case
def input_that_is_not_read_does_not_hold_the_end_up(subject):
    done = subject.shell("sleep 1; exit 4", "-i", data=b"x" * (8 << 20))
    assert done.returncode == 4, done


@case
def many_at_once(subject):
    started = [subject.start("exec", "web", "-c", "main", "--", "sh", "-c", f"echo {n}; exit {n}") for n in range(20)]
    for n, process in enumerate(started):
        out, _ = process.communicate(timeout=LIMIT_SECONDS)
        equal((out, process.returncode), (f"{n}\n".encode(), n))


@case
def the_first_container_is_taken_and_said(subject):
    done = subject.run("exec", "web", "--", "sh", "-c", "echo out")
    equal(done.stdout, b"out\n")
    holds(done.stderr, b'Defaulted container "main" out of: main, side')


@case
def what_is_not_there_is_said(subject):
    done = subject.run("exec", "none", "--", "true")
    equal(done.returncode, 1)
    holds(done.stderr, b'pods "none" not found')
    done = subject.run("exec", "web", "-c", "none", "--", "true")
    equal(done.returncode, 1)
    holds(done.stderr, b"container none is not valid for pod web")


@case
def a_program_that_is_not_there_is_said(subject):
    done = subject.run("exec", "web", "-c", "main", "--", "no-such-program")
    assert done.returncode != 0
    holds(done.stderr, b"no-such-program")


@case
def a_client_that_is_killed_ends_the_input_and_not_the_command(subject):
    process = subject.start("exec", "-i", "web", "-c", "main", "--", "sh", "-c",
                            "rm -f /tmp/lease; echo held; cat; echo over >/tmp/lease")
    equal(process.stdout.readline(), b"held\n")
    process.kill()
    process.communicate()
    wait_for("the lease", lambda: subject.shell("cat /tmp/lease").stdout == b"over\n")


@case
def a_reader_that_pauses_loses_nothing(subject):
    process = subject.start("exec", "web", "-c", "main", "--", "sh", "-c", "head -c 20000000 /dev/zero; echo end")
    process.stdin.close()
    os.kill(process.pid, signal.SIGSTOP)
    equal(subject.shell("echo meanwhile").stdout, b"meanwhile\n")
    os.kill(process.pid, signal.SIGCONT)
    equal(len(process.stdout.read()), 20000004)
    equal(process.wait(LIMIT_SECONDS), 0)
    process.stderr.close()


@case
def a_child_that_writes_on_does_not_hold_the_end_up(subject):
    equal(subject.shell("yes & exit 3").returncode, 3)


@case
def a_node_that_ends_in_mid_stream_is_no_success(subject):
    """Killed, or stopped in good order: nobody said how the command ended."""
    machine, name = subject.machine, "other"
    node = machine.start_node(name)
    try:
        machine.make_pod("far", {"main": "exec sleep 100000"}, nodeName=name)
        machine.await_statuses("far", lambda status: status["ready"])
        for number in (signal.SIGKILL, signal.SIGTERM):
            process = subject.start("exec", "far", "--", "sh", "-c", "echo half; sleep 1000")
            equal(process.stdout.readline(), b"half\n")
            node.send_signal(number)
            _, errors = process.communicate(timeout=LIMIT_SECONDS)
            assert process.returncode != 0, f"signal {number}"
            holds(errors, b"did not say how the command ended")
            node.communicate(timeout=LIMIT_SECONDS)
            node = machine.start_node(name)
    finally:
        machine.request("DELETE", "/api/v1/namespaces/default/pods/far", {"gracePeriodSeconds": 0})
        wait_for("pod far is gone", lambda: machine.pod("far").get("code") == 404)
        node.terminate()
        node.communicate(timeout=LIMIT_SECONDS)
        machine.request("DELETE", f"/api/v1/nodes/{name}")


@case
def a_terminal_has_its_size_its_signals_and_its_end(subject):
    terminal = Terminal([*subject.words, "exec", "-it", "web", "-c", "main", "--", "sh"], 33, 99)
    terminal.read_until(b"# ")
    terminal.type(b"stty size\r")
    terminal.read_until(b"33 99")
    terminal.read_until(b"# ")
    terminal.resize(44, 120)
    terminal.type(b"until stty size | grep '44 120'; do sleep 0.1; done\r")
    terminal.read_until(b"done\r\n")
    terminal.read_until(b"44 120\r\n")
    terminal.read_until(b"# ")
    # Said by the program that is to end: a signal in between would be the shell's own, and lost.
    terminal.type(b"sh -c 'echo go; exec sleep 1000'\r")
    terminal.read_until(b"\r\ngo\r\n")
    terminal.type(b"\x03")
    terminal.read_until(b"# ")
    terminal.type(b"exit 5\r")
    terminal.read_until(b"command terminated with exit code 5")
    equal(terminal.finish(), 5)


@case
def logs_have_output_and_errors(subject):
    done = subject.run("logs", "web", "-c", "main")
    equal(done.returncode, 0)
    equal(done.stdout, b"one\ntwo\nthree\n")
    equal(subject.run("logs", "web", "-c", "side").stdout, b"err\n")


@case
def logs_can_be_cut(subject):
    equal(subject.run("logs", "web", "-c", "main", "--tail", "1").stdout, b"three\n")
    equal(subject.run("logs", "web", "-c", "main", "--tail", "0").stdout, b"")
    equal(subject.run("logs", "web", "-c", "main", "--limit-bytes", "5").stdout, b"one\ntw"[:5])
    equal(subject.run("logs", "web", "-c", "main", "--since", "1h").stdout.count(b"\n"), 3)


@case
def logs_can_have_times(subject):
    line = subject.run("logs", "web", "-c", "main", "--timestamps", "--tail", "1").stdout
    holds(line, b"T")
    assert line.endswith(b" three\n"), line


@case
def wrong_options_of_logs_are_refused(subject):
    done = subject.run("logs", "web", "-c", "none")
    equal(done.returncode, 1)
    holds(done.stderr, b"container none is not valid for pod web")
    assert subject.run("logs", "web", "--since", "yesterday").returncode != 0
    assert subject.run("logs", "web", "--since", "1s", "--since-time", "2026-01-02T03:04:05Z").returncode != 0


@case
def a_followed_log_grows_and_ends_with_its_container(subject):
    script = "echo begun; until [ -e /tmp/go ]; do sleep 0.1; done; echo end"
    subject.machine.make_pod("grows", {"main": script}, "Never")
    subject.machine.await_statuses("grows", lambda status: status["ready"])
    process = subject.start("logs", "grows", "-f")
    equal(process.stdout.readline(), b"begun\n")
    equal(subject.run("exec", "grows", "--", "touch", "/tmp/go").returncode, 0)
    equal(process.stdout.read(), b"end\n")
    equal(process.wait(LIMIT_SECONDS), 0)
    process.communicate()


@case
def the_log_before_the_last_restart(subject):
    subject.machine.make_pod("restarts", {"main": "echo life $$; sleep 1; exit 1"})
    subject.machine.await_statuses("restarts", lambda status: status["restartCount"] > 0)
    holds(subject.run("logs", "restarts", "-p").stdout, b"life")
    done = subject.run("logs", "web", "-c", "main", "-p")
    equal(done.returncode, 1)
    holds(done.stderr, b"previous terminated container")


@case
def requests_without_websocket_are_told_so(subject):
    path = "/api/v1/namespaces/default/pods/web/exec?container=main&command=true&stdout=1"
    status, answer = subject.machine.request("POST", path, None, {"Connection": "Upgrade", "Upgrade": "SPDY/3.1"})
    equal(status, 400)
    holds(answer["message"], "only WebSocket: use kubectl 1.31 or newer")
    status, answer = subject.machine.request("GET", path)
    equal((status, answer["message"]), (400, "Upgrade request required"))
    for other in ("attach", "portforward"):
        status, answer = subject.machine.request("POST", f"/api/v1/namespaces/default/pods/web/{other}")
        equal(status, 501)
        holds(answer["message"], f"pods/{other} is not served here")


@kubectl_only
def files_are_copied_there_and_back(subject):
    with tempfile.TemporaryDirectory(dir=subject.machine.folder) as folder:
        source, target = Path(folder, "source"), Path(folder, "target")
        (source / "deep").mkdir(parents=True)
        (source / "large").write_bytes(os.urandom(3 << 20))
        (source / "deep" / "small").write_text("x")
        equal(subject.run("cp", str(source), "web:/tmp/copied", "-c", "main").returncode, 0)
        equal(subject.run("cp", "web:/tmp/copied", str(target), "-c", "main").returncode, 0)
        for path in ("large", "deep/small"):
            equal((target / path).read_bytes(), (source / path).read_bytes())


@kubectl_only
def attach_and_port_forward_say_what_is_not_served(subject):
    holds(subject.run("attach", "web", "-c", "main").stderr, b"pods/attach is not served here")
    holds(subject.run("port-forward", "web", "0:80").stderr, b"pods/portforward is not served here")


@case
def a_server_that_stops_ends_the_sessions(subject):
    """The last case: nothing runs after it."""
    process = subject.start("exec", "-i", "web", "-c", "main", "--", "sh", "-c", "echo on; sleep 1000")
    follow = subject.start("logs", "web", "-c", "main", "-f")
    equal(process.stdout.readline(), b"on\n")
    equal(follow.stdout.readline(), b"one\n")
    subject.machine.stop()
    for each in (process, follow):
        each.communicate(timeout=LIMIT_SECONDS)
    assert process.returncode != 0, "how the command ended is not known"


def run_case(function, subject):
    try:
        function(subject)
        return True
    except Exception:
        print(f"FAILED {function.__name__}\n{traceback.format_exc()}", flush=True)
        return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kubectl", metavar="VERSION")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    program = os.environ["HOLDFAST_BINARY"]
    if options.kubectl:
        find = Path(__file__).resolve().parent.parent / "peers" / "find"
        found = subprocess.run([find, "kubectl", options.kubectl], capture_output=True, text=True, check=False)
        if found.returncode != 0:
            print(found.stdout + found.stderr)
            return 77
        program = found.stdout.strip()
    machine = Machine(os.environ["HOLDFAST_BINARY"])
    try:
        subject = Subject(machine, program, bool(options.kubectl))
        machine.make_pod("web", {"main": "echo one; echo two; echo three; exec sleep 100000",
                                 "side": "echo err >&2; exec sleep 100000"})
        machine.await_statuses("web", lambda status: status["ready"])
        chosen = [function for function in CASES if options.only in function.__name__
                  and (subject.is_kubectl or not getattr(function, "kubectl_only", False))]
        passed = sum(run_case(function, subject) for function in chosen)
    finally:
        machine.close()
    print(f"tests: {passed} passed, {len(chosen) - passed} failed, 0 skipped")
    return 0 if passed == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
