"""Trial 6: `holdfast volumes` ended at its first start, when the server had not got as far."""
import subprocess

from alone import Alone, until
from attacks import real, regression

CLASS = "/apis/storage.k8s.io/v1/storageclasses/holdfast-local"


def volumes(server, folder, *flags):
    kubeconfig = server.folder / "data/admin.kubeconfig"
    return subprocess.Popen([server.binary, "volumes", "--kubeconfig", kubeconfig, "--node", "n1", "--volumes", folder,
                             *flags],
                            stderr=open(server.folder / "volumes.log", "a", encoding="utf-8"))


def stop(process):
    """How it ended, if it had done so before."""
    early = process.poll()
    process.terminate()
    process.wait(60)
    return early


@regression
def volumes_wait_for_their_server(world):
    with Alone(world, "first-start") as server:
        server.stop()
        process = volumes(server, server.folder / "volumes", "--provider", "copy")
        try:
            until(lambda: "wait for the server" in (server.folder / "volumes.log").read_text(encoding="utf-8"),
                  "it says that it waits")
            server.start()
            until(lambda: server.get(CLASS), "its class is there")
        finally:
            early = stop(process)
        return None if early is None else f"it had ended with {early}"


@real
def volumes_start_on_a_cluster_without_their_kinds(cluster):
    """A server serves a kind some time after it has taken the definition: two of three first starts failed."""
    if "volumes" in cluster.processes:
        cluster.end("volumes")
    definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

    def snapshots():
        return [each["metadata"]["name"] for each in cluster.api.get(definitions)["items"]
                if each["spec"]["group"].endswith("snapshot.storage.k8s.io")]
    for _ in range(5):
        for each in snapshots():
            cluster.api.delete(f"{definitions}/{each}")
        cluster.until(lambda: not snapshots(), "the kinds are gone")
        cluster.start_volumes()
        until(lambda: cluster.api.get(
            "/apis/snapshot.storage.k8s.io/v1/volumesnapshotclasses/holdfast-local"), "its class is there")
        if (early := cluster.end("volumes")) is not None:
            return f"it had ended with {early}"
    cluster.start_volumes()
    return None
