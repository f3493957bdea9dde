#!/usr/bin/env python3
"""Forked processes, pools of them, and signals, with the service at $DEPOT_SOCKET."""
import asyncio
import copy
import multiprocessing
import os
import pickle
import random
import signal
import sys

from depot import AsyncDepot, Depot, DepotError

COUNT = 100


def names(depot):
    return sorted(row["name"] for row in depot.fetch("Forked", select=["name"]))


def in_child(body):
    """Runs a function in a forked process, and waits for its success."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            body()
            status = 0
        finally:
            os._exit(status)
    return child


def awaited(child):
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def work(depot, name, ids):
    """Inserts and reads rows, each of which has to be the one that was asked for."""
    for number in range(COUNT):
        stored = depot.insert("Forked", ["name"], [[f"{name}-{number}"]])["ids"]
        assert depot.get("Forked", stored)[0]["name"] == f"{name}-{number}"
        assert depot.get("Forked", [ids[name]])[0]["name"] == name


def forks():
    with Depot() as depot:
        stored = depot.insert("Forked", ["name"], [["parent"], ["child"]])["ids"]
        ids = dict(zip(["parent", "child"], stored))
        # Both may be read after the first rows of the child are stored.
        two = "name == 'parent' OR name == 'child'"
        rows, begun = depot.fetch("Forked", where=two), depot.begin("count", entity="Forked", where=two)

        def child():
            # What was begun ends here, and only here.
            for part in (lambda: next(rows), begun.result):
                try:
                    part()
                    raise AssertionError("a call of another process")
                except DepotError as error:
                    assert error.code == "unavailable.disconnected", error
            work(depot, "child", ids)
            depot.close()

        number = in_child(child)
        work(depot, "parent", ids)
        awaited(number)
        assert len(list(rows)) == 2 and begun.result()["count"] == 2
        assert names(depot) == sorted(["parent", "child"] + [f"{name}-{number}" for name in ids
                                                             for number in range(COUNT)])


async def forks_of_loop():
    async with AsyncDepot() as depot:
        async def count():
            # A lock of the other loop can't be waited for, and need not be.
            return await depot.count("Forked")

        before = await count()
        number = in_child(lambda: asyncio.run(count()))
        for _ in range(COUNT):
            assert await count() == before
        awaited(number)
        assert await count() == before


def refused(_):
    with Depot() as depot:
        depot.get("Forked", [1 << 40])


def errors():
    error = DepotError({"code": "conflict.unique", "message": "Taken.", "hint": "Take another.", "at": "/args",
                        "retry": "no", "effect": "none", "details": {"existing": 1}})
    for other in (copy.copy(error), copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
        assert vars(other) == vars(error) and str(other) == str(error)
    with multiprocessing.Pool(1) as pool:
        try:
            pool.map_async(refused, [1]).get(60)
            raise AssertionError("nothing was raised")
        except DepotError as found:
            assert found.code == "notfound.object", found


class Alarm(TimeoutError):
    pass


def signals(dice):
    def ring(number, frame):
        raise Alarm

    signal.signal(signal.SIGALRM, ring)
    text = "x" * (1 << 20)
    with Depot() as depot:
        rung = 0
        for attempt in range(200):
            try:
                signal.setitimer(signal.ITIMER_REAL, dice.uniform(1e-5, 4e-3))
                depot.insert("Forked", ["name"], [[f"{attempt}{text}"]])
                signal.setitimer(signal.ITIMER_REAL, 0)
            except Alarm:
                rung += 1
            # Whatever was interrupted, the next call has its own answer.
            assert depot.call("count", entity="Forked", where="name == 'parent'") == {"count": 1}
        assert rung > 0


def interrupted_between():
    """The handler runs right behind the system call: what was sent isn't sent again."""
    for name in ("send", "recv"):
        depot = Depot()
        connection = depot._connection

        class Socket:
            def __init__(self, socket):
                self.socket = socket

            def __getattr__(self, member):
                function = getattr(self.socket, member)
                if member != name:
                    return function

                def call(*arguments):
                    function(*arguments)
                    raise Alarm

                return call

        connection.socket = Socket(connection.socket)
        try:
            depot.count("Forked")
            raise AssertionError("nothing was raised")
        except Alarm:
            pass
        assert depot.count("Forked", where="name == 'parent'") == 1


seed = int(sys.argv[1]) if sys.argv[1:] else random.randrange(1 << 32)
print("seed", seed)
with Depot() as first:
    attributes = [{"name": "name", "type": "string"}]
    first.call("schema.define", schema={"entities": [{"name": "Forked", "attributes": attributes}]})
forks()
asyncio.run(forks_of_loop())
errors()
interrupted_between()
signals(random.Random(seed))
