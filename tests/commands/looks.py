"""get and describe on their own."""
from machine import Failed
from person import pod


def lists(person):
    person.want(["get", "pods"], out=r"NAME +READY +STATUS +RESTARTS +AGE\nfill +0/1 +Completed")
    person.want(["get", "pod", "nope"], code=1, err=r'^Error from server \(NotFound\): pods "nope" not found\n$')
    person.want(["get", "foos"], code=1, err='^error: the server doesn\'t have a resource type "foos"\n$')
    person.want(["get", "cronjobs"], err="^No resources found in default namespace.\n$")
    person.want(["get"], code=2)
    person.want(["get", "pods", "-o", "xml"], code=1, err="xml")
    person.want(["get", "pods", "--kubeconfig", "/none"], code=1, err="/none")


def refused(person):
    """Somebody without rights is told so in the server's words."""
    person.want(["get", "secrets", "--as", "nobody"], code=1,
                err=r"^Error from server \(Forbidden\): secrets is forbidden")
    person.want(["describe", "secrets", "--as", "nobody"], code=1, err="Forbidden")


def descriptions(person):
    person.want(["describe", "pod", "web"], out=r"(?s)^Name: +web\n.*Status: +Running\n.*Conditions:\n.*Spec:\n.*"
                r"Events:\n.*Scheduled.*Started container c")
    person.want(["describe", "pvc/data"], out=r"(?s)Status: +Bound\n.*Used By: +fill \(Succeeded\)")
    person.want(["describe", "node"], out=r"(?s)Conditions:\n.*Ready +True")
    person.want(["describe", "pod", "nope"], code=1, err="NotFound")


def secrets_stay_secret(person):
    person.machine.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "quiet"},
                           "stringData": {"word": "not to be seen"}})
    said = person.want(["describe", "secret", "quiet"], out="word: \"?14 bytes")
    if "not to be seen" in said.out or "bm90IHRvIGJlIHNlZW4" in said.out:
        raise Failed(f"a secret is shown: {said.out}")


def changes_are_followed(person):
    watching = person.start("get", "pods", "-w", "--no-headers", "-l", "app=late")
    try:
        person.machine.create(pod("late", "sleep 100000", labels={"app": "late"}))
        seen = ""
        while "Running" not in seen:
            seen = watching.stdout.readline()
            if not seen:
                raise Failed(f"the watch ended: {watching.stderr.read()}")
        person.machine.delete("Pod", "late")
    finally:
        watching.kill()
        watching.wait()


STORIES = [lists, refused, descriptions, secrets_stay_secret, changes_are_followed]
