"""M1: the folder of secrets in /dev/shm, made by another user of the machine before the server's first start."""
from attacks import attack
from world import in_own_memory


@attack("folders of secrets are ours")
def reads_secrets_below_a_folder_of_its_own(world):
    return in_own_memory(world, "running")
