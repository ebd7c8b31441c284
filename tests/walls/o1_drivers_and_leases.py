"""Objects by which an operator tells of itself, or stands for election, in the hands of others."""
import json

from alone import LEASE, Alone, until
from attacks import regression
from subjects import PRODUCT
from world import Refused

ONE = PRODUCT[0].driver  # any would do
DRIVERS = "/apis/holdfast.dev/v1alpha1/drivers"


def tried(call):
    """What came of it, in words; None if it was forbidden."""
    try:
        return json.dumps(call())[:300]
    except Refused as refused:
        return None if refused.code == 403 else str(refused)


@regression
def tenants_do_not_edit_drivers(world):
    api = world.tenant().api
    return next(filter(None, (
        tried(lambda: api.merge(f"{DRIVERS}/protect", {"metadata": {"labels": {"a": "b"}}})),
        tried(lambda: api.merge(f"{DRIVERS}/protect/status", {"status": {"conditions": []}})),
        tried(lambda: api.create(DRIVERS, {"apiVersion": "holdfast.dev/v1alpha1", "kind": "Driver",
                                           "metadata": {"name": "mine"}})),
        tried(lambda: api.delete(f"{DRIVERS}/protect")))), None)


@regression
def an_edited_driver_is_put_right_and_switches_nothing(world):
    api = world.machine.api

    def running():
        found = api.get(f"{DRIVERS}/{ONE}").get("status", {}).get("conditions") or []
        return any(each["type"] == "Running" and each["status"] == "True" for each in found)
    until(running, "the operator says that the driver runs", 30)
    api.merge(f"{DRIVERS}/{ONE}/status", {"status": {"conditions": []}})
    until(running, "the operator says again that the driver runs", 30)
    api.delete(f"{DRIVERS}/{ONE}")
    until(running, "the object is made again", 30)


@regression
def a_stranger_who_takes_the_lease_stops_the_leader_and_keeps_nobody_out(world):
    """By the right to write Leases in the operator's namespace. Five minutes are the longest that a lease is believed,
    which runtime_suite shows with a clock of its own."""
    with Alone(world, "stranger") as server:
        server.define()
        server.grant_printed()
        with server.operator() as operator:
            until(operator.leads, "it leads")
            lease = server.api.get(LEASE)
            server.api.merge(LEASE, {"spec": {"holderIdentity": "stranger", "leaseDurationSeconds": 2}})
            until(lambda: 'it is held by "stranger"' in operator.log(), "it notices whose the lease is")
            until(operator.leads, "it leads again once the stranger's lease is over")
            taken = server.api.get(LEASE)["spec"]
            if taken["leaseTransitions"] <= lease["spec"].get("leaseTransitions", 0):
                return f"the epoch did not grow: {taken}"
            return None
