"""Frame of the stories on locations: Secrets, locations, moves, and what the objects say of themselves."""
import json
import os
import subprocess
import urllib.request

from machine import Failed

PASSWORD = "locations"
KEY = {"AWS_ACCESS_KEY_ID": "double", "AWS_SECRET_ACCESS_KEY": "double-secret"}
OURS = "holdfast.dev/v1alpha1"


class World:
    def __init__(self, machine, store, folder):
        self.machine, self.store, self.folder = machine, store, folder
        # s3:http://HOST:PORT/bucket/repository: the bucket is made with the tool's first repository.
        self.endpoint, self.bucket = store.environment["RESTIC_REPOSITORY"].removeprefix("s3:").rsplit("/", 2)[:2]
        subprocess.run([machine.binary, "repo", "init"], env={**os.environ, **store.environment}, check=True,
                       capture_output=True)

    def secret(self, name, data):
        self.machine.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "stringData": data})

    def patch(self, kind, name, body):
        self.machine.api.merge(self.machine.path(kind, name), body)

    def secrets(self, suffix, key=None, password=PASSWORD):
        self.secret(f"key-{suffix}", key or KEY)
        self.secret(f"password-{suffix}", {"password": password})

    def location(self, name, suffix, s3=None, **spec):
        place = {"endpoint": self.endpoint, "bucket": self.bucket, "prefix": name, "region": "us-east-1",
                 "forcePathStyle": True, **(s3 or {})}
        self.machine.create({"apiVersion": OURS, "kind": "BackupLocation", "metadata": {"name": name},
                             "spec": {"s3": place, "credential": {"name": f"key-{suffix}"},
                                      "password": {"name": f"password-{suffix}"}, **spec}})

    def try_again(self, name):
        """At once, as it has changed; of itself it looks at its Secrets within a minute."""
        spec = self.machine.get("BackupLocation", name)["spec"]
        listed = spec.get("allowedNamespaces") or []
        self.patch("BackupLocation", name, {"spec": {"allowedNamespaces": [f"nobody-{len(listed)}", *listed]}})

    def condition(self, kind, name, wanted):
        status = (self.machine.get(kind, name) or {}).get("status", {})
        return next((each for each in status.get("conditions") or [] if each["type"] == wanted), {})

    def says(self, kind, name, condition, reason, *words, status="False"):
        """The condition with that reason and all these words in its message, once it is there."""
        def look():
            found = self.condition(kind, name, condition)
            good = (found.get("reason"), found.get("status")) == (reason, status)
            return found if good and all(word in found["message"] for word in words) else None
        found = self.machine.until(look, lambda: f"{kind} {name} says {condition}={status} {reason} with {words}: "
                                   f"{json.dumps((self.machine.get(kind, name) or {}).get('status'))}")
        generation = self.machine.get(kind, name)["metadata"]["generation"]
        if found.get("observedGeneration") != generation:
            raise Failed(f"{kind} {name}: {found} is not about generation {generation}")
        return found

    def event(self, kind, name, reason, *words, warning=True):
        """The event on that object with that reason."""
        uid = self.machine.get(kind, name)["metadata"]["uid"]

        def look():
            for each in self.machine.list("Event"):
                about = each.get("regarding", {})
                if about.get("uid") == uid and each.get("reason") == reason:
                    return each
            return None
        found = self.machine.until(look, lambda: f"an event {reason} on {kind} {name}: " + "; ".join(
            f"{each.get('reason')}: {each.get('note')}" for each in self.machine.list("Event")
            if each.get("regarding", {}).get("uid") == uid))
        if (found["type"] == "Warning") != warning:
            raise Failed(f"{found['type']} event {reason}: {found['note']}")
        for word in words:
            if word not in found["note"]:
                raise Failed(f"event {reason} on {kind} {name} does not name {word!r}: {found['note']}")

    def both(self, kind, name, condition, reason, *words):
        """A condition and an event, with the same words."""
        self.says(kind, name, condition, reason, *words)
        self.event(kind, name, reason, *words)

    def service(self, path):
        """Changes the double's weather, or its key."""
        urllib.request.urlopen(urllib.request.Request(f"{self.endpoint}/-/{path}", method="PUT"), timeout=30).close()

    def restic(self, place, *arguments, password=PASSWORD):
        environment = {**os.environ, **self.store.environment, "RESTIC_PASSWORD": password,
                       "RESTIC_REPOSITORY": f"s3:{self.endpoint}/{self.bucket}/{place}/default"}
        done = subprocess.run(["restic", *arguments], env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failed(f"restic {' '.join(arguments)} on {place}:\n{done.stdout[-1500:]}{done.stderr[-1500:]}")
        return done.stdout
