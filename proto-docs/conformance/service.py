"""A service under test: started with an empty store, stopped at the end."""
import os
import pathlib
import shlex
import shutil
import socket
import subprocess
import tempfile
import time

from wire import Failure

PATIENCE = 15.0


class Service:
    def __init__(self, start, path):
        self.start, self.fixed = start, path

    def __enter__(self):
        self.process = self.folder = None
        if not self.start:
            self.socket = self.fixed
            return self
        # A short name: the path of a socket has room for 107 bytes.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="depot-", dir="/tmp"))
        self.socket = self.fixed or str(self.folder / "s")
        command = [part.replace("{socket}", self.socket).replace("{store}", str(self.folder / "store"))
                   for part in shlex.split(self.start)]
        self.log = open(self.folder / "log", "w+b")
        try:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                            stdout=self.log, stderr=self.log)
            self.wait()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def wait(self):
        limit = time.monotonic() + PATIENCE
        while True:
            if self.process.poll() is not None:
                raise Failure(f"the service ended with {self.process.returncode}: {self.tail()}")
            try:
                with socket.socket(socket.AF_UNIX) as probe:
                    probe.connect(self.socket)
                return
            except OSError as error:
                if time.monotonic() > limit:
                    raise Failure(f"the service does not answer: {error}: {self.tail()}") from None
            time.sleep(0.005)

    def tail(self):
        self.log.flush()
        return (self.folder / "log").read_text("utf-8", "replace")[-500:].strip()

    def __exit__(self, kind, error, trace):
        crash = None
        if self.process:
            if self.process.poll() is None:
                self.process.terminate()
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                crash = "the service does not stop on SIGTERM"
            code = self.process.returncode
            if code not in (0, -15) and not crash:
                crash = f"the service ended with {code}: {self.tail()}"
        if self.folder:
            self.log.close()
            shutil.rmtree(self.folder, ignore_errors=True)
            if self.fixed and os.path.exists(self.fixed):
                os.unlink(self.fixed)
        if crash and kind is None:
            raise Failure(crash)
        if crash:
            raise Failure(f"{error}; {crash}") from None
