"""Trial 11: what `holdfast rbac` prints was half applied where its namespace was not there yet. (The rest of the small
findings is shown where it is: lost leases in runtime_suite, progress and proving in unit tests.)"""
from alone import Alone
from attacks import real, regression


@regression
def rights_bring_their_namespace(world):
    with Alone(world, "rights") as server:
        server.grant_printed("--namespace", "elsewhere")
        return None if server.get("/api/v1/namespaces/elsewhere/serviceaccounts/holdfast-operator") else "no account"


@real
def rights_are_applied_to_a_new_cluster(cluster):
    applied = cluster.apply("rbac", "--namespace", "elsewhere")
    return None if applied.returncode == 0 else applied.stderr
