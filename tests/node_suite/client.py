"""The suite's own client: requests with the kubeconfig's certificate, one connection per thread."""
import base64
import http.client
import json
import os
import re
import ssl
import tempfile
import threading
import urllib.parse

REQUEST_SECONDS = 60


class Refused(Exception):
    """The server's answer was an error: `code` is its HTTP status, `text` the answer's body."""

    def __init__(self, code, text):
        super().__init__(f"{code}: {text[:600]}")
        self.code, self.text = code, text

    @property
    def message(self):
        """What the Status says, or the bare text."""
        try:
            return json.loads(self.text)["message"]
        except (ValueError, KeyError, TypeError):
            return self.text


def read_kubeconfig(path):
    """The members of the one cluster and the one user of a kubeconfig written by a program."""
    text = open(path, encoding="utf-8").read()
    words = {}
    for key in ("server", "certificate-authority-data", "client-certificate-data", "client-key-data"):
        match = re.search(rf'"?{key}"?:\s*"?([^\s",}}]+)', text)
        if not match:
            raise ValueError(f"{path}: no {key}")
        words[key] = match[1]
    return words


class Api:
    """As the kubeconfig's user; with a token, as its bearer instead."""

    def __init__(self, kubeconfig, token=None):
        words = read_kubeconfig(kubeconfig)
        self.address = urllib.parse.urlsplit(words["server"])
        self.tls = ssl.create_default_context(cadata=base64.b64decode(words["certificate-authority-data"]).decode())
        self.credentials = {"Authorization": f"Bearer {token}"} if token else {}
        self.local = threading.local()
        if token:
            return
        with tempfile.TemporaryDirectory() as folder:
            for name in ("client-certificate-data", "client-key-data"):
                with open(os.open(f"{folder}/{name}", os.O_CREAT | os.O_WRONLY, 0o600), "wb") as out:
                    out.write(base64.b64decode(words[name]))
            self.tls.load_cert_chain(f"{folder}/client-certificate-data", f"{folder}/client-key-data")

    def connect(self, timeout=REQUEST_SECONDS):
        return http.client.HTTPSConnection(self.address.hostname, self.address.port, context=self.tls,
                                           timeout=timeout)

    def _once(self, method, path, body, headers):
        connection = getattr(self.local, "connection", None)
        if connection is None:
            connection = self.local.connection = self.connect()
        connection.request(method, path, body=body, headers={**self.credentials, **headers})
        answer = connection.getresponse()
        return answer.status, answer.read().decode(errors="replace")

    def text(self, method, path, body=None, content_type="application/json", accept="application/json"):
        """The body of a good answer; Refused otherwise."""
        data = None if body is None else json.dumps(body)
        headers = {"Content-Type": content_type, "Accept": accept}
        try:
            status, answer = self._once(method, path, data, headers)
        except (http.client.HTTPException, OSError):
            self.local.connection = None  # an idle connection that the server closed
            status, answer = self._once(method, path, data, headers)
        if status >= 300:
            raise Refused(status, answer)
        return answer

    def get(self, path):
        return json.loads(self.text("GET", path))

    def create(self, path, body):
        return json.loads(self.text("POST", path, body))

    def merge(self, path, body):
        return json.loads(self.text("PATCH", path, body, "application/merge-patch+json"))

    def patch_status(self, path, body):
        return json.loads(self.text("PATCH", path + "/status", body, "application/strategic-merge-patch+json"))

    def delete(self, path, grace=None):
        options = {"kind": "DeleteOptions", "apiVersion": "v1"}
        if grace is not None:
            options["gracePeriodSeconds"] = grace
        return json.loads(self.text("DELETE", path, options))

    def stream(self, path, timeout=REQUEST_SECONDS):
        """An open answer, to be read as it comes."""
        connection = self.connect(timeout)
        connection.request("GET", path, headers=self.credentials)
        answer = connection.getresponse()
        if answer.status >= 300:
            raise Refused(answer.status, answer.read().decode(errors="replace"))
        return answer
