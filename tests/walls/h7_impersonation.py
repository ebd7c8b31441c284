"""The operator's token: with it one could name any group, and was an administrator (trial 4 found the same)."""
import functools
import json

import granted
from attacks import attack, real, regression
from world import RIGHTS, Api, Refused

ACCOUNT, NS = "holdfast-operator", "holdfast-system"
KINDS = {"Namespace": "/api/v1/namespaces", "ServiceAccount": "/api/v1/namespaces/{ns}/serviceaccounts",
         "ClusterRole": f"{RIGHTS}/clusterroles", "ClusterRoleBinding": f"{RIGHTS}/clusterrolebindings",
         "Role": RIGHTS + "/namespaces/{ns}/roles", "RoleBinding": RIGHTS + "/namespaces/{ns}/rolebindings"}


@functools.cache
def rights_of(binary):
    return granted.printed(binary, "rbac")


def printed_rights(world):
    return rights_of(world.machine.binary)


def operator_token(world):
    """Of the account that `holdfast rbac` makes, with all that it is given there and nothing else."""
    api = world.machine.api
    for each in printed_rights(world):
        try:
            api.create(KINDS[each["kind"]].format(ns=each["metadata"].get("namespace")), each)
        except Refused as refused:
            if refused.code != 409:
                raise
    made = api.create(f"/api/v1/namespaces/{NS}/serviceaccounts/{ACCOUNT}/token", {
        "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
    return made["status"]["token"]


class Impersonating(Api):
    """As `kubectl --as USER --as-group GROUP`."""

    def __init__(self, kubeconfig, token, user, group):
        super().__init__(kubeconfig, token=token)
        self.headers = {"Impersonate-User": user, **({"Impersonate-Group": group} if group else {})}

    def _once(self, method, path, body, headers):
        return super()._once(method, path, body, {**headers, **self.headers})


def may_do_anything(world, user, group=None):
    """What `auth can-i '*' '*'` says to whoever has the operator's token and names these."""
    api = Impersonating(world.machine.data / "admin.kubeconfig", operator_token(world), user, group)
    try:
        review = api.create("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
            "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": {"verb": "*", "group": "*", "resource": "*"}}})
    except Refused as refused:
        assert refused.code == 403 and "cannot impersonate" in refused.message, refused
        return None
    return json.dumps(review["status"]) if review["status"]["allowed"] else None


@attack("impersonation by right")
def names_the_group_of_masters(world):
    return may_do_anything(world, f"system:serviceaccount:{NS}:{ACCOUNT}", "system:masters")


@attack("impersonation by right")
def names_a_user(world):
    """An administrator's, by a name that was bound to everything."""
    world.machine.api.create(f"{RIGHTS}/clusterrolebindings", {
        "metadata": {"name": "root-of-all"}, "subjects": [{"kind": "User", "name": "root-of-all"}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"}})
    return may_do_anything(world, "root-of-all")


@attack("impersonation by right")
def names_an_account_with_a_colon_too_many(world):
    """That is no account to the server, but a user, whom somebody may have bound."""
    name = "system:serviceaccount:red:a:b"
    world.machine.api.create(f"{RIGHTS}/clusterrolebindings", {
        "metadata": {"name": "colon"}, "subjects": [{"kind": "User", "name": name}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"}})
    return may_do_anything(world, name)


@regression
def the_printed_rights_reach_no_further(world):
    """Neither users nor groups to be, nor a list of all Secrets; and the namespace comes with them, first of all."""
    documents = printed_rights(world)
    wrong = [] if documents[0]["kind"] == "Namespace" else [f"the first document is a {documents[0]['kind']}"]
    for each in documents:
        if not each["metadata"]["name"].startswith(ACCOUNT):
            continue
        for rule in each.get("rules", []):
            named, verbs = set(rule["resources"]), set(rule["verbs"])
            if "*" in named | verbs | set(rule["apiGroups"]):
                wrong.append(f"everything: {rule}")
            if "impersonate" in verbs and named & {"users", "groups"}:
                wrong.append(f"impersonation: {rule}")
            if "secrets" in named and verbs != {"get"}:
                wrong.append(f"Secrets: {rule}")
    return wrong or None


@real
def names_the_group_of_masters_on_a_cluster(cluster):
    return may_do_anything(cluster, f"system:serviceaccount:{NS}:{ACCOUNT}", "system:masters")
