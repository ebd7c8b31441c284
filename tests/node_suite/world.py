"""A `holdfast up` of the suite's own: everything it writes is in a folder that goes with it."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

READY_SECONDS, STOP_SECONDS = 60, 60


class Up:
    def __enter__(self):
        binary = os.environ.get("HOLDFAST_BINARY")
        if not binary:
            sys.exit("HOLDFAST_BINARY must name the program under test")
        self.folder = Path(tempfile.mkdtemp(prefix="holdfast-node-suite."))
        self.log = open(self.folder / "up.log", "w", encoding="utf-8")
        self.process = subprocess.Popen([binary, "up", "--data-dir", str(self.folder / "data"), "--listen",
                                         "127.0.0.1:0"], stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("ready "):
            print((self.folder / "up.log").read_text(encoding="utf-8"), file=sys.stderr)
            self.__exit__()
            sys.exit("holdfast up did not come up")
        self.kubeconfig = self.folder / "data/admin.kubeconfig"
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        if keep := os.environ.get("NODE_SUITE_LOG"):
            shutil.copyfile(self.folder / "up.log", keep)
        shutil.rmtree(self.folder, ignore_errors=True)
