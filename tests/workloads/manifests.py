"""Manifests that several scenarios share, as text for kubectl."""


def indented(text, width):
    return "".join(" " * width + line + "\n" for line in text.strip().splitlines())


def template(image, labels="app: web"):
    return f"""
template:
  metadata:
    labels:
      {labels}
  spec:
    terminationGracePeriodSeconds: 5
    containers:
    - name: app
      image: {image}
"""


def replica_set(name, replicas, image="app:1", more=""):
    return f"""
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: {name}
spec:
  replicas: {replicas}
  selector:
    matchLabels:
      app: web
{indented(more, 2)}{indented(template(image), 2)}"""


def deployment(name, replicas, image="app:1", more="", annotations=""):
    return f"""
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {name}
  annotations:
    made-by: somebody
{indented(annotations, 4)}spec:
  replicas: {replicas}
  selector:
    matchLabels:
      app: web
{indented(more, 2)}{indented(template(image), 2)}"""


def rolling(surge, unavailable):
    return f"""
strategy:
  type: RollingUpdate
  rollingUpdate:
    maxSurge: {surge}
    maxUnavailable: {unavailable}
"""
