"""Requests of attackers: who asks, for what, and whether it was refused."""
import itertools

from world import RIGHTS, Api, Exec, Refused

MARK = "of the machine alone"
NUMBERS = itertools.count()


def refused(ask):
    """True if the server said that it may not be; any other failure is one of the case's."""
    try:
        ask()
    except Refused as answer:
        if answer.code != 403:
            raise
        return True
    return False


def secret_of(world, name):
    """A file of the machine, outside of all pods, that this test has made: what an attacker is to get hold of."""
    path = world.folder / f"machine-{next(NUMBERS)}" / name
    path.parent.mkdir(parents=True)
    path.write_text(f"{MARK}\n", encoding="utf-8")
    return path


def grant(tenant, name, rule, subject=None):
    """Rights beyond `edit` in the tenant's namespace, as an administrator may give them: to it, or to another."""
    own = {"kind": "User", "name": f"tenant-{tenant.ns.removeprefix('red-')}"}
    group, path = "rbac.authorization.k8s.io", f"{RIGHTS}/namespaces/{tenant.ns}"
    api = tenant.world.machine.api
    api.create(f"{path}/roles", {"metadata": {"name": name}, "rules": [rule]})
    api.create(f"{path}/rolebindings", {"metadata": {"name": name}, "subjects": [subject or own],
                                        "roleRef": {"apiGroup": group, "kind": "Role", "name": name}})


def as_token(tenant, token):
    return Api(tenant.world.machine.data / "admin.kubeconfig", token=token)


def acting_as(tenant, user):
    """The tenant, as another user."""
    api = as_token(tenant, tenant.api.credentials["Authorization"].removeprefix("Bearer "))
    api.credentials["Impersonate-User"] = user
    return api


def with_token_of(tenant, account):
    """The holder of a token of an account of the tenant's namespace, which the tenant may ask for."""
    made = tenant.api.create(f"/api/v1/namespaces/{tenant.ns}/serviceaccounts/{account}/token",
                             {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
    return as_token(tenant, made["status"]["token"])


def words_of(tenant, pod):
    """What a pod's container has written, once it has written something."""
    def look():
        try:
            return tenant.logs(pod)
        except Refused as answer:
            if answer.code not in (400, 404):  # it has not started yet
                raise
            return None
    return tenant.world.machine.until(look, f"pod {tenant.ns}/{pod} has written something", 60)


def entered(api, ns, pod, script):
    """Output of a shell script in a pod."""
    session = Exec(api, ns, pod, ["/bin/sh", "-c", script])
    session.finish()
    return session.out.decode(errors="replace") + session.err.decode(errors="replace")
