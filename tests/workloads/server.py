"""One API server as the comparison sees it: requests with a client certificate, kubectl, and silence."""
import base64
import copy
import http.client
import json
import os
import ssl
import subprocess
import tempfile
import threading
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

    def for_one_thread(self):
        """The same server over a connection of its own."""
        other = copy.copy(self)
        other.connection = None
        return other

    def connect(self, timeout):
        return http.client.HTTPSConnection(self.address.hostname, self.address.port, context=self.tls, timeout=timeout)

    def _once(self, method, path, text, content_type):
        if self.connection is None:
            self.connection = self.connect(REQUEST_SECONDS)
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


class Pulse:
    """When somebody last wrote in each namespace, as watches of the whole server tell."""

    def __init__(self, server, kinds):
        self.server = server
        self.last = {}
        self.broken = ""
        for kind, base in kinds.items():
            path = f"{base}/{kind}"
            version = server.request("GET", path + "?limit=1")["metadata"]["resourceVersion"]
            threading.Thread(target=self._listen, args=(path, version), daemon=True).start()

    def _listen(self, path, version):
        connection = self.server.connect(None)
        connection.request("GET", f"{path}?watch=1&resourceVersion={version}&timeoutSeconds=86400")
        answer = connection.getresponse()
        for line in answer:
            event = json.loads(line)
            if event["type"] not in ("ADDED", "MODIFIED", "DELETED"):
                break
            self.last[event["object"]["metadata"]["namespace"]] = time.monotonic()
        self.broken = f"{self.server.name}: the watch of {path} ended with {answer.status}"

    def await_quiet(self, ns, quiet, limit):
        """Until nobody has written anything in this namespace for `quiet` seconds, counted from now."""
        start = time.monotonic()
        while (rest := max(self.last.get(ns, 0), start) + quiet - time.monotonic()) > 0:
            if self.broken or time.monotonic() > start + limit:
                raise RuntimeError(self.broken or f"{self.server.name}: writes go on after {limit} s")
            time.sleep(min(rest, 0.05))
