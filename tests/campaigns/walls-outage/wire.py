"""A wire between a server and its clients that can be cut: a network namespace and a pair of devices."""
import ctypes
import itertools
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

_numbers = itertools.count()
CLONE_NEWNET = 0x40000000


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True)


class Wire:
    """The server listens at `address`; what runs in the namespace reaches it there and nowhere else."""

    def __init__(self):
        number = os.getpid() % 10000 * 10 + next(_numbers)
        self.name, self.ours, self.theirs = f"hf-{number}", f"hfa{number}", f"hfb{number}"
        net = f"169.254.{number % 251 + 1}"
        self.address, self._other = f"{net}.1", f"{net}.2"

    def __enter__(self):
        ip("netns", "add", self.name)
        ip("link", "add", self.ours, "type", "veth", "peer", "name", self.theirs, "netns", self.name)
        ip("address", "add", f"{self.address}/30", "dev", self.ours)
        ip("link", "set", self.ours, "up")
        ip("-n", self.name, "address", "add", f"{self._other}/30", "dev", self.theirs)
        ip("-n", self.name, "link", "set", self.theirs, "up")
        ip("-n", self.name, "link", "set", "lo", "up")
        return self

    def __exit__(self, *_):
        for words in (("link", "del", self.ours), ("netns", "del", self.name)):
            subprocess.run(["ip", *words], check=False, capture_output=True)

    def inside(self):
        """What comes before a command that is to run at the clients' end."""
        return ["ip", "netns", "exec", self.name]

    def within(self, call):
        """What `call` returns at the clients' end."""
        def there():
            with open(f"/run/netns/{self.name}", encoding="ascii") as namespace:
                if ctypes.CDLL(None, use_errno=True).setns(namespace.fileno(), CLONE_NEWNET) != 0:
                    raise OSError(ctypes.get_errno(), "setns")
            return call()
        with ThreadPoolExecutor(1) as thread:  # a thread that has gone there does not come back
            return thread.submit(there).result()

    def cut(self):
        """Nothing gets through any more, and nobody is told."""
        ip("link", "set", self.ours, "down")

    def mend(self):
        ip("link", "set", self.ours, "up")
