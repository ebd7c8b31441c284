"""Normal form of a namespace's objects, without uids, times, versions and drawn names.

Template and revision hashes are replaced by a digest of what they stand for, so that they are equal exactly when
the contents are; names that a server drew at random lose their last letters, and lists whose order hangs on such
names are sorted.
"""
import hashlib
import json
import re

FORMS = [
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "UID"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"), "TIME"),
    (re.compile(r"\b10\.9\.\d+\.\d+\b"), "ADDRESS"),
    (re.compile(r"\bkube-api-access-\w{5}\b"), "kube-api-access-?????"),
]
TEMPLATE_HASH = "pod-template-hash"
TRIGGER = "endpoints.kubernetes.io/last-change-trigger-time"
DRAWN = re.compile("[bcdfghjklmnpqrstvwxz2456789]{5}")
MOST_EVENTS = 10


def digest(value):
    return hashlib.sha1(json.dumps(value, sort_keys=True).encode()).hexdigest()[:8]


def hashes(objects):
    """Every drawn or computed name in these objects with what stands for it."""
    found = {}
    for thing in objects:
        meta = thing["metadata"]
        if thing["kind"] == "ReplicaSet" and TEMPLATE_HASH in meta.get("labels", {}):
            template = json.loads(json.dumps(thing["spec"]["template"]))
            template["metadata"]["labels"].pop(TEMPLATE_HASH, None)
            found[meta["labels"][TEMPLATE_HASH]] = "hash-" + digest(template)
        if thing["kind"] == "ControllerRevision":
            revision = meta["name"].rsplit("-", 1)[-1]
            found[revision] = "hash-" + digest(thing["data"])
    for thing in objects:
        meta = thing["metadata"]
        # Pods of a ReplicaSet carry both; what was generated shows by the prefix. Those of a StatefulSet have the
        # prefix too, but their names are their own.
        prefix = meta.get("generateName")
        if prefix and meta["name"].startswith(prefix) and DRAWN.fullmatch(meta["name"].removeprefix(prefix)):
            found[meta["name"]] = prefix + "?????"
    return found


def sort_lists(value):
    """Lists of objects are sets as far as this comparison goes, but for conditions, whose order is theirs."""
    if isinstance(value, dict):
        return {key: each if key == "conditions" else sort_lists(each) for key, each in value.items()}
    if isinstance(value, list):
        inner = [sort_lists(each) for each in value]
        return sorted(inner, key=lambda each: json.dumps(each, sort_keys=True)) if inner and isinstance(
            inner[0], dict) else inner
    return value


def essence(event):
    """An event is news: who, about what, why; counts and series hang on timing."""
    about = event.get("involvedObject", {})
    message = event.get("message", "").removeprefix("(combined from similar events): ")
    return {"kind": "Event", "type": event.get("type"), "reason": event.get("reason"), "message": message,
            "about": f"{about.get('kind')} {about.get('name')}",
            "by": event.get("reportingComponent") or event.get("source", {}).get("component")}


def without_floods(events):
    """The real manager merges the messages of an object's events of one reason from the eleventh on."""
    groups = {}
    for event in events:
        groups.setdefault((event["about"], event["reason"], event["by"]), []).append(event)
    for group in groups.values():
        if len({event["message"] for event in group}) >= MOST_EVENTS:
            group[:] = [{**group[0], "message": "a flood"}]
    return [event for group in groups.values() for event in group]


def forget_trigger(meta):
    """How many changes of pods go into one write of endpoints hangs on timing, and so does whether it says since when:
    the real manager forgets that time when its first try is refused."""
    meta.pop("generation", None)
    meta.get("annotations", {}).pop(TRIGGER, None)
    for entry in meta.get("managedFields", []):
        fields = entry["fieldsV1"].get("f:metadata", {})
        fields.get("f:annotations", {}).pop("f:" + TRIGGER, None)
        if fields.get("f:annotations") == {".": {}}:
            del fields["f:annotations"]
    if meta.get("annotations") == {}:
        del meta["annotations"]


def normalise(objects, events, ns, names):
    """A sorted list of texts, one per object; `names` as hashes() gave them, also of objects that are gone."""
    objects = json.loads(json.dumps(objects))
    names = sorted(names.items(), key=lambda pair: -len(pair[0]))
    lines = set()
    out = []
    for thing in [*objects, *without_floods([essence(event) for event in events])]:
        if "metadata" in thing:
            thing["metadata"].pop("resourceVersion", None)
            if thing["kind"] in ("Endpoints", "EndpointSlice"):
                forget_trigger(thing["metadata"])
        text = json.dumps(thing)
        for name, form in names:
            text = text.replace(name, form)
        for pattern, form in FORMS:
            text = pattern.sub(form, text)
        text = json.dumps(sort_lists(json.loads(text.replace(ns, "NAMESPACE"))), indent=1, sort_keys=True)
        # Pods that nobody saw in between: their names live on in events only.
        if thing["kind"] == "Event":
            # A refusal names a pod that has no name yet by its prefix.
            text = text.replace('-?????\\" is forbidden', '-\\" is forbidden')
            text = re.sub(r"(-(?:hash-\w{8}|[a-z][a-z0-9]*))-[bcdfghjklmnpqrstvwxz2456789]{5}\b", r"\1-?????", text)
            if text in lines:
                continue
            lines.add(text)
        out.append(text)
    return sorted(out)
