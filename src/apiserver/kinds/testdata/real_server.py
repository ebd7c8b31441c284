"""A real API server as the recording scripts ask it: one request, its code, its object, its warnings."""
import base64
import json
import ssl
import tempfile
import urllib.error
import urllib.request

import yaml


class Server:
    def __init__(self, kubeconfig):
        with open(kubeconfig, encoding="utf-8") as file:
            config = yaml.safe_load(file)
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        self.url = cluster["server"]
        self.tls = ssl.create_default_context(
            cadata=base64.b64decode(cluster["certificate-authority-data"]).decode())
        with tempfile.NamedTemporaryFile() as file:
            for key in "client-certificate-data", "client-key-data":
                file.write(base64.b64decode(user[key]))
            file.flush()
            self.tls.load_cert_chain(file.name)

    def ask(self, method, path, body=None):
        patch = "merge-patch+" if method == "PATCH" else ""
        request = urllib.request.Request(self.url + path, method=method, data=json.dumps(body).encode() if body else None,
                                         headers={"Content-Type": f"application/{patch}json"})
        try:
            with urllib.request.urlopen(request, context=self.tls) as answer:
                return answer.status, json.load(answer), answer.headers.get_all("Warning") or []
        except urllib.error.HTTPError as answer:
            return answer.code, json.load(answer), answer.headers.get_all("Warning") or []
