"""Locations that cannot be used: each must say why and what to do, and be good again when that is done."""
import urllib.parse

from bucket import KEY
from machine import Failed, free_port


def a_good_one_is_available(world):
    world.secrets("good")
    world.location("good", "good")
    world.says("BackupLocation", "good", "Available", "Answers", world.bucket, status="True")
    world.event("BackupLocation", "good", "Answers", world.bucket, warning=False)
    status = world.machine.get("BackupLocation", "good")["status"]
    if status["phase"] != "Available" or not status.get("lastChecked"):
        raise Failed(f"phase or lastChecked is wrong: {status}")
    versions = {world.machine.get("BackupLocation", "good")["metadata"]["resourceVersion"] for _ in range(20)}
    if len(versions) > 2:
        raise Failed(f"its status is written without end: {versions}")


def a_wrong_key_is_told_and_its_rotation_seen(world):
    world.secrets("stranger", {"AWS_ACCESS_KEY_ID": "stranger", "AWS_SECRET_ACCESS_KEY": "unheard-of"})
    world.location("stranger", "stranger")
    world.both("BackupLocation", "stranger", "Available", "AccessDenied", "InvalidAccessKeyId",
               "Secret default/key-stranger", "does not know this access key")
    world.patch("Secret", "key-stranger", {"stringData": KEY})
    world.says("BackupLocation", "stranger", "Available", "Answers", status="True")
    world.event("BackupLocation", "stranger", "Answers", warning=False)
    world.patch("Secret", "key-stranger", {"stringData": {"AWS_SECRET_ACCESS_KEY": "mistyped"}})
    world.try_again("stranger")
    world.says("BackupLocation", "stranger", "Available", "AccessDenied", "SignatureDoesNotMatch",
               "check the secret key")


def a_bucket_that_is_gone_is_told(world):
    world.secrets("gone")
    world.location("gone", "gone", {"bucket": "gone-for-good"})
    world.both("BackupLocation", "gone", "Available", "BucketNotFound", "gone-for-good", "make the bucket")


def a_service_that_does_not_answer_is_told(world):
    world.secrets("away")
    world.location("away", "away", {"endpoint": f"http://127.0.0.1:{free_port()}"})
    world.both("BackupLocation", "away", "Available", "Unreachable", "127.0.0.1")


def missing_secrets_are_named(world):
    world.location("bare", "bare")
    world.both("BackupLocation", "bare", "Available", "SecretNotFound", "default/key-bare", "make it")
    world.secret("key-bare", {"AWS_ACCESS_KEY_ID": "double"})
    world.says("BackupLocation", "bare", "Available", "SecretNotFound", "default/password-bare")
    world.secret("password-bare", {"wrong-entry": "x"})
    world.both("BackupLocation", "bare", "Available", "SecretKeyMissing", "default/password-bare", '"password"')
    world.patch("Secret", "password-bare", {"stringData": {"password": "x"}})
    world.says("BackupLocation", "bare", "Available", "SecretKeyMissing", "default/key-bare", "AWS_SECRET_ACCESS_KEY")
    world.patch("Secret", "key-bare", {"stringData": KEY})
    world.says("BackupLocation", "bare", "Available", "Answers", status="True")


def a_wish_that_makes_no_sense_is_told(world):
    world.location("both", "good", file={"path": "/tmp"})
    world.both("BackupLocation", "both", "Available", "InvalidSpec", "exactly one of spec.s3 and spec.file")
    world.machine.delete("BackupLocation", "both")


def a_folder_that_cannot_be_made_is_told(world):
    (world.folder / "file").write_text("x", encoding="utf-8")
    for name, path in (("folder", world.folder / "made"), ("no-folder", world.folder / "file" / "below")):
        world.machine.create({"apiVersion": "holdfast.dev/v1alpha1", "kind": "BackupLocation",
                              "metadata": {"name": name},
                              "spec": {"file": {"path": str(path)}, "password": {"name": "password-good"}}})
    world.says("BackupLocation", "folder", "Available", "Answers", str(world.folder / "made"), status="True")
    world.both("BackupLocation", "no-folder", "Available", "FolderNotUsable", str(world.folder / "file" / "below"))


def two_defaults_are_told(world):
    for name in ("first", "second"):
        world.location(name, "good", default=True)
    for name, other in (("first", "second"), ("second", "first")):
        world.says("BackupLocation", name, "DefaultConflict", "SeveralDefaults", other, "spec.default", status="True")
        world.event("BackupLocation", name, "SeveralDefaults", other)
    world.patch("BackupLocation", "second", {"spec": {"default": False}})
    world.machine.until(lambda: not world.condition("BackupLocation", "first", "DefaultConflict"),
                        "the conflict is over")
    for name in ("first", "second"):
        world.machine.delete("BackupLocation", name)


def no_secret_is_ever_shown(world):
    shown = world.machine.log()
    for kind in ("BackupLocation", "Event"):
        shown += str(world.machine.list(kind))
    for secret in ("double-secret", "unheard-of", "mistyped", urllib.parse.quote("double-secret")):
        if secret in shown:
            raise Failed(f"{secret} is told")


STORIES = [a_good_one_is_available, a_wrong_key_is_told_and_its_rotation_seen, a_bucket_that_is_gone_is_told,
           a_service_that_does_not_answer_is_told, missing_secrets_are_named, a_wish_that_makes_no_sense_is_told,
           a_folder_that_cannot_be_made_is_told, two_defaults_are_told, no_secret_is_ever_shown]
