"""location: made from flags, tried, removed."""
import base64

from machine import Failed
from person import PASSWORD


def value_of(person, secret, key):
    return base64.b64decode(person.machine.get("Secret", secret)["data"][key]).decode()


def made_from_flags(person):
    person.location("here", "--default")
    if value_of(person, "here-password", "password") != PASSWORD:
        raise Failed("the Secret holds another password")
    person.want(["location", "list"], out=r"NAME +PHASE +DEFAULT")
    person.want(["location", "describe", "here"], out=r"(?s)Place: +/.*Password: +Secret here-password")
    person.want(["location", "add", "here", "--path", "/x", "--password-file", str(person.password)], code=1,
                err="AlreadyExists")


def keys_from_the_environment(person):
    """A bucket that nobody serves: the location is made, and the command says why it cannot be used."""
    said = person.want(["location", "add", "away", "--s3-endpoint", "http://127.0.0.1:1", "--bucket", "b", "--region",
                        "r", "--password-file", str(person.password), "--allow", "shop", "--allow", "other"], code=1,
                       out="created", err="backuplocation.holdfast.dev/away: Unavailable: ", AWS_ACCESS_KEY_ID="an id",
                       AWS_SECRET_ACCESS_KEY="a hidden key")
    if "a hidden key" in said.out + said.err:
        raise Failed(f"the key is told: {said}")
    if value_of(person, "away-credential", "AWS_SECRET_ACCESS_KEY") != "a hidden key":
        raise Failed("the Secret holds another key")
    if person.machine.get("BackupLocation", "away")["spec"]["allowedNamespaces"] != ["shop", "other"]:
        raise Failed("other namespaces are allowed")


def nothing_half_made(person):
    """What is wrong is said before anything is made."""
    person.want(["location", "add", "bad", "--path", "/x", "--bucket", "b"], code=1, err="--bucket and --path")
    person.want(["location", "add", "bad", "--s3-endpoint", "http://h", "--bucket", "b"], code=1,
                err="AWS_ACCESS_KEY_ID")
    person.want(["location", "add", "bad", "--path", "/x"], code=1, err="--password-file")
    person.want(["location", "add", "Bad Name", "--path", "/x", "--password-file", str(person.password)], code=1,
                err="Invalid")
    if person.machine.get("BackupLocation", "bad") or person.machine.get("Secret", "bad-password"):
        raise Failed("something was made")


def foreign_secret_is_not_taken(person):
    """A Secret of that name that holds something else may open something: it is left alone."""
    person.machine.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "taken-password"},
                           "stringData": {"password": "another"}})
    words = ["location", "add", "taken", "--path", str(person.store / "taken")]
    person.want([*words, "--password-file", str(person.password)], code=1, err="taken-password is there already")
    person.want([*words, "--password-secret", "taken-password", "--no-wait"], out="created")
    if value_of(person, "taken-password", "password") != "another":
        raise Failed("the Secret was changed")


def removed(person):
    person.want(["location", "remove", "taken"], out="taken deleted", err="Secret taken-password stays")
    if not person.machine.get("Secret", "taken-password"):
        raise Failed("the password is gone")
    person.want(["location", "remove", "away", "--with-secrets"], out="secret/away-password deleted")
    if person.machine.get("Secret", "away-password") or person.machine.get("BackupLocation", "away"):
        raise Failed("something is left")
    person.want(["location", "remove", "away"], code=1, err="NotFound")


STORIES = [made_from_flags, keys_from_the_environment, nothing_half_made, foreign_secret_is_not_taken, removed]
