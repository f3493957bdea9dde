extension ProtocolDocument {
  /// The operations, part seven: the history.
  static let history = #"""
        {
          "name": "history",
          "summary": "Streams what transactions changed, the oldest first, as the history is at one moment.",
          "since": 1, "writes": false, "streams": true, "idempotent": true, "privilege": "read",
          "args": [
            {
              "name": "since", "type": "string", "required": false, "example": "3f2b8c01-1042",
              "description": "A token or a date: only transactions after it. With the oldest if absent."
            },
            {
              "name": "until", "type": "string", "required": false, "example": "3f2b8c01-1100",
              "description": "The token of the last transaction that is wanted."
            },
            {
              "name": "entity", "type": "string", "required": false, "example": "Package",
              "description": "Only changes of its rows, and of rows of entities that descend from it."
            },
            {
              "name": "ids", "type": "Ids", "required": false, "example": [42],
              "with": {"entity": "Package"}, "description": "Only changes of these rows of `entity`."
            },
            {
              "name": "properties", "type": "Names", "required": false, "example": ["name"],
              "description": "Only changes of these properties; inserting and deleting a row changes all that it has."
            },
            {
              "name": "author", "type": "string", "required": false, "example": "ann",
              "description": "Only transactions of this author."
            },
            {
              "name": "limit", "type": "integer", "required": false, "minimum": 0, "example": 10,
              "description": "How many transactions at most."
            },
            {
              "name": "descending", "type": "bool", "required": false, "default": false,
              "example": true, "description": "Whether the last transaction comes first."
            },
            {
              "name": "consumer", "type": "string", "required": false, "example": "mirror",
              "description": "The consumer after whose position to begin if `since` is absent; see `history.acknowledge`."
            },
            {
              "name": "values", "type": "bool", "required": false, "default": true,
              "example": false, "description": "Whether old and new values are wanted."
            }
          ],
          "result": [
            {
              "name": "transactions", "type": "integer", "required": true,
              "description": "How many transactions were sent."
            },
            {
              "name": "token", "type": "string", "required": true,
              "description": "The moment up to which everything was told: the `since` of the next read."
            }
          ],
          "next": {
            "description": "One object for each transaction: `token`, `at`, `author`, `process`, `group`, `origin`, and its `changes`. Those of a large one come in several objects, all but the last of which have `more`. A change has `entity`, `id`, `kind` (`insert`, `update`, `delete`, `links`), `version`, `properties`, and the values `old` and `new` as far as the history keeps them."
          },
          "errors": [
            "schema.unknown_entity", "history.expired", "history.foreign", "limit.streams",
            "limit.frame_bytes", "stream.expired"
          ],
          "example": {
            "args": {"since": "3f2b8c01-1042", "limit": 1},
            "next": {
              "next": [
                {
                  "token": "3f2b8c01-1043", "at": "2026-05-01T12:00:00Z", "author": "ann",
                  "process": "app/812",
                  "changes": [
                    {
                      "entity": "Package", "id": 42, "kind": "update", "version": 2,
                      "properties": ["name"], "old": {"name": "zlib"}, "new": {"name": "zstd"}
                    }
                  ]
                }
              ]
            },
            "ok": {"transactions": 1, "token": "3f2b8c01-1043"}
          }
        },
        {
          "name": "history.delete",
          "summary": "Deletes the history before a moment. A transaction goes as a whole.",
          "since": 1, "writes": true, "streams": false, "idempotent": true, "privilege": "write",
          "args": [
            {
              "name": "before", "type": "string", "required": true, "example": "3f2b8c01-1042",
              "description": "The token of the first transaction to keep, or a date. The token whose number follows that of the last transaction keeps none."
            }
          ],
          "result": [
            {
              "name": "deleted", "type": "integer", "required": true,
              "description": "How many transactions that were."
            },
            {
              "name": "oldest", "type": "string", "required": true,
              "description": "The first transaction that is kept; null if none is."
            }
          ],
          "errors": ["history.foreign", "conflict.key_reused"],
          "example": {
            "args": {"before": "3f2b8c01-1042"}, "ok": {"deleted": 12, "oldest": "3f2b8c01-1042"}
          }
        },
        {
          "name": "history.status",
          "summary": "Tells how much history there is, and who reads it.",
          "since": 1, "writes": false, "streams": false, "idempotent": true, "privilege": "read",
          "args": [],
          "result": [
            {
              "name": "oldest", "type": "string", "required": true,
              "description": "The first transaction that is kept; null if none is."
            },
            {
              "name": "head", "type": "string", "required": true,
              "description": "The last transaction, also if it isn't kept any more."
            },
            {
              "name": "transactions", "type": "integer", "required": true,
              "description": "How many transactions are kept."
            },
            {
              "name": "bytes", "type": "integer", "required": true,
              "description": "About how many bytes they have; what was added last may be missing."
            },
            {
              "name": "consumers", "type": "array", "required": true,
              "description": "For each consumer its `name`, its position as `token`, `at` when it was given, and `isExpired`, whether what came then isn't kept any more."
            }
          ],
          "errors": ["history.expired"],
          "example": {
            "args": {},
            "ok": {
              "oldest": "3f2b8c01-7", "head": "3f2b8c01-1043", "transactions": 1000, "bytes": 204800,
              "consumers": [
                {
                  "name": "mirror", "token": "3f2b8c01-1040", "at": "2026-05-01T12:00:00Z",
                  "isExpired": false
                }
              ]
            }
          }
        },
        {
          "name": "history.acknowledge",
          "summary": "Notes up to where a consumer has read the history. What it hasn't read is kept for longer.",
          "since": 1, "writes": true, "streams": false, "idempotent": true, "privilege": "write",
          "args": [
            {
              "name": "consumer", "type": "string", "required": true, "example": "mirror",
              "description": "The consumer's name, 1 to 128 bytes; the first time makes it one."
            },
            {
              "name": "token", "type": "string", "required": true, "example": "3f2b8c01-1042",
              "description": "The last moment that it has read."
            }
          ],
          "result": [
            {
              "name": "consumer", "type": "string", "required": true,
              "description": "The consumer's name."
            },
            {
              "name": "position", "type": "string", "required": true,
              "description": "Its position from now on."
            }
          ],
          "errors": ["history.expired", "history.foreign", "limit.rows", "conflict.key_reused"],
          "example": {
            "args": {"consumer": "mirror", "token": "3f2b8c01-1042"},
            "ok": {"consumer": "mirror", "position": "3f2b8c01-1042"}
          }
        },
        {
          "name": "history.forget",
          "summary": "Forgets a consumer and its position.",
          "since": 1, "writes": true, "streams": false, "idempotent": false, "privilege": "write",
          "args": [
            {
              "name": "consumer", "type": "string", "required": true, "example": "mirror",
              "description": "The consumer's name."
            }
          ],
          "result": [],
          "errors": ["conflict.key_reused"],
          "example": {"args": {"consumer": "mirror"}, "ok": {}}
        },
        {
          "name": "history.row",
          "summary": "Tells what a row was at a moment, or who last changed each of its properties.",
          "since": 1, "writes": false, "streams": false, "idempotent": true, "privilege": "read",
          "args": [
            {
              "name": "entity", "type": "string", "required": true, "example": "Package",
              "description": "The name of an entity."
            },
            {
              "name": "id", "type": "integer", "required": true, "example": 42,
              "description": "The identifier of the row."
            },
            {
              "name": "at", "type": "string", "required": false, "example": "3f2b8c01-1042",
              "description": "The moment; if absent, the answer says who changed the row."
            }
          ],
          "result": [
            {
              "name": "entity", "type": "string", "required": true,
              "description": "The row's own entity."
            },
            {
              "name": "token", "type": "string", "required": false, "description": "The moment."
            },
            {
              "name": "row", "type": "object", "required": false,
              "description": "The row's values by their paths; null if there was no such row."
            },
            {
              "name": "deleted", "type": "bool", "required": false,
              "description": "True if there was no such row."
            },
            {
              "name": "unknown", "type": "Names", "required": false,
              "description": "The properties of which the history keeps no values."
            },
            {
              "name": "schemaChanged", "type": "bool", "required": false,
              "description": "True if the schema changed since, and with it perhaps the names of properties."
            },
            {
              "name": "properties", "type": "object", "required": false,
              "description": "For each property the `token`, `at`, `author`, and `process` of its last change, as far as the history reaches back."
            },
            {
              "name": "inserted", "type": "object", "required": false,
              "description": "The same of the row's insertion."
            },
            {
              "name": "deletedBy", "type": "object", "required": false,
              "description": "The same of the row's deletion, if it is gone."
            }
          ],
          "errors": [
            "schema.unknown_entity", "notfound.object", "history.expired", "history.foreign",
            "history.no_values", "limit.frame_bytes"
          ],
          "example": {
            "args": {"entity": "Package", "id": 42},
            "ok": {
              "entity": "Package",
              "properties": {"name": {"token": "3f2b8c01-1043", "at": "2026-05-01T12:00:00Z", "author": "ann"}},
              "inserted": {"token": "3f2b8c01-12", "at": "2026-04-01T12:00:00Z", "process": "app/7"}
            }
          }
        },
        {
          "name": "undo",
          "summary": "Undoes transactions: writes what they changed as it was before, in one transaction of its own.",
          "since": 1, "writes": true, "streams": false, "idempotent": false, "privilege": "write",
          "args": [
            {
              "name": "token", "type": "string", "required": false, "example": "3f2b8c01-1043",
              "description": "The transaction. If neither it nor `author` nor `group` is there, the last one of the author of this call or connection, or of anybody if it has none."
            },
            {
              "name": "author", "type": "string", "required": false, "example": "ann",
              "description": "The last transaction of this author."
            },
            {
              "name": "group", "type": "string", "required": false, "example": "import-7",
              "description": "All transactions of this group, the last first."
            },
            {
              "name": "policy", "type": "string", "required": false, "default": "error",
              "enum": [
                "error", "mergeByPropertyStoreTrump", "mergeByPropertyObjectTrump", "overwrite",
                "rollback"
              ],
              "example": "mergeByPropertyStoreTrump",
              "description": "What to do with what was changed since; see conflicts."
            }
          ],
          "result": [
            {
              "name": "undone", "type": "Names", "required": true,
              "description": "The tokens of the transactions that were undone."
            },
            {
              "name": "conflicts", "type": "array", "required": true,
              "description": "What the policy decided, as `save` tells it."
            },
            {
              "name": "token", "type": "string", "required": false,
              "description": "The token of the transaction that undid them."
            }
          ],
          "errors": [
            "history.expired", "history.foreign", "history.no_values", "history.already_undone",
            "history.nothing", "conflict.merge", "conflict.unique", "constraint.denied",
            "constraint.reference", "limit.rows", "conflict.key_reused"
          ],
          "example": {
            "args": {"token": "3f2b8c01-1043"},
            "ok": {"undone": ["3f2b8c01-1043"], "conflicts": [], "token": "3f2b8c01-1044"}
          }
        },
        {
          "name": "redo",
          "summary": "Does again what was undone, by undoing what undid it.",
          "since": 1, "writes": true, "streams": false, "idempotent": false, "privilege": "write",
          "args": [
            {
              "name": "token", "type": "string", "required": false, "example": "3f2b8c01-1044",
              "description": "A transaction that undid another, or one that was undone. Absent: as for `undo`, the last one that undid something."
            },
            {
              "name": "author", "type": "string", "required": false, "example": "ann",
              "description": "The last transaction of this author that undid something."
            },
            {
              "name": "group", "type": "string", "required": false, "example": "import-7",
              "description": "All transactions of this group that were undone."
            },
            {
              "name": "policy", "type": "string", "required": false, "default": "error",
              "enum": [
                "error", "mergeByPropertyStoreTrump", "mergeByPropertyObjectTrump", "overwrite",
                "rollback"
              ],
              "example": "overwrite",
              "description": "What to do with what was changed since; see conflicts."
            }
          ],
          "result": [
            {
              "name": "undone", "type": "Names", "required": true,
              "description": "The tokens of the transactions that had undone something."
            },
            {
              "name": "conflicts", "type": "array", "required": true,
              "description": "What the policy decided, as `save` tells it."
            },
            {
              "name": "token", "type": "string", "required": false,
              "description": "The token of the transaction that did it again."
            }
          ],
          "errors": [
            "history.expired", "history.foreign", "history.no_values", "history.already_undone",
            "history.nothing", "conflict.merge", "conflict.unique", "constraint.denied",
            "constraint.reference", "limit.rows", "conflict.key_reused"
          ],
          "example": {
            "args": {"token": "3f2b8c01-1044"},
            "ok": {"undone": ["3f2b8c01-1044"], "conflicts": [], "token": "3f2b8c01-1045"}
          }
        }
    """#
}
