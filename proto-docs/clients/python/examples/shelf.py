#!/usr/bin/env python3
"""Books in the service at $DEPOT_SOCKET: a schema, rows, a query, a change in one transaction."""
import datetime
import uuid

from depot import Depot, DepotError

BOOK = {"name": "Book", "attributes": [
    {"name": "title", "type": "string", "unique": True},
    {"name": "year", "type": "int64"},
    {"name": "code", "type": "uuid"},
    {"name": "added", "type": "date"}]}

with Depot(name="shelf") as depot:
    schema = depot.call("schema.get")["schema"]
    schema["entities"] = [entity for entity in schema["entities"] if entity["name"] != "Book"] + [BOOK]
    depot.call("schema.define", schema=schema)
    depot.delete("Book", where=True)

    now = datetime.datetime(2026, 11, 24, 12, tzinfo=datetime.timezone.utc)
    books = [["Dune", 1965], ["Emma", 1815], ["Ulysses", 1922]]
    depot.insert("Book", ["title", "year", "code", "added"], [[*book, uuid.uuid4(), now] for book in books])

    for book in depot.fetch("Book", where="year > 1900", sort=[{"attribute": "year"}]):
        print(book["title"], book["year"], book["added"])

    depot.update("Book", {"year": 1816}, where="title == 'Emma'")
    print(depot.count("Book", where="year == 1816"), "changed")

    try:
        depot.insert("Book", ["title", "year", "code", "added"], [["Dune", 1984, uuid.uuid4(), now]])
    except DepotError as error:
        print(error.code, error.details["existing"])
    assert depot.delete("Book", where=True) == 3
