"""A machine whose operator and whose volume driver are processes of their own, so that either can be killed or hung."""
import signal
import subprocess

import yaml

from machine import Failed, Machine, STOP_SECONDS


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


class Rig(Machine):
    """`up` without operator and volumes, and both beside it."""

    def __init__(self, binary, pool="6Gi"):
        super().__init__(binary, flags=["--no-operator", "--provider", "none"])
        self.driver = Beside(self, "volumes", "--binders", "--provider", "btrfs", "--pool-size", pool, "--volumes",
                             self.data / "volumes")
        self.operator = Beside(self, "operator", "--mover-image", "host", "--no-leader-elect", "--pages", "")

    def __enter__(self):
        super().__enter__()
        try:
            made = subprocess.run([self.binary, "crds"], capture_output=True, text=True, check=True).stdout
            for body in yaml.safe_load_all(made):
                self.api.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", body)
            for kinds in ("VolumeGroup", "VolumeGroupAction", "DataMove"):
                self.until(lambda kinds=kinds: self.served(kinds), f"{kinds} is served")
            self.driver.start()
            self.operator.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def served(self, kind):
        """Whether its list can be had: a definition is taken before its kind is there."""
        path = self.path(kind)
        return any(each["kind"] == kind for each in self.api.get(path.split("/namespaces/")[0])["resources"])

    def __exit__(self, *_):
        try:
            self.operator.stop()
            self.stop()  # pods end before their volumes go
        finally:
            self.driver.stop()
            super().__exit__()
