#!/usr/bin/env python3
"""Credit is sent for a stream that goes on, and not for one whose end has come."""
from depot.session import Session, encode


def sent(*frames):
    """The bytes that are sent after these frames of a call, when one of them is used up."""
    session = Session({"protocol": [1, 1]})
    session.receive(encode({"welcome": {"protocol": 1, "features": []}}))
    number = session.begin("fetch", {"entity": "Item"}, {"credit": 8})
    session.receive(b"".join(encode({"id": number, **frame}) for frame in frames))
    session.outgoing.clear()
    assert session.take(number) is not None
    session.control(number, "more", 1)
    return bytes(session.outgoing)


rows, end, failure = {"next": [[1]]}, {"ok": {}}, {"err": {"code": "corrupt.store", "message": "Damaged."}}
assert sent(rows, end) == b"" and sent(rows, failure) == b"" and sent(rows, rows, end) == b""
assert sent(rows) == sent(rows, rows) == encode({"id": 1, "more": 1})
