"""Files with tokens that every user of the machine can read."""
from attacks import attack
from m4_connections import server


@attack("files of secrets are their owner's")
def reads_the_tokens_of_others(world):
    with server(world, "alice", mode=0o644, descriptors=1024) as api:
        return "a server whose tokens all can read" if api else None
