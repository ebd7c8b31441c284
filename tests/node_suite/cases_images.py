"""Images that are not there, and the events around a container's start."""
from frame import c, case, has, phase, same, state_of, waiting

FOREVER = "trap 'exit 0' TERM; while :; do sleep 0.2; done"
NOWHERE = "localhost:1/nobody/nothing:1"


@case("an image that is not there and must not be pulled waits with ErrImageNeverPull")
def never_pull(t):
    t.pod("true", image="nothing-of-this-name")
    pod = t.until(lambda pod: waiting(pod), "it waits")
    pod = t.until(lambda pod: waiting(pod).get("reason") == "ErrImageNeverPull", "the reason")
    has(waiting(pod)["message"], 'Container image "nothing-of-this-name" is not present with pull policy of Never')
    same(phase(pod), "Pending")
    t.event("Failed", "Error: ErrImageNeverPull")


@case("an image that cannot be pulled waits with ErrImagePull, then with ImagePullBackOff")
def pull_back_off(t):
    t.pod("true", image=NOWHERE, imagePullPolicy="IfNotPresent")
    t.until(lambda pod: waiting(pod).get("reason") == "ErrImagePull", "the pull failed")
    pod = t.until(lambda pod: waiting(pod).get("reason") == "ImagePullBackOff", "back-off")
    has(waiting(pod)["message"], f'Back-off pulling image "{NOWHERE}"')
    same(phase(pod), "Pending")


@case("a failed pull is told in events: Pulling, Failed with the image, Failed with the reason, BackOff")
def pull_events(t):
    t.pod("true", image=NOWHERE, imagePullPolicy="IfNotPresent")
    t.event("Pulling", f'Pulling image "{NOWHERE}"')
    t.event("Failed", f'Failed to pull image "{NOWHERE}"')
    t.event("Failed", "Error: ErrImagePull")
    t.event("BackOff", f'Back-off pulling image "{NOWHERE}"')
    t.event("Failed", "Error: ImagePullBackOff")


@case("a name that is no image's waits with InvalidImageName")
def invalid_image_name(t):
    t.pod("true", image="Not:A:Name")
    pod = t.until(lambda pod: waiting(pod).get("reason") == "InvalidImageName", "the reason")
    has(waiting(pod)["message"], 'Failed to apply default image tag "Not:A:Name": couldn\'t parse image name')
    t.event("InspectFailed", 'Failed to apply default image tag "Not:A:Name"')
    t.event("Failed", "Error: InvalidImageName")


@case("containers that have their image run although a neighbour has none; the pod is Pending")
def one_image_missing(t):
    t.pod(containers=[c(FOREVER, "a"), c("true", "b", image="nothing-of-this-name")])
    pod = t.runs("p", "a")
    pod = t.until(lambda pod: waiting(pod, "b").get("reason") == "ErrImageNeverPull", "the reason")
    same(phase(pod), "Pending")


@case("a container's start is told in events: Pulled, Created, Started")
def start_events(t):
    t.pod(FOREVER)
    t.event("Started", "")
    same(t.event("Pulled")["message"], 'Container image "host" already present on machine')
    has(t.event("Created")["message"], "c")
    event = t.event("Started")
    has(event["message"], "c")
    same(event["type"], "Normal")
    same(event["involvedObject"]["fieldPath"], "spec.containers{c}")
    same(event["reportingComponent"], "kubelet")


@case("Created and Started have kubelet's words")
def start_event_words(t):
    t.pod(FOREVER)
    t.event("Started", "")
    same([t.event("Created")["message"], t.event("Started")["message"]],
         ["Created container: c", "Started container c"])


@case("the scheduler tells where the pod goes in an event Scheduled")
def scheduled_event(t):
    t.pod(FOREVER)
    pod = t.ready()
    same(t.event("Scheduled")["message"], f"Successfully assigned {t.ns}/p to {pod['spec']['nodeName']}")


@case("events of an init container name it by spec.initContainers{name}")
def init_event_path(t):
    t.pod(FOREVER, initContainers=[c("true", "i")])
    t.ready()
    same([t.event("Started", f"Started container {name}")["involvedObject"]["fieldPath"] for name in "ic"],
         ["spec.initContainers{i}", "spec.containers{c}"])


@case("a container's status names its image in full, with an imageID and a containerID of the runtime")
def image_members(t):
    t.pod(FOREVER)
    status = state_of(t.ready())
    has(status["image"], "/library/host:latest")
    has(status["containerID"], "://")
    same(bool(status["imageID"]), True, "imageID")
