extension ProtocolDocument {
  /// The operations, part two: from fetch on.
  static let queries = #"""
        {
          "name": "fetch",
          "summary": "Streams the rows that satisfy a predicate, as they are at one moment.",
          "since": 1, "writes": false, "streams": true, "idempotent": true, "privilege": "read",
          "args": [
            {
              "name": "entity", "type": "string", "required": true, "example": "Package",
              "description": "The name of an entity."
            },
            {
              "name": "where", "type": "Predicate", "required": false,
              "example": {"==": [{"attribute": "section"}, "shells"]},
              "description": "What the rows must satisfy; every row if absent."
            },
            {
              "name": "sort", "type": "SortKeys", "required": false, "default": [],
              "example": [{"attribute": "size", "descending": true}, {"attribute": "name"}],
              "description": "The keys to sort by, the most important first; the identifier is always the last."
            },
            {
              "name": "limit", "type": "integer", "required": false, "minimum": 0, "example": 10,
              "description": "How many rows at most."
            },
            {
              "name": "offset", "type": "integer", "required": false, "minimum": 0, "default": 0,
              "example": 20, "description": "How many rows to leave out first."
            },
            {
              "name": "select", "type": "Names", "required": false, "example": ["name", "size"],
              "description": "The attributes to return, in that order; all in the order of the schema if absent."
            },
            {
              "name": "batch", "type": "integer", "required": false, "minimum": 1, "maximum": 100000,
              "example": 100,
              "description": "How many rows one `next` frame may bring; as many as fit into about 64 KiB if absent."
            },
            {
              "name": "columns", "type": "bool", "required": false, "default": true, "example": false,
              "description": "Whether the first `next` frame names the columns; it is then sent for no rows too."
            }
          ],
          "result": [
            {
              "name": "rows", "type": "integer", "required": true,
              "description": "How many rows were sent."
            }
          ],
          "errors": [
            "schema.unknown_entity", "schema.unknown_attribute", "request.predicate",
            "limit.predicate", "limit.streams"
          ],
          "example": {
            "args": {
              "entity": "Package", "where": "size > 1000", "sort": [{"attribute": "name"}],
              "select": ["name"]
            },
            "next": {"columns": ["$id", "$version", "name"], "next": [[1, 1, "bash"]]},
            "ok": {"rows": 1}
          }
        },
        {
          "name": "count", "summary": "Counts the rows that satisfy a predicate.", "since": 1,
          "writes": false, "streams": false, "idempotent": true, "privilege": "read",
          "args": [
            {
              "name": "entity", "type": "string", "required": true, "example": "Package",
              "description": "The name of an entity."
            },
            {
              "name": "where", "type": "Predicate", "required": false,
              "example": {"==": [{"attribute": "section"}, "shells"]},
              "description": "What the rows must satisfy; every row if absent."
            }
          ],
          "result": [
            {
              "name": "count", "type": "integer", "required": true,
              "description": "How many there are."
            }
          ],
          "errors": [
            "schema.unknown_entity", "schema.unknown_attribute", "request.predicate",
            "limit.predicate"
          ],
          "example": {
            "args": {"entity": "Package", "where": {">": [{"attribute": "size"}, 1000]}},
            "ok": {"count": 1}
          }
        },
        {
          "name": "update", "summary": "Gives values to rows: all of them or none.", "since": 1,
          "writes": true, "streams": false, "idempotent": true, "privilege": "write",
          "exactlyOne": ["ids", "where"],
          "args": [
            {
              "name": "entity", "type": "string", "required": true, "example": "Package",
              "description": "The name of an entity."
            },
            {
              "name": "ids", "type": "Ids", "required": false, "example": [1],
              "description": "The rows, all of which must exist; at most 10,000."
            },
            {
              "name": "where", "type": "Predicate", "required": false,
              "example": {">": [{"attribute": "size"}, 1000]},
              "description": "The rows that satisfy this; \"TRUEPREDICATE\" for every row."
            },
            {
              "name": "set", "type": "Values", "required": true, "example": {"size": 200},
              "description": "The attributes to change with their new values."
            }
          ],
          "result": [
            {
              "name": "updated", "type": "integer", "required": true,
              "description": "How many rows were changed."
            }
          ],
          "errors": [
            "schema.unknown_entity", "schema.unknown_attribute", "request.usage", "request.type",
            "request.number_range", "request.predicate", "notfound.object", "constraint.required",
            "constraint.range", "conflict.unique", "conflict.key_reused", "limit.predicate",
            "limit.rows", "limit.value_bytes"
          ],
          "example": {
            "args": {"entity": "Package", "ids": [2], "set": {"size": 200}}, "ok": {"updated": 1}
          }
        },
        {
          "name": "delete", "summary": "Deletes rows: all of them or none.", "since": 1,
          "writes": true, "streams": false, "idempotent": false, "privilege": "write",
          "exactlyOne": ["ids", "where"],
          "args": [
            {
              "name": "entity", "type": "string", "required": true, "example": "Package",
              "description": "The name of an entity."
            },
            {
              "name": "ids", "type": "Ids", "required": false, "example": [1],
              "description": "The rows, all of which must exist; at most 10,000."
            },
            {
              "name": "where", "type": "Predicate", "required": false,
              "example": {">": [{"attribute": "size"}, 1000]},
              "description": "The rows that satisfy this; \"TRUEPREDICATE\" for every row."
            }
          ],
          "result": [
            {
              "name": "deleted", "type": "integer", "required": true,
              "description": "How many rows were deleted."
            }
          ],
          "errors": [
            "schema.unknown_entity", "schema.unknown_attribute", "request.usage", "request.predicate",
            "notfound.object", "conflict.key_reused", "limit.predicate", "limit.rows"
          ],
          "example": {"args": {"entity": "Package", "ids": [2]}, "ok": {"deleted": 1}}
        },
        {
          "name": "explain", "summary": "Tells how a fetch would run, without running it.",
          "since": 1, "writes": false, "streams": false, "idempotent": true, "privilege": "read",
          "args": [
            {
              "name": "entity", "type": "string", "required": true, "example": "Package",
              "description": "The name of an entity."
            },
            {
              "name": "where", "type": "Predicate", "required": false,
              "example": {"==": [{"attribute": "section"}, "shells"]},
              "description": "What the rows must satisfy; every row if absent."
            },
            {
              "name": "sort", "type": "SortKeys", "required": false, "default": [],
              "example": [{"attribute": "size", "descending": true}, {"attribute": "name"}],
              "description": "The keys to sort by, the most important first; the identifier is always the last."
            },
            {
              "name": "limit", "type": "integer", "required": false, "minimum": 0, "example": 10,
              "description": "How many rows at most."
            },
            {
              "name": "offset", "type": "integer", "required": false, "minimum": 0, "default": 0,
              "example": 20, "description": "How many rows to leave out first."
            },
            {
              "name": "select", "type": "Names", "required": false, "example": ["name", "size"],
              "description": "The attributes to return, in that order; all in the order of the schema if absent."
            },
            {
              "name": "batch", "type": "integer", "required": false, "minimum": 1, "maximum": 100000,
              "example": 100,
              "description": "How many rows one `next` frame may bring; as many as fit into about 64 KiB if absent."
            },
            {
              "name": "columns", "type": "bool", "required": false, "default": true, "example": false,
              "description": "Whether the first `next` frame names the columns; it is then sent for no rows too."
            }
          ],
          "result": [
            {
              "name": "predicate", "type": "any", "required": true,
              "description": "The predicate as a tree, or null."
            },
            {
              "name": "sql", "type": "string", "required": true,
              "description": "What the store would run."
            },
            {"name": "plan", "type": "array", "required": true, "description": "The steps, as text."},
            {
              "name": "uses", "type": "Names", "required": true,
              "description": "The indexes that would be used."
            },
            {
              "name": "fullScan", "type": "bool", "required": true,
              "description": "Whether every row would be looked at."
            },
            {
              "name": "advice", "type": "string", "required": false,
              "description": "What would make it faster."
            }
          ],
          "errors": [
            "schema.unknown_entity", "schema.unknown_attribute", "request.predicate",
            "limit.predicate"
          ],
          "example": {
            "args": {"entity": "Package", "where": "name == 'bash'"},
            "ok": {
              "predicate": {"==": [{"attribute": "name"}, "bash"]}, "sql": "SELECT …",
              "plan": ["SEARCH Package USING INDEX …"], "uses": ["Package_name"], "fullScan": false
            }
          }
        },
        {
          "name": "stats", "summary": "Returns counters of the service. Their names may change.",
          "since": 1, "writes": false, "streams": false, "idempotent": true, "privilege": "read",
          "args": [], "result": [], "errors": [], "example": {"args": {}, "ok": {"connections": 1}}
        },
        {
          "name": "shutdown", "summary": "Stops the service after the calls that it has begun.",
          "since": 1, "writes": false, "streams": false, "idempotent": true, "privilege": "owner",
          "args": [], "result": [], "errors": [], "example": {"args": {}, "ok": {}}
        }
      ],
      "commonErrors": [
        "request.unknown_op", "request.unknown_member", "request.missing_member", "request.type",
        "request.number_range", "request.usage", "limit.in_flight", "deadline.passed",
        "cancelled.by_client", "permission.op", "unavailable.draining", "unavailable.busy",
        "unavailable.readonly", "storage.full", "storage.io", "storage.corrupt", "internal.bug"
      ]
    """#
}
