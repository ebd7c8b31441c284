"""A machine whose operator and whose volume driver are processes of their own, so that either can be killed or hung."""
import subprocess

import yaml

from beside import Beside
from machine import Machine


class Rig(Machine):
    """`up` without operator and volumes, and both beside it."""

    def __init__(self, binary, pool="6Gi"):
        super().__init__(binary, flags=["--no-operator", "--provider", "none"])
        self.driver = Beside(self, "volumes", "--binders", "--provider", "btrfs", "--pool-size", pool, "--volumes",
                             self.data / "volumes")
        self.operator = Beside(self, "operator", "--mover-image", "localhost/holdfast", "--no-leader-elect",
                               "--pages", "")

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
