"""Trial 7: stopping `holdfast volumes` unmounted the pool, and pods that kubelet started found no path."""
import os
import shutil
import subprocess

from alone import Alone, until
from attacks import regression
from t6_first_start import CLASS, stop, volumes


@regression
def the_pool_stays_for_kubelet(world):
    if not shutil.which("mkfs.btrfs"):
        return None  # no pool can be made
    with Alone(world, "pool") as server:
        folder = server.folder / "volumes"
        process = volumes(server, folder, "--provider", "btrfs", "--pool-size", "256Mi")
        try:
            until(lambda: (server.get(CLASS) or {"metadata": {}})["metadata"].get("annotations", {}).get(
                "n1.volumes.holdfast.dev/provider"), "the class tells the provider")
        finally:
            stop(process)
        try:
            return None if os.path.ismount(folder / "pool") else "the pool is not mounted any more"
        finally:
            subprocess.run(["umount", folder / "pool"], check=False, capture_output=True)
