#!/usr/bin/env python3
"""Folders of the user's own socket that others could have made, or may write to."""
import asyncio
import os
import tempfile

from depot import AsyncDepot, Depot, DepotError

STRANGER, USER = 65533, 65534


def code(connect):
    try:
        connect()
    except DepotError as error:
        return error.code
    return "connected"


async def connected():
    async with AsyncDepot():
        pass


def as_user(body):
    """Runs a function as a user who isn't root, in a process of its own."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            if os.getuid() == 0:
                os.setgid(USER)
                os.setuid(USER)
            body()
            status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def expect(folder, expected):
    def check():
        del os.environ["DEPOT_SOCKET"]
        os.environ["XDG_RUNTIME_DIR"] = folder
        for connect in (Depot, lambda: asyncio.run(connected())):
            found = code(connect)
            assert found == expected, f"{folder}: {found}, not {expected}"
    as_user(check)


with tempfile.TemporaryDirectory() as folder:
    os.chmod(folder, 0o755)
    own = os.getuid() if os.getuid() != 0 else USER

    def place(name, mode, owner=own):
        path = f"{folder}/{name}/depot"
        os.makedirs(path)
        os.chmod(path, mode)
        if owner != os.getuid():
            os.chown(path, owner, owner)
        return os.path.dirname(path)

    # Nobody serves there, which is told only of a folder that can be trusted.
    expect(place("own", 0o700), "unavailable.service")
    expect(place("open", 0o777), "permission.file")
    expect(place("sticky", 0o1777), "unavailable.service")
    if os.getuid() == 0:
        expect(place("foreign", 0o755, STRANGER), "permission.file")
        os.mkdir(f"{folder}/linked")
        os.symlink(f"{folder}/own/depot", f"{folder}/linked/depot")
        os.lchown(f"{folder}/linked/depot", STRANGER, STRANGER)
        expect(f"{folder}/linked", "permission.file")
print("Folders that others could have made are refused.")
