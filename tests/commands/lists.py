"""The same lists by our command and by kubectl."""
import re

import yaml
from machine import Failed
from person import claim

TRIES = 5
AGE = re.compile(r"\b(?:\d+[smhd])+\b *")


def without_ages(text):
    """Ages tick between the two; all of a column, with what fills it up, is as wide as before."""
    return AGE.sub(lambda match: "AGE".ljust(len(match.group())), text)


def same(person, words):
    """What the machine does of itself may fall between the two, so only a difference that stays is one."""
    for _ in range(TRIES):
        ours, theirs = person.run(*words), person.run(*words, program=person.kubectl)
        if (ours.code, ours.err, without_ages(ours.out)) == (theirs.code, theirs.err, without_ages(theirs.out)):
            return
    raise Failed(f"{' '.join(words)}:\nours   {ours}\nkubectl {theirs}")


def each(*lines):
    def story(person):
        for line in lines:
            same(person, line.split())
    return story


def named(name, story):
    story.__name__ = name
    return story


def our_kinds(person):
    """Of our own kinds, with a move that has ended."""
    person.location("here", "--default")
    if not person.machine.list("DataMove"):
        person.want(["move", "backup", "data", "--wait"])
    for line in ("get datamoves", "get dm -o wide", "get datamoves.holdfast.dev -A", "get bl", "get backuplocations -A",
                 "get holdfast", "get holdfast -A", "get repo", "get DataMove.holdfast.dev", "get dm nope",
                 "get backuplocation/here"):
        same(person, line.split())


def whole_objects(person):
    """json byte for byte; yaml may be quoted otherwise."""
    for line in ("get pod web -o json", "get pods -o json", "get pvc,sc -o json", "get cm -o json -l none=such"):
        same(person, line.split())
    words = ["get", "pods,pvc", "-o", "yaml"]
    for _ in range(TRIES):
        ours, theirs = (yaml.safe_load(person.run(*words, program=program).out) for program in (None, person.kubectl))
        if ours == theirs:
            return
    raise Failed(f"{words}: {ours} is not {theirs}")


def wide_claims(person):
    """A claim that waits beside one that is bound: empty cells."""
    if not person.machine.get("PersistentVolumeClaim", "waiting"):
        person.machine.create(claim("waiting"))
    for line in ("get pvc", "get pvc -o wide", "get pvc -A", "get persistentvolumeclaims data waiting", "get pv"):
        same(person, line.split())


STORIES = [
    named("pods", each("get pods", "get po -o wide", "get pod web fill", "get pods -A", "get pods -l app=shop",
                       "get pods -l app=none", "get pods -n kube-system", "get pods -A -l app=none", "get pod/web",
                       "get pod/web pvc/data", "get pods --no-headers", "get pods -o name", "get pods,pvc -o name",
                       "get pods --field-selector status.phase=Running")),
    named("several_kinds", each("get pods,pvc", "get all", "get all -A", "get pods,svc,cm", "get ns,nodes",
                                "get svc,pods", "get pods,secrets -l app=none", "get cm,pvc -A -o wide",
                                "get ns,pods -A", "get pods,ns,pvc,nodes -A", "get pods,ns -A -l none=such")),
    named("names_not_there", each("get pod nope", "get pod web nope", "get pods nope no2", "get pvc nope -n none",
                                  "get foos", "get foos.example.com", "get pods web -A", "get ns nope",
                                  "get pod/web foo/x", "get pod web -l a=b", "get pods -n none")),
    named("without_namespaces", each("get nodes", "get nodes -o wide", "get sc", "get ns", "get crd",
                                     "get ns default -A", "get clusterroles -l none=such")),
    wide_claims, whole_objects, our_kinds]
