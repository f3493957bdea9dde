"""The service that certifies a client: each answer holds what the next question needs."""
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import threading

from conversation import PATIENCE
from level1 import Chain
from level2 import LongChain
from wire import Failure, Wire

LEVELS = {1: Chain, 2: LongChain}


def framing_of(sock):
    first = sock.recv(1, socket.MSG_PEEK)
    if first == b"{":
        return "lines"
    if first == b"\0":
        return "length"
    raise Failure(f"the client begins with {first!r}")


def accept(listener, ended):
    listener.settimeout(0.1)
    while not ended.is_set():
        try:
            sock = listener.accept()[0]
            sock.settimeout(PATIENCE)
            return Wire(sock, framing_of(sock), "random", 7)
        except TimeoutError:
            pass
    raise Failure("the client ended without connecting")


def serve(chain, listener, outcome):
    try:
        chain.run()
        while chain.wire.receive(PATIENCE) is not None:
            pass
        if not chain.wire.closed:
            raise Failure("the client doesn't close its connection")
    except (Failure, OSError) as error:
        outcome.append(error)
    finally:
        if chain.wire:
            chain.wire.close()
        # Nobody answers a client that goes on.
        listener.close()


def execute(command, **variables):
    """Runs a command with these variables and returns its output; raises Failure if it doesn't succeed."""
    process = subprocess.Popen(command, env=dict(os.environ, **variables), text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        output, _ = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
        raise Failure(f"the command does not end: {output[-2000:]}") from None
    if process.returncode != 0:
        raise Failure(f"the command ended with status {process.returncode}: {output[-2000:]}")
    return output


def run(command, level):
    """Runs a client against the questions of a level; raises Failure if it doesn't answer them."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="depot-", dir="/tmp"))
    outcome = []
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(folder / "s"))
            listener.listen()
            ended = threading.Event()
            chain = LEVELS[level](lambda: accept(listener, ended))
            thread = threading.Thread(target=serve, args=(chain, listener, outcome))
            thread.start()
            output, failure = "", None
            try:
                output = execute(command, DEPOT_SOCKET=str(folder / "s"), DEPOT_CERTIFY=str(level))
            except Failure as error:
                failure = error
            finally:
                ended.set()
                thread.join()
        if outcome:
            raise Failure(f"{outcome[0]}; {failure}" if failure else str(outcome[0]))
        if failure:
            raise failure
        chain.check_output(output)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
