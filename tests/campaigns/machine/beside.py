"""A process of our program beside a machine's own, so that it can be killed, hung and started again by itself."""
import signal
import subprocess

from machine import STOP_SECONDS, Failed


class Beside:
    """One more process of our program, against the machine's server."""

    def __init__(self, machine, name, *words):
        self.machine, self.name, self.process = machine, name, None
        self.command = [machine.binary, name, "--kubeconfig", str(machine.data / "admin.kubeconfig"), *map(str, words)]

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(
            self.machine.folder / f"{self.name}.log", "a", encoding="utf-8"))

    def log(self):
        return (self.machine.folder / f"{self.name}.log").read_text(encoding="utf-8")[-2000:]

    def hang(self):
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def kill(self):
        """-9, hung or not."""
        if self.process.poll() is not None:
            raise Failed(f"the {self.name} had ended by itself with {self.process.returncode}:\n{self.log()}")
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process is None or self.process.poll() is not None:
            return
        self.go_on()
        self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
