"""Threads of a process, and what each is at: one that is stopped (T) or waits for a disk (D) says so itself."""
import shutil
import subprocess
from pathlib import Path


def _told(file):
    try:
        return file.read_text(encoding="utf-8").strip()
    except OSError as reason:
        return f"({reason.strerror})"


def told_by_the_kernel(pid):
    out = []
    for task in sorted(Path(f"/proc/{pid}/task").iterdir(), key=lambda task: int(task.name)):
        state = next((line for line in _told(task / "status").splitlines() if line.startswith("State:")), "")
        words = [f"{name} {_told(task / name)}" for name in ("comm", "wchan", "syscall", "stack")]
        out.append(f"thread {task.name}: " + ", ".join([state, *words]))
    return "\n".join(out)


def told_by_gdb(pid):
    try:
        done = subprocess.run(["gdb", "-p", str(pid), "-batch", "-ex", "set print frame-arguments none", "-ex",
                               "thread apply all bt 25"], capture_output=True, text=True, check=False, timeout=300,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return "gdb: no answer in 300 s"
    return done.stdout + done.stderr


def threads_of(pid):
    try:
        out = told_by_the_kernel(pid)
    except OSError as reason:
        return f"the process is gone: {reason}"
    return out + ("\n" + told_by_gdb(pid) if shutil.which("gdb") else "")
