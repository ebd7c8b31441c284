"""One API server as the comparison sees it: requests with a client certificate, kubectl, and silence."""
import base64
import http.client
import json
import os
import ssl
import subprocess
import tempfile
import time
import urllib.parse
from pathlib import Path

REQUEST_SECONDS = 30
KUBECTL_SECONDS = 60


class Refused(Exception):
    """The server's answer was an error; `code` is its status."""

    def __init__(self, code, text):
        super().__init__(f"{code}: {text}")
        self.code = code


class Server:
    """Used by one thread at a time."""

    def __init__(self, name, kubeconfig, kubectl, scratch):
        self.name, self.kubectl = name, kubectl
        self.folder = Path(tempfile.mkdtemp(dir=scratch, prefix=name))
        self.common = ["--kubeconfig", str(kubeconfig), "--cache-dir", str(self.folder / "cache")]
        view = subprocess.run([kubectl, "--kubeconfig", str(kubeconfig), "config", "view", "--raw", "-o", "json"],
                              capture_output=True, text=True, check=True)
        config = json.loads(view.stdout)
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        self.address = urllib.parse.urlsplit(cluster["server"])
        self.tls = ssl.create_default_context(cadata=base64.b64decode(cluster["certificate-authority-data"]).decode())
        self.tls.load_cert_chain(self._file("crt", user["client-certificate-data"]),
                                 self._file("key", user["client-key-data"]))
        self.connection = None

    def _file(self, name, data):
        path = self.folder / name
        with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as out:
            out.write(base64.b64decode(data))
        return path

    def _once(self, method, path, text, content_type):
        if self.connection is None:
            self.connection = http.client.HTTPSConnection(self.address.hostname, self.address.port, context=self.tls,
                                                          timeout=REQUEST_SECONDS)
        self.connection.request(method, path, body=text,
                                headers={"Content-Type": content_type, "Accept": "application/json"})
        answer = self.connection.getresponse()
        return answer.status, answer.read()

    def request(self, method, path, body=None, content_type="application/json"):
        text = None if body is None else json.dumps(body)
        try:
            status, answer = self._once(method, path, text, content_type)
        except (http.client.HTTPException, OSError):
            self.connection = None  # an idle connection that the server closed
            status, answer = self._once(method, path, text, content_type)
        if status >= 300:
            raise Refused(status, answer.decode(errors="replace")[:500])
        return json.loads(answer)

    def merge(self, path, body):
        return self.request("PATCH", path, body, "application/merge-patch+json")

    def items(self, path):
        return self.request("GET", path)["items"]

    def run(self, *arguments, text=None, fail=False):
        """kubectl; `fail` says that it must not succeed. Returns what it printed."""
        done = subprocess.run([self.kubectl, *self.common, *arguments], capture_output=True, text=True, check=False,
                              timeout=KUBECTL_SECONDS, input=text, stdin=subprocess.DEVNULL if text is None else None)
        if (done.returncode != 0) != fail:
            raise RuntimeError(f"{self.name}: kubectl {' '.join(arguments)}: exit {done.returncode}: {done.stderr}")
        return done.stdout + done.stderr

    def revision(self):
        """Of the whole store: every write of anybody moves it."""
        answer = self.request("GET", "/api/v1/namespaces/default/configmaps?limit=1")
        return answer["metadata"]["resourceVersion"]

    def await_quiet(self, quiet, limit):
        """Until nobody has written anything for `quiet` seconds."""
        deadline = time.monotonic() + limit
        last, since = self.revision(), time.monotonic()
        while time.monotonic() - since < quiet:
            if time.monotonic() > deadline:
                raise RuntimeError(f"{self.name}: writes go on after {limit} s")
            time.sleep(0.05)
            now = self.revision()
            if now != last:
                last, since = now, time.monotonic()
