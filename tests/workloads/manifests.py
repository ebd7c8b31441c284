"""Manifests that several scenarios share, as text for kubectl."""
# The real Job controller looks at a Job at most once a second.
JOB_QUIET_SECONDS = 1.6
# The endpoint slice controller waits a second when its cache lags behind its own write.
SLICE_QUIET_SECONDS = 1.5


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


def stateful_set(name, replicas, image="app:1", more=""):
    return f"""
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: {name}
  annotations:
    made-by: somebody
spec:
  replicas: {replicas}
  serviceName: {name}
  selector:
    matchLabels:
      app: db
{indented(more, 2)}{indented(template(image, "app: db"), 2)}"""


def partition(number):
    return f"""
updateStrategy:
  type: RollingUpdate
  rollingUpdate:
    partition: {number}
"""


def claims(when_scaled, when_deleted):
    return f"""
persistentVolumeClaimRetentionPolicy:
  whenScaled: {when_scaled}
  whenDeleted: {when_deleted}
volumeClaimTemplates:
- metadata:
    name: data
    labels:
      kind: data
  spec:
    accessModes: [ReadWriteOnce]
    storageClassName: none
    resources:
      requests:
        storage: 1Gi
"""


def job(name, more=""):
    return f"""
apiVersion: batch/v1
kind: Job
metadata:
  name: {name}
  labels:
    for: {name}
spec:
{indented(more, 2)}  template:
    metadata:
      labels:
        app: {name}
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 5
      containers:
      - name: app
        image: app:1
"""


def ended(thing):
    return any(c["type"] in ("Complete", "Failed") and c["status"] == "True"
               for c in thing.get("status", {}).get("conditions", []))


def service(name, more, labels="app: web"):
    return f"""
apiVersion: v1
kind: Service
metadata:
  name: {name}
  labels:
    for: {name}
spec:
  selector:
    {labels}
{indented(more, 2)}"""


def pod(name, labels="app: web", ports=""):
    return f"""
apiVersion: v1
kind: Pod
metadata:
  name: {name}
  labels:
    {labels}
spec:
  terminationGracePeriodSeconds: 5
  containers:
  - name: app
    image: app:1
    ports:
{indented(ports, 4)}"""
