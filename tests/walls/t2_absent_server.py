"""Trial 2: an operator that could not reach its server led, did nothing, and said that it was ready."""
from alone import LEASE, Alone, until
from attacks import regression


@regression
def no_lease_before_the_server_has_answered(world):
    with Alone(world, "absent") as server:
        server.grant_printed()
        server.kubeconfig()
        server.stop()
        with server.operator() as operator:
            until(lambda: "ServerAway" in operator.log(), "it says that the server is away")
            status, text = operator.page("/readyz")
            if status == 200 or operator.leads():
                return f"/readyz is {status} ({text}), leads: {operator.leads()}"
            server.start()
            # Nothing that it could do: no definition is there.
            until(lambda: "KindNotServed" in operator.log(), "it says that the kinds are missing")
            if operator.page("/readyz")[0] == 200 or server.get(LEASE):
                return f"ready: {operator.page('/readyz')}, lease: {server.get(LEASE)}"
            server.define()
            server.await_driver("protect", "True", "Running")
            until(lambda: operator.page("/readyz")[0] == 200, "it says that it is ready")
            return None if operator.leads() else "it does not lead"
