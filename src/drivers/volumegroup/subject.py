"""Volume groups as a subject of the driver suite (tests/driver_suite): one pod, with one claim."""
from pathlib import Path

SCENARIOS = Path(__file__).resolve().parents[3] / "tests" / "scenarios"


def subject(pod):
    """The fields of a Subject, whose comments say what they are."""
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"}, "spec": {
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "8Mi"}}}}
    return {
        "kind": "VolumeGroup", "base": "/apis/longhorn.io/v1beta2", "plurals": ["volumegroups", "volumegroupactions"],
        "rights": [("longhorn.io", "volumegroups/status", "patch"), ("longhorn.io", "volumegroupactions", "create"),
                   ("", "pods/exec", "create"), ("holdfast.dev", "datamoves", "create"),
                   ("snapshot.storage.k8s.io", "volumesnapshots", "create")],
        "stage": [claim, pod("db", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}],
                             container={"volumeMounts": [{"name": "v", "mountPath": "/v"}]})],
        "spec": {"group": {"kind": "Pod", "names": ["db"]}}, "labels": {"longhornio.volume-group-action": "snapshot"},
        "columns": ["NAME", "KIND", "STATE"], "condition": "LastActionCompleted",
        "described": ["Members:", "db", "Actions:"],
        "verb": ["group", "snapshot", "first"], "said": "volumegroupaction.longhorn.io/first-snapshot-",
        "mistaken": ["group", "snapshot", "nobody"],
        "verbs": [["group", *words] for words in (
            ["snapshot", "first"], ["backup", "first"], ["revert", "first-1", "--yes"],
            ["restore", "first-1", "--yes"], ["restore", "--from", "first"], ["list"], ["list", "first"],
            ["list", "--location", "here"], ["describe", "first"], ["describe", "vg/first"],
            ["describe", "first", "--dry-run", "backup"], ["logs", "first-1"], ["delete", "first-1", "--yes"])],
        "setting": ("window-limit", "soon", "is no duration from 1s to 8s"),
        "most_lines": 4200, "most_inner_lines": 2800,
        "scenarios": {"volumegroup": ["--crash-points", "2", "--storms", "1"]}, "folder": SCENARIOS,
        "elsewhere": ("guard",)}
