"""Subjects of the driver suite: its own driver, and each of the product, as the subject.py of its folder says it."""
import importlib.util
import re
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
DRIVERS = HERE.parents[1] / "src" / "drivers"


@dataclass
class Subject:
    driver: str
    kind: str                 # the one whose objects people make
    base: str                 # where it is served
    plurals: list             # of all its kinds, that one first
    rights: list              # (group, resource, verb) that its controllers need beyond reading their own kinds
    spec: dict
    columns: list             # of its table
    condition: str            # True at the end of an object
    described: list           # words of `describe`, without those of conditions
    verb: list                # words of a command about the object `first`
    said: str                 # what it says on standard output
    mistaken: list            # the same about what is not there
    verbs: list               # words of every command that its verbs have
    scenarios: dict           # name of a scenario → flags of the simulation
    model: Path               # with its list of sabotages
    folder: Path              # with its scenarios
    labels: dict = field(default_factory=dict)
    stage: list = field(default_factory=list)  # what is there before its objects
    most_lines: int = 300     # of its sources without tests; 300 is what a new driver may cost
    most_inner_lines: int = 300  # the same without verbs and model
    elsewhere: tuple = ()     # sabotages of its list that take minutes: sim_sabotage has them
    setting: tuple = ()       # name of one, a value that does not parse, words of the refusal

    @property
    def group(self):
        return self.base.split("/")[2]

    @property
    def version(self):
        return self.base.split("/")[3]

    def object(self, name):
        return {"apiVersion": "/".join(self.base.split("/")[2:]), "kind": self.kind, "spec": self.spec,
                "metadata": {"name": name, "labels": self.labels}}

    def idle(self, name):
        """The same, and nothing is asked of it."""
        return {**self.object(name), "metadata": {"name": name}}

    def lines(self, parts):
        """Lines of its sources without tests, with its verbs and its model or without those parts."""
        top = self.model.parent
        files = [path for path in top.rglob("*") if path.suffix in (".cpp", ".h")
                 and not path.stem.endswith(("_test", "_for_tests"))
                 and (parts or path.relative_to(top).parts[0] not in ("verbs", "model"))]
        return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)

    def sabotages(self):
        """(part, oracle, scenario) of the list; of `sound` the scenario is its second word."""
        for line in (self.model / "sabotage").read_text(encoding="utf-8").splitlines():
            words = line.split()
            if words and words[0] not in ("#", "sound") and words[0] not in self.elsewhere:
                yield words


def pod(name, **spec):
    container = {"name": "c", "image": "host", "command": ["/bin/sleep", "1000"], **spec.pop("container", {})}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"terminationGracePeriodSeconds": 0, "containers": [container], **spec}}


def may_run_commands(account):
    """An account of the namespace, and its right to run commands in pods."""
    rbac = "rbac.authorization.k8s.io"
    return [{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": account}},
            {"apiVersion": f"{rbac}/v1", "kind": "Role", "metadata": {"name": account}, "rules": [
                {"apiGroups": [""], "resources": ["pods/exec"], "verbs": ["get", "create"]}]},
            {"apiVersion": f"{rbac}/v1", "kind": "RoleBinding", "metadata": {"name": account},
             "roleRef": {"apiGroup": rbac, "kind": "Role", "name": account},
             "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": "default"}]}]


def named(driver):
    """The subject of a driver of the product."""
    spec = importlib.util.spec_from_file_location(f"subject_{driver}", DRIVERS / driver / "subject.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return Subject(driver=driver, model=DRIVERS / driver / "model", **module.subject(pod))


MEMO = Subject(
    driver="memo", kind="Memo", base="/apis/test.holdfast.dev/v1", plurals=["memos"],
    rights=[("test.holdfast.dev", "memos/status", "patch"), ("", "pods/exec", "create"),
            ("holdfast.dev", "datamoves", "create")],
    stage=[*may_run_commands("keeper"), pod("speaker")],
    spec={"pod": "speaker", "serviceAccountName": "keeper", "command": ["/bin/echo", "remember me"]},
    columns=["NAME", "PHASE"], condition="Completed", described=["Pod:", "speaker", "Snapshot:"],
    verb=["memo", "first"], said="remember me\n", mistaken=["memo", "nobody"],
    verbs=[["memo", "first"]],
    scenarios={"memo": []}, model=HERE / "memo" / "model", folder=HERE / "memo" / "model")

PRODUCT = [named(name) for name in re.findall(r"^HOLDFAST_DRIVER\((\w+)\)", (DRIVERS / "list.def").read_text(
    encoding="utf-8"), re.MULTILINE)]
SUBJECTS = {subject.driver: subject for subject in (MEMO, *PRODUCT)}
