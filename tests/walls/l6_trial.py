"""L6: the trial of a tenant's location is no scanner of the operator's own network."""
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from attacks import attack
from vault import object_of


class Teapot(BaseHTTPRequestHandler):
    """A service that is no bucket's, where the tenant cannot reach it itself."""

    def do_GET(self):  # noqa: N802: the name that http.server calls
        self.send_response(418)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


@attack("trials tell tenants nothing of strangers")
def asks_what_listens_on_a_port(world):
    tenant = world.tenant()
    tenant.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "own"}, "stringData": {
        "AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s", "password": "p"}})
    server = HTTPServer(("127.0.0.1", 0), Teapot)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    said = {}
    try:
        for name, port in (("open", server.server_port), ("closed", 1)):
            tenant.create(object_of("BackupLocation", name, {
                "s3": {"bucket": "b", "endpoint": f"http://127.0.0.1:{port}", "forcePathStyle": True},
                "credential": {"name": "own"}, "password": {"name": "own"}}))

            def told(name=name):
                status = tenant.api.get(tenant.path("BackupLocation", name)).get("status", {})
                found = [each for each in status.get("conditions", []) if each["type"] == "Available"]
                return found and found[0]
            condition = world.machine.until(told, f"location {name} was tried")
            said[name] = condition["reason"] + ": " + condition["message"].replace(f":{port}", ":PORT")
    finally:
        server.shutdown()
        server.server_close()
    return f"the open port says {said['open']}" if said["open"] != said["closed"] else None
