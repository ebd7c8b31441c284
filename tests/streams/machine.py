"""`holdfast up` in a folder of its own, and the pods that the cases need."""
import base64
import http.client
import json
import os
import re
import shutil
import signal
import ssl
import subprocess
import tempfile
import time
import urllib.parse
from pathlib import Path

WAIT_SECONDS = 90


def wait_for(what, condition):
    """Until the condition holds; its last value. Fails when it takes too long."""
    end = time.monotonic() + WAIT_SECONDS
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {WAIT_SECONDS} s")
        time.sleep(0.05)


class Machine:
    def __init__(self, binary):
        self.folder, self.binary = Path(tempfile.mkdtemp(prefix="holdfast-streams.")), binary
        self.log = open(self.folder / "log", "wb")
        self.process = subprocess.Popen([binary, "up", "--data-dir", self.folder / "data", "--listen", "127.0.0.1:0"],
                                        stdout=subprocess.PIPE, stderr=self.log)
        if not self.process.stdout.readline().startswith(b"ready"):
            raise AssertionError((self.folder / "log").read_text()[-2000:])
        self.kubeconfig = self.folder / "data" / "admin.kubeconfig"
        text = self.kubeconfig.read_text()
        data = lambda name: base64.b64decode(re.search(name + r": (\S+)", text).group(1))
        self.address = urllib.parse.urlsplit(re.search(r"server: (\S+)", text).group(1))
        self.tls = ssl.create_default_context(cadata=data("certificate-authority-data").decode())
        for name in ("client-certificate", "client-key"):
            with open(os.open(self.folder / name, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as out:
                out.write(data(name + "-data"))
        self.tls.load_cert_chain(self.folder / "client-certificate", self.folder / "client-key")

    def request(self, method, path, body=None, headers=None):
        connection = http.client.HTTPSConnection(self.address.hostname, self.address.port, context=self.tls, timeout=60)
        connection.request(method, path, body=json.dumps(body) if body else None,
                           headers={"Content-Type": "application/json", **(headers or {})})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, json.loads(text) if text else None

    def pod(self, name):
        return self.request("GET", f"/api/v1/namespaces/default/pods/{name}")[1]

    def start_node(self, name):
        """One more node, as a process of its own."""
        node = subprocess.Popen([self.binary, "node", "--kubeconfig", self.kubeconfig, "--name", name, "--data-dir",
                                 self.folder / "data" / name, "--keep-pods"], stdout=subprocess.PIPE, stderr=self.log)
        assert node.stdout.readline() == b"ready\n", (self.folder / "log").read_text()[-2000:]
        return node

    def make_pod(self, name, containers, restart="Always", **more):
        spec = {"terminationGracePeriodSeconds": 0, "restartPolicy": restart, **more,
                "containers": [{"name": container, "image": "host", "command": ["sh", "-c", script]}
                               for container, script in containers.items()]}
        status, answer = self.request("POST", "/api/v1/namespaces/default/pods",
                                      {"metadata": {"name": name}, "spec": spec})
        assert status == 201, answer

    def await_statuses(self, name, condition):
        wait_for(f"pod {name}", lambda: (statuses := self.pod(name).get("status", {}).get("containerStatuses"))
                 and all(condition(status) for status in statuses))

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(WAIT_SECONDS)

    def close(self):
        try:
            self.stop()
        finally:
            if self.process.poll() is None:
                self.process.kill()
            self.log.close()
            shutil.rmtree(self.folder, ignore_errors=True)
